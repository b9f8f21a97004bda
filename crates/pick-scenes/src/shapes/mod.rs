//! The meshes that the built-in scenes are made of.

mod sphere;

use crate::data::{SceneMesh, SceneSubMesh, SceneTopology};

pub(crate) use sphere::{Bumps, sphere, sphere_triangles_max, sphere_triangles_min};

/// One sub-mesh over everything.
pub(crate) fn whole(elements: u32, has_normals: bool, has_uvs: bool) -> Vec<SceneSubMesh> {
    vec![SceneSubMesh {
        elements: 0..elements,
        primitive: 0,
        material: None,
        double_sided: true,
        has_normals,
        has_uvs,
        topology: SceneTopology::List,
    }]
}

/// The unit cube around the origin: 24 vertices, so that each side has its own, 12 triangles, six
/// faces in the order +x, -x, +y, -y, +z, -z, wound counter-clockwise as seen from outside.
pub(crate) fn cube() -> SceneMesh {
    // Per side: its normal, and the directions in which u and v grow; u x v is the normal.
    const SIDES: [[[f32; 3]; 3]; 6] = [
        [[1., 0., 0.], [0., 0., -1.], [0., 1., 0.]],
        [[-1., 0., 0.], [0., 0., 1.], [0., 1., 0.]],
        [[0., 1., 0.], [1., 0., 0.], [0., 0., -1.]],
        [[0., -1., 0.], [1., 0., 0.], [0., 0., 1.]],
        [[0., 0., 1.], [1., 0., 0.], [0., 1., 0.]],
        [[0., 0., -1.], [-1., 0., 0.], [0., 1., 0.]],
    ];
    let mut mesh = SceneMesh {
        name: Some("cube".to_owned()),
        ..SceneMesh::default()
    };
    let (mut normals, mut uvs, mut indices, mut faces) = (vec![], vec![], vec![], vec![]);
    for (side, [normal, right, up]) in (0_u32..).zip(SIDES) {
        for [u, v] in [[0., 0.], [1., 0.], [1., 1.], [0., 1.]] {
            let at = |k: usize| 0.5 * normal[k] + (u - 0.5) * right[k] + (v - 0.5) * up[k];
            mesh.positions.push([at(0), at(1), at(2)]);
            normals.push(normal);
            uvs.push([u, v]);
        }
        indices.extend([0, 1, 2, 0, 2, 3].map(|i| 4 * side + i));
        faces.extend([side, side]);
    }
    mesh.normals = Some(normals);
    mesh.uvs = Some(uvs);
    mesh.indices = Some(indices);
    mesh.submeshes = whole(36, true, true);
    mesh.faces = Some(faces);
    mesh.faces_unshared = true;
    mesh
}

/// The square from -0.5 to 0.5 in x and y that faces +z, its two triangles listed `repeats` times.
pub(crate) fn quad(repeats: u32) -> SceneMesh {
    SceneMesh {
        name: Some("quad".to_owned()),
        positions: vec![
            [-0.5, -0.5, 0.0],
            [0.5, -0.5, 0.0],
            [0.5, 0.5, 0.0],
            [-0.5, 0.5, 0.0],
        ],
        normals: Some(vec![[0.0, 0.0, 1.0]; 4]),
        uvs: Some(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]),
        indices: Some([0, 1, 2, 0, 2, 3].repeat(repeats as usize)),
        submeshes: whole(6 * repeats, true, true),
        ..SceneMesh::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn the_sides_of_the_cube_face_outwards() {
        let cube = cube();
        assert_eq!((cube.positions.len(), cube.triangle_count()), (24, 12));
        let normals = cube.normals.as_ref().expect("a cube has normals");
        for triangle in 0..12 {
            let vertices = cube.triangle(3 * triangle).expect("12 triangles");
            let [a, b, c] =
                vertices.map(|v| DVec3::from(cube.positions[v as usize].map(f64::from)));
            let face_normal = (b - a).cross(c - a).normalize();
            for v in vertices {
                assert_eq!(DVec3::from(normals[v as usize].map(f64::from)), face_normal);
                assert_eq!(v / 4, triangle / 2, "vertices are shared by two sides");
            }
            assert!(a.dot(face_normal) > 0.49);
        }
    }

    #[test]
    fn the_quad_repeats_its_triangles() {
        let quad = quad(3);
        assert_eq!(quad.triangle_count(), 6);
        assert_eq!(quad.triangle(0), quad.triangle(6));
        assert_eq!(quad.triangle(3), quad.triangle(15));
        assert_eq!(quad.triangle(18), None);
    }
}
