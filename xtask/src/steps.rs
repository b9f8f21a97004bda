//! The steps of `cargo xtask test`, as a table. To add a check, add a line.

use crate::needs::WEB;

/// One thing that must pass.
#[derive(Debug)]
pub struct Step {
    /// Its name in reports and in `--only`.
    pub name: &'static str,
    /// What passing it shows.
    pub shows: &'static str,
    /// What it runs.
    pub work: Work,
    /// What it sets in the environment.
    pub env: &'static [(&'static str, &'static str)],
    /// Whether it draws, and so gets the drivers' environment.
    pub draws: bool,
    /// The needs (see `needs`) without which it is skipped by name.
    pub needs: &'static [&'static str],
}

/// What a step runs.
#[derive(Debug)]
pub enum Work {
    /// Cargo, with these arguments.
    Cargo(&'static [&'static str]),
    /// Our own packaging check.
    Package,
}

/// The steps, in the order of what they cost: a slip of the pen should not wait for the conformance suite.
pub const STEPS: &[Step] = &[
    Step {
        name: "format",
        shows: "every file is formatted",
        work: Work::Cargo(&["fmt", "--all", "--check"]),
        env: &[],
        draws: false,
        needs: &["rustfmt"],
    },
    Step {
        name: "lint",
        shows: "no warning of rustc or clippy, tests and examples included",
        work: Work::Cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "-D",
            "warnings",
        ]),
        env: &[],
        draws: false,
        needs: &["clippy"],
    },
    Step {
        name: "bare",
        shows: "the facade compiles with every feature off",
        work: Work::Cargo(&["check", "-p", "pick", "--no-default-features"]),
        env: &[],
        draws: false,
        needs: &[],
    },
    Step {
        name: "test",
        shows: "every test of the workspace, small frames of the conformance suite among them",
        work: Work::Cargo(&["test", "--workspace", "--all-features"]),
        env: &[],
        draws: true,
        needs: &[],
    },
    Step {
        name: "docs",
        shows: "the documentation builds without a warning",
        work: Work::Cargo(&["doc", "--workspace", "--no-deps", "--all-features"]),
        env: &[("RUSTDOCFLAGS", "-D warnings")],
        draws: false,
        needs: &[],
    },
    Step {
        name: "wasm",
        shows: "the crates meant for the web compile for it",
        work: Work::Cargo(&[
            "check",
            "--target",
            WEB,
            "-p",
            "pick-core",
            "-p",
            "pick-shaders",
            "-p",
            "pick-wgpu",
        ]),
        env: &[],
        draws: false,
        needs: &["web-target"],
    },
    Step {
        name: "package",
        shows: "the published crates compile as packages, away from the workspace",
        work: Work::Package,
        env: &[],
        draws: false,
        needs: &[],
    },
    Step {
        name: "demo",
        shows: "the demonstration works where there is no Vulkan driver",
        work: Work::Cargo(&["run", "--release", "-p", "pick-cli", "--", "demo"]),
        env: NO_VULKAN,
        draws: false,
        needs: &[],
    },
    Step {
        name: "conformance",
        shows: "the conformance suite in release at full size on the CPU backend: full frames, ten thousand \
                random scenes (the drivers run it at test size in the step `test`; `gpu` runs all of it)",
        work: Work::Cargo(&[
            "test",
            "--release",
            "-p",
            "pick-conformance",
            "--test",
            "conformance",
            "--",
            "cpu/",
        ]),
        env: &[("PICK_FULL", "1")],
        draws: true,
        needs: &[],
    },
];

/// Names a driver file that does not exist: the loader then finds no driver, as on a machine that has none.
const NO_VULKAN: &[(&str, &str)] = &[("VK_DRIVER_FILES", "none"), ("VK_ICD_FILENAMES", "none")];

/// The conformance suite in release; also what runs on a machine's own drivers.
pub const CONFORMANCE: &[&str] = &[
    "test",
    "--release",
    "-p",
    "pick-conformance",
    "--test",
    "conformance",
];

/// The steps of these names, in the table's order; all of them if there are no names.
pub fn choose(names: &[String]) -> Result<Vec<&'static Step>, String> {
    if let Some(unknown) = names
        .iter()
        .find(|name| STEPS.iter().all(|step| step.name != *name))
    {
        return Err(format!(
            "there is no step `{unknown}`; the steps are:\n{}",
            listing()
        ));
    }
    Ok(STEPS
        .iter()
        .filter(|step| names.is_empty() || names.iter().any(|name| name == step.name))
        .collect())
}

/// The first thing a step needs that is not there.
pub fn lacking<'a>(step: &Step, missing: &[&'a str]) -> Option<&'a str> {
    missing
        .iter()
        .copied()
        .find(|name| step.needs.contains(name))
}

/// Names and meanings, a line each.
pub fn listing() -> String {
    STEPS
        .iter()
        .map(|step| format!("  {:12} {}\n", step.name, step.shows))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::NEEDS;

    #[test]
    fn names_are_unique_and_needs_are_known() {
        for (index, step) in STEPS.iter().enumerate() {
            assert!(
                STEPS[..index].iter().all(|other| other.name != step.name),
                "{} is named twice",
                step.name
            );
            for name in step.needs {
                assert!(
                    NEEDS.iter().any(|need| need.name == *name),
                    "{} needs {name}, in no table",
                    step.name
                );
            }
        }
    }

    #[test]
    fn choosing_keeps_the_order_and_refuses_what_is_unknown() {
        assert_eq!(choose(&[]).unwrap().len(), STEPS.len());
        let chosen = choose(&["wasm".to_owned(), "lint".to_owned()]).unwrap();
        assert_eq!(
            chosen.iter().map(|step| step.name).collect::<Vec<_>>(),
            ["lint", "wasm"]
        );
        let error = choose(&["lnit".to_owned()]).unwrap_err();
        assert!(error.contains("`lnit`") && error.contains("lint"));
    }

    #[test]
    fn a_step_lacks_only_what_it_needs() {
        let wasm = choose(&["wasm".to_owned()]).unwrap()[0];
        assert_eq!(
            lacking(wasm, &["lavapipe", "web-target"]),
            Some("web-target")
        );
        assert_eq!(lacking(wasm, &["lavapipe"]), None);
    }

    #[test]
    fn only_steps_that_run_tests_draw() {
        for step in STEPS {
            let runs_tests = matches!(step.work, Work::Cargo(["test", ..]));
            assert_eq!(step.draws, runs_tests, "{}", step.name);
        }
    }
}
