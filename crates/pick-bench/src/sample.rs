//! Times things in turns. Criterion times one thing after another, minutes apart on a machine that
//! others use too; a ratio of such times says little.

use std::time::{Duration, Instant};

use pick_core::PickError;

use crate::quantile::{median, quantile};
use crate::results::Times;

/// How long a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// All rounds together, but for what is slower than `slow`: a comparison that takes seconds must not
    /// leave the rest with a handful of rounds.
    pub total: Duration,
    /// One thing in one round.
    pub slice: Duration,
    /// Rounds that are made in any case, but for what is slower than `slow`.
    pub least_rounds: usize,
    /// No more rounds than these.
    pub most_rounds: usize,
    /// Things that take longer are timed in the first `slow_rounds` only.
    pub slow: Duration,
    /// How many rounds those get.
    pub slow_rounds: usize,
}

/// Samples by name, in microseconds.
#[derive(Debug, Default)]
pub struct Samples {
    named: Vec<Named>,
}

#[derive(Debug, Default)]
struct Named {
    name: &'static str,
    all: Vec<f64>,
    round: Vec<f64>,
    rounds: Vec<f64>,
}

impl Samples {
    /// Adds a sample. One call may add several: a pick, and how long sending it took.
    pub fn push(&mut self, name: &'static str, micros: f64) {
        let at = self.named.iter().position(|named| named.name == name);
        let at = at.unwrap_or_else(|| {
            self.named.push(Named {
                name,
                ..Named::default()
            });
            self.named.len() - 1
        });
        self.named[at].round.push(micros);
    }

    /// Times something.
    ///
    /// # Errors
    /// What it meets.
    pub fn time<R>(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<R, PickError>,
    ) -> Result<R, PickError> {
        let start = Instant::now();
        let done = work()?;
        self.push(name, start.elapsed().as_secs_f64() * 1e6);
        Ok(done)
    }

    fn end_turn(&mut self) {
        for named in self.named.iter_mut().filter(|n| !n.round.is_empty()) {
            named.all.extend(&named.round);
            named.rounds.extend(median(&mut named.round));
            named.round.clear();
        }
    }

    fn times(self) -> Vec<Times> {
        let told = |mut named: Named| {
            named.all.sort_by(f64::total_cmp);
            let at = |share| quantile(&named.all, share).unwrap_or(0.0);
            Times {
                name: named.name.to_owned(),
                samples: named.all.len(),
                least: at(0.0),
                median: at(0.5),
                p95: at(0.95),
                rounds: named.rounds,
            }
        };
        self.named.into_iter().map(told).collect()
    }
}

/// Does every thing in turn, over and over; `once` does the one of this number and adds its samples. A
/// thing is done twice before it counts, or once where it is slow. Which one begins a round changes from round to round, so that
/// none always follows the same other.
///
/// # Errors
/// What `once` meets.
pub fn in_turns(
    things: usize,
    budget: &Budget,
    mut once: impl FnMut(usize, &mut Samples) -> Result<(), PickError>,
) -> Result<Vec<Times>, PickError> {
    let mut costs = Vec::with_capacity(things);
    for thing in 0..things {
        let mut start = Instant::now();
        once(thing, &mut Samples::default())?;
        if start.elapsed() <= budget.slow {
            start = Instant::now();
            once(thing, &mut Samples::default())?;
        }
        costs.push(start.elapsed());
    }
    let mut samples = Samples::default();
    let mut spent = Duration::ZERO;
    for round in 0..budget.most_rounds {
        if round >= budget.least_rounds && spent >= budget.total {
            break;
        }
        for turn in 0..things {
            let thing = (turn + round) % things;
            let is_slow = costs[thing] > budget.slow;
            if is_slow && round >= budget.slow_rounds {
                continue;
            }
            let start = Instant::now();
            for _ in 0..repeats(costs[thing], budget.slice) {
                once(thing, &mut samples)?;
            }
            samples.end_turn();
            if !is_slow {
                spent += start.elapsed();
            }
        }
    }
    Ok(samples.times())
}

/// How often something fits into a slice; enough for a median, where it is quick.
fn repeats(cost: Duration, slice: Duration) -> u32 {
    let fit = slice.as_secs_f64() / cost.as_secs_f64().max(1e-9);
    (fit as u32).clamp(1, 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget {
        total: Duration::from_millis(10),
        slice: Duration::from_micros(10),
        least_rounds: 4,
        most_rounds: 6,
        slow: Duration::from_millis(5),
        slow_rounds: 2,
    };

    #[test]
    fn every_round_has_every_thing_and_slow_things_only_the_first() {
        let once = |thing: usize, samples: &mut Samples| {
            if thing == 1 {
                std::thread::sleep(Duration::from_millis(6));
                samples.push("slow", 6.0);
                samples.push("part of slow", 1.0);
            } else {
                std::thread::sleep(Duration::from_micros(20));
                samples.push("quick", 2.0);
            }
            Ok(())
        };
        let times = in_turns(2, &BUDGET, once).unwrap();
        let rounds = |name: &str| {
            let found = times.iter().find(|times| times.name == name);
            found.map(|times| times.rounds.len())
        };
        assert_eq!(rounds("slow"), Some(2));
        assert_eq!(rounds("part of slow"), Some(2));
        // The slow thing alone takes longer than the budget.
        assert!(rounds("quick") > Some(4), "{times:?}");
    }

    #[test]
    fn a_round_is_the_median_of_its_samples() {
        let mut samples = Samples::default();
        for micros in [1.0, 50.0, 3.0] {
            samples.push("pick", micros);
        }
        samples.end_turn();
        samples.push("pick", 7.0);
        samples.end_turn();
        let times = samples.times();
        assert_eq!(times[0].rounds, [3.0, 7.0]);
        assert_eq!((times[0].samples, times[0].least), (4, 1.0));
        assert_eq!((times[0].median, times[0].p95), (3.0, 50.0));
    }

    #[test]
    fn an_error_ends_the_run() {
        let refuse = |_: usize, _: &mut Samples| Err(PickError::broken("planted"));
        assert!(in_turns(1, &BUDGET, refuse).is_err());
    }
}
