// Bounds of each block of instances, one thread a block, and then of each group of blocks.
@group(1) @binding(0) var<storage, read> instance_words: array<vec4f>;
@group(1) @binding(1) var<storage, read_write> nodes: array<vec4f>;

struct Bounds {
    low: vec3f,
    high: vec3f,
    longest: f32,
}

// Of no instance at all: inside out, and never seen.
fn nothing() -> Bounds {
    return Bounds(vec3f(1e37), vec3f(-1e37), 0.0);
}

fn store(node: u32, bounds: Bounds) {
    nodes[node] = vec4f(bounds.low, bounds.longest);
    nodes[node + 1u] = vec4f(bounds.high, 0.0);
}

// Asked of the bits: what minima and comparisons make of what is not a number differs by driver.
fn is_finite(row: vec4f) -> bool {
    let exponents = bitcast<vec4u>(row) & vec4u(0x7f800000u);
    return all(exponents != vec4u(0x7f800000u));
}

fn bound_block(block: u32) {
    let first = block * BLOCK;
    let end = min(first + BLOCK, params.instances);
    let pivot = vec4f(params.pivot, 1.0);
    var bounds = nothing();
    for (var at = first; at < end; at += 1u) {
        let rows = rows_of(at, FORMAT);
        // A copy with an entry that is not finite covers nothing, and must not spoil its neighbours' box.
        if is_finite(rows[0]) && is_finite(rows[1]) && is_finite(rows[2]) {
            let place = vec3f(dot(rows[0], pivot), dot(rows[1], pivot), dot(rows[2], pivot));
            bounds.low = min(bounds.low, place);
            bounds.high = max(bounds.high, place);
            let two = max(length(rows[0].xyz), length(rows[1].xyz));
            bounds.longest = max(bounds.longest, max(two, length(rows[2].xyz)));
        }
    }
    store(block_node(block), bounds);
}

fn bound_group(group: u32) {
    let first = group * BLOCKS_IN_GROUP;
    let blocks = (params.instances + BLOCK - 1u) / BLOCK;
    let end = min(first + BLOCKS_IN_GROUP, blocks);
    var bounds = nothing();
    for (var block = first; block < end; block += 1u) {
        let node = block_node(block);
        let low = nodes[node];
        bounds.low = min(bounds.low, low.xyz);
        bounds.high = max(bounds.high, nodes[node + 1u].xyz);
        bounds.longest = max(bounds.longest, low.w);
    }
    store(group_node(group), bounds);
}

@compute @workgroup_size(BOUND_THREADS)
fn main(
    @builtin(workgroup_id) at: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let first_block = linear(at) * BLOCKS_IN_SHARE;
    for (var own = thread; own < BLOCKS_IN_SHARE; own += BOUND_THREADS) {
        let block = first_block + own;
        if block * BLOCK < params.instances {
            bound_block(block);
        }
    }
    storageBarrier();
    for (var own = thread; own < BLOCKS_IN_SHARE / BLOCKS_IN_GROUP; own += BOUND_THREADS) {
        let group = first_block / BLOCKS_IN_GROUP + own;
        if group * BLOCKS_IN_GROUP * BLOCK < params.instances {
            bound_group(group);
        }
    }
}
