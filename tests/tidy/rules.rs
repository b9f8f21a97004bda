//! The rules. Each is a function of one file's path and text.

use crate::manifest::{dependencies, package_name};
use crate::source::{Source, has_word, is_library, numbered};

/// A violation: the line, what is wrong with it, what to do.
pub struct Finding(pub usize, pub String);

/// What every function below is.
pub type Rule = fn(&str, &str) -> Vec<Finding>;

/// A longer Rust file says two things, and is easier to find as two.
pub const RUST_LINES: usize = 450;
/// A longer WGSL file is no piece to be spliced any more.
pub const WGSL_LINES: usize = 90;

/// The house: each crate's level and the workspace's crates it may use. In tests it may also use what lies below it.
pub const HOUSE: &[(&str, u8, &[&str])] = &[
    ("pick-core", 0, &[]),
    ("pick-shaders", 1, &["pick-core"]),
    ("pick-cpu", 1, &["pick-core"]),
    ("pick-scenes", 1, &["pick-core"]),
    ("pick-wgpu", 2, &["pick-core", "pick-shaders"]),
    ("pick-vulkan", 2, &["pick-core", "pick-shaders"]),
    (
        "pick-conformance",
        2,
        &[
            "pick-core",
            "pick-scenes",
            "pick-cpu",
            "pick-wgpu",
            "pick-vulkan",
        ],
    ),
    (
        "pick-bench",
        2,
        &[
            "pick-core",
            "pick-scenes",
            "pick-cpu",
            "pick-wgpu",
            "pick-vulkan",
        ],
    ),
    (
        "pick",
        3,
        &[
            "pick-core",
            "pick-shaders",
            "pick-cpu",
            "pick-wgpu",
            "pick-vulkan",
        ],
    ),
    ("pick-cli", 4, BELOW_THE_TOOLS),
    ("pick-viewer", 4, BELOW_THE_TOOLS),
    ("xtask", 0, &[]),
];
const BELOW_THE_TOOLS: &[&str] = &[
    "pick-core",
    "pick-shaders",
    "pick-cpu",
    "pick-scenes",
    "pick-wgpu",
    "pick-vulkan",
    "pick-conformance",
    "pick-bench",
    "pick",
];
/// What the core must not depend on, not even in a test.
const GRAPHICS: &[&str] = &[
    "wgpu",
    "wgpu-types",
    "naga",
    "ash",
    "vulkano",
    "winit",
    "glow",
    "raw-window-handle",
];
/// The libraries a host runs inside its own frame: they return errors.
const NEVER_PANIC: &[&str] = &[
    "crates/pick-core/src/",
    "crates/pick-wgpu/src/",
    "crates/pick-vulkan/src/",
    "crates/pick-cpu/src/",
    "shaders/src/",
];

/// Arrows only go down, and only along the table.
pub fn edges(path: &str, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let Some((line, name)) = package_name(path, text) else {
        return found;
    };
    let Some((_, level, may)) = HOUSE.iter().find(|(known, ..)| *known == name) else {
        return vec![Finding(
            line,
            format!("`{name}` has no place in the house: give it a level in tests/tidy/rules.rs"),
        )];
    };
    for (line, test, dependency) in dependencies(text) {
        if name == "pick-core" && GRAPHICS.contains(&dependency) {
            found.push(Finding(
                line,
                format!(
                    "the core knows no graphics API: move what needs `{dependency}` into a backend"
                ),
            ));
        }
        let Some((_, below, _)) = HOUSE.iter().find(|(known, ..)| *known == dependency) else {
            continue;
        };
        if !(may.contains(&dependency) || test && below < level && dependency != "xtask") {
            let what = format!(
                "`{name}` (level {level}) must not depend on `{dependency}` (level {below}): move what both need down"
            );
            found.push(Finding(line, what));
        }
    }
    found
}

