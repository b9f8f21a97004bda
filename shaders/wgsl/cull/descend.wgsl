// Which instances the pick may see. A workgroup goes through one chunk: through its groups of blocks, then
// through the blocks of those that the pick may see, then through the instances of those.
@group(1) @binding(0) var<storage, read> instance_words: array<vec4f>;
@group(1) @binding(1) var<storage, read> nodes: array<vec4f>;
@group(1) @binding(2) var<storage, read_write> scratch: array<u32>;

// Instances that a thread reads before it tests them, where many are left: so that reads overlap.
const AT_ONCE: u32 = 4u;

// The groups that the pick may see, in any order.
var<workgroup> live_groups: array<u32, GROUPS_IN_CHUNK>;
var<workgroup> group_count: atomic<u32>;
// The blocks that it may see, in any order.
var<workgroup> live: array<u32, BLOCKS_IN_CHUNK>;
var<workgroup> live_count: atomic<u32>;
// A bit for each instance of those.
var<workgroup> seen: array<atomic<u32>, BLOCKS_IN_CHUNK>;
var<workgroup> seen_count: atomic<u32>;

fn groups_of(chunk: u32, thread: u32) {
    for (var at = thread; at < GROUPS_IN_CHUNK; at += CULL_THREADS) {
        let group = chunk * GROUPS_IN_CHUNK + at;
        if group * BLOCKS_IN_GROUP * BLOCK < params.instances && node_may_touch(group_node(group)) {
            live_groups[atomicAdd(&group_count, 1u)] = at;
        }
    }
}

fn blocks_of(chunk: u32, thread: u32) {
    let count = atomicLoad(&group_count) * BLOCKS_IN_GROUP;
    for (var at = thread; at < count; at += CULL_THREADS) {
        let own = live_groups[at / BLOCKS_IN_GROUP] * BLOCKS_IN_GROUP + at % BLOCKS_IN_GROUP;
        let block = chunk * BLOCKS_IN_CHUNK + own;
        if block * BLOCK < params.instances && node_may_touch(block_node(block)) {
            let slot = atomicAdd(&live_count, 1u);
            live[slot] = own;
            atomicStore(&seen[slot], 0u);
        }
    }
}

fn sees(chunk: u32, slot: u32, lane: u32, instance: u32, rows: mat3x4f) {
    if instance < params.instances && rows_may_touch(rows) {
        atomicOr(&seen[slot], 1u << lane);
        let at = atomicAdd(&seen_count, 1u);
        if at < FEW {
            scratch[params.found + chunk * BLOCKS_IN_CHUNK + at] = instance;
        }
    }
}

// A team of threads goes through a block.
const LANES: u32 = min(BLOCK, CULL_THREADS);
const TEAMS: u32 = CULL_THREADS / LANES;

fn instances_of(chunk: u32, thread: u32) {
    let count = atomicLoad(&live_count);
    let first = chunk * BLOCKS_IN_CHUNK * BLOCK;
    var slot = thread / LANES;
    if OVERLAPS {
        let own = first + thread % LANES;
        while slot + (AT_ONCE - 1u) * TEAMS < count {
            let a = own + live[slot] * BLOCK;
            let b = own + live[slot + TEAMS] * BLOCK;
            let c = own + live[slot + 2u * TEAMS] * BLOCK;
            let d = own + live[slot + 3u * TEAMS] * BLOCK;
            let rows_a = rows_of(a, FORMAT);
            let rows_b = rows_of(b, FORMAT);
            let rows_c = rows_of(c, FORMAT);
            let rows_d = rows_of(d, FORMAT);
            sees(chunk, slot, thread % LANES, a, rows_a);
            sees(chunk, slot + TEAMS, thread % LANES, b, rows_b);
            sees(chunk, slot + 2u * TEAMS, thread % LANES, c, rows_c);
            sees(chunk, slot + 3u * TEAMS, thread % LANES, d, rows_d);
            slot += AT_ONCE * TEAMS;
        }
    }
    while slot < count {
        let block = first + live[slot] * BLOCK;
        for (var lane = thread % LANES; lane < BLOCK; lane += LANES) {
            sees(chunk, slot, lane, block + lane, rows_of(block + lane, FORMAT));
        }
        slot += TEAMS;
    }
}
