//! The camera: from a file, from options, or so that the scene fills the view.

mod file;
mod flags;

use pick_core::View;
use pick_scenes::{SceneData, SceneSpec};

use crate::args::CameraArgs;
use crate::exit::Failure;

pub use file::text;
pub use flags::{Framing, frame};

/// The view that the arguments ask for.
pub fn view(args: &CameraArgs, spec: &SceneSpec, data: &SceneData) -> Result<View, Failure> {
    match &args.camera {
        Some(path) => file::read(path),
        None => flags::view(args, &Framing::of(spec, data)),
    }
}
