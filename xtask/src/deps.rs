//! How many crates each feature of `pick` brings along: a host pays for them with every build.

use crate::shell;
use std::collections::BTreeSet;

/// Prints the counts, `pick` itself included.
pub fn print_counts() -> Result<(), String> {
    let manifest = std::fs::read_to_string(shell::root().join("Cargo.toml"))
        .map_err(|error| error.to_string())?;
    println!("crates in the tree of `pick`, itself included, on this machine's target:");
    let named = features(&manifest);
    let sets = [("none", None)].into_iter().chain(
        named
            .iter()
            .map(|name| (name.as_str(), Some(name.as_str()))),
    );
    for (label, feature) in sets {
        print_count(
            label,
            &feature.map_or(vec![], |name| vec!["--features", name]),
        )?;
    }
    print_count("all", &["--all-features"])
}

fn print_count(label: &str, features: &[&str]) -> Result<(), String> {
    let mut command = shell::cargo();
    command
        .args([
            "tree",
            "-p",
            "pick",
            "-e",
            "normal",
            "--prefix",
            "none",
            "--no-default-features",
        ])
        .args(features);
    let tree = shell::output(&mut command)
        .ok_or_else(|| format!("cargo tree failed for the features: {label}"))?;
    println!("  {label:8} {:4}", count(&tree));
    Ok(())
}

/// The names in a manifest's `[features]`, but for `default`.
fn features(manifest: &str) -> Vec<String> {
    let lines = manifest
        .lines()
        .skip_while(|line| line.trim() != "[features]")
        .skip(1);
    lines
        .take_while(|line| !line.trim_start().starts_with('['))
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim().to_owned())
        .filter(|name| name != "default" && !name.starts_with('#'))
        .collect()
}

/// The number of different crates in what `cargo tree --prefix none` prints.
fn count(tree: &str) -> usize {
    let crates: BTreeSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches("(*)").trim_end())
        .collect();
    crates.iter().filter(|line| !line.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_count_once() {
        assert_eq!(
            count("a v1.0.0\nb v2.0.0\na v1.0.0 (*)\n\nb v3.0.0 (proc-macro)\n"),
            3
        );
    }

    #[test]
    fn features_are_read_from_the_manifest() {
        let manifest = "[package]\nname = \"x\"\n\n[features]\ndefault = [\"cpu\"]\n# more\ncpu = []\nwgpu = [\"dep:y\"]\n\n[lints]\nz = 1\n";
        assert_eq!(features(manifest), ["cpu", "wgpu"]);
    }
}
