// Opens the pixels of a batch in a depth target that was cleared to the nearest depth, so that nothing else is shaded:
// a small triangle around the centre of each, at the farthest depth.
@group(0) @binding(0) var<storage, read> words: array<u32>;

@vertex
fn vs_main(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    let width = words[MASK_WIDTH];
    let place = words[MASK_HEADER + vertex / 3u];
    // Around the centre, and around no other.
    let corner = vec2f(f32(vertex % 3u) * 0.4 - 0.4, select(-0.3, 0.4, vertex % 3u == 1u));
    let pixel = vec2f(f32(place % width), f32(place / width)) + 0.5 + corner;
    let margin = f32(words[MASK_MARGIN]);
    let size = vec2f(f32(width), f32(words[MASK_HEIGHT])) + 2.0 * margin;
    let shown = (pixel + margin) / size * 2.0 - 1.0;
    return vec4f(shown.x, -shown.y, bitcast<f32>(words[MASK_DEPTH]), 1.0);
}

@fragment
fn fs_main() {}
