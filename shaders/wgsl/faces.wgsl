// The face of each vertex, of meshes whose faces share none: the three vertices of a triangle agree.
@group(2) @binding(5) var<storage, read> vertex_faces: array<u32>;

fn face_of(vertex: u32) -> u32 {
    if draw_choices.ids_per_instance > 1u {
        return vertex_faces[vertex];
    }
    return 0u;
}
