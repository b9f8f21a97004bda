//! Every mutant must turn a named trial red; the unbroken backend in the same wrapper none of them.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::{Arguments, Failed, Trial};
use pick_conformance::bench::Fault;
use pick_conformance::cases::{self, Case};
use pick_conformance::driver::CPU;
use pick_conformance::mode::Mode;
use pick_conformance::mutants::{ALL, Kind, Mutant, Mutation};
use pick_conformance::suite::perform;
use pick_core::Culling;
use pick_cpu::CpuBackend;

type Broken = Mutant<CpuBackend>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let caught = Arc::new(AtomicUsize::new(0));
    let mut trials = vec![
        Trial::test("control/wrapped", || control(Kind::None)),
        Trial::test("control/recomposed", || control(Kind::RecomposedFaithfully)),
    ];
    trials.extend(ALL.iter().map(|mutation| {
        let caught = caught.clone();
        Trial::test(format!("mutant/{}", mutation.name), move || {
            let trial = first_red(mutation)?;
            println!("{} is caught by cpu/reference/{trial}", mutation.name);
            caught.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }));
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        let caught = caught.load(Ordering::Relaxed);
        println!("mutants caught {caught} of {}", ALL.len());
    }
    conclusion.exit_code()
}

fn run(kind: Kind, mut mode: Mode, case: &Case<Broken>) -> Result<(), Fault> {
    if kind == Kind::BoxesTooSmall {
        mode.culling = Culling::Short;
    }
    let mut backend = Mutant::new(CpuBackend::new(), kind);
    perform(&mut backend, mode, CPU, false, &case.run).1
}

fn mode(name: &str) -> Result<Mode, Failed> {
    let found = Mode::ALL.into_iter().find(|mode| mode.name == name);
    found.ok_or_else(|| format!("there is no mode {name}").into())
}

/// The trial that the table names must be red.
fn first_red(mutation: &Mutation) -> Result<String, Failed> {
    let all = cases::all::<Broken>();
    let named = all.iter().find(|case| case.name == mutation.case);
    let named = named.ok_or_else(|| format!("there is no case {}", mutation.case))?;
    match run(mutation.kind, mode(mutation.mode)?, named) {
        Err(_) => Ok(format!("{}/{}", mutation.mode, mutation.case)),
        Ok(()) => Err(format!("{}/{} lets it through", mutation.mode, mutation.case).into()),
    }
}

/// All that the mutants turn red is green without a fault.
fn control(kind: Kind) -> Result<(), Failed> {
    let all = cases::all::<Broken>();
    for mutation in ALL {
        // Bands are more than a rule for two fragments.
        if kind == Kind::RecomposedFaithfully && mutation.case == "handle/overlay_band" {
            continue;
        }
        let named = all.iter().find(|case| case.name == mutation.case);
        let named = named.ok_or_else(|| format!("there is no case {}", mutation.case))?;
        run(kind, mode(mutation.mode)?, named)
            .map_err(|fault| format!("{}/{}: {fault}", mutation.mode, mutation.case))?;
    }
    Ok(())
}
