struct VertexIn {
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
//#if !pulled
    @location(0) position: vec3f,
//#endif
//#if attribute_normals
    @location(1) normal: vec3f,
//#endif
//#if attribute_uvs
    @location(2) uv: vec2f,
//#endif
}

struct Varyings {
    @builtin(position) @invariant position: vec4f,
    @location(0) @interpolate(flat) id: u32,
    // 1 where the builtin's front is our back.
    @location(1) @interpolate(flat) flip: u32,
//#if distance
    // World position relative to the pick origin.
    @location(2) world: vec3f,
//#endif
//#if vertex_primitive
    @location(3) @interpolate(flat) primitive: u32,
//#endif
//#if surface
    @location(4) normal: vec3f,
    @location(5) uv: vec2f,
//#endif
//#if fragment_depth
    // Clip-space z and w.
    @location(6) depth: vec2f,
//#endif
}
