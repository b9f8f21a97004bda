@group(1) @binding(2) var<storage, read_write> words: array<u32>;
