// Vertex normals and texture coordinates read from storage buffers.
@group(2) @binding(3) var<storage, read> normal_words: array<f32>;
@group(2) @binding(4) var<storage, read> uv_words: array<f32>;

fn pulled_normal(vertex: u32) -> vec3f {
    let at = draw.normals.x + vertex * draw.normals.y;
    return vec3f(normal_words[at], normal_words[at + 1u], normal_words[at + 2u]);
}

fn pulled_uv(vertex: u32) -> vec2f {
    let at = draw.uvs.x + vertex * draw.uvs.y;
    return vec2f(uv_words[at], uv_words[at + 1u]);
}
