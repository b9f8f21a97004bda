// Each thread goes through runs of 32 pixels of a row, and meets the table once where an id begins or ends: ids
// cover many pixels side by side, and all threads would meet in the same words otherwise.
fn inside_of(row: u32, column: u32) -> u32 {
    var inside = 0xffffffffu;
    if params.has_mask != 0u {
        let row_words = (params.width + RUN - 1u) / RUN;
        inside = atomicLoad(&words[params.mask + row * row_words + column / RUN]);
    }
    let left = params.width - column;
    return inside & select((1u << (left % RUN)) - 1u, 0xffffffffu, left >= RUN);
}

// How many before an id; ids that were not handed out have none.
fn number_of(id: u32) -> u32 {
    let number = id - params.first_id;
    return select(NOWHERE, number, id != 0u && number < params.id_count);
}

@compute @workgroup_size(LIST_THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3u,
) {
    let in_row = (params.width + RUN - 1u) / RUN;
    let first = linear(group) * CHUNK;
    let end = min(first + CHUNK, in_row * params.height);
    for (var run = first + thread; run < end; run += LIST_THREADS) {
        let row = run / in_row;
        let column = run % in_row * RUN;
        var inside = inside_of(row, column);
        var known = Known(NOWHERE, 0u, NOWHERE, NOWHERE);
        while inside != 0u {
            let bit = firstTrailingBit(inside);
            inside &= inside - 1u;
            let pixel = vec2u(column + bit, row);
            let number = number_of(id_at(pixel));
            if number != known.number {
                tell(known);
                known = Known(number, 0u, NOWHERE, NOWHERE);
            }
            if number != NOWHERE {
                known = seen(known, depth_bits_at(pixel) ^ params.depth_flip, row * params.width + pixel.x);
            }
        }
        tell(known);
    }
}
