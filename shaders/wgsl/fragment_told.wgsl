// What rules and strategies are told of a fragment. What a variant does not know is zero.
struct PickFragment {
    // The id; 0 is nothing.
    id: u32,
    // The pixel of the region, column and row.
    pixel: vec2u,
    // The fragment's depth, 0..1 by the view's convention.
    depth: f32,
    // The triangle, counted within the caller's draw.
    primitive: u32,
    // The side from which the local winding is counter-clockwise is seen.
    front: bool,
    // Along the view direction from the eye, world units.
    view_distance: f32,
    // Packed unit vectors in world space.
    face_normal: u32,
    normal: u32,
    uv: vec2f,
}
