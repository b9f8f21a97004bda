// Instance transforms of each format, from `instance_words`.

// The rows of object-from-instance, as the columns of the result.
fn rows_of(instance: u32, format: u32) -> mat3x4f {
    if (format & INSTANCE_COLUMNS) != 0u {
        let at = instance * 4u;
        let x = instance_words[at];
        let y = instance_words[at + 1u];
        let z = instance_words[at + 2u];
        let t = instance_words[at + 3u];
        return mat3x4f(
            vec4f(x.x, y.x, z.x, t.x),
            vec4f(x.y, y.y, z.y, t.y),
            vec4f(x.z, y.z, z.z, t.z),
        );
    }
    if (format & INSTANCE_POSITION_SCALE) != 0u {
        let placed = instance_words[instance];
        return mat3x4f(
            vec4f(placed.w, 0.0, 0.0, placed.x),
            vec4f(0.0, placed.w, 0.0, placed.y),
            vec4f(0.0, 0.0, placed.w, placed.z),
        );
    }
    let at = instance * 3u;
    return mat3x4f(instance_words[at], instance_words[at + 1u], instance_words[at + 2u]);
}
