//! One cell of the table: a strategy on a device.

use std::time::{Duration, Instant};

use pick_bench::quantile::{median, quantile};
use pick_bench::session::Session;
use pick_core::{
    Answer, Backend, ErrorKind, Hit, PickError, PickOptions, PickPoint, Request, View,
};

use crate::compare::judge::{Judge, Verdict};
use crate::compare::truth::{PICKS, Truth};

/// How long a cell may take.
pub const LIMIT: Duration = Duration::from_secs(10);
/// How often all pixels are picked for the times; the first round is judged.
const ROUNDS: usize = 3;

/// What a cell found.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Picks that agree with the CPU.
    pub right: usize,
    /// Picks that are as good.
    pub ambiguous: usize,
    /// What is wrong with the others.
    pub wrong: Vec<String>,
    /// Microseconds of warm picks, sorted.
    pub micros: Vec<f64>,
    /// Microseconds of the same pick with nothing to draw.
    pub empty_micros: Option<f64>,
    /// Bytes a pick read back.
    pub bytes_read_back: u64,
    /// Bytes that the backend holds on its device.
    pub memory_bytes: u64,
    /// How many picks fitted into the time, where not all did.
    pub cut_at: Option<usize>,
    /// What is lacking.
    pub unsupported: Option<String>,
    /// What does not work.
    pub broken: Option<String>,
}

impl Cell {
    /// A cell that could not be had.
    pub fn refused(error: &PickError) -> Self {
        let mut cell = Self::default();
        cell.note(error, 0);
        cell
    }

    /// True when its device tells wrong answers, or none.
    pub fn is_wrong(&self) -> bool {
        !self.wrong.is_empty() || self.broken.is_some()
    }

    /// The median time of a warm pick.
    pub fn median(&self) -> Option<f64> {
        quantile(&self.micros, 0.5)
    }

    /// The time that 95 of 100 warm picks do not exceed.
    pub fn p95(&self) -> Option<f64> {
        quantile(&self.micros, 0.95)
    }

    fn note(&mut self, error: &PickError, picks: usize) {
        match error.kind() {
            ErrorKind::Unsupported { capability, .. } => {
                self.unsupported = Some(capability.to_string());
            }
            ErrorKind::TimedOut { .. } => self.cut_at = Some(picks),
            _ => self.broken = Some(error.to_string()),
        }
    }

    fn take_in(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Ambiguous => self.ambiguous += 1,
            Verdict::Wrong(why) => self.wrong.push(why),
        }
    }
}

/// What a cell is measured with.
pub struct Bench<'a> {
    /// The camera.
    pub view: &'a View,
    /// How to pick.
    pub options: PickOptions,
    /// What is right.
    pub truths: &'a [Truth],
    /// Who says so.
    pub judge: Judge<'a>,
}

impl Bench<'_> {
    /// Picks, judges and times. `tick` is called after each pick.
    pub fn measure<B: Backend>(&self, session: &mut Session<'_, B>, tick: &dyn Fn()) -> Cell {
        let mut cell = Cell::default();
        let deadline = Instant::now() + LIMIT;
        let mut picks = 0;
        if let Err(error) = self.fill(&mut cell, session, deadline, &mut picks, tick) {
            cell.note(&error, picks);
        }
        if cell.cut_at.is_some() {
            // What is still running would disturb the next cell; whatever it ends with, it was cut.
            let _ = session.backend.wait(None, LIMIT.as_millis() as u64);
        }
        cell.memory_bytes = session.backend.memory().total_bytes();
        cell.micros.sort_by(f64::total_cmp);
        cell
    }

    fn fill<B: Backend>(
        &self,
        cell: &mut Cell,
        session: &mut Session<'_, B>,
        deadline: Instant,
        picks: &mut usize,
        tick: &dyn Fn(),
    ) -> Result<(), PickError> {
        let Some(first) = self.truths.first() else {
            return Ok(());
        };
        session.warm(&self.request(first.pixel, deadline)?)?;
        for round in 0..ROUNDS {
            for truth in self.truths {
                if Instant::now() >= deadline {
                    cell.cut_at = Some(*picks);
                    return Ok(());
                }
                let request = self.request(truth.pixel, deadline)?;
                session.prepare(&request)?;
                let (answer, micros) = session.timed(request)?;
                let Answer { result, report, .. } = answer;
                if round == 0 {
                    cell.take_in(self.judge.judge(truth, result.as_ref()));
                }
                cell.micros.push(micros);
                cell.bytes_read_back = report.bytes_read_back;
                *picks += 1;
                tick();
            }
        }
        cell.empty_micros = session.emptied(|session| self.empty(session, deadline))?;
        Ok(())
    }

    /// The same picks with nothing to draw: the strategy's own targets and copies.
    fn empty<B: Backend>(
        &self,
        session: &mut Session<'_, B>,
        deadline: Instant,
    ) -> Result<Option<f64>, PickError> {
        let Some(first) = self.truths.first() else {
            return Ok(None);
        };
        session.warm(&self.request(first.pixel, deadline)?)?;
        let mut times = Vec::with_capacity(PICKS);
        for truth in self.truths {
            let request = self.request(truth.pixel, deadline)?;
            times.push(session.timed(request)?.1);
        }
        Ok(median(&mut times))
    }

    fn request(
        &self,
        pixel: [u32; 2],
        deadline: Instant,
    ) -> Result<Request<Option<Hit>>, PickError> {
        let [x, y] = pixel.map(f64::from);
        let request = Request::point(self.view, PickPoint::target_pixels(x, y))?;
        let left = deadline.saturating_duration_since(Instant::now());
        let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        Ok(request.with(self.options.clone()).timeout_ms(left.max(1)))
    }
}
