//! `instances`: one object, one cube, very many copies.

use glam::DMat4;

use super::{Builtin, Key, KeyRange, Values, lattice, scene_of};
use crate::data::{SceneData, SceneInstances, SceneObject};
use crate::{random::Random, shapes};

/// Between the middles of two cubes, whose sides are 1.
const SPACING: f64 = 2.0;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "instances",
    about: "one object: a cube drawn many times in a lattice, 48 bytes a copy",
    keys: &[
        Key {
            name: "count",
            about: "how many copies",
            default: 1000,
            range: KeyRange::Whole {
                min: 1,
                max: 10_000_000,
            },
        },
        Key {
            name: "shuffle",
            about: "whether the copies stand in random order instead of the lattice's",
            default: 0,
            range: KeyRange::Switch,
        },
        Key::SEED,
    ],
    build,
};

fn build(values: &Values) -> SceneData {
    let count = values.get("count");
    let row = |i: u64| {
        let p = (lattice(count, i) * SPACING).as_vec3();
        [
            [1.0, 0.0, 0.0, p.x],
            [0.0, 1.0, 0.0, p.y],
            [0.0, 0.0, 1.0, p.z],
        ]
    };
    let mut rows: Vec<_> = (0..count).map(row).collect();
    if values.get("shuffle") != 0 {
        Random::new(values.get("seed")).shuffle(&mut rows);
    }
    let mut scene = scene_of(shapes::cube());
    scene.instances.push(SceneInstances { rows });
    let mut object = SceneObject::new(0, 0, DMat4::IDENTITY);
    object.instances = Some(0);
    scene.objects.push(object);
    scene
}
