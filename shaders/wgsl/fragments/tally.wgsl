// Every fragment of an area goes into a table of ids: how many there are of each and how near the nearest is; in a
// second pass, the first pixel where one is as near.
@group(3) @binding(0) var<storage, read_write> fragments: array<atomic<u32>>;

fn header(word: u32) -> u32 {
    return atomicLoad(&fragments[word]);
}

fn is_inside(pixel: vec2u) -> bool {
    if header(FRAGMENTS_HAS_MASK) == 0u {
        return true;
    }
    let row_words = (header(FRAGMENTS_WIDTH) + RUN - 1u) / RUN;
    let word = header(header(FRAGMENTS_MASK) + pixel.y * row_words + pixel.x / RUN);
    return (word >> (pixel.x % RUN) & 1u) != 0u;
}

fn keep_fragment(in: PickFragment) {
    let ids = header(FRAGMENTS_ROOM);
    let number = in.id - header(FRAGMENTS_FIRST_ID);
    if number >= ids || !is_inside(in.pixel) {
        return;
    }
    let depth = bitcast<u32>(in.depth) ^ header(FRAGMENTS_DEPTH_FLIP);
    let at = header(FRAGMENTS_FIRST) + number;
    if header(FRAGMENTS_FOUND) == 0u {
        atomicAdd(&fragments[at], 1u);
        atomicMin(&fragments[at + ids], depth);
    } else if depth == header(at + ids) {
        atomicMin(&fragments[at + 2u * ids], in.pixel.y * header(FRAGMENTS_WIDTH) + in.pixel.x);
    }
}
