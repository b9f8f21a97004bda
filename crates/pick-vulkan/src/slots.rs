//! Slots: what one pick in flight has for itself, from the records it uploads to the texels it reads.
//!
//! A slot is used again when its recording has ended and nobody holds its lease any more: so neither the
//! device nor a caller ever sees two picks in one buffer, also when a pick timed out, was cancelled, or
//! lies in a command buffer that the host still has.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk;
use pick_core::{ErrorKind, PickError, Plan, SlotId, SlotState};

use crate::bind::Binds;
use crate::buffers::roomy;
use crate::device::Gpu;
use crate::lost::Lost;
use crate::readback::{Layout, Stamp};
use crate::records::Records;
use crate::vk::{Buffer, Commands, Completion, Place, Set};

enum Phase {
    Free,
    /// Recorded, or about to be; it ends with its completion.
    Flying(Completion),
    Ready,
    Failed(PickError),
}

/// What one pick in flight has for itself.
pub(crate) struct Slot {
    lease: Arc<()>,
    generation: u64,
    phase: Phase,
    layout: Layout,
    records: Option<RecordBuffer>,
    readback: Option<Buffer>,
    pub(crate) commands: Option<Commands>,
    tight: Vec<u8>,
    sent: Instant,
    timeout_ms: u64,
    /// It lies in a host's command buffer, which writes this.
    stamp: Option<Stamp>,
    /// An error that came after the pick was recorded.
    doom: Option<PickError>,
}

/// The uniforms and draw records of a pick, and the sets that bind them.
struct RecordBuffer {
    sets: [Set; 2],
    buffer: Buffer,
}

impl Slot {
    fn new() -> Self {
        Self {
            lease: Arc::new(()),
            generation: 0,
            phase: Phase::Free,
            layout: Layout::default(),
            records: None,
            readback: None,
            commands: None,
            tight: Vec::new(),
            sent: Instant::now(),
            timeout_ms: 0,
            stamp: None,
            doom: None,
        }
    }

    fn is_free(&self) -> bool {
        !matches!(self.phase, Phase::Flying(_)) && Arc::strong_count(&self.lease) == 1
    }

    fn capacity(&self) -> u64 {
        self.readback.as_ref().map_or(0, Buffer::size)
    }

    fn bytes(&self) -> u64 {
        let records = self.records.as_ref().map_or(0, |r| r.buffer.size());
        records + self.capacity() + self.tight.capacity() as u64
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn record_sets(&self) -> Option<&[Set; 2]> {
        self.records.as_ref().map(|records| &records.sets)
    }

    pub(crate) fn readback(&self) -> Option<&Buffer> {
        self.readback.as_ref()
    }

    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    /// Makes both buffers large enough, and a command buffer.
    fn fit(&mut self, gpu: &Gpu, binds: &mut Binds, records: u64) -> Result<(), PickError> {
        let device = &gpu.device;
        let held = self.records.as_ref().map_or(0, |r| r.buffer.size());
        if held < records {
            self.records = None;
            let usage = vk::BufferUsageFlags::UNIFORM_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER;
            let size = roomy(gpu, records);
            let buffer = Buffer::new(device, "pick records", size, usage, Place::Upload)?;
            let sets = binds.record_sets(gpu, &buffer)?;
            self.records = Some(RecordBuffer { sets, buffer });
        }
        if self.capacity() < self.layout.size() {
            self.readback = None;
            let usage = vk::BufferUsageFlags::TRANSFER_DST;
            let size = roomy(gpu, self.layout.size());
            let buffer = Buffer::new(device, "pick readback", size, usage, Place::Readback)?;
            self.readback = Some(buffer);
        }
        if self.commands.is_none() {
            self.commands = Some(Commands::new(device)?);
        }
        Ok(())
    }

    /// Takes the texels out where the recording has ended.
    fn take_in(&mut self, gpu: &Gpu) -> Result<(), PickError> {
        let Phase::Flying(completion) = &self.phase else {
            return Ok(());
        };
        if !gpu.device.is_done(completion) {
            return Ok(());
        }
        if let Some(error) = self.doom.take() {
            self.phase = Phase::Failed(error);
            return Ok(());
        }
        if Arc::strong_count(&self.lease) == 1 {
            self.phase = Phase::Free;
            return Ok(());
        }
        let taken = match &self.readback {
            Some(buffer) => self.layout.take(buffer, self.stamp, &mut self.tight),
            None => Err(PickError::broken("a readback buffer is gone")), // not reached: it flies with it
        };
        self.phase = match &taken {
            Ok(true) => Phase::Ready,
            Ok(false) => Phase::Failed(PickError::broken(
                "the host's timeline reached its value, but the command buffer that held this pick \
                 never ran",
            )),
            Err(error) => Phase::Failed(error.clone()),
        };
        taken.map(drop)
    }

    fn is_late(&self) -> bool {
        self.sent.elapsed() > Duration::from_millis(self.timeout_ms)
    }
}

/// All slots: as many as were ever in flight at once.
pub(crate) struct Slots {
    slots: Vec<Slot>,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self { slots: Vec::new() }
    }

