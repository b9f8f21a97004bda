//! `pick scenes`: the built-in scenes and their keys.

use std::io::{self, Write as _};

use pick_scenes::BUILTINS;

use crate::exit::{Failure, Status};
use crate::table::Table;

/// Runs the command.
pub fn run() -> Result<Status, Failure> {
    let mut out = io::stdout().lock();
    for scene in BUILTINS {
        let about: Vec<_> = scene.about.split_whitespace().collect();
        writeln!(out, "builtin:{}\n  {}", scene.name, about.join(" "))?;
        let mut keys = Table::new(&["  key", "default", "values", "what it says"]);
        for key in scene.keys {
            keys.row(vec![
                format!("  {}", key.name),
                key.default_text(),
                key.range.to_string(),
                key.about.to_owned(),
            ]);
        }
        writeln!(out, "{keys}")?;
    }
    writeln!(
        out,
        "A scene is written builtin:NAME?key=value&key=value (in quotes, for the shell), such as\n\
         \"builtin:grid?count=10&seed=3\", or as the path of a .glb or .gltf file."
    )?;
    Ok(Status::Answered)
}
