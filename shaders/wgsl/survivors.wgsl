// The original numbers of the instances that culling left, and whether they found room.
@group(2) @binding(6) var<storage, read> survivor_words: array<u32>;

fn original(drawn: u32) -> u32 {
    if survivor_words[DRAWS_EVERYTHING] != 0u {
        return drawn;
    }
    if survivor_words[DRAWS_PAIRS] == 1u {
        return survivor_words[draw.pairs + drawn * PAIR_WORDS];
    }
    return survivor_words[draw.survivors + drawn];
}
