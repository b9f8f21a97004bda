//! Two backends on one driver, held against each other over every case: what they read back is the same,
//! bit by bit, or as near as the driver's rule asks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use libtest_mimic::{Failed, Trial};
use pick_core::layout::fragments;
use pick_core::{Backend, Capability, Channel, PickError, Samples, Strategy as _, Texels};

use crate::bench::Fault;
use crate::cases;
use crate::driver::{Driver, Likeness};
use crate::mode::Mode;
use crate::report::{Ending, Report};
use crate::suite::{Settings, perform, trial};
use crate::tape::{Reel, Tape};

/// The trials of two backends on one driver. Whether what they say is right is judged by their own
/// trials; here it must be the same.
pub fn trials<A, B>(
    drivers: [Driver; 2],
    made: (Result<A, PickError>, Result<B, PickError>),
    settings: &Settings,
    report: &Report,
) -> Vec<Trial>
where
    A: Backend + Send + 'static,
    B: Backend + Send + 'static,
{
    let name = format!(
        "{}+{}/{}",
        drivers[0].backend, drivers[1].backend, drivers[0].name
    );
    let (Ok(one), Ok(two)) = made else {
        // Their own trials tell why, and are red where the driver is demanded.
        let missing = Trial::test(format!("{name}/driver"), || Ok(()));
        return vec![missing.with_ignored_flag(true)];
    };
    let both = Arc::new(Mutex::new((Tape::new(one), Tape::new(two))));
    let mut trials = Vec::new();
    for (one, two) in cases::all().into_iter().zip(cases::all()) {
        for mode in Mode::ALL.into_iter().filter(|mode| one.modes.contain(mode)) {
            let (both, report, name) = (both.clone(), report.clone(), name.clone());
            let (run_one, run_two, full) = (one.run.clone(), two.run.clone(), settings.full);
            let case = one.name.clone();
            let title = format!("{name}/{}/{case}", mode.name);
            trials.push(trial(title, move || {
                let mut both = both.lock().unwrap_or_else(PoisonError::into_inner);
                let (one, two) = &mut *both;
                let start = Instant::now();
                settle(one)?;
                settle(two)?;
                one.start();
                two.start();
                let (tally, first) = perform(one, mode, drivers[0], full, &run_one);
                let (_, second) = perform(two, mode, drivers[1], full, &run_two);
                let (one, two) = (one.stop(), two.stop());
                let gaps = drivers.map(|driver| driver.gap(mode.name, &case));
                let judged = judged(gaps, first, second).and_then(|ending| {
                    compare(drivers[0].likeness, mode, &one, &two).map(|()| ending)
                });
                let ending = judged.as_ref().map_or(Ending::Failed, |ending| *ending);
                report.add(&name, mode.name, ending, &tally, start.elapsed());
                judged.map(drop).map_err(Failed::from)
            }));
        }
    }
    trials
}

/// Both answer, or both refuse in the same way what both must refuse.
fn judged(
    gaps: [Option<Capability>; 2],
    one: Result<(), Fault>,
    two: Result<(), Fault>,
) -> Result<Ending, String> {
    match (one, two) {
        (Ok(()), Ok(())) => Ok(Ending::Passed),
        (Ok(()), Err(fault)) | (Err(fault), Ok(())) => Err(format!("one of them alone: {fault}")),
        // That is for their own trials to judge.
        (Err(Fault::Wrong(_)), Err(Fault::Wrong(_))) => Ok(Ending::Passed),
        (Err(one), Err(two)) => match (one.lacking(), two.lacking()) {
            (Some(first), Some(second)) if first == second && gaps == [Some(first); 2] => {
                Ok(Ending::Unsupported)
            }
            (Some(first), Some(second)) if first == second => {
                Err(format!("an answer is expected, and both refuse: {one}"))
            }
            _ => Err(format!("they refuse differently: {one}; {two}")),
        },
    }
}

/// Reads the self-test of the builtin, so that both take the same way to their triangles.
fn settle<B: Backend>(backend: &mut B) -> Result<(), Failed> {
    const PATIENCE_MS: u64 = 10_000;
    let read = backend.start_self_test(PATIENCE_MS)?;
    backend.wait(Some(&read), PATIENCE_MS)?;
    backend.drive();
    Ok(())
}

