//! `ties`: surfaces in exactly the same place.

use glam::{DMat4, DQuat, DVec3};

use super::{Builtin, Key, KeyRange, Values, scene_of};
use crate::data::{SceneData, SceneObject};
use crate::{random::Random, shapes};

pub(super) const BUILTIN: Builtin = Builtin {
    name: "ties",
    about: "coplanar surfaces whose depths are equal bit by bit, since the same vertices stand \
            under the same matrix: the first object and its first triangles must win",
    keys: &[
        Key {
            name: "count",
            about: "how many objects lie on each other",
            default: 4,
            range: KeyRange::Whole {
                min: 1,
                max: 100_000,
            },
        },
        Key {
            name: "repeats",
            about: "how often each object lists its two triangles",
            default: 3,
            range: KeyRange::Whole {
                min: 1,
                max: 100_000,
            },
        },
        Key {
            about: "how the surfaces are turned; 0 leaves them facing +z",
            ..Key::SEED
        },
    ],
    build,
};

fn build(values: &Values) -> SceneData {
    let mut scene = scene_of(shapes::quad(values.get("repeats") as u32));
    let turn = match values.get("seed") {
        0 => DQuat::IDENTITY,
        seed => {
            // Up to 50 degrees off +z, so that a camera on that side sees the front.
            let mut random = Random::new(seed);
            let tilt = DQuat::from_rotation_y(random.between(-0.6, 0.6));
            let pitch = DQuat::from_rotation_x(random.between(-0.6, 0.6));
            tilt * pitch * DQuat::from_rotation_z(random.between(0.0, std::f64::consts::TAU))
        }
    };
    let scale = DVec3::splat(4.0);
    let world = DMat4::from_scale_rotation_translation(scale, turn, DVec3::ZERO);
    let objects = 0..values.get("count") as u32;
    scene.objects = objects.map(|i| SceneObject::new(i, 0, world)).collect();
    scene
}
