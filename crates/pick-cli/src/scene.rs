//! Reading SCENE.

use pick_scenes::{SceneData, SceneSpec};

use crate::exit::Failure;
use crate::progress;

/// Notes that are printed one by one; a file with thousands of points is no reason for thousands of
/// lines.
const NOTES_SHOWN: usize = 5;

/// The scene that a scene string asks for. What was left out on the way is said on the error output.
pub fn load(text: &str) -> Result<(SceneSpec, SceneData), Failure> {
    let spec = SceneSpec::parse(text)?;
    let spinner = progress::spinner(format!("reading {text}"));
    let data = spec.load()?;
    drop(spinner);
    for note in data.notes.iter().take(NOTES_SHOWN) {
        eprintln!("note: {}: {}", note.field, note.text);
    }
    if let more @ 1.. = data.notes.len().saturating_sub(NOTES_SHOWN) {
        eprintln!("note: and {more} more of the kind");
    }
    Ok((spec, data))
}
