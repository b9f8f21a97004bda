// What a run of pixels has of an id.
struct Known {
    number: u32,
    count: u32,
    depth: u32,
    place: u32,
}

fn seen(known: Known, depth: u32, place: u32) -> Known {
    return Known(known.number, known.count + 1u, min(known.depth, depth), place);
}

fn tell(known: Known) {
    if known.number != NOWHERE {
        atomicAdd(&words[count_at(known.number)], known.count);
        atomicMin(&words[depth_at(known.number)], known.depth);
    }
}
