@group(1) @binding(0) var texels: texture_2d<f32>;

fn texel(pixel: vec2u) -> vec4u {
    return vec4u(pack4x8unorm(textureLoad(texels, pixel, 0)), 0u, 0u, 0u);
}
