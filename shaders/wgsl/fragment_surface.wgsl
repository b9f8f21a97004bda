// The plane of the triangle from the world position's derivatives, towards the front side.
fn face_direction(world: vec3f, front: bool) -> vec3f {
    let normal = cross_direction(dpdx(world), dpdy(world));
    let ray = select(world, pick.forward, pick.orthographic != 0u);
    let faces_eye = dot(normal, ray) < 0.0;
    return select(-normal, normal, faces_eye == front);
}
