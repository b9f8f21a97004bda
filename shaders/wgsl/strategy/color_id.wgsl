// The id in four bytes of colour, the least significant in red.
struct PickOutput {
    @location(0) id: vec4f,
    @location(1) depth_bits: u32,
}

fn pick_output(in: PickFragment) -> PickOutput {
    var out: PickOutput;
    out.id = unpack4x8unorm(in.id);
    out.depth_bits = bitcast<u32>(in.depth);
    return out;
}
