//! Packaging every published crate and compiling the packages where the workspace cannot help them.
//!
//! `cargo package` would verify each package by itself, in minutes: without the workspace's profiles none of the
//! dependencies it has already compiled fit. Here the packages are unpacked side by side into one scratch workspace that
//! has the same profiles and the same lock file, and checked there. What a package forgot (a file outside its folder, a
//! dependency without a version) fails just the same.

use crate::shell;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Packages, unpacks and checks.
pub fn package() -> Result<(), String> {
    let root = shell::root();
    let target = target_folder()?;
    let folder = Path::new(&target).join("package");
    // What an earlier run left must not stand in for a package that is not made any more.
    for stale in archives(&folder).unwrap_or_default() {
        fs::remove_file(folder.join(stale)).map_err(|error| error.to_string())?;
    }
    let manifests = manifests(&root);
    let mut command = shell::cargo();
    // The tree need not be clean: what is checked is what lies there, before it is committed.
    command.args([
        "package",
        "--workspace",
        "--no-verify",
        "--allow-dirty",
        "--quiet",
    ]);
    for name in manifests
        .iter()
        .filter(|manifest| unpublished(manifest))
        .filter_map(|manifest| name_of(manifest))
    {
        command.args(["--exclude", name]);
    }
    if !shell::succeeds(&mut command) {
        return Err("cargo package failed".to_owned());
    }

    let scratch = Path::new(&target).join("package-check");
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    let archives = archives(&folder).map_err(|error| error.to_string())?;
    let published = manifests
        .iter()
        .filter(|manifest| !unpublished(manifest))
        .count();
    if archives.len() != published {
        return Err(format!(
            "{published} crates are published, but {} packages came out",
            archives.len()
        ));
    }
    for archive in &archives {
        // Files of a package are dated to the same day always: by their dates cargo would take what an
        // earlier run compiled for what is here now.
        let unpacked = Command::new("tar")
            .arg("xzmf")
            .arg(folder.join(archive))
            .arg("-C")
            .arg(&scratch)
            .status();
        if !unpacked.is_ok_and(|status| status.success()) {
            return Err(format!("tar cannot unpack {archive}"));
        }
    }
    let packages: Vec<&str> = archives
        .iter()
        .filter_map(|name| name.strip_suffix(".crate"))
        .collect();
    let workspace =
        fs::read_to_string(root.join("Cargo.toml")).map_err(|error| error.to_string())?;
    let written = fs::write(
        scratch.join("Cargo.toml"),
        scratch_manifest(&packages, &workspace),
    )
    .and_then(|()| fs::copy(root.join("Cargo.lock"), scratch.join("Cargo.lock")));
    written.map_err(|error| format!("cannot lay out the scratch workspace: {error}"))?;

    println!("checking {}", packages.join(", "));
    let mut command = shell::cargo();
    command
        .args(["check", "--workspace", "--all-features", "--quiet"])
        .current_dir(&scratch);
    match shell::succeeds(command.env("CARGO_TARGET_DIR", &target)) {
        true => Ok(()),
        false => Err("a package does not compile away from the workspace".to_owned()),
    }
}

/// Where cargo builds, whoever set that and how.
fn target_folder() -> Result<String, String> {
    let metadata =
        shell::output(shell::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))
            .ok_or("cargo metadata failed")?;
    let (_, rest) = metadata
        .split_once("\"target_directory\":\"")
        .ok_or("cargo metadata names no target folder")?;
    let end = rest.find('"').unwrap_or(rest.len());
    Ok(rest[..end].replace("\\\\", "\\"))
}

/// The names of the packages in a folder.
fn archives(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".crate") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The text of every manifest of the workspace.
fn manifests(root: &Path) -> Vec<String> {
    let crates = fs::read_dir(root.join("crates"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    crates
        .chain([root.to_path_buf(), root.join("shaders"), root.join("xtask")])
        .filter_map(|folder| fs::read_to_string(folder.join("Cargo.toml")).ok())
        .collect()
}

fn unpublished(manifest: &str) -> bool {
    manifest
        .lines()
        .any(|line| line.replace(' ', "").starts_with("publish=false"))
}

fn name_of(manifest: &str) -> Option<&str> {
    let (_, package) = manifest.split_once("[package]")?;
    let line = package
        .lines()
        .find(|line| line.trim_start().starts_with("name"))?;
    line.split('"').nth(1)
}

/// A workspace of the unpacked packages, in which they stand for what the registry would give.
fn scratch_manifest(packages: &[&str], workspace: &str) -> String {
    let list: Vec<String> = packages
        .iter()
        .map(|package| format!("{package:?}"))
        .collect();
    let mut text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[patch.crates-io]\n",
        list.join(", ")
    );
    for package in packages {
        let name = package.rsplit_once('-').map_or(*package, |(name, _)| name);
        text += &format!("{name} = {{ path = {package:?} }}\n");
    }
    let mut copying = false;
    for line in workspace.lines() {
        if line.starts_with('[') {
            copying = line.starts_with("[profile.");
        }
        if copying {
            text += line;
            text += "\n";
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scratch_workspace_replaces_the_registry_and_keeps_the_profiles() {
        let workspace =
            "[workspace]\nmembers = []\n\n[profile.dev]\ndebug = 1\n\n[lints]\nworkspace = true\n";
        let text = scratch_manifest(&["pick-0.1.0", "pick-core-0.1.0"], workspace);
        assert!(text.contains("members = [\"pick-0.1.0\", \"pick-core-0.1.0\"]"));
        assert!(text.contains("pick-core = { path = \"pick-core-0.1.0\" }"));
        assert!(text.contains("[profile.dev]\ndebug = 1"));
        assert!(!text.contains("lints"));
    }

    #[test]
    fn manifests_are_read() {
        let tool = "[package]\nname = \"xtask\"\npublish = false\n";
        assert_eq!(name_of(tool), Some("xtask"));
        assert!(unpublished(tool));
        assert!(!unpublished("[package]\nname = \"pick\"\n"));
    }
}
