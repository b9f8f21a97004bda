// Where a chunk's survivors stand among all, in the caller's order.
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
