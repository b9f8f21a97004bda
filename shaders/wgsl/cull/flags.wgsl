// 256 yes-or-no answers of a workgroup, in eight words.
var<workgroup> words: array<atomic<u32>, 8>;

// Before any thread says something: nobody zeroes workgroup memory for us.
fn hear(thread: u32) {
    if thread < 8u {
        atomicStore(&words[thread], 0u);
    }
    workgroupBarrier();
}

fn say(thread: u32, yes: bool) {
    if yes {
        atomicOr(&words[thread / 32u], 1u << (thread % 32u));
    }
}

// How many of the threads before this one said yes in the words from `at` on.
fn said_before(at: u32, thread: u32) -> u32 {
    var count = 0u;
    for (var word = 0u; word < thread / 32u; word += 1u) {
        count += countOneBits(scratch[at + word]);
    }
    let earlier = (1u << (thread % 32u)) - 1u;
    return count + countOneBits(scratch[at + thread / 32u] & earlier);
}

fn says(at: u32, thread: u32) -> bool {
    return (scratch[at + thread / 32u] & (1u << (thread % 32u))) != 0u;
}

// Stores the answers of workgroup `slot`, and how many said yes.
fn store(slot: u32, thread: u32, flags: u32, counts: u32) {
    if thread < 8u {
        scratch[flags + slot * 8u + thread] = atomicLoad(&words[thread]);
    }
    if thread == 8u {
        var count = 0u;
        for (var word = 0u; word < 8u; word += 1u) {
            count += countOneBits(atomicLoad(&words[word]));
        }
        scratch[counts + slot] = count;
    }
}
