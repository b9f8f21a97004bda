@fragment
fn fs_main(
    in: Varyings,
    @builtin(front_facing) winding_front: bool,
//#if builtin_primitive
    @builtin(primitive_index) primitive: u32,
//#endif
//#if output
) -> PickOutput {
//#endif
//#if depth_only
) -> @builtin(frag_depth) f32 {
//#endif
//#if no_output
) {
//#endif
    var told = PickFragment();
    told.id = in.id;
    told.pixel = vec2u(in.position.xy);
    told.front = winding_front != (in.flip != 0u);
//#if fragment_depth
    told.depth = in.depth.x / in.depth.y;
//#else
    told.depth = in.position.z;
//#endif
//#if builtin_primitive
    told.primitive = primitive + draw.primitive_base;
//#endif
//#if vertex_primitive
    told.primitive = in.primitive;
//#endif
//#if distance
    told.view_distance = dot(pick.forward, in.world) + pick.origin_distance;
//#endif
//#if surface
    // Derivatives come before any discard, while the whole quad is alive.
    told.face_normal = pack_normal(face_direction(in.world, told.front));
    told.normal = pack_normal(in.normal);
    told.uv = in.uv;
//#endif
    if pick_discard(told) {
        discard;
    }
//#if keeps_fragments
    keep_fragment(told);
//#endif
//#if output
    var out = pick_output(told);
//#endif
//#if output_depth
    out.fragment_depth = told.depth;
//#endif
//#if output
    return out;
//#endif
//#if depth_only
    return told.depth;
//#endif
}
