//! The picker's streams over a backend whose timing is known.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use pick_conformance::case::{Camera, CaseScene, Stage, quad};
use pick_conformance::forge::{Fake, Fate};
use pick_core::layout::FRONT_BIT;
use pick_core::{
    Backend as _, Capability, Culling, Detailed, ErrorKind, Hit, IntegerId, PickError, PickPoint,
    Picker, PrimitiveIndex, Request, Ticket, View,
};

struct Setting {
    fake: Fake,
    stage: Stage,
    view: View,
    picker: Picker,
}

fn setting(fates: impl IntoIterator<Item = Fate>) -> Result<Setting, PickError> {
    let mut fake = Fake::with(fates);
    let stage = Stage::build(
        &mut fake,
        &CaseScene::of([quad(-1.0..=1.0, -1.0..=1.0, 0.0)]),
    )?;
    Ok(Setting {
        fake,
        stage,
        view: Camera::cam_p().build()?,
        picker: Picker::with_capacity(3),
    })
}

/// The integer-ID texel of the quad, after so many drives.
fn object_one(after: u32) -> Fate {
    let mut bytes = vec![1, 0, 0, 0];
    bytes.extend(0.5_f32.to_bits().to_le_bytes());
    Fate::Ready { bytes, after }
}

impl Setting {
    fn request(&self, x: u32) -> Result<Request<Option<Hit>>, PickError> {
        let at = PickPoint::target_pixels(f64::from(x), 3.0);
        // The fake answers with an id whatever is drawn, so everything is.
        let request = Request::point(&self.view, at)?.strategy(IntegerId);
        Ok(request.culling(Culling::Off))
    }

    fn click(&mut self, x: u32) -> Result<Ticket<Option<Hit>>, PickError> {
        let request = self.request(x)?;
        let scene = &mut self.stage.scene;
        self.picker.click(&mut self.fake, scene, request)
    }

    fn hover(&mut self, x: u32) -> Result<Ticket<Option<Hit>>, PickError> {
        let request = self.request(x)?;
        let scene = &mut self.stage.scene;
        self.picker.hover(&mut self.fake, scene, request)
    }

    fn poll(&mut self) -> usize {
        self.picker.poll(&mut self.fake, &mut self.stage.scene)
    }
}

fn kind<T: std::fmt::Debug>(result: Option<Result<T, PickError>>) -> ErrorKind {
    match result {
        Some(Err(error)) => error.kind().clone(),
        other => panic!("{other:?} is no error"),
    }
}

type Tested = Result<(), PickError>;

#[test]
fn clicks_are_refused_when_every_flight_is_taken_and_taken_again_after_a_poll() -> Tested {
    let mut s = setting([object_one(2), object_one(2), object_one(2)])?;
    let mut tickets = [s.click(1)?, s.click(2)?, s.click(3)?];
    let refused = s.click(4).map(|_| ());
    assert_eq!(kind(Some(refused)), ErrorKind::Busy { in_flight: 3 });
    assert_eq!(s.poll(), 0);
    assert_eq!(s.poll(), 3);
    for (ticket, sequence) in tickets.iter_mut().zip(1..) {
        assert!(ticket.is_ready());
        let answer = ticket.try_take().expect("it is ready")?;
        assert_eq!(answer.sequence, sequence);
        assert_eq!(answer.late_polls, 1);
        assert!(answer.result.is_some());
        assert!(ticket.try_take().is_none(), "an answer is taken once");
    }
    s.click(5).map(|_| ())
}

#[test]
fn of_waiting_hovers_the_newest_counts_and_a_click_finds_a_flight() -> Tested {
    let mut s = setting([object_one(3), object_one(3), object_one(3), object_one(0)])?;
    let (mut a, mut b) = (s.hover(1)?, s.hover(2)?);
    // One flight is kept for clicks.
    let (mut c, mut d) = (s.hover(3)?, s.hover(4)?);
    assert_eq!(kind(c.try_take()), ErrorKind::Superseded);
    let mut click = s.click(5)?;
    assert_eq!((s.poll(), s.poll(), s.poll()), (0, 0, 3));
    assert_eq!(s.poll(), 1);
    for (ticket, sequence) in [(&mut a, 1), (&mut b, 2), (&mut click, 5), (&mut d, 4)] {
        let answer = ticket.try_take().expect("it is ready")?;
        assert_eq!(answer.sequence, sequence);
    }
    Ok(())
}

