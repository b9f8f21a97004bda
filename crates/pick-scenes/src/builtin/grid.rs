//! `grid`: many objects that share one mesh, each placed in its own way.

use glam::{DMat4, DQuat, DVec3};

use super::{Builtin, Key, KeyRange, Values, lattice, scene_of};
use crate::data::{SceneData, SceneObject};
use crate::{random::Random, shapes};

/// Between the middles of two cubes; more than the diagonal of the largest.
const SPACING: f64 = 2.5;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "grid",
    about: "cubes in a lattice that share one mesh: in turn upright, rotated, mirrored, stretched \
            unevenly, and all of these together",
    keys: &[
        Key {
            name: "count",
            about: "how many cubes, each an object",
            default: 64,
            range: KeyRange::Whole {
                min: 1,
                max: 1_000_000,
            },
        },
        Key::SEED,
    ],
    build,
};

fn build(values: &Values) -> SceneData {
    let count = values.get("count");
    let mut random = Random::new(values.get("seed"));
    let mut scene = scene_of(shapes::cube());
    scene.objects.reserve_exact(count as usize);
    for i in 0..count {
        let place = lattice(count, i) * SPACING;
        let turn = random.rotation();
        let size = random.point(0.5, 1.3);
        let mirror = match random.below(3) {
            0 => DVec3::new(-1.0, 1.0, 1.0),
            1 => DVec3::new(1.0, -1.0, 1.0),
            _ => DVec3::NEG_ONE,
        };
        let (scale, rotation) = match i % 5 {
            0 => (DVec3::splat(size.x), DQuat::IDENTITY),
            1 => (DVec3::splat(size.x), turn),
            2 => (mirror * size.x, turn),
            3 => (size, turn),
            _ => (mirror * size, turn),
        };
        let world = DMat4::from_scale_rotation_translation(scale, rotation, place);
        scene.objects.push(SceneObject::new(i as u32, 0, world));
    }
    scene
}