fn compare(likeness: Likeness, mode: Mode, one: &[Reel], two: &[Reel]) -> Result<(), String> {
    if one.len() != two.len() {
        return Err(format!("{} plans and {}", one.len(), two.len()));
    }
    let mut held = 0;
    for (at, (one, two)) in one.iter().zip(two).enumerate() {
        let (Some(first), Some(second)) = (&one.bytes, &two.bytes) else {
            continue; // superseded or let go
        };
        held += 1;
        if one.readbacks != two.readbacks || one.pixels != two.pixels {
            return Err(format!(
                "plan {at}: {one:?} is read back otherwise, {two:?}"
            ));
        }
        let (first, second) = (&in_order(one, first), &in_order(two, second));
        let compared = match likeness {
            Likeness::Bits if first == second => Ok(()),
            Likeness::Bits => Err(first_difference(first, second)),
            Likeness::Ulps(ulps) => {
                let decode = |bytes| decoded(mode, one, bytes);
                near(ulps, &decode(first), &decode(second))
            }
        };
        compared.map_err(|why| format!("plan {at} ({} pixels): {why}", one.pixels))?;
    }
    match held {
        0 if !one.is_empty() => Err("nothing was read back by both".to_owned()),
        _ => Ok(()),
    }
}

/// The same bytes, with lists of fragments in an order of their own and nothing behind them: fragments come in
/// none.
fn in_order(reel: &Reel, bytes: &[u8]) -> Vec<u8> {
    let mut ordered = bytes.to_vec();
    let mut rest = ordered.as_mut_slice();
    for readback in &reel.readbacks {
        let length = readback.bytes(reel.pixels as u64) as usize;
        let (block, later) = rest.split_at_mut(length.min(rest.len()));
        rest = later;
        if readback.channel == Channel::Fragments && !block.is_empty() {
            let (header, listed) = block.split_at_mut(4 * fragments::HEADER as usize);
            let found = header
                .first_chunk()
                .map_or(0, |word| u32::from_le_bytes(*word));
            let each = 4 * fragments::WORDS as usize;
            let end = (found as usize * each).min(listed.len());
            listed[end..].fill(0);
            let mut entries: Vec<_> = listed[..end]
                .chunks_exact(each)
                .map(<[u8]>::to_vec)
                .collect();
            entries.sort_unstable();
            listed[..end].copy_from_slice(&entries.concat());
        }
    }
    ordered
}

fn first_difference(one: &[u8], two: &[u8]) -> String {
    let word = |bytes: &[u8], at: usize| bytes.get(at..at + 4).map(<[u8]>::to_vec);
    let at = one.iter().zip(two).position(|(a, b)| a != b);
    let at = at.unwrap_or(one.len().min(two.len())) / 4 * 4;
    format!(
        "byte {at} of {}: {:?} is not {:?}",
        one.len(),
        word(one, at),
        word(two, at)
    )
}

fn decoded(mode: Mode, reel: &Reel, bytes: &[u8]) -> Samples {
    let mut samples = Samples::default();
    if let Some(texels) = Texels::new(bytes, &reel.readbacks, reel.pixels) {
        mode.strategy.decode(&texels, &mut samples);
    }
    samples
}

/// The largest share of pixels whose ids may differ. Each such pixel is ambiguous, or one of the two
/// backends' own trials is red.
const AMBIGUOUS: f64 = 0.25;

/// Where ids and triangles are equal, depths are so many steps of f32 apart at most.
fn near(ulps: u32, one: &Samples, two: &Samples) -> Result<(), String> {
    let count = one.ids.len().max(two.ids.len());
    let mut others = 0;
    for at in 0..count {
        let (Some(a), Some(b)) = (one.get(at), two.get(at)) else {
            return Err(format!("{} pixels and {}", one.ids.len(), two.ids.len()));
        };
        if (a.id, a.primitive) != (b.id, b.primitive) {
            others += 1;
            continue;
        }
        let apart = match (a.depth, b.depth) {
            (Some(a), Some(b)) => steps(a, b),
            (None, None) => 0,
            _ => return Err(format!("pixel {at}: one depth alone")),
        };
        if apart > ulps {
            return Err(format!("pixel {at}: {a:?} is {apart} ulp from {b:?}"));
        }
    }
    // A single pixel has no share.
    if count > 1 && f64::from(others) > AMBIGUOUS * count as f64 {
        return Err(format!("{others} of {count} ids differ"));
    }
    Ok(())
}

