//! `mesh`: one object with many triangles.

use glam::DMat4;

use super::{Builtin, Key, KeyRange, Values, scene_of};
use crate::data::{SceneData, SceneObject};
use crate::random::Random;
use crate::shapes::{self, Bumps};

pub(super) const BUILTIN: Builtin = Builtin {
    name: "mesh",
    about: "one bumpy sphere with smooth normals and texture coordinates",
    keys: &[
        Key {
            name: "triangles",
            about: "how many triangles; a closed surface has an even number of them",
            default: 10_000,
            range: KeyRange::Even {
                min: shapes::sphere_triangles_min(),
                max: shapes::sphere_triangles_max(),
            },
        },
        Key {
            about: "where the bumps are",
            ..Key::SEED
        },
    ],
    build,
};

fn build(values: &Values) -> SceneData {
    let mut random = Random::new(values.get("seed"));
    let phase = random.point(0.0, std::f64::consts::TAU);
    let bumps = Bumps {
        height: 0.15,
        waves: 7.0,
        phase,
    };
    let mut scene = scene_of(shapes::sphere(values.get("triangles") as u32, bumps));
    scene.objects.push(SceneObject::new(0, 0, DMat4::IDENTITY));
    scene
}
