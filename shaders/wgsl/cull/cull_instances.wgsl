// Which instances of the surviving blocks the pick may see: one workgroup a block.
@group(1) @binding(0) var<storage, read> instance_words: array<vec4f>;
@group(1) @binding(1) var<storage, read_write> scratch: array<u32>;

fn instance_may_touch(instance: u32) -> bool {
    let rows = rows_of(instance, params.format);
    var center = vec3f(0.0);
    var half = vec3f(0.0);
    var reach = 0.0;
    for (var row = 0u; row < 3u; row += 1u) {
        let linear_row = rows[row].xyz;
        let shift = rows[row].w - params.anchor[row];
        center[row] = dot(linear_row, params.local_center) + shift;
        half[row] = dot(abs(linear_row), params.local_half);
        let far = abs(shift) + dot(abs(linear_row), abs(params.local_center)) + half[row];
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
    let live = slot < scratch[TOTAL_BLOCKS];
    if live {
        let instance = scratch[params.block_list + slot] * BLOCK + thread;
        if instance < params.instances {
            say(thread, instance_may_touch(instance));
        }
    }
    workgroupBarrier();
    if live {
        store(slot, thread, params.instance_flags, params.instance_counts);
    }
}
