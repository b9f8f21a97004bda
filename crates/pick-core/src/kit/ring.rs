//! Read-back slots: what one plan in flight has for itself, and when it may serve the next.
//!
//! A slot is used again when its plan has ended and nobody holds its [`SlotId`] any more: so neither a
//! device nor a caller ever sees two plans in one slot, also when a pick timed out, was cancelled, or lies
//! in a command stream that the host still has.

use std::sync::Arc;
use std::time::Duration;

use crate::backend::SlotState;
use crate::error::{ErrorKind, InputError, PickError};

/// An executed plan's read-back slot. Only a [`SlotRing`] makes one; dropping it gives the slot back.
#[derive(Debug)]
pub struct SlotId {
    index: usize,
    generation: u64,
    /// Held once by the slot and once here.
    lease: Arc<()>,
}

impl SlotId {
    /// Position among the slots of its backend.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Which use of the slot this is, from 1.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// What the device writes with the texels of this use.
    pub fn stamp(&self) -> Stamp {
        stamp(self.index, self.generation)
    }
}

/// Marks one use of a slot: written with its texels, so that texels are told from what an earlier use left
/// in the buffer when whatever should have written them never ran.
pub type Stamp = [u32; 4];

fn stamp(index: usize, generation: u64) -> Stamp {
    let [low, high] = [generation as u32, (generation >> 32) as u32];
    [u32::from_le_bytes(*b"pick"), index as u32, low, high]
}

/// The slots of a backend, as many as were ever in use at once, each with what the backend keeps in it.
///
/// The core has no clock: times are given as durations since some moment of the backend's own.
#[derive(Debug)]
pub struct SlotRing<T> {
    slots: Vec<Slot<T>>,
}

#[derive(Debug)]
struct Slot<T> {
    lease: Arc<()>,
    generation: u64,
    phase: Phase,
    /// The largest read-back it has had.
    room: u64,
    bytes: Vec<u8>,
    sent: Duration,
    timeout_ms: u64,
    /// An error that came after the plan was sent.
    doom: Option<PickError>,
    kept: T,
}

#[derive(Debug)]
enum Phase {
    Idle,
    Flying,
    /// No plan: it is ready once the self-test of the primitive-index builtin is read.
    Awaiting,
    Ready,
    Failed(PickError),
}

/// A slot whose plan is under way, for [`SlotRing::take_in`].
#[derive(Debug)]
pub struct Flying<'a, T> {
    /// What the backend keeps in it.
    pub kept: &'a mut T,
    /// What the device was to write.
    pub stamp: Stamp,
    /// Somebody still asks. Else nothing need be read.
    pub wanted: bool,
    /// Where the read-backs go, tight, one after the other.
    pub bytes: &'a mut Vec<u8>,
}

impl<T> Default for SlotRing<T> {
    fn default() -> Self {
        Self { slots: Vec::new() }
    }
}

impl<T: Default> SlotRing<T> {
    /// A slot for a plan that reads `needed` bytes back: of the free ones that whose read-backs fitted
    /// closest, else that with the largest, else a new one. Until [`SlotRing::fly`] dropping the name is
    /// enough to free it.
    pub fn take(&mut self, needed: u64) -> SlotId {
        let free = self.slots.iter().enumerate().filter(|(_, s)| s.is_free());
        let best = free.min_by_key(|(_, slot)| match slot.room {
            room if room >= needed => room,
            room => u64::MAX - room,
        });
        let index = match best {
            Some((index, _)) => index,
            None => {
                self.slots.push(Slot::new());
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[index];
        slot.phase = Phase::Idle;
        slot.generation += 1;
        slot.room = slot.room.max(needed);
        slot.doom = None;
        SlotId {
            index,
            generation: slot.generation,
            lease: slot.lease.clone(),
        }
    }

    /// A slot without a plan: ready, without bytes, after [`SlotRing::verdict_is_read`], and late as a
    /// plan would be.
    pub fn await_verdict(&mut self, timeout_ms: u64, now: Duration) -> SlotId {
        let id = self.take(0);
        self.fly(&id, timeout_ms, now);
        if let Some(slot) = self.find_mut(&id) {
            slot.bytes.clear();
            slot.phase = Phase::Awaiting;
        }
        id
    }
}

impl<T> SlotRing<T> {
    /// What the backend keeps in a slot; `None` for a name that another backend made, or of an earlier use.
    pub fn get(&self, id: &SlotId) -> Option<&T> {
        self.find(id).map(|slot| &slot.kept)
    }

    /// As [`SlotRing::get`], to change.
    pub fn get_mut(&mut self, id: &SlotId) -> Option<&mut T> {
        self.find_mut(id).map(|slot| &mut slot.kept)
    }

    /// The slot's plan is under way, until [`SlotRing::take_in`] ends it.
    pub fn fly(&mut self, id: &SlotId, timeout_ms: u64, now: Duration) {
        if let Some(slot) = self.find_mut(id) {
            slot.phase = Phase::Flying;
            slot.sent = now;
            slot.timeout_ms = timeout_ms;
        }
    }

    /// For a backend that executes at once: `write` fills in the read-backs, and the slot is ready.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn fill(
        &mut self,
        id: &SlotId,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), PickError>,
    ) -> Result<(), PickError> {
        let slot = self.find_mut(id).ok_or_else(foreign)?;
        write(&mut slot.bytes)?;
        slot.phase = Phase::Ready;
        Ok(())
    }

