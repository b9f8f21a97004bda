//! The built-in scenes: parametric, and the same for ever for the same seed.

mod grid;
mod instances;
mod keys;
mod mesh;
mod nearfar;
mod shells;
mod soup;
mod ties;

use crate::data::SceneData;
use crate::error::{SceneError, SceneErrorKind};

pub(crate) use keys::Values;
pub use keys::{Key, KeyRange};

/// A built-in scene, as `pick scenes` lists it.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// What follows `builtin:` in a scene string.
    pub name: &'static str,
    /// What it shows and is for.
    pub about: &'static str,
    /// The keys it takes.
    pub keys: &'static [Key],
    build: fn(&Values) -> SceneData,
}

/// Every built-in scene.
pub const BUILTINS: &[Builtin] = &[
    grid::BUILTIN,
    instances::BUILTIN,
    shells::BUILTIN,
    soup::BUILTIN,
    ties::BUILTIN,
    nearfar::BUILTIN,
    mesh::BUILTIN,
];

impl Builtin {
    /// The built-in scene of that name.
    pub fn find(name: &str) -> Result<&'static Self, SceneError> {
        BUILTINS.iter().find(|b| b.name == name).ok_or_else(|| {
            let names: Vec<_> = BUILTINS.iter().map(|b| b.name).collect();
            SceneError::new(
                SceneErrorKind::UnknownScene,
                "scene",
                format!("there is no built-in scene {name:?}"),
                format!("use one of {}", names.join(", ")),
            )
        })
    }

    pub(crate) fn build(&self, values: &Values) -> SceneData {
        (self.build)(values)
    }
}

/// A scene of one mesh, to which the caller adds objects.
fn scene_of(mesh: crate::data::SceneMesh) -> SceneData {
    SceneData {
        meshes: vec![mesh],
        ..SceneData::default()
    }
}

/// The place of copy `i` of `count` in a cubic lattice of unit spacing around the origin; x runs
/// fastest, then y, then z.
fn lattice(count: u64, i: u64) -> glam::DVec3 {
    let mut side = (count as f64).cbrt() as u64;
    while side * side * side < count {
        side += 1;
    }
    let side = side.max(1);
    let [x, y, z] = [i % side, i / side % side, i / (side * side)].map(|k| k as f64);
    glam::DVec3::new(x, y, z) - (side - 1) as f64 * 0.5
}
