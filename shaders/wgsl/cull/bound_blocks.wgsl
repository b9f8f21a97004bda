// Between which numbers the transforms of each block of instances lie, entry by entry: six vec4f a
// block, the low rows and then the high ones.
@group(1) @binding(0) var<storage, read> instance_words: array<vec4f>;
@group(1) @binding(1) var<storage, read_write> blocks: array<vec4f>;

const THREADS: u32 = 64u;
var<workgroup> low: array<mat3x4f, THREADS>;
var<workgroup> high: array<mat3x4f, THREADS>;

fn least(a: mat3x4f, b: mat3x4f) -> mat3x4f {
    return mat3x4f(min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2]));
}

fn most(a: mat3x4f, b: mat3x4f) -> mat3x4f {
    return mat3x4f(max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]));
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear(group);
    let first = block * BLOCK;
    // The last block is filled up with its first instance.
    let end = min(first + BLOCK, params.instances);
    var lowest = rows_of(min(first, end - 1u), params.format);
    var highest = lowest;
    for (var at = first + thread; at < end; at += THREADS) {
        let rows = rows_of(at, params.format);
        lowest = least(lowest, rows);
        highest = most(highest, rows);
    }
    low[thread] = lowest;
    high[thread] = highest;
    for (var step = THREADS / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if thread < step {
            low[thread] = least(low[thread], low[thread + step]);
            high[thread] = most(high[thread], high[thread + step]);
        }
    }
    if thread == 0u && block < params.blocks {
        let at = (params.first_instance / BLOCK + block) * 6u;
        for (var row = 0u; row < 3u; row += 1u) {
            blocks[at + row] = low[0][row];
            blocks[at + 3u + row] = high[0][row];
        }
    }
}
