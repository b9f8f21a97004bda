//! `soup`: triangles without order.

use glam::{DMat4, DVec3};

use super::{Builtin, Key, KeyRange, Values, scene_of};
use crate::data::{SceneData, SceneMesh, SceneObject};
use crate::{random::Random, shapes};

/// Half the side of the cube that the middles of the triangles lie in.
const HALF: f64 = 5.0;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "soup",
    about: "random triangles in a cube, cutting through each other: one mesh without indices, \
            normals or texture coordinates, about as much surface however many there are",
    keys: &[
        Key {
            name: "triangles",
            about: "how many triangles",
            default: 1000,
            range: KeyRange::Whole {
                min: 1,
                max: 10_000_000,
            },
        },
        Key::SEED,
    ],
    build,
};

fn build(values: &Values) -> SceneData {
    let triangles = values.get("triangles");
    let mut random = Random::new(values.get("seed"));
    let size = HALF / (triangles as f64).sqrt().max(2.0) * 2.0;
    let mut positions = Vec::with_capacity(3 * triangles as usize);
    for _ in 0..triangles {
        let middle = random.point(-HALF, HALF);
        // Three points around the middle in a random plane, so that none is a sliver.
        let turn = random.rotation();
        let start = random.between(0.0, std::f64::consts::TAU);
        for corner in 0..3 {
            let jitter = random.between(-0.6, 0.6);
            let (sin, cos) =
                (start + jitter + f64::from(corner) * std::f64::consts::TAU / 3.0).sin_cos();
            let reach = size * random.between(0.5, 1.0);
            let point = middle + turn * DVec3::new(cos * reach, sin * reach, 0.0);
            positions.push(point.as_vec3().to_array());
        }
    }
    let mut scene = scene_of(SceneMesh {
        name: Some("soup".to_owned()),
        submeshes: shapes::whole(positions.len() as u32, false, false),
        positions,
        ..SceneMesh::default()
    });
    scene.objects.push(SceneObject::new(0, 0, DMat4::IDENTITY));
    scene
}
