// Which clusters of a surviving instance the pick may see.
@group(1) @binding(0) var<storage, read> instance_words: array<vec4f>;
// Boxes of the mesh's own space, two vectors each: groups of clusters, then each cluster with the first of
// its elements and their end. As integers: numbers this small are lost where floats are flushed.
@group(1) @binding(1) var<storage, read> nodes: array<vec4u>;
@group(1) @binding(2) var<storage, read_write> scratch: array<u32>;

fn group_count() -> u32 {
    return (params.clusters + CLUSTERS_IN_GROUP - 1u) / CLUSTERS_IN_GROUP;
}

fn survivor(place: u32) -> u32 {
    return scratch[params.survivors + place];
}

fn sees_box(instance: u32, node: u32) -> bool {
    // Halves first: sums overflow. Rounded no more than the slack of what is seen takes in.
    let low = bitcast<vec3f>(nodes[node].xyz) * 0.5;
    let high = bitcast<vec3f>(nodes[node + 1u].xyz) * 0.5;
    return box_may_touch(rows_of(instance, FORMAT), low + high, high - low);
}

fn sees_group(candidate: u32) -> bool {
    let groups = group_count();
    let node = params.cluster_nodes + candidate % groups * NODE_VECTORS;
    return sees_box(survivor(candidate / groups), node);
}

fn cluster_node(cluster: u32) -> u32 {
    return params.cluster_nodes + (group_count() + cluster) * NODE_VECTORS;
}

fn sees_cluster(place: u32, cluster: u32) -> bool {
    return cluster < params.clusters && sees_box(survivor(place), cluster_node(cluster));
}
