fn largest(v: vec3f) -> f32 {
    return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

// The determinant's sign, also of matrices whose determinant leaves f32's range.
fn is_mirrored(m: mat3x3f) -> bool {
    let size = max(max(largest(m[0]), largest(m[1])), largest(m[2]));
    if !(size > 0.0) {
        return false;
    }
    return determinant(mat3x3f(m[0] / size, m[1] / size, m[2] / size)) < 0.0;
}
