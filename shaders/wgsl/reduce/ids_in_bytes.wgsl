// The id in four bytes of colour, the depth bits in another target.
@group(1) @binding(0) var ids: texture_2d<f32>;
@group(1) @binding(1) var depths: texture_2d<u32>;

fn id_at(pixel: vec2u) -> u32 {
    return pack4x8unorm(textureLoad(ids, pixel, 0));
}

fn depth_bits_at(pixel: vec2u) -> u32 {
    return textureLoad(depths, pixel, 0).x;
}
