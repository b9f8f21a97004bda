// Unit vectors in 2 x 16 bits: the octahedral map (Meyer et al. 2010).
fn pack_normal(normal: vec3f) -> u32 {
    let size = abs(normal.x) + abs(normal.y) + abs(normal.z);
    if !(size > 0.0) {
        return NO_NORMAL;
    }
    let n = normal / size;
    let side = select(vec2f(-1.0), vec2f(1.0), n.xy >= vec2f(0.0));
    let folded = (vec2f(1.0) - abs(n.yx)) * side;
    return pack2x16snorm(select(folded, n.xy, n.z >= 0.0));
}

// The cross product's direction, also of vectors whose product leaves f32's range.
fn cross_direction(a: vec3f, b: vec3f) -> vec3f {
    let size = vec2f(largest(a), largest(b));
    if !(size.x > 0.0 && size.y > 0.0) {
        return vec3f(0.0);
    }
    return cross(a / size.x, b / size.y);
}
