// Bounds of each block of instances, and of groups of blocks: between which numbers lies where transforms
// take the pivot, and how long the longest row of their matrices is; two vec4f, the low corner with the
// length, and the high corner. Groups stand in the caller's order, each before its blocks.
fn group_node(group: u32) -> u32 {
    let first = params.first_instance / (BLOCK * BLOCKS_IN_GROUP);
    return (first + group) * (BLOCKS_IN_GROUP + 1u) * NODE_VECTORS;
}

fn block_node(block: u32) -> u32 {
    return group_node(block / BLOCKS_IN_GROUP) + (block % BLOCKS_IN_GROUP + 1u) * NODE_VECTORS;
}
