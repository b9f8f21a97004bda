@group(2) @binding(0) var<storage, read> instance_words: array<vec4f>;

// Where a vertex goes: object space as the draw measures it (large coordinates start at the anchor).
struct Projected {
    anchored: vec3f,
    object_from_local: mat3x3f,
}

fn pick_project(local: vec3f, instance: u32) -> Projected {
    if !draw_has(INSTANCED) {
        let identity = mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
        return Projected(local - draw.anchor, identity);
    }
    let rows = rows_of(instance, draw_choices.flags);
    let turned = vec3f(dot(rows[0].xyz, local), dot(rows[1].xyz, local), dot(rows[2].xyz, local));
    let shift = vec3f(rows[0].w, rows[1].w, rows[2].w) - draw.anchor;
    let linear = transpose(mat3x3f(rows[0].xyz, rows[1].xyz, rows[2].xyz));
    return Projected(turned + shift, linear);
}
