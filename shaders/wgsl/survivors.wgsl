// The original numbers of the instances that culling left.
@group(2) @binding(6) var<storage, read> survivor_words: array<u32>;
