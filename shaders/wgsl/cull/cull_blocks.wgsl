// Which blocks of instances the pick may see: one thread a block, by interval arithmetic.
@group(1) @binding(0) var<storage, read> blocks: array<vec4f>;
@group(1) @binding(1) var<storage, read_write> scratch: array<u32>;

fn block_may_touch(block: u32) -> bool {
    let at = (params.first_instance / BLOCK + block) * 6u;
    var center = vec3f(0.0);
    var half = vec3f(0.0);
    var reach = 0.0;
    for (var row = 0u; row < 3u; row += 1u) {
        // The anchor is taken off first, as the draw does: sums of large coordinates would round.
        let anchor = vec4f(0.0, 0.0, 0.0, params.anchor[row]);
        let low = blocks[at + row] - anchor;
        let high = blocks[at + 3u + row] - anchor;
        let middle = (low + high) * 0.5;
        let spread = (high - low) * 0.5;
        let local_reach = abs(params.local_center) + params.local_half;
        let linear_reach = dot(abs(middle.xyz), params.local_half) + dot(spread.xyz, local_reach);
        let shift = middle.w;
        center[row] = dot(middle.xyz, params.local_center) + shift;
        half[row] = linear_reach + spread.w;
        let far = abs(shift) + spread.w + dot(abs(middle.xyz) + spread.xyz, local_reach);
        reach = max(reach, far);
    }
    return may_touch(center, half, reach);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    hear(thread);
    let slot = linear(group);
    let block = slot * 256u + thread;
    if block < params.blocks {
        say(thread, block_may_touch(block));
    }
    workgroupBarrier();
    if slot * 256u < params.blocks {
        store(slot, thread, params.block_flags, params.block_counts);
    }
}
