//! The invariants of this workspace that no compiler checks: who may depend on whom, where WGSL and `unsafe` live, what the
//! core must not know. ARCHITECTURE.md gives the reasons; here they fail a build.
//!
//! The macro at the end makes two tests of each rule: the tree keeps it, and it finds a violation planted for it, so that a
//! rule that has gone blind does not pass for a tidy tree.

mod manifest;
mod rules;
mod source;

use rules::{Finding, Rule};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Every text file of ours, by its path from the root.
fn tree() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)
            .expect("a folder of the tree")
            .flatten()
        {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let hidden =
                name.starts_with('.') && ![".ci", ".cargo", ".github"].contains(&name.as_str());
            if path.is_dir() {
                if !hidden && !["target", "node_modules"].contains(&name.as_str()) {
                    folders.push(path);
                }
                continue;
            }
            let ours = [
                "rs", "wgsl", "toml", "md", "html", "css", "js", "mjs", "sh", "yml", "yaml", "run",
            ];
            let kind = name.rsplit('.').next().unwrap_or_default();
            if !hidden && ours.contains(&kind) {
                let relative = path
                    .strip_prefix(root)
                    .expect("below the root")
                    .to_string_lossy()
                    .replace('\\', "/");
                // A file may vanish between listing and reading while somebody is at work.
                files.extend(fs::read_to_string(&path).ok().map(|text| (relative, text)));
            }
        }
    }
    files.sort();
    files
}

fn holds(rule: Rule) {
    let mut report = String::new();
    for (path, text) in tree() {
        for Finding(line, what) in rule(&path, &text) {
            let _ = write!(report, "\n{path}:{line}: {what}");
        }
    }
    assert!(report.is_empty(), "{report}\n");
}

fn finds(rule: Rule, path: &str, text: &str, lines: &[usize]) {
    let found: Vec<usize> = rule(path, text)
        .iter()
        .map(|Finding(line, _)| *line)
        .collect();
    assert_eq!(found, lines, "lines found in {path}:\n{text}");
}

/// Two tests a rule. A planted file comes with the lines that the rule must find in it, and with no other.
macro_rules! rules {
    ($($rule:ident { $($path:expr, $text:expr => $lines:expr;)+ })+) => {$(
        mod $rule {
            #[test]
            fn holds_in_the_tree() {
                crate::holds(crate::rules::$rule);
            }

            #[test]
            fn finds_what_is_planted() {
                $(crate::finds(crate::rules::$rule, $path, $text, &$lines);)+
            }
        }
    )+};
}

