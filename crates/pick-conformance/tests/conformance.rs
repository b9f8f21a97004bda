//! The matrix of named trials `backend/driver/mode/case` on every driver that is here.

use std::process::ExitCode;

use pick_conformance::driver::CPU;
use pick_conformance::report::Report;
use pick_conformance::suite::{Settings, interleaved, trials};
use pick_cpu::CpuBackend;

fn main() -> ExitCode {
    let arguments = libtest_mimic::Arguments::from_args();
    let settings = Settings::from_env();
    let report = Report::default();
    let groups = vec![trials(CPU, Ok(CpuBackend::new()), &settings, &report)];
    let conclusion = libtest_mimic::run(&arguments, interleaved(groups));
    if !arguments.list {
        println!("{}", report.table());
    }
    if let Some(path) = std::env::var_os("PICK_REPORT") {
        if let Err(error) = std::fs::write(&path, format!("{:#}\n", report.json())) {
            eprintln!("the report cannot be written: {error}");
            return ExitCode::FAILURE;
        }
    }
    conclusion.exit_code()
}
