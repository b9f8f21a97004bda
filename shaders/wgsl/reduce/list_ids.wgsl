// The ids that have pixels, ascending, as far as there is room, behind how many there are. One workgroup.
var<workgroup> before_in_team: array<u32, LIST_THREADS>;

// Something was found of it, and nothing that keeps it out.
fn is_listed(count: u32) -> bool {
    return count != 0u && (params.contained == 0u || (count & OUTSIDE) == 0u);
}

@compute @workgroup_size(LIST_THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
    let each = (params.id_count + LIST_THREADS - 1u) / LIST_THREADS;
    let first = thread * each;
    let end = min(first + each, params.id_count);
    var own = 0u;
    for (var number = first; number < end; number += 1u) {
        own += select(0u, 1u, is_listed(words[count_at(number)]));
    }
    before_in_team[thread] = own;
    workgroupBarrier();
    var before = 0u;
    var total = 0u;
    for (var other = 0u; other < LIST_THREADS; other += 1u) {
        let of_other = before_in_team[other];
        before += select(0u, of_other, other < thread);
        total += of_other;
    }
    let list = params.answer + HEADER_WORDS;
    for (var number = first; number < end; number += 1u) {
        let count = words[count_at(number)];
        if is_listed(count) {
            if before < params.capacity {
                let at = list + FOUND_WORDS * before;
                words[at] = params.first_id + number;
                words[at + 1u] = count;
                words[at + 2u] = words[depth_at(number)];
                words[at + 3u] = words[place_at(number)];
            }
            before += 1u;
        }
    }
    // All of the room is read back: what an older pick left there must not be.
    for (var word = FOUND_WORDS * total + thread; word < FOUND_WORDS * params.capacity; word += LIST_THREADS) {
        words[list + word] = 0u;
    }
    if thread == 0u {
        words[params.answer] = total;
        for (var word = 1u; word < HEADER_WORDS; word += 1u) {
            words[params.answer + word] = 0u;
        }
    }
}
