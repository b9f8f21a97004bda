//! `cargo xtask bench-report`: the benchmarks, from the build to the page.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::args::Request;
use crate::drivers;
use crate::setup;
use crate::shell;

/// What builds and starts the benchmarks; what follows goes to them.
const BENCH: &[&str] = &["bench", "--features", "wgpu,vulkan", "--bench", "picks"];

/// How Criterion estimates: its times are in a table of their own, so that a glance is enough, and a
/// quick run leaves most of them out.
const ESTIMATES: &[&str] = &[
    "--noplot",
    "--sample-size",
    "20",
    "--warm-up-time",
    "0.3",
    "--measurement-time",
    "0.7",
];
const QUICK_ESTIMATES: &[&str] = &[
    "--noplot",
    "--sample-size",
    "10",
    "--warm-up-time",
    "0.1",
    "--measurement-time",
    "0.2",
    "detailed",
];

/// Builds, lets Criterion estimate, measures in turns, and makes the page.
pub fn report(request: &Request) -> Result<(), String> {
    setup::set_up(request.require_drivers)?;
    let out = folder(request)?;
    let results = out.join("results.json");
    let criterion = out.join("criterion");
    forget(&criterion)?;
    std::fs::create_dir_all(&criterion).map_err(|error| told(&criterion, &error))?;

    perform("building", shell::cargo().args(BENCH).arg("--no-run"))?;
    let start = Instant::now();
    let estimates = match request.sizes {
        Some("--quick") => QUICK_ESTIMATES,
        _ => ESTIMATES,
    };
    let mut command = picks(estimates);
    command.env("CRITERION_HOME", &criterion);
    if let Some(driver) = &request.driver {
        command.env("PICK_BENCH_DEVICE", driver);
    }
    perform("estimating", &mut command)?;
    let mut command = picks(&["measure", "--out"]);
    command.arg(&results).args(request.sizes);
    if let Some(driver) = &request.driver {
        command.args(["--device", driver]);
    }
    perform("measuring", &mut command)?;
    let mut command = picks(&["report", "--markdown"]);
    command.arg(&results).arg("--criterion").arg(&criterion);
    perform("reporting", command.arg("--out").arg(&out))?;
    println!(
        "\nall but building took {:.0} s",
        start.elapsed().as_secs_f64()
    );
    println!("the page is {}", out.join("report.html").display());
    Ok(())
}

/// The benchmarks' executable, with arguments, and the environment that they are timed in.
fn picks(args: &[&str]) -> Command {
    let mut command = shell::cargo();
    command.args(BENCH).arg("--").args(args);
    command.envs(drivers::timed(|name| std::env::var(name).ok()));
    command
}

/// Where everything goes: as asked, from where the user stands; else beside what cargo builds.
fn folder(request: &Request) -> Result<PathBuf, String> {
    let built = std::env::var_os("CARGO_TARGET_DIR");
    let built = built.map_or_else(|| shell::root().join("target"), PathBuf::from);
    let out = request
        .out
        .clone()
        .unwrap_or_else(|| built.join("bench-report"));
    std::path::absolute(&out).map_err(|error| told(&out, &error))
}

/// Estimates of an earlier run would pass for this one's.
fn forget(folder: &Path) -> Result<(), String> {
    match folder.exists() {
        true => std::fs::remove_dir_all(folder).map_err(|error| told(folder, &error)),
        false => Ok(()),
    }
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn perform(what: &str, command: &mut Command) -> Result<(), String> {
    println!("\n== {what}");
    let start = Instant::now();
    if !shell::succeeds(command) {
        return Err(format!("{what} failed"));
    }
    println!("{what} took {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}
