//! Every mutant must turn a named trial red; the unbroken backend in the same wrapper none of them.

#[expect(dead_code, reason = "not all that the matrix of trials needs")]
mod drivers;

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use pick_conformance::bench::Fault;
use pick_conformance::cases::{self, Case};
use pick_conformance::driver::{CPU, Driver, VULKAN_LAVAPIPE, WGPU_LAVAPIPE};
use pick_conformance::mode::Mode;
use pick_conformance::mutants::{ALL, Kind, Mutant, Mutation, ON_DEVICES};
use pick_conformance::suite::{Settings, missing, perform, trial};
use pick_core::{Backend, Culling, PickError};
use pick_cpu::CpuBackend;

fn main() -> ExitCode {
    if let Some(code) = drivers::again_with_drivers() {
        return code;
    }
    drivers::messages::listen();
    let arguments = Arguments::from_args();
    let settings = Settings::from_env();
    let caught = Caught::default();
    let mut trials = vec![
        Trial::test("control/wrapped", || on_cpu().control(Kind::None, ALL)),
        Trial::test("control/recomposed", || {
            on_cpu().control(Kind::RecomposedFaithfully, ALL)
        }),
    ];
    trials.extend(ALL.iter().map(|mutation| {
        let caught = caught.expect();
        Trial::test(format!("mutant/{}", mutation.name), move || {
            let trial = on_cpu().first_red(mutation)?;
            caught.count(mutation, &trial);
            Ok(())
        })
    }));
    let (wgpu, vulkan) = (WGPU_LAVAPIPE, VULKAN_LAVAPIPE);
    trials.extend(on_device(wgpu, drivers::wgpu(&wgpu), &settings, &caught));
    trials.extend(on_device(
        vulkan,
        drivers::vulkan(&vulkan),
        &settings,
        &caught,
    ));
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        let (caught, expected) = (&caught.caught, &caught.expected);
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        println!("mutants caught {} of {}", count(caught), count(expected));
    }
    let heard = drivers::messages::heard();
    if let Some(first) = heard.first() {
        eprintln!("the validation layers said {} times: {first}", heard.len());
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

/// How many mutants there are, and how many of them were caught.
#[derive(Clone, Default)]
struct Caught {
    expected: Arc<AtomicUsize>,
    caught: Arc<AtomicUsize>,
}

impl Caught {
    fn expect(&self) -> Self {
        self.expected.fetch_add(1, Ordering::Relaxed);
        self.clone()
    }

    fn count(&self, mutation: &Mutation, trial: &str) {
        println!("{} is caught by {trial}", mutation.name);
        self.caught.fetch_add(1, Ordering::Relaxed);
    }
}

/// What is broken.
struct Subject<B: Backend> {
    driver: Driver,
    backend: Mutex<Mutant<B>>,
}

fn on_cpu() -> Subject<CpuBackend> {
    Subject::new(CPU, CpuBackend::new())
}

/// The faults that only a device can have. One backend serves them all.
fn on_device<B: Backend + Send + 'static>(
    driver: Driver,
    made: Result<B, PickError>,
    settings: &Settings,
    caught: &Caught,
) -> Vec<Trial> {
    let subject = match made {
        Ok(backend) => Arc::new(Subject::new(driver, backend)),
        Err(error) => return vec![missing(driver, &error, settings)],
    };
    let name = format!("{}/{}", driver.backend, driver.name);
    let unbroken = subject.clone();
    let control = move || unbroken.control(Kind::None, ON_DEVICES);
    let mut trials = vec![trial(format!("{name}/control/wrapped"), control)];
    let possible = |mutation: &&Mutation| mutation.kind.is_possible(driver.backend);
    trials.extend(ON_DEVICES.iter().filter(possible).map(|mutation| {
        let (subject, caught) = (subject.clone(), caught.expect());
        trial(format!("{name}/mutant/{}", mutation.name), move || {
            let red = subject.first_red(mutation)?;
            caught.count(mutation, &red);
            Ok(())
        })
    }));
    trials
}

impl<B: Backend + 'static> Subject<B> {
    fn new(driver: Driver, backend: B) -> Self {
        let backend = Mutex::new(Mutant::new(backend, Kind::None));
        Self { driver, backend }
    }

    fn run(&self, kind: Kind, mut mode: Mode, case: &Case<Mutant<B>>) -> Result<(), Fault> {
        if kind == Kind::BoxesTooSmall {
            mode.culling = Culling::Short;
        }
        let mut backend = self.backend.lock().unwrap_or_else(PoisonError::into_inner);
        backend.turn(kind);
        perform(&mut *backend, mode, self.driver, false, &case.run).1
    }

    /// The trial that the table names must be red. A device that refuses has not answered wrongly.
    fn first_red(&self, mutation: &Mutation) -> Result<String, Failed> {
        let all = cases::all::<Mutant<B>>();
        let named = all.iter().find(|case| case.name == mutation.case);
        let named = named.ok_or_else(|| format!("there is no case {}", mutation.case))?;
        let Driver { backend, name, .. } = self.driver;
        let trial = format!("{backend}/{name}/{}/{}", mutation.mode, mutation.case);
        match self.run(mutation.kind, mode(mutation.mode)?, named) {
            Err(fault @ Fault::Refused(_)) if backend != CPU.backend => {
                Err(format!("{trial} is not run: {fault}").into())
            }
            Err(_) => Ok(trial),
            Ok(()) => Err(format!("{trial} lets it through").into()),
        }
    }

    /// All that the mutants turn red is green without a fault.
    fn control(&self, kind: Kind, mutations: &[Mutation]) -> Result<(), Failed> {
        let all = cases::all::<Mutant<B>>();
        for mutation in mutations {
            // Bands are more than a rule for two fragments.
            if kind == Kind::RecomposedFaithfully && mutation.case == "handle/overlay_band" {
                continue;
            }
            let named = all.iter().find(|case| case.name == mutation.case);
            let named = named.ok_or_else(|| format!("there is no case {}", mutation.case))?;
            self.run(kind, mode(mutation.mode)?, named)
                .map_err(|fault| format!("{}/{}: {fault}", mutation.mode, mutation.case))?;
        }
        Ok(())
    }
}

fn mode(name: &str) -> Result<Mode, Failed> {
    let found = Mode::ALL.into_iter().find(|mode| mode.name == name);
    found.ok_or_else(|| format!("there is no mode {name}").into())
}