/// Field case 77: whoever waits gets `TimedOut`, never a hang; the picker works on.
#[test]
fn what_never_comes_times_out() -> Tested {
    let mut s = setting([Fate::Never, object_one(0)])?;
    let request = s.request(1)?.timeout_ms(25);
    let told = s.picker.pick(&mut s.fake, &mut s.stage.scene, request);
    assert_eq!(kind(Some(told)), ErrorKind::TimedOut { timeout_ms: 25 });
    let request = s.request(1)?;
    let told = s.picker.pick(&mut s.fake, &mut s.stage.scene, request)?;
    assert!(told.result.is_some());
    Ok(())
}

/// A pick that only the builtin can answer, before the builtin was tested.
fn untested() -> Result<Setting, PickError> {
    let mut s = setting([])?;
    s.fake.caps.primitive_index = PrimitiveIndex::Untested;
    s.fake.fetches = false;
    s.stage = Stage::build(
        &mut s.fake,
        &CaseScene::of([quad(-1.0..=1.0, -1.0..=1.0, 0.0)]),
    )?;
    Ok(s)
}

impl Setting {
    /// The object's first triangle, seen from its front.
    fn detailed(&mut self, timeout_ms: u64) -> Result<Ticket<Option<Hit>>, PickError> {
        let words = [1, 0.5_f32.to_bits(), FRONT_BIT, 5.0_f32.to_bits()];
        self.fake.fates.push_back(Fate::Ready {
            bytes: words.map(u32::to_le_bytes).concat(),
            after: 0,
        });
        let request = self.request(1)?.strategy(Detailed).timeout_ms(timeout_ms);
        let scene = &mut self.stage.scene;
        self.picker.click(&mut self.fake, scene, request)
    }
}

/// Field case 77, while the self-test is not read: the ticket's own time counts, and nobody spins.
#[test]
fn a_verdict_that_never_comes_times_out() -> Tested {
    let mut s = untested()?;
    let request = s.request(1)?.strategy(Detailed).timeout_ms(25);
    let told = s.picker.pick(&mut s.fake, &mut s.stage.scene, request);
    assert_eq!(kind(Some(told)), ErrorKind::TimedOut { timeout_ms: 25 });
    let mut patient = s.detailed(500)?;
    let mut hasty = s.detailed(25)?;
    assert!(s.fake.wait(None, 1).is_ok(), "no plan is under way");
    let asked = s.fake.start_self_test(100)?;
    assert!(s.fake.wait(Some(&asked), 100).is_err());
    assert_eq!(s.poll(), 1);
    assert_eq!(
        kind(hasty.try_take()),
        ErrorKind::TimedOut { timeout_ms: 25 }
    );
    assert!(patient.try_take().is_none());
    assert_eq!(s.fake.executed, 0);
    Ok(())
}

/// What waits for the verdict is answered for the scene as it was clicked.
#[test]
fn a_click_that_waited_for_the_verdict_sees_its_own_scene() -> Tested {
    let mut s = untested()?;
    let mut ticket = s.detailed(25)?;
    s.stage
        .scene
        .meshes
        .set_visible(s.stage.objects[0], false)?;
    s.poll();
    s.fake.tell_verdict(PrimitiveIndex::Trusted);
    s.poll();
    assert_eq!((s.fake.executed, s.poll()), (1, 1));
    let answer = ticket.try_take().expect("it was executed")?;
    assert_eq!(
        answer.result.and_then(|hit| hit.object),
        Some(s.stage.objects[0])
    );
    Ok(())
}

#[test]
fn a_builtin_that_fails_its_test_is_unsupported() -> Tested {
    let mut s = untested()?;
    let mut ticket = s.detailed(25)?;
    s.fake.tell_verdict(PrimitiveIndex::Failed);
    assert_eq!(s.poll(), 1);
    let told = kind(ticket.try_take());
    let capability = Capability::PrimitiveIndex;
    assert!(
        matches!(told, ErrorKind::Unsupported { capability: lacking, .. } if lacking == capability)
    );
    Ok(())
}

