//! From results to a page, plots and tables. Reads results only; measures nothing.

mod curve;
mod layout;
mod markdown;
mod page;
mod plot;
mod table;
pub(crate) mod targets;
mod text;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::results::{Group, Results};

/// Writes `report.html`, `results.json` and an SVG for each plot into a folder; with `markdown`, the
/// tables as `tables.md` too. Gives the paths, the page first.
///
/// # Errors
/// Which file could not be written, and what the plotting library meets.
pub fn write(results: &Results, out: &Path, markdown: bool) -> Result<Vec<PathBuf>, String> {
    let mut files = vec![
        ("report.html".to_owned(), page::page(results)?),
        ("results.json".to_owned(), results.to_json()?),
    ];
    if markdown {
        files.push(("tables.md".to_owned(), markdown::tables(results)));
    }
    for group in Group::ALL {
        for figure in curve::figures(group, results) {
            files.push((format!("{}.svg", figure.name), plot::file(&figure)?));
        }
    }
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let written = |(name, text): (String, String)| {
        let path = out.join(name);
        match std::fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    };
    files.into_iter().map(written).collect()
}
