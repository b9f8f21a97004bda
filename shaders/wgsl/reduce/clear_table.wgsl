// No id has a pixel yet.
@compute @workgroup_size(LIST_THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3u,
) {
    let first = linear(group) * CHUNK;
    let end = min(first + CHUNK, params.id_count);
    for (var number = first + thread; number < end; number += LIST_THREADS) {
        words[count_at(number)] = 0u;
        words[depth_at(number)] = NOWHERE;
        words[place_at(number)] = NOWHERE;
    }
}
