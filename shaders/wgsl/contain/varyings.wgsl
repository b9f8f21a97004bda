struct VertexIn {
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
}

struct Varyings {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) id: u32,
    // The ends of its edges between the near and the far plane, in pixels of the region, two an edge; edges that
    // are not there repeat others.
    @location(1) @interpolate(flat) first: vec4f,
    @location(2) @interpolate(flat) second: vec4f,
    @location(3) @interpolate(flat) third: vec4f,
    // The nearest of them, and its depth.
    @location(4) @interpolate(flat) nearest: vec3f,
}
