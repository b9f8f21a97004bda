// The surviving instances in the caller's order, and the counts of the draw: of the survivors, or of
// everything where they do not fit. One workgroup.
@compute @workgroup_size(LIST_THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
    let each = (params.chunks + LIST_THREADS - 1u) / LIST_THREADS;
    let first = thread * each;
    let end = min(first + each, params.chunks);
    var own = 0u;
    var most = 0u;
    for (var chunk = first; chunk < end; chunk += 1u) {
        let count = scratch[params.counts + chunk];
        own += count;
        most = max(most, count);
    }
    before_in_team[thread] = own;
    most_in_team[thread] = most;
    workgroupBarrier();
    if thread < LIST_THREADS / TEAM {
        var sum = 0u;
        for (var at = thread * TEAM; at < (thread + 1u) * TEAM; at += 1u) {
            let next = before_in_team[at];
            before_in_team[at] = sum;
            sum += next;
            most = max(most, most_in_team[at]);
        }
        of_team[thread] = sum;
        most_in_team[thread * TEAM] = most;
    }
    workgroupBarrier();
    var before = before_in_team[thread];
    var total = 0u;
    for (var team = 0u; team < LIST_THREADS / TEAM; team += 1u) {
        let sum = of_team[team];
        before += select(0u, sum, team < thread / TEAM);
        total += sum;
        most = max(most, most_in_team[team * TEAM]);
    }
    let fits = total <= params.capacity;
    let listed = select(0u, total, fits);
    for (var chunk = first; chunk < end; chunk += 1u) {
        let count = scratch[params.counts + chunk];
        if most > OWN {
            scratch[params.counts_before + chunk] = before;
        }
        if count <= OWN && fits {
            let at = params.found + chunk * BLOCKS_IN_CHUNK;
            for (var number = 0u; number < count; number += 1u) {
                let instance = scratch[at + number];
                scratch[params.survivors + before + rank(at, count, instance)] = instance;
            }
        }
        before += count;
    }
    storageBarrier();
    if most > OWN {
        list_many(thread, listed);
    }
    if thread == 0u {
        scratch[0] = params.elements;
        scratch[1] = select(params.instances, total, fits);
        scratch[2] = params.first_element;
        scratch[3] = 0u;
        scratch[4] = 0u;
        scratch[DRAWS_EVERYTHING] = select(1u, 0u, fits);
        scratch[TOTAL_SURVIVORS] = total;
        scratch[DRAWS_PAIRS] = 0u;
    }
}