    /// Asks `ended` of every plan under way what became of it: `None` while it is, `Ok` when its bytes
    /// are there (or nobody wants them).
    pub fn take_in(
        &mut self,
        mut ended: impl FnMut(Flying<'_, T>) -> Option<Result<(), PickError>>,
    ) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            if !matches!(slot.phase, Phase::Flying) {
                continue;
            }
            let wanted = Arc::strong_count(&slot.lease) > 1;
            let outcome = ended(Flying {
                kept: &mut slot.kept,
                stamp: stamp(index, slot.generation),
                wanted,
                bytes: &mut slot.bytes,
            });
            slot.phase = match outcome {
                None => continue,
                Some(_) if !wanted => Phase::Idle,
                Some(Err(error)) => Phase::Failed(error),
                Some(Ok(())) => slot.doom.take().map_or(Phase::Ready, Phase::Failed),
            };
        }
    }

    /// Whatever is under way ends with this error, once it ends.
    pub fn doom(&mut self, error: &PickError) {
        let flying = |slot: &&mut Slot<T>| matches!(slot.phase, Phase::Flying);
        for slot in self.slots.iter_mut().filter(flying) {
            slot.doom = Some(error.clone());
        }
    }

    /// The self-test has been read: who waited for it is ready.
    pub fn verdict_is_read(&mut self) {
        for slot in &mut self.slots {
            if matches!(slot.phase, Phase::Awaiting) {
                slot.phase = Phase::Ready;
            }
        }
    }

    /// True while somebody waits for the self-test's verdict.
    pub fn is_verdict_awaited(&self) -> bool {
        let asks = |slot: &Slot<T>| Arc::strong_count(&slot.lease) > 1;
        let awaiting = |slot: &&Slot<T>| matches!(slot.phase, Phase::Awaiting);
        self.slots.iter().filter(awaiting).any(asks)
    }

    /// True while this slot waits for the verdict.
    pub fn is_awaiting_verdict(&self, id: &SlotId) -> bool {
        let slot = self.find(id);
        slot.is_some_and(|slot| matches!(slot.phase, Phase::Awaiting))
    }

    /// How far a slot is: failed when the device is `lost`, or late, before it has ended.
    pub fn state(&self, id: &SlotId, now: Duration, lost: Option<PickError>) -> SlotState<'_> {
        let Some(slot) = self.find(id) else {
            return SlotState::Failed(foreign());
        };
        match &slot.phase {
            Phase::Ready => SlotState::Ready(&slot.bytes),
            Phase::Failed(error) => SlotState::Failed(error.clone()),
            Phase::Flying | Phase::Awaiting => match lost.or_else(|| slot.doom.clone()) {
                Some(error) => SlotState::Failed(error),
                None if slot.is_late(now) => {
                    SlotState::Failed(PickError::new(ErrorKind::TimedOut {
                        timeout_ms: slot.timeout_ms,
                    }))
                }
                None => SlotState::Pending,
            },
            Phase::Idle => SlotState::Failed(PickError::broken("a slot without a plan")),
        }
    }

    /// True while the slot's plan is under way, or it waits for the verdict.
    pub fn is_pending(&self, id: &SlotId) -> bool {
        self.find(id).is_some_and(Slot::is_under_way)
    }

    /// What the slots keep whose plans are under way.
    pub fn flying(&self) -> impl Iterator<Item = &T> {
        let flying = |slot: &&Slot<T>| matches!(slot.phase, Phase::Flying);
        self.slots.iter().filter(flying).map(|slot| &slot.kept)
    }

    /// What the slot keeps, while its plan is under way.
    pub fn in_flight(&self, id: &SlotId) -> Option<&T> {
        let slot = self.find(id)?;
        matches!(slot.phase, Phase::Flying).then_some(&slot.kept)
    }

    /// What all slots keep.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().map(|slot| &slot.kept)
    }

    /// Slots that serve the next plan.
    pub fn free_count(&self) -> usize {
        self.slots.iter().filter(|slot| slot.is_free()).count()
    }

    /// Bytes of read-backs held on the CPU.
    pub fn bytes(&self) -> u64 {
        let held = self.slots.iter().map(|slot| slot.bytes.capacity() as u64);
        held.sum()
    }

    /// Lets go of the read-backs of free slots, and with `let_go` of what they keep.
    pub fn trim(&mut self, mut let_go: impl FnMut(&mut T)) {
        for slot in self.slots.iter_mut().filter(|slot| slot.is_free()) {
            slot.bytes = Vec::new();
            slot.room = 0;
            let_go(&mut slot.kept);
        }
    }

    fn find(&self, id: &SlotId) -> Option<&Slot<T>> {
        let slot = self.slots.get(id.index)?;
        slot.is(id).then_some(slot)
    }

    fn find_mut(&mut self, id: &SlotId) -> Option<&mut Slot<T>> {
        let slot = self.slots.get_mut(id.index)?;
        slot.is(id).then_some(slot)
    }
}

