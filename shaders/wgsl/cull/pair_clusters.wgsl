// The clusters of each surviving instance that the pick may see, in the caller's and in the mesh's order.

// Groups of a surviving instance's clusters that the pick may see: the place among the survivors, the group.
var<workgroup> live: array<vec2u, LIST_THREADS>;
var<workgroup> work: u32;
var<workgroup> live_count: u32;

fn list_pair(at: u32, place: u32, cluster: u32) {
    let node = cluster_node(cluster);
    let pair = params.pairs + at * PAIR_WORDS;
    scratch[pair] = survivor(place);
    scratch[pair + 1u] = nodes[node].w;
    scratch[pair + 2u] = nodes[node + 1u].w;
}

@compute @workgroup_size(LIST_THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
    take_aim();
    if thread == 0u {
        let too_many = scratch[1] > MOST_CLUSTER_GROUPS / group_count();
        work = select(scratch[1] * group_count(), 0u, too_many || scratch[DRAWS_EVERYTHING] != 0u);
    }
    let candidates = workgroupUniformLoad(&work);
    var pairs = 0u;
    for (var base = 0u; base < candidates; base += LIST_THREADS) {
        let candidate = base + thread;
        let sees = candidate < candidates && sees_group(candidate);
        let groups = tally(thread, sees);
        if sees {
            live[groups.before] = vec2u(candidate / group_count(), candidate % group_count());
        }
        if thread == 0u {
            live_count = groups.all;
        }
        let clusters = workgroupUniformLoad(&live_count) * CLUSTERS_IN_GROUP;
        for (var first = 0u; first < clusters; first += LIST_THREADS) {
            let at = first + thread;
            let own = live[min(at / CLUSTERS_IN_GROUP, LIST_THREADS - 1u)];
            let cluster = own.y * CLUSTERS_IN_GROUP + at % CLUSTERS_IN_GROUP;
            let touched = at < clusters && sees_cluster(own.x, cluster);
            let seen = tally(thread, touched);
            if touched && pairs + seen.before < params.pair_capacity {
                list_pair(pairs + seen.before, own.x, cluster);
            }
            pairs += seen.all;
        }
    }
    if thread == 0u && scratch[DRAWS_EVERYTHING] == 0u && scratch[1] > 0u {
        // Every pair is drawn as long as the longest run: of uneven ones whole copies may be fewer.
        let drawn = f32(pairs) * f32(params.cluster_elements);
        let fewer = drawn <= f32(scratch[1]) * f32(params.elements);
        let fits = candidates > 0u && pairs <= params.pair_capacity && fewer;
        scratch[DRAWS_PAIRS] = select(2u, 1u, fits);
        if fits {
            scratch[0] = params.cluster_elements;
            scratch[1] = pairs;
        }
    }
}
