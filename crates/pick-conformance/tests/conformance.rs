//! The matrix of named trials `backend/driver/mode/case` on every driver that is here.

mod drivers;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use pick_conformance::driver::{
    CPU, Driver, VULKAN_GPU, VULKAN_LAVAPIPE, VULKAN_SWIFTSHADER, WGPU_GL, WGPU_GPU, WGPU_LAVAPIPE,
    WGPU_SWIFTSHADER,
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
        let made = drivers::wgpu(&driver);
        let driver = drivers::fitted(driver, &made);
        trials(driver, made.map(Tape::new), &settings, &report)
    };
    let on_vulkan = |driver: Driver| -> Vec<Trial> {
        let made = drivers::vulkan(&driver);
        let driver = drivers::fitted(driver, &made);
        trials(driver, made.map(Tape::new), &settings, &report)
    };
    let on_both = |one: Driver, two: Driver| -> Vec<Trial> {
        let made = (drivers::wgpu(&one), drivers::vulkan(&two));
        let one = drivers::fitted(one, &made.0);
        let two = drivers::fitted(two, &made.1);
        twins::trials([one, two], made, &settings, &report)
    };
    let mut pairs = vec![
        (WGPU_LAVAPIPE, VULKAN_LAVAPIPE),
        (WGPU_SWIFTSHADER, VULKAN_SWIFTSHADER),
    ];
    if drivers::has_gpu() {
        pairs.push((WGPU_GPU, VULKAN_GPU));
    }
    let mut groups = Vec::new();
    if fault::is_planted() {
        let committed = pairs.iter().filter_map(|(_, raw)| fault::trial(*raw));
        groups.push(committed.collect());
    } else {
        groups.push(trials(CPU, Ok(CpuBackend::new()), &settings, &report));
        groups.push(on_wgpu(WGPU_GL));
        for (through_wgpu, raw) in pairs {
            groups.push(on_wgpu(through_wgpu));
            groups.push(on_vulkan(raw));
            groups.push(on_both(through_wgpu, raw));
        }
        if drivers::is_validated() {
            groups.push(vec![fault::proof(VULKAN_LAVAPIPE)]);
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
