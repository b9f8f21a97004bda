// What a whole pick shares: Rust's pick_core::layout::PickUniforms.
struct PickUniforms {
    origin_high: vec3f,
    orthographic: u32,
    origin_low: vec3f,
    origin_distance: f32,
    forward: vec3f,
    frame: u32,
    region: vec4f,
    viewport: vec4f,
}

// What one draw needs: Rust's pick_core::layout::DrawRecord.
struct DrawRecord {
    clip_from_object: mat4x4f,
    world_rows: array<vec4f, 3>,
    anchor: vec3f,
    id_base: u32,
    flags: u32,
    primitive_base: u32,
    first_instance: u32,
    first_element: u32,
    positions: vec2u,
    normals: vec2u,
    uvs: vec2u,
    indices: u32,
    ids_per_instance: u32,
    survivors: u32,
    pairs: u32,
}

@group(0) @binding(0) var<uniform> pick: PickUniforms;
// The same record twice. Mesa's software drivers read a uniform some ten times faster than storage, but
// compile a shader anew for every value of a uniform that a branch depends on: what is computed with is
// read from `draw`, what branches depend on from `draw_choices`.
@group(1) @binding(0) var<uniform> draw: DrawRecord;
@group(1) @binding(1) var<storage, read> draw_choices: DrawRecord;

fn draw_has(flag: u32) -> bool {
    return (draw_choices.flags & flag) != 0u;
}