    /// Takes a slot for a plan and writes the plan's records. It stays free until [`Slots::fly`].
    ///
    /// # Errors
    /// `Unsupported` for more than the device's buffers hold; `Broken` when it has no room; `DeviceLost`.
    pub(crate) fn take(
        &mut self,
        gpu: &Gpu,
        binds: &mut Binds,
        plan: &Plan,
        records: &Records,
    ) -> Result<usize, PickError> {
        let index = self.best_free(plan);
        let slot = &mut self.slots[index];
        slot.phase = Phase::Free;
        slot.layout.lay_out(gpu, plan)?;
        slot.fit(gpu, binds, records.checked_size(gpu, plan)?)?;
        if let Some(held) = &mut slot.records {
            records.write(&mut held.buffer, plan)?;
        }
        slot.generation += 1;
        slot.sent = Instant::now();
        slot.timeout_ms = plan.timeout_ms;
        slot.stamp = None;
        slot.doom = None;
        Ok(index)
    }

    /// Has a slot's recording stamped, since it goes into a host's command buffer.
    pub(crate) fn mark(&mut self, index: usize) {
        if let Some(slot) = self.slots.get_mut(index) {
            let [low, high] = [slot.generation as u32, (slot.generation >> 32) as u32];
            slot.stamp = Some([u32::from_le_bytes(*b"pick"), index as u32, low, high]);
        }
    }

    /// The slot's recording ends with this completion. With an error its texels are none.
    pub(crate) fn fly(
        &mut self,
        index: usize,
        completion: Completion,
        doom: Option<PickError>,
    ) -> Result<SlotId, PickError> {
        let slot = self.slots.get_mut(index);
        let slot = slot.ok_or_else(|| PickError::broken("a slot is gone"))?; // not reached: none goes
        slot.phase = Phase::Flying(completion);
        slot.doom = doom;
        Ok(SlotId {
            index,
            generation: slot.generation,
            lease: slot.lease.clone(),
        })
    }

    /// The free slot whose buffer fits closest; else the largest; else a new one.
    fn best_free(&mut self, plan: &Plan) -> usize {
        let needed = plan.total_readback_bytes();
        let free = self.slots.iter().enumerate().filter(|(_, s)| s.is_free());
        let best = free.min_by_key(|(_, slot)| match slot.capacity() {
            capacity if capacity >= needed => capacity,
            capacity => u64::MAX - capacity,
        });
        match best {
            Some((index, _)) => index,
            None => {
                self.slots.push(Slot::new());
                self.slots.len() - 1
            }
        }
    }

    pub(crate) fn at(&self, index: usize) -> Option<&Slot> {
        self.slots.get(index)
    }

    pub(crate) fn commands(&mut self, index: usize) -> Result<&mut Commands, PickError> {
        let slot = self.slots.get_mut(index);
        let commands = slot.and_then(|slot| slot.commands.as_mut());
        commands.ok_or_else(|| PickError::broken("a slot has no commands")) // not reached: it was fitted
    }

    /// Takes in what has arrived.
    ///
    /// # Errors
    /// What reading met; the slots have it too.
    pub(crate) fn take_in(&mut self, gpu: &Gpu) -> Result<(), PickError> {
        let mut met = Ok(());
        for slot in &mut self.slots {
            met = met.and(slot.take_in(gpu));
        }
        met
    }

    /// The host's recordings that this value would have ended never run.
    pub(crate) fn cancel(&mut self, timeline: vk::Semaphore, value: u64) {
        for slot in &mut self.slots {
            let gone = matches!(&slot.phase, Phase::Flying(Completion::Host(done))
                if done.semaphore == timeline && done.value == value);
            if gone {
                slot.phase = Phase::Failed(PickError::new(ErrorKind::Cancelled));
            }
        }
    }

    pub(crate) fn is_any_flying(&self) -> bool {
        self.flying().next().is_some()
    }

    /// What the slots that fly end with.
    pub(crate) fn flying(&self) -> impl Iterator<Item = Completion> {
        self.slots.iter().filter_map(|slot| match &slot.phase {
            Phase::Flying(completion) => Some(*completion),
            _ => None,
        })
    }

    /// What a slot ends with, while it flies.
    pub(crate) fn completion(&self, id: &SlotId) -> Option<Completion> {
        match &self.find(id)?.phase {
            Phase::Flying(completion) => Some(*completion),
            _ => None,
        }
    }

    /// How far a pick is.
    pub(crate) fn state(&self, id: &SlotId, lost: &Lost) -> SlotState<'_> {
        let Some(slot) = self.find(id) else {
            return SlotState::Failed(PickError::broken("a slot of another backend"));
        };
        match &slot.phase {
            Phase::Ready => SlotState::Ready(&slot.tight),
            Phase::Failed(error) => SlotState::Failed(error.clone()),
            Phase::Flying(_) => match lost.error().or_else(|| slot.doom.clone()) {
                Some(error) => SlotState::Failed(error),
                None if slot.is_late() => SlotState::Failed(PickError::new(ErrorKind::TimedOut {
                    timeout_ms: slot.timeout_ms,
                })),
                None => SlotState::Pending,
            },
            Phase::Free => SlotState::Failed(PickError::broken("a slot that was given back")),
        }
    }

    fn find(&self, id: &SlotId) -> Option<&Slot> {
        let slot = self.slots.get(id.index)?;
        Arc::ptr_eq(&slot.lease, &id.lease).then_some(slot)
    }

    /// What the slots hold, on the device and beside it.
    pub(crate) fn bytes(&self) -> u64 {
        self.slots.iter().map(Slot::bytes).sum()
    }

    /// Lets go of the buffers of slots that nobody uses.
    pub(crate) fn trim(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.is_free()) {
            slot.records = None;
            slot.readback = None;
            slot.tight = Vec::new();
        }
    }
}
