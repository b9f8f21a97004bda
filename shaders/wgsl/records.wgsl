// What a whole pick shares: Rust's pick_core::layout::PickUniforms.
struct PickUniforms {
    origin_high: vec3f,
    orthographic: u32,
    origin_low: vec3f,
    origin_distance: f32,
    forward: vec3f,
    reserved: u32,
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
    reserved: array<u32, 3>,
}

@group(0) @binding(0) var<uniform> pick: PickUniforms;
// In storage and not in a uniform: Mesa's software drivers compile a shader anew for every value that a
// branch reads from a uniform, and this one's flags change with every draw.
@group(1) @binding(0) var<storage, read> draw: DrawRecord;

fn draw_has(flag: u32) -> bool {
    return (draw.flags & flag) != 0u;
}
