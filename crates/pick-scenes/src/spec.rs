//! Scene strings: `builtin:NAME?key=value&…`, or a path to a .glb or .gltf file.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::builtin::{Builtin, Values};
use crate::data::SceneData;
use crate::error::{SceneError, SceneErrorKind};

/// A scene string, understood and checked; nothing is built or opened yet.
#[derive(Clone, Debug)]
pub struct SceneSpec(Source);

#[derive(Clone, Debug)]
enum Source {
    Builtin(&'static Builtin, Values),
    File(PathBuf),
}

impl SceneSpec {
    /// Reads a scene string. Keys, values and the file's extension are checked here.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        if let Some(rest) = text.strip_prefix("builtin:") {
            let (name, keys) = rest.split_once('?').unwrap_or((rest, ""));
            let scene = Builtin::find(name)?;
            return Ok(Self(Source::Builtin(scene, Values::parse(scene, keys)?)));
        }
        let path = Path::new(text);
        let extension = path
            .extension()
            .and_then(|e| e.to_str())
            .map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("glb" | "gltf") => Ok(Self(Source::File(path.to_owned()))),
            _ => Err(SceneError::new(
                SceneErrorKind::BadSpec,
                "scene",
                format!("{text:?} is neither a built-in scene nor a .glb or .gltf file"),
                "write builtin:NAME?key=value&key=value, or the path of a file that ends in .glb \
                 or .gltf",
            )),
        }
    }

    /// Builds the scene, or reads the file.
    pub fn load(&self) -> Result<SceneData, SceneError> {
        match &self.0 {
            Source::Builtin(scene, values) => {
                let mut data = scene.build(values);
                data.name = self.to_string();
                Ok(data)
            }
            Source::File(path) => crate::gltf::load_path(path),
        }
    }

    /// Which built-in scene it names, if it names one.
    pub fn builtin(&self) -> Option<&'static Builtin> {
        match &self.0 {
            Source::Builtin(scene, _) => Some(scene),
            Source::File(_) => None,
        }
    }

    /// Which file it names, if it names one.
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            Source::Builtin(..) => None,
            Source::File(path) => Some(path),
        }
    }
}

impl std::str::FromStr for SceneSpec {
    type Err = SceneError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

/// The scene string in full: every key with its value, so that it means the same scene even if a
/// default changes.
impl fmt::Display for SceneSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Builtin(scene, values) => {
                write!(f, "builtin:{}?{}", scene.name, values.spell(scene))
            }
            Source::File(path) => write!(f, "{}", path.display()),
        }
    }
}
