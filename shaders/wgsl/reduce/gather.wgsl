// The texels at some places, tight; where there is no place, zeros, which are nothing.
@compute @workgroup_size(LIST_THREADS)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3u,
) {
    let first = linear(group) * CHUNK;
    let end = min(first + CHUNK, params.place_count);
    for (var at = first + thread; at < end; at += LIST_THREADS) {
        let place = words[params.places + at];
        var told = vec4u(0u);
        if place != NOWHERE {
            told = texel(vec2u(place % params.width, place / params.width));
        }
        for (var word = 0u; word < TEXEL_WORDS; word += 1u) {
            words[params.answer + at * TEXEL_WORDS + word] = told[word];
        }
    }
}
