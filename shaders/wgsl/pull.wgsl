// Vertices read from storage buffers, so that a vertex knows which triangle it belongs to.
@group(2) @binding(1) var<storage, read> position_words: array<f32>;
@group(2) @binding(2) var<storage, read> index_words: array<u32>;

// The vertex number behind an element of the draw.
fn pulled_vertex(element: u32) -> u32 {
    let at = draw.first_element + element;
    if draw_has(INDEX_U32) {
        return index_words[draw.indices + at];
    }
    if draw_has(INDEX_U16) {
        let pair = index_words[draw.indices + at / 2u];
        return (pair >> ((at & 1u) * 16u)) & 0xffffu;
    }
    return at;
}

fn pulled_position(vertex: u32) -> vec3f {
    let at = draw.positions.x + vertex * draw.positions.y;
    return vec3f(position_words[at], position_words[at + 1u], position_words[at + 2u]);
}
