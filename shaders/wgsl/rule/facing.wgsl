// Sides left out: decided here and not in the rasteriser, so that mirrored transforms cannot turn it
// around and one pipeline serves all.
fn pick_discard(in: PickFragment) -> bool {
    return draw_has(select(CULL_BACK, CULL_FRONT, in.front));
}
