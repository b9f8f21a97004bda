// What tests ask again and again. Mesa's software drivers read uniforms at a high price within branches.
struct Aim {
    start: vec3f,
    radius: f32,
    direction: vec3f,
    slope: f32,
    sides: array<vec4f, 2>,
    side_slopes: vec2f,
    anchor: vec3f,
    center: vec3f,
    half: vec3f,
    reach: f32,
}
var<private> aim: Aim;

fn take_aim() {
    aim.start = params.beam_start;
    aim.radius = params.beam_radius;
    aim.direction = params.beam_direction;
    aim.slope = params.beam_slope;
    aim.sides = params.beam_sides;
    aim.side_slopes = params.beam_side_slopes;
    aim.anchor = params.anchor;
    aim.center = params.local_center;
    aim.half = params.local_half;
    aim.reach = params.local_reach;
}

fn largest(v: vec3f) -> f32 {
    return max(v.x, max(v.y, v.z));
}

// Whether something in a box of object space, measured from the anchor, can cover a picked pixel: along the
// ray, along the axes between the ray and the box's edges, and across the beam's sides. `reach` is the
// largest number that was added up on the way to the box: f32 rounds shares of it. What is not a number is
// kept.
fn may_touch(center: vec3f, half: vec3f, reach: f32) -> bool {
    let slack = 4e-6 * reach;
    let direction = aim.direction;
    let along = abs(direction);
    let from_start = center - aim.start;
    let middle = dot(from_start, direction);
    let extent = dot(half, along) + slack;
    let end = max(middle + extent, 0.0);
    let radius = aim.radius + aim.slope * end + slack;
    let aside = abs(cross(from_start, direction));
    let allowed = half.yzx * along.zxy + half.zxy * along.yzx + radius;
    let first = aim.sides[0];
    let second = aim.sides[1];
    let across = abs(vec2f(dot(from_start, first.xyz), dot(from_start, second.xyz)));
    let sizes = vec2f(dot(half, abs(first.xyz)), dot(half, abs(second.xyz)));
    let widths = vec2f(first.w, second.w) + aim.side_slopes * end + slack;
    let is_off = any(aside > allowed) | any(across > sizes + widths);
    return !(is_off | (middle + extent < 0.0));
}

// Of all instances that a node bounds.
fn node_may_touch(node: u32) -> bool {
    let low = nodes[node];
    let high = nodes[node + 1u].xyz;
    let rounded = 1e-6 * largest(max(abs(low.xyz), abs(high)));
    let around = low.w * aim.reach + rounded;
    let middle = (low.xyz - aim.anchor + (high - aim.anchor)) * 0.5;
    let half = (high - low.xyz) * 0.5 + around;
    return may_touch(middle, half, largest(abs(middle) + half));
}

fn rows_may_touch(rows: mat3x4f) -> bool {
    // The anchor is taken off first, as the draw does: sums of large coordinates would round.
    let shift = vec3f(rows[0].w, rows[1].w, rows[2].w) - aim.anchor;
    let linear = mat3x3f(rows[0].xyz, rows[1].xyz, rows[2].xyz);
    let sizes = mat3x3f(abs(rows[0].xyz), abs(rows[1].xyz), abs(rows[2].xyz));
    let center = aim.center * linear + shift;
    let half = aim.half * sizes;
    let reach = largest(abs(shift) + abs(aim.center) * sizes + half);
    return may_touch(center, half, reach);
}
