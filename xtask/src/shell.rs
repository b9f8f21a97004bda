//! Starting other programs, and the few questions asked of the environment.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The workspace's root. Read at run time first, so that a moved checkout does not run in its old place.
pub fn root() -> PathBuf {
    let here =
        env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    Path::new(&here)
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Whether an environment variable says yes.
pub fn flag(name: &str) -> bool {
    env::var(name).is_ok_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
}

/// The cargo that started us, from the workspace's root.
///
/// What `cargo run` told us about ourselves (`CARGO_PKG_NAME` and the like) is taken out again: it would look to a build
/// script or a test like a statement about itself.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_")
            || text.starts_with("CARGO_MANIFEST_")
            || text == "CARGO_BIN_NAME"
        {
            command.env_remove(&name);
        }
    }
    command.current_dir(root());
    command
}

/// Runs a command whose output goes straight to ours; false when it could not start or did not succeed.
pub fn succeeds(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!(
                "cannot start {}: {error}",
                command.get_program().to_string_lossy()
            );
            false
        }
    }
}

/// What a command printed, trimmed, if it succeeded.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A program on the search path.
pub fn program(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
        .find(|path| path.is_file())
}

/// The first file that a pattern names; `*` stands for any run of characters within one component.
pub fn first_match(pattern: &str) -> Option<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        found = found
            .iter()
            .flat_map(|folder| step_into(folder, part))
            .collect();
    }
    found.into_iter().find(|path| path.is_file())
}

fn step_into(folder: &Path, part: &str) -> Vec<PathBuf> {
    let Some((head, tail)) = part.split_once('*') else {
        return vec![folder.join(part)];
    };
    let fits = |name: &str| {
        name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
    };
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| fits(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_files_in_order() {
        let folder = env::temp_dir().join(format!("xtask-glob-{}", std::process::id()));
        for (inner, name) in [("b", "lib.so.1"), ("a", "lib.so.1"), ("a", "other")] {
            std::fs::create_dir_all(folder.join(inner)).unwrap();
            std::fs::write(folder.join(inner).join(name), "").unwrap();
        }
        let base = folder.to_string_lossy().into_owned();
        assert_eq!(
            first_match(&format!("{base}/*/lib.so*")),
            Some(folder.join("a/lib.so.1"))
        );
        assert_eq!(
            first_match(&format!("{base}/b/l*.1")),
            Some(folder.join("b/lib.so.1"))
        );
        assert_eq!(first_match(&format!("{base}/*/lib.so.1*.1")), None);
        assert_eq!(first_match(&format!("{base}/c/lib.so.1")), None);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
