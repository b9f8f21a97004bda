// Turns one bit of a stencil into a colour: drawn eight times, each time only where the bit is set,
// added up with the bit's weight as the blend constant.
@vertex
fn vs_main(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    // One triangle that covers the target: (-1, -1), (3, -1), (-1, 3).
    let corner = vec2f(f32(vertex & 1u), f32(vertex >> 1u));
    return vec4f(corner * 4.0 - 1.0, 0.5, 1.0);
}

@fragment
fn fs_main() -> @location(0) vec4f {
    return vec4f(1.0);
}
