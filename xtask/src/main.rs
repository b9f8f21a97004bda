//! `cargo xtask`: what this workspace needs and cargo alone cannot do.
//!
//! It finds or installs the software drivers the tests draw with, runs everything that must pass before a change is
//! good, makes the benchmarks' page, and packages the crates as a registry would see them. It depends on no other crate, so that a bare machine has
//! it within seconds and a break anywhere in the workspace cannot take it along.

mod args;
mod bench;
mod deps;
mod drivers;
mod needs;
mod package;
mod run;
mod setup;
mod shell;
mod steps;

use args::{Request, Verb};
use std::process::ExitCode;

fn main() -> ExitCode {
    let request = match args::parse(std::env::args().skip(1), shell::flag("CI")) {
        Ok(request) => request,
        Err(why) => {
            eprintln!("{why}\n\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    match perform(&request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("\nxtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Does what was asked for; the error is one sentence, printed last, that says what failed.
fn perform(request: &Request) -> Result<(), String> {
    match request.verb {
        Verb::Help => {
            println!("{}", args::USAGE);
            Ok(())
        }
        Verb::Steps => {
            print!("{}", steps::listing());
            Ok(())
        }
        Verb::Setup => setup::set_up(request.require_drivers).map(|_| ()),
        Verb::Test => {
            let chosen = steps::choose(&request.only)?;
            let ready = setup::set_up(request.require_drivers)?;
            run::run(&chosen, &ready, request)
        }
        Verb::Gpu => run::run_on_this_machine(&request.rest),
        Verb::BenchReport => bench::report(request),
        Verb::Wasm => run::run_alone("wasm"),
        Verb::Package => package::package(),
        Verb::Deps => deps::print_counts(),
    }
}
