//! `picks report`: a page, plots and tables from what `picks measure` wrote.

use std::path::{Path, PathBuf};

use pick_bench::results::Results;
use pick_bench::{criterion, report};

const USAGE: &str = "\
usage: picks report IN.json [OPTION..] --out DIR

  --out DIR         where report.html, results.json and an SVG for each plot go
  --criterion DIR   adds the estimates of Criterion that lie below this folder
  --markdown        writes the tables as tables.md too";

#[derive(Default)]
struct Asked {
    input: Option<PathBuf>,
    criterion: Option<PathBuf>,
    markdown: bool,
    out: Option<PathBuf>,
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked::default();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value\n\n{USAGE}"));
        match arg.as_str() {
            "--criterion" => asked.criterion = Some(value()?.into()),
            "--markdown" => asked.markdown = true,
            "--out" => asked.out = Some(value()?.into()),
            _ if asked.input.is_none() && !arg.starts_with('-') => asked.input = Some(arg.into()),
            _ => return Err(format!("{arg:?} is not understood\n\n{USAGE}")),
        }
    }
    Ok(asked)
}

/// Reads, writes, and prints the paths.
pub fn run(args: impl Iterator<Item = String>) -> Result<(), String> {
    let asked = parse(args)?;
    let (Some(input), Some(out)) = (asked.input, asked.out) else {
        return Err(USAGE.to_owned());
    };
    let mut results = read(&input)?;
    if let Some(folder) = asked.criterion {
        results.criterion = criterion::estimates(&folder)?;
    }
    for path in report::write(&results, &out, asked.markdown)? {
        println!("{}", path.display());
    }
    Ok(())
}

fn read(path: &Path) -> Result<Results, String> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
    Results::from_json(&text).map_err(|error| told(&error))
}
