//! What a run showed: trials and pixels per driver and mode, on the terminal and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::bench::Tally;

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Right.
    Passed,
    /// Refused as unsupported, as it must be.
    Unsupported,
    /// Failed as it is known to.
    Known,
    /// Wrong.
    Failed,
}

#[derive(Clone, Debug, Default)]
struct Row {
    passed: u64,
    unsupported: u64,
    known: u64,
    failed: u64,
    tally: Tally,
    time: Duration,
}

/// Collects the trials of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    rows: Arc<Mutex<BTreeMap<(String, String), Row>>>,
}

impl Report {
    /// Takes a trial in.
    pub fn add(&self, driver: &str, mode: &str, ending: Ending, tally: &Tally, time: Duration) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let row = rows
            .entry((driver.to_owned(), mode.to_owned()))
            .or_default();
        match ending {
            Ending::Passed => row.passed += 1,
            Ending::Unsupported => row.unsupported += 1,
            Ending::Known => row.known += 1,
            Ending::Failed => row.failed += 1,
        }
        row.tally.add(tally);
        row.time += time;
    }

    fn rows(&self) -> BTreeMap<(String, String), Row> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.clone()
    }

    /// As a table.
    pub fn table(&self) -> String {
        let mut out = format!(
            "{:<23} {:<18} {:>6} {:>11} {:>6} {:>7} {:>10} {:>10} {:>9} {:>8}\n",
            "driver",
            "mode",
            "passed",
            "unsupported",
            "known",
            "failed",
            "answers",
            "pixels",
            "ambiguous",
            "seconds"
        );
        for ((driver, mode), row) in self.rows() {
            let tally = row.tally;
            let share = 100.0 * tally.ambiguous as f64 / tally.pixels.max(1) as f64;
            let seconds = row.time.as_secs_f64();
            let _ = writeln!(
                out,
                "{driver:<23} {mode:<18} {:>6} {:>11} {:>6} {:>7} {:>10} {:>10} {share:>8.2}% \
                 {seconds:>8.2}",
                row.passed, row.unsupported, row.known, row.failed, tally.answers, tally.pixels
            );
        }
        out
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let rows = self.rows().into_iter().map(|((driver, mode), row)| {
            json!({
                "driver": driver,
                "mode": mode,
                "passed": row.passed,
                "unsupported": row.unsupported,
                "known_failures": row.known,
                "failed": row.failed,
                "answers": row.tally.answers,
                "pixels": row.tally.pixels,
                "ambiguous_pixels": row.tally.ambiguous,
                "seconds": row.time.as_secs_f64(),
            })
        });
        json!({ "rows": rows.collect::<Vec<_>>() })
    }
}
