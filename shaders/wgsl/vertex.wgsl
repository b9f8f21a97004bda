@vertex
fn vs_main(in: VertexIn) -> Varyings {
//#if pulled
    let vertex = pulled_vertex(in.vertex);
    let local = pulled_position(vertex);
//#else
    let local = in.position;
//#endif
//#if survivors
    let instance = draw.first_instance + original(in.instance);
//#else
    let instance = draw.first_instance + in.instance;
//#endif
    let projected = pick_project(local, instance);
    let anchored = projected.anchored;
    var out: Varyings;
    out.position = draw.clip_from_object * vec4f(anchored, 1.0);
    out.id = draw.id_base + instance * draw.ids_per_instance;
//#if faces
    out.id += face_of(in.vertex);
//#endif
    out.flip = u32(draw_has(FLIP_FACING) != (is_mirrored(projected.object_from_local)));
//#if distance
    let world = draw.world_rows;
    out.world = vec3f(
        dot(world[0].xyz, anchored) + world[0].w,
        dot(world[1].xyz, anchored) + world[1].w,
        dot(world[2].xyz, anchored) + world[2].w,
    );
//#endif
//#if vertex_primitive
    out.primitive = in.vertex / 3u + draw.primitive_base;
//#endif
//#if surface
    out.normal = world_normal(local_normal(in), projected.object_from_local);
    out.uv = local_uv(in);
//#endif
//#if fragment_depth
    out.depth = out.position.zw;
//#endif
    return out;
}