/// Field case 77: nothing makes progress unless somebody polls.
#[test]
fn without_a_poll_nothing_moves() -> Tested {
    let mut s = setting([object_one(0)])?;
    let ticket = s.click(1)?;
    assert!(!ticket.is_ready());
    assert_eq!(s.poll(), 1);
    assert!(ticket.is_ready());
    Ok(())
}

/// Field case 81
#[test]
fn a_failure_ends_its_own_ticket_only() -> Tested {
    let lost = ErrorKind::DeviceLost {
        reason: "pulled out".into(),
    };
    let failed = Fate::Failed {
        kind: lost.clone(),
        after: 0,
    };
    let mut s = setting([object_one(0), failed, object_one(0), object_one(0)])?;
    let (mut a, mut b, mut c) = (s.click(1)?, s.click(2)?, s.click(3)?);
    assert_eq!(s.poll(), 3);
    assert!(a.try_take().expect("it is ready")?.result.is_some());
    assert_eq!(kind(b.try_take()), lost);
    assert!(c.try_take().expect("it is ready")?.result.is_some());
    let mut later = s.click(4)?;
    s.poll();
    assert!(later.try_take().expect("it is ready")?.result.is_some());
    Ok(())
}

#[test]
fn a_dropped_picker_ends_its_tickets() -> Tested {
    let mut s = setting([Fate::Never, Fate::Never, Fate::Never])?;
    let mut tickets = [s.click(1)?, s.hover(2)?, s.hover(3)?];
    s.picker = Picker::new();
    for ticket in &mut tickets {
        assert_eq!(kind(ticket.try_take()), ErrorKind::PickerDropped);
    }
    Ok(())
}

#[test]
fn a_dropped_ticket_gives_its_slot_back() -> Tested {
    let mut s = setting([object_one(1), object_one(0), object_one(0)])?;
    drop(s.click(1)?);
    s.poll();
    assert_eq!(s.picker.in_flight(), 0);
    assert_eq!(s.fake.idle_slots(), 1);
    // A waiting hover that nobody holds is never sent.
    let _kept = (s.click(2)?, s.click(3)?);
    drop(s.hover(4)?);
    let executed = s.fake.executed;
    s.poll();
    s.poll();
    assert_eq!(s.fake.executed, executed);
    Ok(())
}

#[test]
fn a_ticket_is_a_future_that_a_poll_wakes() -> Tested {
    struct Count(std::sync::atomic::AtomicUsize);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
    let mut s = setting([object_one(1)])?;
    let count = Arc::new(Count(std::sync::atomic::AtomicUsize::new(0)));
    let waker = Waker::from(count.clone());
    let mut context = Context::from_waker(&waker);
    let mut ticket = pin!(s.click(1)?);
    assert!(ticket.as_mut().poll(&mut context).is_pending());
    s.poll();
    assert_eq!(count.0.load(std::sync::atomic::Ordering::Relaxed), 1);
    match ticket.as_mut().poll(&mut context) {
        Poll::Ready(answer) => assert!(answer?.result.is_some()),
        Poll::Pending => panic!("it was woken"),
    }
    Ok(())
}

#[test]
fn a_blocking_pick_lets_others_make_progress() -> Tested {
    let mut s = setting([object_one(1), object_one(1)])?;
    let mut ticket = s.click(1)?;
    let request = s.request(2)?;
    s.picker.pick(&mut s.fake, &mut s.stage.scene, request)?;
    assert!(ticket.try_take().is_some());
    s.fake.wait(None, 1)
}

/// A request that cannot be planned takes no flight and changes nothing.
#[test]
fn what_is_refused_takes_no_flight() -> Tested {
    let mut s = setting([])?;
    for _ in 0..10 {
        let request = s.request(1)?.timeout_ms(0);
        let scene = &mut s.stage.scene;
        assert!(s.picker.click(&mut s.fake, scene, request).is_err());
    }
    assert_eq!((s.picker.in_flight(), s.fake.executed), (0, 0));
    s.click(1).map(|_| ())
}
