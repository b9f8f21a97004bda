// What a kernel is told: Rust's pick_core::layout::CullParams.
struct CullParams {
    planes: array<vec4f, 6>,
    local_center: vec3f,
    instances: u32,
    local_half: vec3f,
    format: u32,
    anchor: vec3f,
    reserved: u32,
    plane_count: u32,
    first_instance: u32,
    blocks: u32,
    capacity: u32,
    block_counts: u32,
    block_flags: u32,
    block_list: u32,
    instance_counts: u32,
    instance_flags: u32,
    survivors: u32,
    elements: u32,
    first_element: u32,
}

@group(0) @binding(0) var<storage, read> params: CullParams;

// A position in a grid of workgroups: no dimension may be as large as the largest sets ask for.
fn linear(group: vec3u) -> u32 {
    return group.x + group.y * GROUPS_WIDE;
}

// False where nothing in a box of object space, measured from the anchor, can cover a picked pixel.
// `reach` is the largest number that was added up on the way to the box: f32 rounds shares of it.
fn may_touch(center: vec3f, half: vec3f, reach: f32) -> bool {
    let slack = 4e-6 * reach;
    for (var k = 0u; k < params.plane_count; k += 1u) {
        let plane = params.planes[k];
        let inside = dot(plane.xyz, center) + plane.w + dot(abs(plane.xyz), half);
        // What is not a number is kept.
        if inside + slack < 0.0 {
            return false;
        }
    }
    return true;
}
