//! Point picks on every device that is here, three ways in one executable that needs nothing beside it:
//!
//! * `cargo bench --bench picks` is Criterion's: one benchmark after the other, ids
//!   `query/backend/strategy/scene`, its statistics, its baselines. To see whether a change made
//!   something slower. `PICK_BENCH_DEVICE` leaves only devices with these words in their label, name or
//!   driver.
//! * `picks measure` times floor, empty pass and picks in turns, so that their ratios mean something,
//!   along the scaling curves, and writes JSON.
//! * `picks report` makes a page, plots and tables of that JSON.
//!
//! `cargo xtask bench-report` runs all three.
#![expect(
    unsafe_code,
    reason = "a host on raw Vulkan is unsafe; each block argues its case"
)]

mod host;
mod measure;
mod report;

use std::process::ExitCode;

use criterion::Criterion;
use pick_bench::device::{AnyBackend, chosen};
use pick_bench::floor::Floored;
use pick_bench::rig::Bench;
use pick_bench::sample::Samples;
use pick_bench::scenes;
use pick_core::{BuiltinStrategy, Strategy as _};

const SCENES: [(&str, &str); 3] = [
    ("mesh-1000", "builtin:mesh?triangles=1000&seed=1"),
    ("objects-1000", "builtin:grid?count=1000&seed=1"),
    ("cubes-10000", "builtin:instances?count=10000"),
];

fn main() -> ExitCode {
    // `cargo bench` adds this to whatever it starts.
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let done = match args.next().as_deref() {
        Some("measure") => measure::run(args),
        Some("report") => report::run(args),
        _ => {
            with_criterion();
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn with_criterion() {
    let mut criterion = Criterion::default().configure_from_args();
    let part = std::env::var("PICK_BENCH_DEVICE").ok();
    for device in chosen(part.as_deref()) {
        let label = device.label();
        let done = match device.open() {
            Ok(AnyBackend::Cpu(mut backend)) => benches(&mut criterion, &mut *backend, &label),
            Ok(AnyBackend::Wgpu(mut backend)) => benches(&mut criterion, &mut *backend, &label),
            Ok(AnyBackend::Vulkan(mut backend)) => benches(&mut criterion, &mut *backend, &label),
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            eprintln!("{label}: {error}");
        }
    }
    criterion.final_summary();
}

fn benches<B: Floored>(
    criterion: &mut Criterion,
    backend: &mut B,
    label: &str,
) -> Result<(), pick_core::PickError> {
    let mut unused = Samples::default();
    for (at, (name, scene)) in SCENES.into_iter().enumerate() {
        for strategy in BuiltinStrategy::ALL {
            let data = scenes::builtin(scene)?;
            let requests = scenes::requests(&scenes::view(scenes::radius(&data))?)?;
            let requests = requests.into_iter().map(|r| r.strategy(strategy));
            let scene = data.build(backend)?;
            let mut bench = Bench::new(backend, scene, requests.collect())?;
            let stem = strategy.name();
            // The same of every scene.
            if at == 0 {
                criterion.bench_function(&format!("empty/{label}/{stem}/nothing"), |bencher| {
                    bencher.iter(|| bench.time_empty(&mut unused).expect("it is answered"));
                });
            }
            criterion.bench_function(&format!("point/{label}/{stem}/{name}"), |bencher| {
                bencher.iter(|| bench.time_pick(&mut unused).expect("it is answered"));
            });
            if at == 0 && strategy == BuiltinStrategy::ALL[0] && label != "cpu" {
                criterion.bench_function(&format!("floor/{label}"), |bencher| {
                    bencher.iter(|| bench.time_floor(&mut unused).expect("it comes back"));
                });
            }
            bench.session.clear()?;
        }
    }
    Ok(())
}
