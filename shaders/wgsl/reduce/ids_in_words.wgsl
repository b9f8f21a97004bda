// The id and the depth bits in one target.
@group(1) @binding(0) var ids: texture_2d<u32>;

fn id_at(pixel: vec2u) -> u32 {
    return textureLoad(ids, pixel, 0).x;
}

fn depth_bits_at(pixel: vec2u) -> u32 {
    return textureLoad(ids, pixel, 0).y;
}
