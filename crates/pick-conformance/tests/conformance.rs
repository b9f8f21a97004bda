//! The matrix of named trials `backend/driver/mode/case` on every driver that is here.

mod drivers;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use pick_conformance::driver::{
    CPU, Driver, VULKAN_LAVAPIPE, VULKAN_SWIFTSHADER, WGPU_GL, WGPU_LAVAPIPE, WGPU_SWIFTSHADER,
};
use pick_conformance::report::Report;
use pick_conformance::suite::{Settings, interleaved, trials};
use pick_conformance::tape::Tape;
use pick_conformance::twins;
use pick_cpu::CpuBackend;

use drivers::fault;

fn main() -> ExitCode {
    if let Some(code) = drivers::again_with_drivers() {
        return code;
    }
    drivers::messages::listen();
    let arguments = Arguments::from_args();
    let settings = Settings::from_env();
    let report = Report::default();
    let on_wgpu = |driver: Driver| -> Vec<Trial> {
        trials(
            driver,
            drivers::wgpu(&driver).map(Tape::new),
            &settings,
            &report,
        )
    };
    let on_vulkan = |driver: Driver| -> Vec<Trial> {
        trials(
            driver,
            drivers::vulkan(&driver).map(Tape::new),
            &settings,
            &report,
        )
    };
    let twins = |one: Driver, two: Driver| -> Vec<Trial> {
        let made = (drivers::wgpu(&one), drivers::vulkan(&two));
        twins::trials([one, two], made, &settings, &report)
    };
    let raw = [VULKAN_LAVAPIPE, VULKAN_SWIFTSHADER];
    let mut groups = Vec::new();
    match fault::is_planted() {
        true => groups.extend(raw.map(|driver| fault::trial(driver).into_iter().collect())),
        false => {
            groups.push(trials(CPU, Ok(CpuBackend::new()), &settings, &report));
            groups.extend([WGPU_LAVAPIPE, WGPU_SWIFTSHADER, WGPU_GL].map(on_wgpu));
            groups.extend(raw.map(on_vulkan));
            groups.push(twins(WGPU_LAVAPIPE, VULKAN_LAVAPIPE));
            groups.push(twins(WGPU_SWIFTSHADER, VULKAN_SWIFTSHADER));
            if drivers::is_validated() {
                groups.push(vec![fault::proof(VULKAN_LAVAPIPE)]);
            }
        }
    }
    let conclusion = libtest_mimic::run(&arguments, interleaved(groups));
    if !arguments.list {
        println!("{}", report.table());
        for line in drivers::messages::waived() {
            println!("waived {line}");
        }
    }
    if let Some(path) = std::env::var_os("PICK_REPORT")
        && let Err(error) = std::fs::write(&path, format!("{:#}\n", report.json()))
    {
        eprintln!("the report cannot be written: {error}");
        return ExitCode::FAILURE;
    }
    let heard = drivers::messages::heard();
    if !heard.is_empty() {
        eprintln!(
            "the validation layers said {} times: {}",
            heard.len(),
            heard[0]
        );
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}
