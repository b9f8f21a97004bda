// The surviving blocks in order, and how many workgroups go through them.
@group(1) @binding(1) var<storage, read_write> scratch: array<u32>;
@group(1) @binding(2) var<storage, read_write> dispatch: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = linear(group);
    let slots = (params.blocks + 255u) / 256u;
    let before = sum_before(params.block_counts, min(slot, slots), thread);
    let flags = params.block_flags + slot * 8u;
    if slot < slots && says(flags, thread) {
        let at = before + said_before(flags, thread);
        scratch[params.block_list + at] = slot * 256u + thread;
    }
    if slot + 1u == slots && thread == 0u {
        let total = before + scratch[params.block_counts + slot];
        dispatch[0] = min(total, GROUPS_WIDE);
        dispatch[1] = (total + GROUPS_WIDE - 1u) / GROUPS_WIDE;
        dispatch[2] = 1u;
        scratch[TOTAL_BLOCKS] = total;
        // Nothing is drawn until the instances are listed.
        scratch[TOTAL_SURVIVORS] = 0u;
        for (var word = 0u; word < 10u; word += 1u) {
            scratch[word] = 0u;
        }
    }
}
