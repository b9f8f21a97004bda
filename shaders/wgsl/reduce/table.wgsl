// Where the table has what of an id; the id is told by how many come before it.
fn count_at(number: u32) -> u32 {
    return params.table + number;
}

fn depth_at(number: u32) -> u32 {
    return params.table + params.id_count + number;
}

fn place_at(number: u32) -> u32 {
    return params.table + 2u * params.id_count + number;
}