/// How many values of f32 lie between two, and one more.
fn steps(a: f32, b: f32) -> u32 {
    let place = |value: f32| {
        let bits = i64::from(value.to_bits() & 0x7fff_ffff);
        if value.is_sign_negative() {
            -bits
        } else {
            bits
        }
    };
    (place(a) - place(b)).unsigned_abs() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(ids: &[u32], depths: &[f32]) -> Samples {
        Samples {
            ids: ids.to_vec(),
            depths: depths.to_vec(),
            ..Samples::default()
        }
    }

    #[test]
    fn both_refuse_alike_what_both_must_refuse() {
        let (asked, other) = (Capability::PrimitiveIndex, Capability::ExpandedGeometry);
        let lacks = |what| {
            Err(Fault::Refused(PickError::unsupported(
                what,
                "it is not here",
            )))
        };
        let broken = || Err(Fault::Refused(PickError::broken("a fault")));
        let wrong = || Err(Fault::Wrong("a miss".to_owned()));
        let must = [Some(asked); 2];
        assert_eq!(judged([None; 2], Ok(()), Ok(())), Ok(Ending::Passed));
        assert_eq!(judged([None; 2], wrong(), wrong()), Ok(Ending::Passed));
        assert_eq!(
            judged(must, lacks(asked), lacks(asked)),
            Ok(Ending::Unsupported)
        );
        for (gaps, one, two) in [
            (must, lacks(asked), Ok(())),
            (must, lacks(asked), lacks(other)),
            (must, lacks(other), lacks(other)),
            (must, lacks(asked), wrong()),
            (must, broken(), broken()),
            ([None; 2], lacks(asked), lacks(asked)),
            ([Some(asked), None], lacks(asked), lacks(asked)),
            ([None; 2], broken(), broken()),
        ] {
            let said = format!("{gaps:?} {one:?} {two:?}");
            assert!(judged(gaps, one, two).is_err(), "{said}");
        }
    }

    #[test]
    fn steps_are_counted_across_zero() {
        assert_eq!(steps(1.0, f32::from_bits(1.0f32.to_bits() + 3)), 3);
        assert_eq!(steps(f32::from_bits(1), -f32::from_bits(1)), 2);
        assert_eq!(steps(0.0, -0.0), 0);
    }

    #[test]
    fn near_is_two_steps_and_few_ids() {
        let next = |by: u32| f32::from_bits(0.5f32.to_bits() + by);
        let one = samples(&[1, 1, 2, 3], &[0.5; 4]);
        assert_eq!(
            near(2, &one, &samples(&[1, 1, 2, 3], &[next(2); 4])),
            Ok(())
        );
        assert!(near(2, &one, &samples(&[1, 1, 2, 3], &[next(3); 4])).is_err());
        assert_eq!(
            near(2, &one, &samples(&[9, 1, 2, 3], &[next(2); 4])),
            Ok(())
        );
        assert!(near(2, &one, &samples(&[9, 9, 2, 3], &[0.5; 4])).is_err());
        assert!(near(2, &one, &samples(&[1], &[0.5])).is_err());
    }

    #[test]
    fn tapes_must_hold_the_same() {
        let reel = |bytes: Option<Vec<u8>>| Reel {
            readbacks: Vec::new(),
            pixels: 1,
            bytes,
        };
        let compare = |one: Vec<&Reel>, two: Vec<&Reel>| {
            let [one, two] = [one, two].map(|reels| reels.into_iter().cloned().collect::<Vec<_>>());
            super::compare(Likeness::Bits, Mode::DETAILED, &one, &two)
        };
        let (one, other) = (reel(Some(vec![1; 16])), reel(Some(vec![2; 16])));
        let unread = reel(None);
        assert_eq!(compare(vec![], vec![]), Ok(()));
        assert_eq!(compare(vec![&one], vec![&one]), Ok(()));
        assert_eq!(compare(vec![&one, &unread], vec![&one, &other]), Ok(()));
        assert!(compare(vec![&one], vec![&other]).is_err());
        assert!(compare(vec![&one], vec![]).is_err());
        assert!(compare(vec![&one], vec![&unread]).is_err());
    }

    #[test]
    fn a_bit_is_told_with_its_place() {
        let told = first_difference(&[0, 0, 0, 0, 7, 0, 0, 0], &[0, 0, 0, 0, 7, 1, 0, 0]);
        assert!(told.starts_with("byte 4 of 8"), "{told}");
    }
}
