// The pixel of a disc that answers: the highest band, then the smallest distance from the centre, then the
// nearest depth, then the lowest id, then the first pixel. One workgroup.
struct Candidate {
    // 255 less the band; 256 for no candidate.
    band: u32,
    squared: u32,
    depth: u32,
    id: u32,
    place: u32,
}

const NOBODY: Candidate = Candidate(256u, 0u, 0u, 0u, NOWHERE);

var<workgroup> of_thread: array<Candidate, LIST_THREADS>;

fn before(a: Candidate, b: Candidate) -> bool {
    if a.band != b.band { return a.band < b.band; }
    if a.squared != b.squared { return a.squared < b.squared; }
    if a.depth != b.depth { return a.depth < b.depth; }
    if a.id != b.id { return a.id < b.id; }
    return a.place < b.place;
}

// The band of an id: of the last run that does not begin behind it.
fn band_of(id: u32) -> u32 {
    var low = 0u;
    var high = params.band_count;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if words[params.bands + 2u * middle] <= id {
            low = middle;
        } else {
            high = middle;
        }
    }
    return words[params.bands + 2u * low + 1u];
}

fn candidate(place: u32) -> Candidate {
    let pixel = vec2u(place % params.width, place / params.width);
    let away = vec2i(pixel) - vec2i(vec2u(params.center_x, params.center_y));
    let squared = u32(away.x * away.x + away.y * away.y);
    let id = id_at(pixel);
    if id == 0u || squared > params.squared_reach {
        return NOBODY;
    }
    let depth = depth_bits_at(pixel) ^ params.depth_flip;
    return Candidate(255u - min(band_of(id), 255u), squared, depth, id, place);
}

@compute @workgroup_size(LIST_THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
    let pixels = params.width * params.height;
    var best = NOBODY;
    for (var place = thread; place < pixels; place += LIST_THREADS) {
        let next = candidate(place);
        if before(next, best) {
            best = next;
        }
    }
    of_thread[thread] = best;
    workgroupBarrier();
    if thread == 0u {
        for (var other = 1u; other < LIST_THREADS; other += 1u) {
            let next = of_thread[other];
            if before(next, best) {
                best = next;
            }
        }
        words[params.answer] = best.place;
    }
}
