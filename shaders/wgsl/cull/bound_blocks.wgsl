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

// Asked of the bits: what minima and comparisons make of what is not a number differs by driver.
fn is_finite(row: vec4f) -> bool {
    let exponents = bitcast<vec4u>(row) & vec4u(0x7f800000u);
    return all(exponents != vec4u(0x7f800000u));
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear(group);
    let first = block * BLOCK;
    let end = min(first + BLOCK, params.instances);
    // Of no instance at all; a block of none is inside out, and never seen.
    let most_f32 = vec4f(3.4e38);
    var lowest = mat3x4f(most_f32, most_f32, most_f32);
    var highest = mat3x4f(-most_f32, -most_f32, -most_f32);
    for (var at = first + thread; at < end; at += THREADS) {
        let rows = rows_of(at, params.format);
        // A copy with an entry that is not finite covers nothing, and must not spoil its neighbours' box.
        if is_finite(rows[0]) && is_finite(rows[1]) && is_finite(rows[2]) {
            lowest = least(lowest, rows);
            highest = most(highest, rows);
        }
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
