//! Slots: what Vulkan keeps for one pick in flight, from the records it writes to the buffer it reads. When
//! a slot serves again, the core's ring decides; a plan has ended when its completion is reached.

use std::time::Instant;

use ash::vk;
use pick_core::kit::{Flying, Lost, SlotRing, Stamp};
use pick_core::{ErrorKind, PickError, Plan, SlotId, SlotState};

use crate::bind::{Binds, RecordSets};
use crate::buffers::roomy;
use crate::device::Gpu;
use crate::readback::Layout;
use crate::records::Records;
use crate::vk::{Buffer, Commands, Completion, Place};

/// What one pick in flight has for itself.
#[derive(Default)]
pub(crate) struct Slot {
    layout: Layout,
    records: Option<RecordBuffer>,
    readback: Option<Buffer>,
    commands: Option<Commands>,
    /// It lies in a host's command buffer, which writes this.
    stamp: Option<Stamp>,
    /// What the plan under way ends with.
    completion: Option<Completion>,
}

/// The uniforms and records of a pick, and the sets that bind them.
struct RecordBuffer {
    sets: RecordSets,
    buffer: Buffer,
}

impl Slot {
    fn bytes(&self) -> u64 {
        let records = self.records.as_ref().map_or(0, |r| r.buffer.size());
        records + self.readback.as_ref().map_or(0, Buffer::size)
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn record_sets(&self) -> Option<&RecordSets> {
        self.records.as_ref().map(|records| &records.sets)
    }

    pub(crate) fn record_buffer(&self) -> Option<&Buffer> {
        self.records.as_ref().map(|records| &records.buffer)
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
            let usage = vk::BufferUsageFlags::UNIFORM_BUFFER
                | vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::TRANSFER_SRC;
            let size = roomy(gpu, records);
            let buffer = Buffer::new(device, "pick records", size, usage, Place::Upload)?;
            let sets = binds.record_sets(gpu, &buffer)?;
            self.records = Some(RecordBuffer { sets, buffer });
        }
        let held = self.readback.as_ref().map_or(0, Buffer::size);
        if held < self.layout.size() {
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
}

/// Takes the texels out where the recording has ended. What reading met goes into `met` too.
fn ended(
    flying: Flying<'_, Slot>,
    gpu: &Gpu,
    met: &mut Result<(), PickError>,
) -> Option<Result<(), PickError>> {
    let slot = flying.kept;
    let done = slot.completion.as_ref();
    if done.is_some_and(|completion| !gpu.device.is_done(completion)) {
        return None;
    }
    slot.completion = None;
    let taken = match &slot.readback {
        _ if !flying.wanted => return Some(Ok(())),
        Some(buffer) => slot.layout.take(buffer, slot.stamp, flying.bytes),
        None => Err(PickError::broken("a readback buffer is gone")), // not reached: it flies with it
    };
    Some(match taken {
        Ok(true) => Ok(()),
        Ok(false) => Err(PickError::broken(
            "the host's timeline reached its value, but the command buffer that held this pick never \
             ran",
        )),
        Err(error) => {
            *met = Err(error.clone());
            Err(error)
        }
    })
}

/// All slots, and the clock that they are late by.
pub(crate) struct Slots {
    pub(crate) ring: SlotRing<Slot>,
    start: Instant,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self {
            ring: SlotRing::default(),
            start: Instant::now(),
        }
    }

    /// Takes a slot for a plan and writes the plan's records. It flies from [`Slots::fly`] on.
    ///
    /// # Errors
    /// `Unsupported` for more than the device's buffers hold; `Broken` when it has no room; `DeviceLost`.
    pub(crate) fn take(
        &mut self,
        gpu: &Gpu,
        binds: &mut Binds,
        plan: &Plan,
        records: &Records,
    ) -> Result<SlotId, PickError> {
        let records_size = records.checked_size(gpu, plan)?;
        let id = self.ring.take(plan.total_readback_bytes());
        let slot = self.ring.get_mut(&id).ok_or_else(gone)?;
        slot.layout.lay_out(gpu, plan)?;
        slot.fit(gpu, binds, records_size)?;
        if let Some(held) = &mut slot.records {
            records.write(&mut held.buffer, plan)?;
        }
        slot.stamp = None;
        Ok(id)
    }

    /// A slot that tells when the self-test has been read.
    pub(crate) fn await_verdict(&mut self, timeout_ms: u64) -> SlotId {
        self.ring.await_verdict(timeout_ms, self.start.elapsed())
    }

    /// Has a slot's recording stamped, since it goes into a host's command buffer.
    pub(crate) fn mark(&mut self, id: &SlotId) {
        if let Some(slot) = self.ring.get_mut(id) {
            slot.stamp = Some(id.stamp());
        }
    }

    /// The slot's recording ends with this completion.
    pub(crate) fn fly(&mut self, id: &SlotId, completion: Completion, timeout_ms: u64) {
        if let Some(slot) = self.ring.get_mut(id) {
            slot.completion = Some(completion);
        }
        self.ring.fly(id, timeout_ms, self.start.elapsed());
    }

    /// # Errors
    /// None but for a slot that was given back, which cannot be.
    pub(crate) fn at(&self, id: &SlotId) -> Result<&Slot, PickError> {
        self.ring.get(id).ok_or_else(gone)
    }

    /// # Errors
    /// As [`Slots::at`].
    pub(crate) fn commands(&mut self, id: &SlotId) -> Result<&mut Commands, PickError> {
        let slot = self.ring.get_mut(id);
        let commands = slot.and_then(|slot| slot.commands.as_mut());
        commands.ok_or_else(gone)
    }

    /// Takes in what has arrived.
    ///
    /// # Errors
    /// What reading met; the slots have it too.
    pub(crate) fn take_in(&mut self, gpu: &Gpu) -> Result<(), PickError> {
        let mut met = Ok(());
        self.ring.take_in(|flying| ended(flying, gpu, &mut met));
        met
    }

    /// The host's recordings that this value would have ended never run.
    pub(crate) fn cancel(&mut self, timeline: vk::Semaphore, value: u64) {
        self.ring.take_in(|flying| {
            let gone = matches!(&flying.kept.completion, Some(Completion::Host(done))
                if done.semaphore == timeline && done.value == value);
            gone.then(|| Err(PickError::new(ErrorKind::Cancelled)))
        });
    }

    /// What some plan under way ends with.
    pub(crate) fn next_completion(&self) -> Option<Completion> {
        self.ring.flying().find_map(|slot| slot.completion)
    }

    /// What a slot's plan ends with, while it is under way.
    pub(crate) fn completion(&self, id: &SlotId) -> Option<Completion> {
        self.ring.in_flight(id)?.completion
    }

    /// How far a pick is.
    pub(crate) fn state(&self, id: &SlotId, lost: &Lost) -> SlotState<'_> {
        self.ring.state(id, self.start.elapsed(), lost.error())
    }

    /// What the slots hold, on the device and beside it.
    pub(crate) fn bytes(&self) -> u64 {
        self.ring.bytes() + self.ring.all().map(Slot::bytes).sum::<u64>()
    }

    /// Lets go of the buffers of slots that nobody uses.
    pub(crate) fn trim(&mut self) {
        self.ring.trim(|slot| {
            slot.records = None;
            slot.readback = None;
        });
    }
}

fn gone() -> PickError {
    PickError::broken("a slot is gone") // cannot happen: whoever asks holds its name
}
