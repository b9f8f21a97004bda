//! Running steps one after the other, and saying at the end how each of them went.

use crate::args::Request;
use crate::drivers;
use crate::package;
use crate::setup::Ready;
use crate::shell;
use crate::steps::{self, CONFORMANCE, Step, Work};
use std::time::{Duration, Instant};

/// How a step went.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// Skipped for want of this.
    Without(String),
    /// Not reached, because an earlier one failed.
    NotReached,
}

/// A step's line in the report.
#[derive(Debug)]
struct Row {
    name: &'static str,
    outcome: Outcome,
    time: Duration,
    shows: &'static str,
}

/// Runs the steps and prints the report; an error unless all passed or were skipped by name.
pub fn run(steps: &[&'static Step], ready: &Ready, request: &Request) -> Result<(), String> {
    let drivers = drivers::environment(ready, request.require_drivers, |name| {
        std::env::var(name).ok()
    });
    for (name, value) in &drivers {
        println!("drawing with {name}={value}");
    }
    let begin = Instant::now();
    let mut rows: Vec<Row> = Vec::new();
    for step in steps {
        let start = Instant::now();
        let stopped = !request.keep_going && rows.iter().any(|row| row.outcome == Outcome::Failed);
        let outcome = if stopped {
            Outcome::NotReached
        } else if let Some(need) = steps::lacking(step, &ready.missing) {
            Outcome::Without(need.to_owned())
        } else if perform(step, &drivers) {
            Outcome::Passed
        } else {
            Outcome::Failed
        };
        rows.push(Row {
            name: step.name,
            outcome,
            time: start.elapsed(),
            shows: step.shows,
        });
    }
    println!("\n{}", table(&rows, begin.elapsed()));
    conclude(&rows, &ready.missing)
}

/// Runs one step as it stands in the table, with nothing set up for it.
pub fn run_alone(name: &str) -> Result<(), String> {
    let chosen = steps::choose(&[name.to_owned()])?;
    match chosen.iter().all(|step| perform(step, &[])) {
        true => Ok(()),
        false => Err(format!("{name} failed")),
    }
}

/// The full conformance suite with the machine's own drivers: nothing is forced, and the suite says what it found.
pub fn run_on_this_machine(rest: &[String]) -> Result<(), String> {
    let mut command = shell::cargo();
    command.args(CONFORMANCE);
    command.env("PICK_FULL", "1").env("PICK_GPU", "1");
    if !rest.is_empty() {
        command.arg("--").args(rest);
    }
    match shell::succeeds(&mut command) {
        true => Ok(()),
        false => Err("the conformance suite failed on this machine's drivers".to_owned()),
    }
}

/// Runs a step; its output goes straight to ours, so that the counts of passed tests stay readable in it.
fn perform(step: &Step, drivers: &[(&str, String)]) -> bool {
    match step.work {
        Work::Package => {
            println!("\n== {}: {}", step.name, step.shows);
            package::package().map_err(|why| eprintln!("{why}")).is_ok()
        }
        Work::Cargo(args) => {
            println!(
                "\n== {}: {}\n   cargo {}",
                step.name,
                step.shows,
                args.join(" ")
            );
            let mut command = shell::cargo();
            command.args(args).envs(step.env.iter().copied());
            if step.draws {
                command.envs(drivers.iter().map(|(name, value)| (name, value)));
            }
            shell::succeeds(&mut command)
        }
    }
}

/// The report.
fn table(rows: &[Row], total: Duration) -> String {
    let mut text = format!(
        "{:12} {:24} {:>9}  {}\n",
        "step", "outcome", "time", "what it shows"
    );
    for row in rows {
        let outcome = match &row.outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Failed => "FAILED".to_owned(),
            Outcome::Without(need) => format!("SKIPPED, no {need}"),
            Outcome::NotReached => "not reached".to_owned(),
        };
        text += &format!(
            "{:12} {:24} {:>9}  {}\n",
            row.name,
            outcome,
            clock(row.time),
            row.shows
        );
    }
    text + &format!("{:12} {:24} {:>9}", "all", "", clock(total))
}

/// Minutes and seconds; tenths where seconds are few.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{}m {:02}s", seconds / 60, seconds % 60)
    }
}

/// The last word: what failed, or what a pass did not cover.
fn conclude(rows: &[Row], missing: &[&str]) -> Result<(), String> {
    let named = |fits: &dyn Fn(&Outcome) -> bool| -> Vec<&str> {
        rows.iter()
            .filter(|row| fits(&row.outcome))
            .map(|row| row.name)
            .collect()
    };
    let failed = named(&|outcome| *outcome == Outcome::Failed);
    if !failed.is_empty() {
        return Err(format!("failed: {}", failed.join(", ")));
    }
    let passed = named(&|outcome| *outcome == Outcome::Passed).len();
    println!("{passed} of {} steps passed", rows.len());
    if !missing.is_empty() {
        println!(
            "this machine lacks {}: what needs them was not shown",
            missing.join(", ")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = |name, outcome, seconds| Row {
            name,
            outcome,
            time: Duration::from_secs(seconds),
            shows: "that",
        };
        vec![
            row("a", Outcome::Passed, 3),
            row("b", Outcome::Without("gl".to_owned()), 0),
            row("c", Outcome::Failed, 754),
            row("d", Outcome::NotReached, 0),
        ]
    }

    #[test]
    fn the_report_names_every_outcome() {
        let text = table(&rows(), Duration::from_secs(757));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].contains("passed") && lines[1].contains("3.0 s"));
        assert!(lines[2].contains("SKIPPED, no gl"));
        assert!(lines[3].contains("FAILED") && lines[3].contains("12m 34s"));
        assert!(lines[4].contains("not reached"));
        assert!(lines[5].contains("12m 37s"));
    }

    #[test]
    fn one_failure_fails_the_whole() {
        assert_eq!(conclude(&rows(), &[]), Err("failed: c".to_owned()));
        assert_eq!(conclude(&rows()[..2], &["gl"]), Ok(()));
    }
}
