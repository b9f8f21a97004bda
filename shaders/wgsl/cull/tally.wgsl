// Who of a workgroup says yes.
const BALLOT_WORDS: u32 = (LIST_THREADS + 31u) / 32u;
var<workgroup> ballot: array<atomic<u32>, BALLOT_WORDS>;

struct Tally {
    // How many threads before this one say yes.
    before: u32,
    // How many of all do.
    all: u32,
}

fn tally(thread: u32, yes: bool) -> Tally {
    if thread < BALLOT_WORDS {
        atomicStore(&ballot[thread], 0u);
    }
    workgroupBarrier();
    let own = thread / 32u;
    let bit = 1u << (thread % 32u);
    if yes {
        atomicOr(&ballot[own], bit);
    }
    workgroupBarrier();
    var told = Tally(countOneBits(atomicLoad(&ballot[own]) & (bit - 1u)), 0u);
    for (var word = 0u; word < BALLOT_WORDS; word += 1u) {
        let count = countOneBits(atomicLoad(&ballot[word]));
        told.before += select(0u, count, word < own);
        told.all += count;
    }
    workgroupBarrier();
    return told;
}
