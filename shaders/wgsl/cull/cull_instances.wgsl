// Which instances the pick may see: what one chunk comes to, behind the ways down it.
// Of many survivors a word of bits for each block is stored instead, 0 for blocks without any.
fn clear_bits(chunk: u32, thread: u32) {
    let found = params.found + chunk * BLOCKS_IN_CHUNK;
    for (var block = thread; block < BLOCKS_IN_CHUNK; block += CULL_THREADS) {
        scratch[found + block] = 0u;
    }
}

fn store_bits(chunk: u32, thread: u32) {
    let found = params.found + chunk * BLOCKS_IN_CHUNK;
    let count = atomicLoad(&live_count);
    for (var slot = thread; slot < count; slot += CULL_THREADS) {
        scratch[found + live[slot]] = atomicLoad(&seen[slot]);
    }
}

@compute @workgroup_size(CULL_THREADS)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let chunk = linear(group);
    take_aim();
    // Nobody zeroes workgroup memory for us.
    if thread == 0u {
        atomicStore(&group_count, 0u);
        atomicStore(&live_count, 0u);
        atomicStore(&seen_count, 0u);
    }
    workgroupBarrier();
    groups_of(chunk, thread);
    workgroupBarrier();
    blocks_of(chunk, thread);
    workgroupBarrier();
    instances_of(chunk, thread);
    workgroupBarrier();
    storageBarrier();
    let total = atomicLoad(&seen_count);
    if total > FEW {
        clear_bits(chunk, thread);
    }
    if thread == 0u && chunk < params.chunks {
        scratch[params.counts + chunk] = total;
    }
    storageBarrier();
    if total > FEW {
        store_bits(chunk, thread);
    }
}
