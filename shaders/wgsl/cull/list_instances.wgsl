// The surviving instances in the caller's order, and the counts of the draw: of the survivors, or of
// everything where they do not fit. One workgroup.
@group(1) @binding(2) var<storage, read_write> scratch: array<u32>;

// A thread lists as many of a chunk's survivors by itself.
const OWN: u32 = 4u;
const TEAM: u32 = 16u;
var<workgroup> before_in_team: array<u32, LIST_THREADS>;
var<workgroup> of_team: array<u32, LIST_THREADS / TEAM>;
var<workgroup> most_in_team: array<u32, LIST_THREADS>;

// How many of the numbers that a chunk found, in any order, are less than one of them.
fn rank(at: u32, count: u32, number: u32) -> u32 {
    var less = 0u;
    for (var other = 0u; other < count; other += 1u) {
        less += select(0u, 1u, scratch[at + other] < number);
    }
    return less;
}

// The chunk that has the survivor of a place: the last one with no more than that many before it.
fn chunk_of(place: u32) -> u32 {
    var low = 0u;
    var high = params.chunks;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if scratch[params.counts_before + middle] <= place {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// The instance of a set bit, by how many are set before it.
fn instance_of_bit(chunk: u32, number: u32) -> u32 {
    let at = params.found + chunk * BLOCKS_IN_CHUNK;
    var block = 0u;
    var left = number;
    var bits = scratch[at];
    while left >= countOneBits(bits) {
        left -= countOneBits(bits);
        block += 1u;
        bits = scratch[at + block];
    }
    while left > 0u {
        bits &= bits - 1u;
        left -= 1u;
    }
    return (chunk * BLOCKS_IN_CHUNK + block) * BLOCK + firstTrailingBit(bits);
}

// Lists what all threads are needed for.
fn list_many(thread: u32, listed: u32) {
    for (var place = thread; place < listed; place += LIST_THREADS) {
        let chunk = chunk_of(place);
        let before = scratch[params.counts_before + chunk];
        let count = scratch[params.counts + chunk];
        let at = params.found + chunk * BLOCKS_IN_CHUNK;
        if count > FEW {
            scratch[params.survivors + place] = instance_of_bit(chunk, place - before);
        } else if count > OWN {
            let number = scratch[at + place - before];
            scratch[params.survivors + before + rank(at, count, number)] = number;
        }
    }
}

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
    }
}
