// What tests ask again and again. Mesa's software drivers read uniforms at a high price within branches.
struct Aim {
    low: vec3f,
    high: vec3f,
    first: vec3f,
    second: vec3f,
    planes: array<vec4f, PLANES>,
    anchor: vec3f,
    center: vec3f,
    half: vec3f,
    reach: f32,
}
var<private> aim: Aim;

fn take_aim() {
    aim.low = params.beam_low.xyz;
    aim.high = params.beam_high.xyz;
    aim.first = params.beam_first.xyz;
    aim.second = params.beam_second.xyz;
    aim.planes = params.planes;
    aim.anchor = params.anchor;
    aim.center = params.local_center;
    aim.half = params.local_half;
    aim.reach = params.local_reach;
}

fn largest(v: vec3f) -> f32 {
    return max(v.x, max(v.y, v.z));
}

// f32 rounds shares of the largest number that was added up on the way to a box.
const SLACK: f32 = 4e-6;

// False where nothing in a box of object space, measured from the anchor, can cover a picked pixel: Rust's
// pick_core::cull::beam::Probe. What is not a number is kept.
fn beam_may_touch(center: vec3f, half: vec3f) -> bool {
    let first = (center - half - aim.low) * aim.first;
    let second = (center + half - aim.high) * aim.second;
    let first_rises = aim.first > vec3f(0.0);
    let second_rises = aim.second > vec3f(0.0);
    let end = vec3f(3.4e38);
    let least = max(select(-end, first, first_rises), select(second, -end, second_rises));
    let most = min(select(first, end, first_rises), select(end, second, second_rises));
    let latest = min(most.x, min(most.y, most.z));
    return !(max(largest(least), 0.0) > latest);
}

// The same by planes, which a wide beam does not fit closely.
fn planes_may_touch(center: vec3f, half: vec3f) -> bool {
    var outside = false;
    for (var k = 0u; k < PLANES; k += 1u) {
        let plane = aim.planes[k];
        outside = outside | (dot(plane.xyz, center) + plane.w + dot(abs(plane.xyz), half) < 0.0);
    }
    return !outside;
}

// Of a box that a copy has.
fn box_may_touch(rows: mat3x4f, local_center: vec3f, local_half: vec3f) -> bool {
    // The anchor is taken off first, as the draw does: sums of large coordinates would round.
    let shift = vec3f(rows[0].w, rows[1].w, rows[2].w) - aim.anchor;
    let linear = mat3x3f(rows[0].xyz, rows[1].xyz, rows[2].xyz);
    let sizes = mat3x3f(abs(rows[0].xyz), abs(rows[1].xyz), abs(rows[2].xyz));
    let center = local_center * linear + shift;
    let half = local_half * sizes;
    let reach = largest(abs(shift) + abs(local_center) * sizes + half);
    let loose = half + SLACK * reach;
    return beam_may_touch(center, loose) && planes_may_touch(center, loose);
}

fn rows_may_touch(rows: mat3x4f) -> bool {
    return box_may_touch(rows, aim.center, aim.half);
}
