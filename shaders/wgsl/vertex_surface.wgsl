fn local_normal(in: VertexIn) -> vec3f {
    if !draw_has(NORMALS) {
        return vec3f(0.0);
    }
//#if pulled
    return pulled_normal(pulled_vertex(in.vertex));
//#endif
//#if attribute_normals
    return in.normal;
//#endif
//#if no_normals
    return vec3f(0.0);
//#endif
}

fn local_uv(in: VertexIn) -> vec2f {
    if !draw_has(UVS) {
        return vec2f(0.0);
    }
//#if pulled
    return pulled_uv(pulled_vertex(in.vertex));
//#endif
//#if attribute_uvs
    return in.uv;
//#endif
//#if no_uvs
    return vec2f(0.0);
//#endif
}

// By the inverse transpose up to a positive factor: the cofactors, with the determinant's sign.
fn world_normal(normal: vec3f, object_from_local: mat3x3f) -> vec3f {
    let rows = draw.world_rows;
    let world_from_object = transpose(mat3x3f(rows[0].xyz, rows[1].xyz, rows[2].xyz));
    let m = world_from_object * object_from_local;
    let cofactors = mat3x3f(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
    let side = select(1.0, -1.0, is_mirrored(m));
    return cofactors * normal * side;
}
