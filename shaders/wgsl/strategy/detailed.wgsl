struct PickOutput {
    // Id, depth bits, primitive with the facing in bit 31, view distance bits.
    @location(0) detailed: vec4u,
//#if surface
    // Packed face normal, packed vertex normal, u and v bits.
    @location(1) surface: vec4u,
//#endif
}

fn pick_output(in: PickFragment) -> PickOutput {
    var out: PickOutput;
    out.detailed = vec4u(
        in.id,
        bitcast<u32>(in.depth),
        in.primitive | select(0u, FRONT_BIT, in.front),
        bitcast<u32>(in.view_distance),
    );
//#if surface
    out.surface = vec4u(in.face_normal, in.normal, bitcast<vec2u>(in.uv));
//#endif
    return out;
}
