// What a run of pixels has of an id: the first place where it is as near as anywhere.
struct Known {
    number: u32,
    count: u32,
    depth: u32,
    place: u32,
}

fn seen(known: Known, depth: u32, place: u32) -> Known {
    var told = known;
    if told.count == 0u {
        told.depth = atomicLoad(&words[depth_at(known.number)]);
        told.count = 1u;
    }
    if depth == told.depth {
        told.place = min(told.place, place);
    }
    return told;
}

fn tell(known: Known) {
    if known.place != NOWHERE {
        atomicMin(&words[place_at(known.number)], known.place);
    }
}
