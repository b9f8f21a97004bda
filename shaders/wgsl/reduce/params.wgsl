// What a kernel is told: Rust's pick_core::layout::ReduceParams.
struct ReduceParams {
    width: u32,
    height: u32,
    places: u32,
    place_count: u32,
    center_x: u32,
    center_y: u32,
    squared_reach: u32,
    depth_flip: u32,
    bands: u32,
    band_count: u32,
    mask: u32,
    has_mask: u32,
    first_id: u32,
    id_count: u32,
    table: u32,
    answer: u32,
    capacity: u32,
    contained: u32,
    reserved_0: u32,
    reserved_1: u32,
}

@group(0) @binding(0) var<uniform> params: ReduceParams;

// Pixels, runs of pixels or ids that one workgroup goes through.
const CHUNK: u32 = 256u;

fn linear(group: vec3u) -> u32 {
    return group.x + group.y * GROUPS_WIDE;
}
