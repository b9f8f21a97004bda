// Of all instances that a node bounds.
fn node_may_touch(node: u32) -> bool {
    let low = nodes[node];
    let high = nodes[node + 1u].xyz;
    let rounded = 1e-6 * largest(max(abs(low.xyz), abs(high)));
    let around = low.w * aim.reach + rounded;
    let middle = (low.xyz - aim.anchor + (high - aim.anchor)) * 0.5;
    let half = (high - low.xyz) * 0.5 + around;
    return beam_may_touch(middle, half + SLACK * largest(abs(middle) + half));
}
