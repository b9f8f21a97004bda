//! Known failures, each with its reason. One that starts to pass is red until its line is removed.

/// A trial that fails and is known to.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// How the trial's name starts: `backend/driver/mode/case`, as much of it as is common.
    pub trial: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// All of them.
pub const KNOWN: &[Known] = &[];

/// The reason for which a trial is known to fail.
pub fn reason(trial: &str) -> Option<&'static str> {
    let known = KNOWN.iter().find(|known| trial.starts_with(known.trial));
    known.map(|known| known.reason)
}
