@vertex
fn vs_main(given: VertexIn) -> Varyings {
    var in = given;
//#if pairs
    let element = element_of(in.instance, in.vertex);
    in.vertex = select(element, 0u, element == NO_ELEMENT);
//#endif
//#if pulled
    let vertex = pulled_vertex(in.vertex);
    let local = pulled_position(vertex);
//#else
    let vertex = in.vertex;
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
//#if pairs
    if element == NO_ELEMENT {
        // As all corners of its triangle, which covers nothing then.
        out.position = vec4f(0.0, 0.0, 0.0, 1.0);
    }
//#endif
    out.id = draw.id_base + instance * draw.ids_per_instance;
//#if faces
    out.id += face_of(vertex);
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
