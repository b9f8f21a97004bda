//! `shells`: spheres one inside the other.

use glam::{DMat4, DVec3};

use super::{Builtin, Key, KeyRange, Values, scene_of};
use crate::data::{SceneData, SceneObject};
use crate::shapes::{self, Bumps};

pub(super) const BUILTIN: Builtin = Builtin {
    name: "shells",
    about: "nested spheres, the smallest first, radii 1, 2, 3 and so on: a ray through the middle \
            meets each of them twice",
    keys: &[
        Key {
            name: "count",
            about: "how many spheres, each an object",
            default: 8,
            range: KeyRange::Whole {
                min: 1,
                max: 100_000,
            },
        },
        Key {
            name: "triangles",
            about: "triangles of the sphere that all of them share",
            default: 2048,
            range: KeyRange::Even {
                min: shapes::sphere_triangles_min(),
                max: shapes::sphere_triangles_max(),
            },
        },
    ],
    build,
};

fn build(values: &Values) -> SceneData {
    let mut scene = scene_of(shapes::sphere(values.get("triangles") as u32, Bumps::NONE));
    let shells = 0..values.get("count") as u32;
    scene.objects = shells
        .map(|i| {
            let scale = DVec3::splat(f64::from(i) + 1.0);
            SceneObject::new(i, 0, DMat4::from_scale(scale))
        })
        .collect();
    scene
}
