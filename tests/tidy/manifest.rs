//! Reading manifests line by line: the few shapes that this workspace uses.

use crate::source::numbered;

/// The name of the package that a manifest describes, and its line.
pub fn package_name<'t>(path: &str, text: &'t str) -> Option<(usize, &'t str)> {
    if !path.ends_with("Cargo.toml") {
        return None;
    }
    let mut lines = numbered(text).skip_while(|(_, line)| line.trim() != "[package]");
    lines
        .find(|(_, line)| line.starts_with("name"))
        .and_then(|(number, line)| Some((number, line.split('"').nth(1)?)))
}

/// The dependencies in a manifest: line, whether for tests only, the package's name (also of a renamed one).
pub fn dependencies(text: &str) -> Vec<(usize, bool, &str)> {
    let mut found = Vec::new();
    let mut section: Vec<&str> = Vec::new();
    for (number, line) in numbered(text) {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').split('.').collect();
        }
        let Some(at) = section
            .iter()
            .position(|part| part.ends_with("dependencies"))
        else {
            continue;
        };
        if section[0] == "workspace" || line.is_empty() || line.starts_with('#') {
            continue;
        }
        let renamed = line
            .split_once("package = \"")
            .and_then(|(_, tail)| tail.split('"').next());
        let key = match section.get(at + 1) {
            Some(name) => line.starts_with('[').then_some(*name),
            None => (!line.starts_with('['))
                .then(|| line.split(['=', '.', ' ']).next().unwrap_or_default()),
        };
        if let Some(name) = renamed.or(key) {
            found.push((
                number,
                section[at] == "dev-dependencies",
                name.trim_matches('"'),
            ));
        }
    }
    found
}
