// A triangle goes into the table of ids, with whether any of it is outside the area.
@group(3) @binding(0) var<storage, read_write> fragments: array<atomic<u32>>;

fn header(word: u32) -> u32 {
    return atomicLoad(&fragments[word]);
}

fn is_inside(at: vec2f) -> bool {
    let size = pick.region.zw;
    if !(all(at >= vec2f(0.0)) && all(at < size)) {
        return false;
    }
    if header(FRAGMENTS_HAS_MASK) == 0u {
        return true;
    }
    let pixel = vec2u(at);
    let row_words = (header(FRAGMENTS_WIDTH) + RUN - 1u) / RUN;
    let word = header(header(FRAGMENTS_MASK) + pixel.y * row_words + pixel.x / RUN);
    return (word >> (pixel.x % RUN) & 1u) != 0u;
}

fn are_inside(ends: vec4f) -> bool {
    return is_inside(ends.xy) && is_inside(ends.zw);
}

@fragment
fn fs_main(in: Varyings) {
    let ids = header(FRAGMENTS_ROOM);
    let number = in.id - header(FRAGMENTS_FIRST_ID);
    if number >= ids {
        return;
    }
    let at = header(FRAGMENTS_FIRST) + number;
    let depth = bitcast<u32>(in.nearest.z) ^ header(FRAGMENTS_DEPTH_FLIP);
    if header(FRAGMENTS_FOUND) == 0u {
        atomicAdd(&fragments[at], 1u);
        atomicMin(&fragments[at + ids], depth);
        if !(are_inside(in.first) && are_inside(in.second) && are_inside(in.third)) {
            atomicOr(&fragments[at], OUTSIDE);
        }
    } else if depth == header(at + ids) {
        let pixel = vec2u(clamp(in.nearest.xy, vec2f(0.0), pick.region.zw - 1.0));
        atomicMin(&fragments[at + 2u * ids], pixel.y * header(FRAGMENTS_WIDTH) + pixel.x);
    }
}