rules! {
    edges {
        "crates/pick-core/Cargo.toml", "[package]\nname = \"pick-core\"\n[dependencies]\nglam = \"1\"\npick-cpu.workspace = true\n" => [5];
        "crates/pick-core/Cargo.toml", "[package]\nname = \"pick-core\"\n[target.'cfg(unix)'.dependencies]\nash = \"1\"\n" => [4];
        "crates/pick-cpu/Cargo.toml", "[package]\nname = \"pick-cpu\"\n[dependencies.pick-scenes]\nworkspace = true\n" => [3];
        "crates/pick-wgpu/Cargo.toml", "[package]\nname = \"pick-wgpu\"\n[dependencies]\nv = { package = \"pick-vulkan\", path = \"x\" }\n" => [4];
        "crates/pick-wgpu/Cargo.toml", "[package]\nname = \"pick-wgpu\"\n[dependencies]\npick-scenes = \"1\"\n[dev-dependencies]\npick-scenes = \"1\"\npick-vulkan = \"1\"\n" => [4, 7];
        "crates/pick-new/Cargo.toml", "[package]\nname = \"pick-new\"\n" => [2];
        "Cargo.toml", "[workspace.dependencies]\npick-cli = \"1\"\n[package]\nname = \"pick\"\n[dependencies]\npick-cpu.workspace = true\n" => [];
    }
    manifests {
        "Cargo.toml", "[package]\nname = \"pick\"\ndescription = \"d\"\nlicense.workspace = true\n[lints]\nrust-version = 1\n" => [2];
        "Cargo.toml", "[package]\nname = \"pick\"\n" => [2, 2, 2];
        "xtask/Cargo.toml", "[package]\nname = \"xtask\"\npublish = false\n" => [];
    }
    wgsl_home {
        "crates/pick-wgpu/src/id.wgsl", "// nothing\n" => [1];
        "tests/id.wgsl", "// nothing\n" => [1];
        "crates/pick-wgpu/src/a.rs", "// @vertex\nconst A: &str = \"\n@fragment fn f() {}\";\n" => [3];
        "crates/pick-wgpu/src/a.rs", "#[cfg(test)]\nmod tests {\n    const A: &str = r#\"@compute\"#;\n}\nconst B: &str = r\"@compute\";\n" => [5];
        "examples/a.rs", "const A: &str = \"@fragment\";\n" => [];
        "shaders/src/a.rs", "const A: &str = \"@fragment\";\n" => [];
    }
    wgsl_length {
        "shaders/wgsl/a.wgsl", &"//\n".repeat(crate::rules::WGSL_LINES + 1) => [crate::rules::WGSL_LINES + 1];
        "shaders/wgsl/a.wgsl", &"//\n".repeat(crate::rules::WGSL_LINES) => [];
    }
    rust_length {
        "src/a.rs", &"//\n".repeat(crate::rules::RUST_LINES + 1) => [crate::rules::RUST_LINES + 1];
        "crates/x/src/a/b.rs", &"//\n".repeat(crate::rules::RUST_LINES) => [];
        "tests/a.rs", &"//\n".repeat(crate::rules::RUST_LINES + 1) => [];
    }
    unsafe_home {
        "crates/pick-wgpu/src/a.rs", "//! unsafe\n#![forbid(unsafe_code)]\nfn f() {\n    unsafe { g() }\n}\n" => [4];
        "crates/pick-vulkan/src/lib.rs", "pub unsafe fn f() {}\n" => [1];
        "crates/pick-vulkan/src/vk/a.rs", "pub unsafe fn f() {}\n" => [];
        "crates/pick-core/src/a.rs", "const A: &str = \"unsafe\";\nconst B: char = '\"';\nunsafe fn f() {}\n" => [3];
    }
    pure_core {
        "crates/pick-core/src/a.rs", "use std::fs;\nuse std::time::Instant;\nfn f() {\n    println!(\"{}\", std::thread::sleep);\n}\n" => [1, 2, 4];
        "crates/pick-core/src/a.rs", "use std::{\n    fmt,\n    net::IpAddr,\n};\nfn net() {}\n" => [3];
        "crates/pick-core/src/a.rs", "use std::{fmt, time::SystemTime};\nstruct Instance;\nfn f(env: u32) {}\n" => [1];
        "crates/pick-core/src/a.rs", "#[cfg(test)]\nuse std::fs;\nfn f() {}\n/* std::fs */\n" => [];
        "crates/pick-wgpu/src/a.rs", "use std::time::Instant;\n" => [];
    }
    no_panics {
        "crates/pick-core/src/a.rs", "fn f() {\n    a.unwrap();\n    b.expect(\"c\");\n    panic!(\"d\");\n    e.unwrap_or(1);\n}\n" => [2, 3, 4];
        "crates/pick-core/src/a.rs", "fn f() {\n    // cannot fail: it is one\n    a.unwrap();\n    b.unwrap();\n    c.unwrap(); // cannot fail: it is two\n}\n" => [4];
        "crates/pick-core/src/a.rs", "fn f() {\n    // cannot fail: a reason that\n    // takes two lines\n    a.b(|c| c)\n        .expect(\"d\");\n}\n" => [];
        "crates/pick-core/src/a.rs", "/// a.unwrap()\nfn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() { a.unwrap() }\n}\nfn h<'a>() { a.unwrap() }\n" => [7];
        "crates/pick-core/src/a/tests.rs", "fn f() { a.unwrap() }\n" => [];
        "crates/pick-scenes/src/a.rs", "fn f() { a.unwrap() }\n" => [];
    }
    oracle_alone {
        "crates/pick-conformance/src/oracle.rs", "use pick_core::View;\nuse pick_cpu::Ray;\n" => [2];
        "crates/pick-conformance/src/backends.rs", "use pick_cpu::Ray;\n" => [];
    }
    leftovers {
        "README.md", concat!("a\nTO", "DO: b\nMYTO", "DO\n") => [2];
        "shaders/wgsl/a.wgsl", concat!("// FIX", "ME\n// XX", "X\n") => [1, 2];
        "src/lib.rs", concat!("fn f() {\n    to", "do!()\n}\nfn g() {\n    unimple", "mented!()\n}\n") => [2, 5];
    }
    private_paths {
        "README.md", concat!("see /ho", "me/me/pick\nsee https://example.org/ho", "me/me\n") => [1];
        "tests/a.rs", concat!("\"/ro", "ot/models\"\n") => [1];
    }
}

/// A walk that finds nothing would keep every rule.
#[test]
fn the_walk_sees_the_whole_house() {
    let files = tree();
    let has = |path: &str| files.iter().any(|(found, _)| found == path);
    for path in [
        "Cargo.toml",
        "README.md",
        "src/lib.rs",
        "tests/tidy/main.rs",
        "xtask/src/main.rs",
        "shaders/src/lib.rs",
        ".cargo/config.toml",
    ] {
        assert!(has(path), "{path} was not found");
    }
    for (name, ..) in rules::HOUSE
        .iter()
        .filter(|(name, ..)| name.starts_with("pick-") && *name != "pick-shaders")
    {
        let folder = format!("crates/{name}/");
        if Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder).is_dir() {
            assert!(
                has(&format!("{folder}Cargo.toml")),
                "{folder} was not walked"
            );
        }
    }
}
