// Every fragment goes into a list, as far as there is room, and all are counted.
@group(3) @binding(0) var<storage, read_write> fragments: array<atomic<u32>>;

fn keep_fragment(in: PickFragment) {
    let number = atomicAdd(&fragments[FRAGMENTS_FOUND], 1u);
    if number >= atomicLoad(&fragments[FRAGMENTS_ROOM]) {
        return;
    }
    let at = FRAGMENTS_HEADER + number * FRAGMENT_WORDS;
    atomicStore(&fragments[at], in.id);
    atomicStore(&fragments[at + 1u], bitcast<u32>(in.depth));
    atomicStore(&fragments[at + 2u], in.primitive | select(0u, FRONT_BIT, in.front));
    atomicStore(&fragments[at + 3u], bitcast<u32>(in.view_distance));
}
