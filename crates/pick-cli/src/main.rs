//! The command `pick`: what is drawn at this pixel?
//!
//! Everything is picked through the library; this crate reads scenes and cameras, chooses a device and
//! prints. Answers go to the standard output, everything else to the error output.

mod answer;
mod args;
mod backends;
mod camera;
mod compare;
mod demo;
mod devices;
mod exit;
mod json;
mod latency;
mod picture;
mod pixels;
mod progress;
mod query;
mod quiet;
mod scene;
mod scenes;
mod table;
mod values;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    if !matches!(cli.command, Command::Scenes) {
        quiet::restart_without_chatter();
    }
    let done = match &cli.command {
        Command::Devices(args) => devices::run(args),
        Command::Scenes => scenes::run(),
        Command::Query(args) => query::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Latency(args) => latency::run(args),
        Command::Demo(args) => demo::run(args),
    };
    let status = done.unwrap_or_else(|failure| {
        if failure.is_worth_saying() {
            eprintln!("error: {failure}");
        }
        failure.status
    });
    ExitCode::from(status.code())
}
