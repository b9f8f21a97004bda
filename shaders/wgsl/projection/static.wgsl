// Instance transforms: three rows of four, or four columns of four whose w lanes are not read.
@group(2) @binding(0) var<storage, read> instance_words: array<vec4f>;

// The rows of object-from-instance, as the columns of the result.
fn instance_rows(instance: u32) -> mat3x4f {
    if draw_has(INSTANCE_COLUMNS) {
        let at = instance * 4u;
        let x = instance_words[at];
        let y = instance_words[at + 1u];
        let z = instance_words[at + 2u];
        let t = instance_words[at + 3u];
        return mat3x4f(
            vec4f(x.x, y.x, z.x, t.x),
            vec4f(x.y, y.y, z.y, t.y),
            vec4f(x.z, y.z, z.z, t.z),
        );
    }
    let at = instance * 3u;
    return mat3x4f(instance_words[at], instance_words[at + 1u], instance_words[at + 2u]);
}

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
    let rows = instance_rows(instance);
    let turned = vec3f(dot(rows[0].xyz, local), dot(rows[1].xyz, local), dot(rows[2].xyz, local));
    let shift = vec3f(rows[0].w, rows[1].w, rows[2].w) - draw.anchor;
    let linear = transpose(mat3x3f(rows[0].xyz, rows[1].xyz, rows[2].xyz));
    return Projected(turned + shift, linear);
}