/// A published crate says what it is, under which terms, and for which Rust.
pub fn manifests(path: &str, text: &str) -> Vec<Finding> {
    let Some((line, name)) = package_name(path, text) else {
        return Vec::new();
    };
    let package: Vec<&str> = text
        .lines()
        .skip_while(|line| line.trim() != "[package]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .collect();
    let key = |key: &str| {
        package
            .iter()
            .any(|line| line.split(['=', '.', ' ']).next() == Some(key))
    };
    if package
        .iter()
        .any(|line| line.replace(' ', "").starts_with("publish=false"))
    {
        return Vec::new();
    }
    let lacking = ["description", "license", "rust-version"]
        .into_iter()
        .filter(|name| !key(name));
    lacking
        .map(|key| {
            Finding(
                line,
                format!("`{name}` is published without `{key}`: add it, or `publish = false`"),
            )
        })
        .collect()
}

/// All WGSL lives in one place, where it is composed, validated and checked against the Rust structs.
pub fn wgsl_home(path: &str, text: &str) -> Vec<Finding> {
    if path.starts_with("shaders/") || !is_library(path) && path.ends_with(".rs") {
        return Vec::new();
    }
    if path.ends_with(".wgsl") {
        return vec![Finding(
            1,
            "a WGSL file outside shaders/: move it there".to_owned(),
        )];
    }
    let entry = |line: &str| {
        ["@vertex", "@fragment", "@compute"]
            .into_iter()
            .find(|entry| line.contains(entry))
    };
    let source = Source::new(path, text);
    let lines = source.library_lines(&source.text);
    let found = lines.filter_map(|(line, text)| entry(text).map(|entry| (line, entry)));
    found
        .map(|(line, entry)| {
            Finding(
                line,
                format!("WGSL (`{entry}`) in Rust: move it to shaders/"),
            )
        })
        .collect()
}

/// A WGSL file is one piece.
pub fn wgsl_length(path: &str, text: &str) -> Vec<Finding> {
    let lines = text.lines().count();
    if !path.ends_with(".wgsl") || lines <= WGSL_LINES {
        return Vec::new();
    }
    vec![Finding(
        lines,
        format!(
            "{lines} lines, {WGSL_LINES} at most: split it into pieces that the composer splices"
        ),
    )]
}

/// A Rust file is one subject.
pub fn rust_length(path: &str, text: &str) -> Vec<Finding> {
    let lines = text.lines().count();
    if !path.ends_with(".rs") || !format!("/{path}").contains("/src/") || lines <= RUST_LINES {
        return Vec::new();
    }
    vec![Finding(
        lines,
        format!("{lines} lines, {RUST_LINES} at most: split it by subject"),
    )]
}

/// `unsafe` is where Vulkan is called, and nowhere else.
pub fn unsafe_home(path: &str, text: &str) -> Vec<Finding> {
    if !is_library(path) || path.starts_with("crates/pick-vulkan/src/vk/") {
        return Vec::new();
    }
    let source = Source::new(path, text);
    let lines = source
        .library_lines(&source.code)
        .filter(|(_, line)| has_word(line, "unsafe"));
    lines
        .map(|(line, _)| {
            Finding(
                line,
                "unsafe in library code: only crates/pick-vulkan/src/vk/ has it".to_owned(),
            )
        })
        .collect()
}

/// The core computes. It opens no file, starts no thread, reads no clock and prints nothing.
pub fn pure_core(path: &str, text: &str) -> Vec<Finding> {
    if !path.starts_with("crates/pick-core/src/") {
        return Vec::new();
    }
    const MODULES: [&str; 5] = ["fs", "net", "thread", "process", "env"];
    const WORDS: [&str; 6] = [
        "Instant",
        "SystemTime",
        "println!",
        "eprintln!",
        "print!",
        "dbg!",
    ];
    let source = Source::new(path, text);
    let mut group = 0;
    let mut found = Vec::new();
    for (line, text) in source.library_lines(&source.code) {
        let module = MODULES
            .iter()
            .find(|name| has_word(text, &format!("std::{name}")));
        let grouped = (group > 0 || text.contains("std::{"))
            .then(|| MODULES.iter().find(|name| has_word(text, name)))
            .flatten();
        let word = WORDS.iter().find(|name| has_word(text, name));
        if let Some(what) = module.or(grouped).or(word) {
            found.push(Finding(line, format!("the core must not use `{what}`: a backend or the host does, and hands the result in")));
        }
        if group > 0 || text.contains("std::{") {
            let inside = if group > 0 {
                text
            } else {
                text.split_once("std::").map_or("", |(_, tail)| tail)
            };
            for c in inside.chars() {
                match c {
                    '{' => group += 1,
                    '}' => group -= 1,
                    ';' => group = 0,
                    _ => {}
                }
                if group == 0 {
                    break;
                }
            }
        }
    }
    found
}

/// Nothing panics on what a user can pass; what cannot fail says why.
pub fn no_panics(path: &str, text: &str) -> Vec<Finding> {
    if !NEVER_PANIC.iter().any(|folder| path.starts_with(folder)) {
        return Vec::new();
    }
    const CALLS: [&str; 2] = [".unwrap()", ".expect("];
    const MACROS: [&str; 2] = ["panic!", "unreachable!"];
    let source = Source::new(path, text);
    let mut found = Vec::new();
    for (line, text) in source.library_lines(&source.code) {
        let call = CALLS.into_iter().find(|call| text.contains(call));
        let Some(what) = call.or(MACROS.into_iter().find(|name| has_word(text, name))) else {
            continue;
        };
        if !source.gives_reason(line) {
            found.push(Finding(
                line,
                format!(
                    "`{what}` in library code: return an error, or say why: `// cannot fail: ..`"
                ),
            ));
        }
    }
    found
}

/// The oracle proves the CPU backend too, so it must share nothing with it.
pub fn oracle_alone(path: &str, text: &str) -> Vec<Finding> {
    if !(path.starts_with("crates/pick-conformance/src/") && path.contains("oracle")) {
        return Vec::new();
    }
    let source = Source::new(path, text);
    let lines = source
        .library_lines(&source.code)
        .filter(|(_, line)| has_word(line, "pick_cpu"));
    lines
        .map(|(line, _)| {
            Finding(
                line,
                "the oracle shares no code with pick-cpu: write it out here".to_owned(),
            )
        })
        .collect()
}

/// What is not done is not here. (The words are spelled apart, or this file would break its own rule.)
pub fn leftovers(_: &str, text: &str) -> Vec<Finding> {
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("to", "do!"),
        concat!("unimple", "mented!"),
    ];
    let word = |line: &str| words.into_iter().find(|word| has_word(line, word));
    let found = numbered(text).filter_map(|(number, line)| word(line).map(|word| (number, word)));
    found
        .map(|(number, word)| {
            Finding(
                number,
                format!("{word} left in the tree: do it, or file it as an issue"),
            )
        })
        .collect()
}

/// A path into somebody's home says nothing to anybody else.
pub fn private_paths(_: &str, text: &str) -> Vec<Finding> {
    let places = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/Use", "rs/"),
    ];
    let names = |line: &str, place: &str| {
        let before = |at: usize| line[..at].chars().next_back();
        line.match_indices(place)
            .any(|(at, _)| before(at).is_none_or(|c| !c.is_alphanumeric() && !"._-}".contains(c)))
    };
    let place = |line: &str| places.into_iter().find(|place| names(line, place));
    let found =
        numbered(text).filter_map(|(number, line)| place(line).map(|place| (number, place)));
    found
        .map(|(number, place)| {
            Finding(
                number,
                format!("a path of one machine ({place}): make it relative"),
            )
        })
        .collect()
}