impl<T: Default> Slot<T> {
    fn new() -> Self {
        Self {
            lease: Arc::new(()),
            generation: 0,
            phase: Phase::Idle,
            room: 0,
            bytes: Vec::new(),
            sent: Duration::ZERO,
            timeout_ms: 0,
            doom: None,
            kept: T::default(),
        }
    }
}

impl<T> Slot<T> {
    fn is(&self, id: &SlotId) -> bool {
        Arc::ptr_eq(&self.lease, &id.lease) && self.generation == id.generation
    }

    fn is_under_way(&self) -> bool {
        matches!(self.phase, Phase::Flying | Phase::Awaiting)
    }

    fn is_free(&self) -> bool {
        !matches!(self.phase, Phase::Flying) && Arc::strong_count(&self.lease) == 1
    }

    fn is_late(&self, now: Duration) -> bool {
        now.saturating_sub(self.sent) > Duration::from_millis(self.timeout_ms)
    }
}

fn foreign() -> PickError {
    InputError::ForeignKey { what: "slot" }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn late_by_a_millisecond() -> Duration {
        NOW + Duration::from_millis(51)
    }

    fn flown(ring: &mut SlotRing<u32>, needed: u64) -> SlotId {
        let id = ring.take(needed);
        ring.fly(&id, 50, NOW);
        id
    }

    #[test]
    fn a_slot_serves_again_once_it_has_ended_and_nobody_asks() {
        let mut ring = SlotRing::default();
        let one = flown(&mut ring, 4);
        assert!(matches!(ring.state(&one, NOW, None), SlotState::Pending));
        let (index, generation) = (one.index(), one.generation());
        drop(one);
        let two = flown(&mut ring, 4);
        assert_ne!(two.index(), index, "the first plan is still under way");
        ring.take_in(|flying| {
            flying.bytes.push(7);
            Some(Ok(()))
        });
        assert!(matches!(
            ring.state(&two, NOW, None),
            SlotState::Ready(&[7])
        ));
        let three = ring.take(4);
        assert_eq!((three.index(), three.generation()), (index, generation + 1));
    }

    #[test]
    fn names_of_other_rings_and_earlier_uses_are_refused() {
        let (mut ring, mut other) = (SlotRing::<u32>::default(), SlotRing::<u32>::default());
        let (ours, theirs) = (ring.take(0), other.take(0));
        assert!(ring.get(&theirs).is_none() && ring.get(&ours).is_some());
        let stale = SlotId {
            index: ours.index,
            generation: ours.generation - 1,
            lease: ours.lease.clone(),
        };
        let SlotState::Failed(error) = ring.state(&stale, NOW, None) else {
            panic!("an earlier use has no answer");
        };
        assert!(error.is_input(), "{error}");
    }

    #[test]
    fn the_closest_fit_is_taken_first() {
        let mut ring = SlotRing::<u32>::default();
        let [small, large] = [ring.take(16), ring.take(4096)];
        let at = [small.index(), large.index()];
        drop((small, large));
        assert_eq!(ring.take(64).index(), at[1]);
        assert_eq!(ring.take(8).index(), at[0]);
        ring.trim(|kept| *kept = 0);
        assert_eq!(ring.take(1 << 20).index(), at[0], "none has room");
    }

    #[test]
    fn what_is_late_lost_or_doomed_has_failed_and_may_still_end() {
        let mut ring = SlotRing::default();
        let id = flown(&mut ring, 4);
        let kind = |state: SlotState<'_>| match state {
            SlotState::Failed(error) => Some(error.kind().clone()),
            _ => None,
        };
        let late = ErrorKind::TimedOut { timeout_ms: 50 };
        assert_eq!(
            kind(ring.state(&id, late_by_a_millisecond(), None)),
            Some(late)
        );
        let lost = PickError::broken("lost");
        let told = kind(ring.state(&id, NOW, Some(lost.clone())));
        assert_eq!(told.as_ref(), Some(lost.kind()));
        let doom = PickError::broken("doom");
        ring.doom(&doom);
        ring.take_in(|_| Some(Ok(())));
        assert_eq!(kind(ring.state(&id, NOW, None)).as_ref(), Some(doom.kind()));
    }

    #[test]
    fn who_waits_for_the_verdict_is_ready_with_it_or_late() {
        let mut ring = SlotRing::<u32>::default();
        let id = ring.await_verdict(50, NOW);
        assert!(ring.is_verdict_awaited() && ring.is_pending(&id));
        assert!(matches!(
            ring.state(&id, late_by_a_millisecond(), None),
            SlotState::Failed(_)
        ));
        ring.verdict_is_read();
        assert!(matches!(ring.state(&id, NOW, None), SlotState::Ready(&[])));
        let dropped = ring.await_verdict(50, NOW).index();
        assert!(!ring.is_verdict_awaited());
        assert_eq!(ring.take(0).index(), dropped);
    }
}
