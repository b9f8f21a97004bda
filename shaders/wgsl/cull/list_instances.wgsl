// The surviving instances in the caller's order, and the counts of the draws: of the survivors, or of
// everything where they do not fit.
@group(1) @binding(1) var<storage, read_write> scratch: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = linear(group);
    let slots = scratch[TOTAL_BLOCKS];
    let live = slot < slots;
    let is_last = slot + 1u == slots;
    var own = 0u;
    if live {
        own = scratch[params.instance_counts + slot];
    }
    // Blocks without survivors, of which a shuffled set has many, have nothing to add up for.
    var counted = 0u;
    if own > 0u || is_last {
        counted = slot;
    }
    let before = sum_before(params.instance_counts, counted, thread);
    let flags = params.instance_flags + slot * 8u;
    if own > 0u && says(flags, thread) {
        let at = before + said_before(flags, thread);
        if at < params.capacity {
            let instance = scratch[params.block_list + slot] * BLOCK + thread;
            scratch[params.survivors + at] = instance;
        }
    }
    if is_last && thread == 0u {
        let total = before + own;
        let fits = total <= params.capacity;
        scratch[TOTAL_SURVIVORS] = total;
        scratch[0] = params.elements;
        scratch[1] = select(0u, total, fits);
        scratch[2] = params.first_element;
        scratch[5] = params.elements;
        scratch[6] = select(params.instances, 0u, fits);
        scratch[7] = params.first_element;
    }
}
