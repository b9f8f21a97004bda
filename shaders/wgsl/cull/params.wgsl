// What a kernel is told: Rust's pick_core::layout::CullParams.
const PLANES: u32 = 6u;

struct CullParams {
    planes: array<vec4f, PLANES>,
    beam_low: vec4f,
    beam_high: vec4f,
    beam_first: vec4f,
    beam_second: vec4f,
    local_center: vec3f,
    local_reach: f32,
    local_half: vec3f,
    instances: u32,
    anchor: vec3f,
    first_instance: u32,
    pivot: vec3f,
    chunks: u32,
    capacity: u32,
    counts: u32,
    counts_before: u32,
    found: u32,
    survivors: u32,
    elements: u32,
    first_element: u32,
    cluster_nodes: u32,
    clusters: u32,
    cluster_elements: u32,
    pairs: u32,
    pair_capacity: u32,
}

// No branch may depend on it alone: Mesa's software drivers compile a kernel anew for every value then.
// They read it some ten times faster than storage.
@group(0) @binding(0) var<uniform> params: CullParams;

// A position in a grid of workgroups: no dimension may be as large as the largest sets ask for.
fn linear(group: vec3u) -> u32 {
    return group.x + group.y * GROUPS_WIDE;
}
