//! The matrix: every case by every mode on a driver, each a trial with a name.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use libtest_mimic::{Failed, Trial};
use pick_core::{Backend, PickError};

use crate::bench::{Bench, Fault, Tally};
use crate::cases::{self, Run};
use crate::driver::Driver;
use crate::known;
use crate::mode::Mode;
use crate::report::{Ending, Report};

/// What a run is asked for, from the environment.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `PICK_FULL`: full sizes and thousands of random scenes.
    pub full: bool,
    /// `PICK_REQUIRE_DRIVERS`: names of drivers whose absence is a failure.
    pub required: Vec<String>,
    /// `PICK_TOLERANCE`: numbers to measure a driver with, see [`crate::driver::Tolerance::with`].
    pub tolerance: String,
}

impl Settings {
    /// Reads the environment.
    pub fn from_env() -> Self {
        let set = |name: &str| std::env::var(name).unwrap_or_default();
        let required = set("PICK_REQUIRE_DRIVERS");
        Self {
            tolerance: set("PICK_TOLERANCE"),
            full: !matches!(set("PICK_FULL").as_str(), "" | "0"),
            required: required
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
        }
    }
}

/// The trials of a driver. One backend serves them all, one at a time, since devices are expensive.
pub fn trials<B: Backend + Send + 'static>(
    mut driver: Driver,
    made: Result<B, PickError>,
    settings: &Settings,
    report: &Report,
) -> Vec<Trial> {
    let name = format!("{}/{}", driver.backend, driver.name);
    let backend = match made {
        Ok(backend) => Arc::new(Mutex::new(backend)),
        Err(error) => return vec![missing(driver, &error, settings)],
    };
    driver.tolerance = match driver.tolerance.with(&settings.tolerance) {
        Ok(tolerance) => tolerance,
        Err(why) => {
            let failed = move || Err(Failed::from(why));
            return vec![Trial::test(format!("{name}/tolerance"), failed)];
        }
    };
    let mut trials = vec![Trial::test(format!("{name}/driver"), || Ok(()))];
    for case in cases::all::<B>() {
        for mode in Mode::ALL
            .into_iter()
            .filter(|mode| case.modes.contain(mode))
        {
            let (backend, run, report) = (backend.clone(), case.run.clone(), report.clone());
            let (case, name, full) = (case.name.clone(), name.clone(), settings.full);
            let title = format!("{name}/{}/{case}", mode.name);
            trials.push(trial(title.clone(), move || {
                // A panic in a trial leaves the backend as usable as an error would.
                let mut backend = backend.lock().unwrap_or_else(PoisonError::into_inner);
                let start = Instant::now();
                let (tally, outcome) = perform(&mut *backend, mode, driver, full, &run);
                let known = known::reason(&title, full);
                let judged = judged(driver.gap(mode.name, &case), known, &tally, outcome);
                let ending = judged.as_ref().map_or(Ending::Failed, |ending| *ending);
                report.add(&name, mode.name, ending, &tally, start.elapsed());
                judged.map(drop)
            }));
        }
    }
    trials
}

/// Runs a case.
pub fn perform<B: Backend>(
    backend: &mut B,
    mode: Mode,
    driver: Driver,
    full: bool,
    run: &Run<B>,
) -> (Tally, Result<(), Fault>) {
    match Bench::new(backend, mode, driver, full) {
        Ok(mut bench) => {
            let outcome = run(&mut bench);
            (bench.tally, outcome)
        }
        Err(error) => (Tally::default(), Err(error.into())),
    }
}

/// What must be refused must be refused by name; what is known to fail must fail.
fn judged(
    gap: Option<pick_core::Capability>,
    known: Option<&str>,
    tally: &Tally,
    outcome: Result<(), Fault>,
) -> Result<Ending, Failed> {
    if let Some(gap) = gap {
        return match outcome {
            Err(fault) if fault.lacking() == Some(gap) => Ok(Ending::Unsupported),
            Ok(()) if tally.answers == 0 => Ok(Ending::Passed),
            Ok(()) => Err(format!("answered, but must be unsupported for want of: {gap}").into()),
            Err(fault) => Err(format!("must be unsupported for want of {gap}: {fault}").into()),
        };
    }
    match (outcome, known) {
        (Ok(()), None) => Ok(Ending::Passed),
        (Err(_), Some(_)) => Ok(Ending::Known),
        (Err(fault), None) => Err(fault.into()),
        (Ok(()), Some(reason)) => {
            Err(format!("passes, but is listed as a known failure ({reason}): unlist it").into())
        }
    }
}

/// A trial on a thread of its own, which has ended when the trial has: drivers tidy up behind a thread when
/// it ends, and must have done so before the process ends. The harness waits for what its threads do, but
/// not for their ends.
pub fn trial(name: String, run: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    Trial::test(name, || match thread::spawn(run).join() {
        Ok(outcome) => outcome,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// A driver that is not here: a named trial that says so, red where it is demanded.
pub fn missing(driver: Driver, error: &PickError, settings: &Settings) -> Trial {
    let name = format!("{}/{}", driver.backend, driver.name);
    let demanded = settings.required.iter().any(|name| name == driver.name);
    let why = format!("{name} is not here: {error}");
    if !demanded {
        println!("skipping {why}");
    }
    let trial = Trial::test(format!("{name}/driver"), move || Err(Failed::from(why)));
    trial.with_ignored_flag(!demanded)
}

/// Puts the trials of several drivers in turn, so that threads wait for different devices.
pub fn interleaved(groups: Vec<Vec<Trial>>) -> Vec<Trial> {
    let mut groups: Vec<_> = groups.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(groups.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}
