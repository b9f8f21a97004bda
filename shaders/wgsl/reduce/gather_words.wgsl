@group(1) @binding(0) var texels: texture_2d<u32>;

fn texel(pixel: vec2u) -> vec4u {
    return textureLoad(texels, pixel, 0);
}
