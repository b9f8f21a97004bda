// Where instances are drawn by runs of their elements: no element.
const NO_ELEMENT: u32 = 0xffffffffu;

// The element of the mesh's part that a vertex of the draw stands for; runs are not all of one length.
fn element_of(drawn: u32, vertex: u32) -> u32 {
    if survivor_words[DRAWS_PAIRS] != 1u {
        return vertex;
    }
    let at = draw.pairs + drawn * PAIR_WORDS;
    let element = survivor_words[at + 1u] + vertex;
    return select(NO_ELEMENT, element, element < survivor_words[at + 2u]);
}
