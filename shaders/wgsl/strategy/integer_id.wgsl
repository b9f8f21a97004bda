struct PickOutput {
    @location(0) id_depth: vec2u,
}

fn pick_output(in: PickFragment) -> PickOutput {
    var out: PickOutput;
    out.id_depth = vec2u(in.id, bitcast<u32>(in.depth));
    return out;
}
