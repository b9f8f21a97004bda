//! Scenes for the tests, benchmarks and tools of pick: seven parametric ones, and a glTF 2.0 loader.
//!
//! A scene is asked for by a string: `builtin:NAME?key=value&…` (the names and keys are in
//! [`BUILTINS`]) or a path to a .glb or .gltf file. What comes back is plain data, [`SceneData`],
//! that knows no graphics API.
//!
//! ```
//! let scene = pick_scenes::load("builtin:grid?count=10&seed=3")?;
//! assert_eq!(scene.objects.len(), 10);
//! assert_eq!(scene.drawn_triangles(), 120);
//! # Ok::<(), pick_scenes::SceneError>(())
//! ```
//!
//! Whatever is passed in, the answer is a scene or a [`SceneError`] that names the file, the field and
//! the fix. Nothing panics, and memory is bounded by the size of what is read (see [`gltf`]).

mod build;
mod builtin;
mod data;
mod error;
pub mod gltf;
mod random;
mod shapes;
mod spec;

pub use builtin::{BUILTINS, Builtin, Key, KeyRange};
pub use data::*;
pub use error::{SceneError, SceneErrorKind};
pub use spec::SceneSpec;

/// Builds or reads the scene that a scene string asks for.
pub fn load(scene: &str) -> Result<SceneData, SceneError> {
    SceneSpec::parse(scene)?.load()
}
