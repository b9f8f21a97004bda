//! Slots: what one pick in flight has for itself, from the records it uploads to the texels it reads.
//!
//! A slot is used again when the callback of its last map has run and nobody holds its lease any more:
//! so neither the device nor a caller ever sees two picks in one buffer, also when a pick timed out, was
//! cancelled, or lies in an encoder that the host still has.

use std::sync::Arc;
use std::time::Duration;

use pick_core::layout::{DrawRecord, PickUniforms};
use pick_core::{ErrorKind, InputError, PickError, Plan, SlotId, SlotState};
use web_time::Instant;

use crate::bind::Binds;
use crate::buffers::{reserve, roomy};
use crate::device::Gpu;
use crate::flag::{Flag, Mapping, Teller};
use crate::lost::Lost;
use crate::readback::{Layout, STAMP_BYTES, Stamp};
use crate::records::{Records, STAMP_OFFSET};
use crate::scope::Catch;

enum Phase {
    Free,
    Flying,
    Ready,
    Failed(PickError),
}

/// What one pick in flight has for itself.
pub(crate) struct Slot {
    lease: Arc<()>,
    generation: u64,
    phase: Phase,
    flag: Arc<Flag>,
    layout: Layout,
    records: Option<RecordBuffer>,
    readback: Option<wgpu::Buffer>,
    tight: Vec<u8>,
    sent: Instant,
    timeout_ms: u64,
    /// Of our own submission; the host's are not known.
    submission: Option<wgpu::SubmissionIndex>,
    /// An error that came after the pick was sent.
    doom: Option<PickError>,
}

/// The uniforms and draw records of a pick, and the groups that bind them.
pub(crate) struct RecordBuffer {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) pick: wgpu::BindGroup,
    pub(crate) draw: wgpu::BindGroup,
}

impl Slot {
    fn new() -> Self {
        Self {
            lease: Arc::new(()),
            generation: 0,
            phase: Phase::Free,
            flag: Arc::default(),
            layout: Layout::default(),
            records: None,
            readback: None,
            tight: Vec::new(),
            sent: Instant::now(),
            timeout_ms: 0,
            submission: None,
            doom: None,
        }
    }

    fn is_free(&self) -> bool {
        !matches!(self.phase, Phase::Flying) && Arc::strong_count(&self.lease) == 1
    }

    fn capacity(&self) -> u64 {
        self.readback.as_ref().map_or(0, wgpu::Buffer::size)
    }

    fn bytes(&self) -> u64 {
        let records = self.records.as_ref().map_or(0, |r| r.buffer.size());
        records + self.capacity() + self.tight.capacity() as u64
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn records(&self) -> Option<&RecordBuffer> {
        self.records.as_ref()
    }

    pub(crate) fn readback(&self) -> Option<&wgpu::Buffer> {
        self.readback.as_ref()
    }

    fn stamp(&self, index: usize) -> Stamp {
        let [low, high] = [self.generation as u32, (self.generation >> 32) as u32];
        [u32::from_le_bytes(*b"pick"), index as u32, low, high]
    }

    /// Makes both buffers large enough.
    fn fit(&mut self, gpu: &Gpu, binds: &Binds, records: u64) -> Result<(), PickError> {
        let held = self.records.as_ref().map_or(0, |r| r.buffer.size());
        if held < records {
            self.records = None;
            self.records = Some(record_buffer(gpu, binds, roomy(gpu, records))?);
        }
        if self.capacity() < self.layout.size() {
            self.readback = None;
            let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
            let size = roomy(gpu, self.layout.size());
            self.readback = Some(reserve(gpu, "pick readback", size, usage)?);
        }
        Ok(())
    }

    /// Looks whether the map's callback has run, and takes the texels out.
    fn take_in(&mut self, gpu: &Gpu, index: usize, lost: &mut Lost) {
        let mapping = self.flag.read();
        if mapping == Mapping::Waiting || !matches!(self.phase, Phase::Flying) {
            return;
        }
        let stamp = self.stamp(index);
        let own = self.submission.take().is_some();
        let doom = self.doom.take();
        self.phase = match mapping {
            Mapping::Waiting => return, // not reached: see above
            Mapping::Dropped => Phase::Failed(PickError::new(ErrorKind::Cancelled)),
            Mapping::Refused => {
                lost.set("wgpu refused to map a readback buffer");
                Phase::Failed(lost.error().unwrap_or_else(unmapped))
            }
            Mapping::Mapped if Arc::strong_count(&self.lease) == 1 => Phase::Free,
            Mapping::Mapped => match self.read(stamp) {
                Ok(true) => doom.map_or(Phase::Ready, Phase::Failed),
                Ok(false) | Err(_) if gpu.is_lost() => {
                    lost.set("a readback buffer is gone");
                    Phase::Failed(lost.error().unwrap_or_else(unmapped))
                }
                Ok(false) if own => {
                    Phase::Failed(PickError::broken("a submission without errors never ran"))
                }
                Ok(false) => Phase::Failed(PickError::broken(
                    "the host's submission that held this pick was refused by wgpu",
                )),
                Err(_) => Phase::Failed(unmapped()),
            },
        };
        match (mapping, &self.readback) {
            (Mapping::Mapped, Some(buffer)) => unmap(gpu, buffer),
            // wgpu takes a buffer for mapped from the asking on, and unmaps only what is mapped.
            (Mapping::Refused, _) => self.readback = None,
            _ => {}
        }
    }

    fn read(&mut self, stamp: Stamp) -> Result<bool, wgpu::MapRangeError> {
        let Some(buffer) = &self.readback else {
            return Ok(false);
        };
        let mapped = buffer.get_mapped_range(..self.layout.size())?;
        Ok(self.layout.take(&mapped, stamp, &mut self.tight))
    }

    fn is_late(&self) -> bool {
        self.sent.elapsed() > Duration::from_millis(self.timeout_ms)
    }
}

/// A buffer that is mapped while its device is destroyed can be read, but wgpu calls unmapping it an
/// error.
fn unmap(gpu: &Gpu, buffer: &wgpu::Buffer) {
    let unmapped = gpu.checked(Catch::Validation, "unmapping", |_| buffer.unmap());
    drop(unmapped); // whatever is asked of the device next says that it is gone
}

fn unmapped() -> PickError {
    PickError::broken("a readback buffer was mapped but cannot be read")
}

fn record_buffer(gpu: &Gpu, binds: &Binds, size: u64) -> Result<RecordBuffer, PickError> {
    let usage = wgpu::BufferUsages::UNIFORM
        | wgpu::BufferUsages::STORAGE
        | wgpu::BufferUsages::COPY_DST
        | wgpu::BufferUsages::COPY_SRC;
    let buffer = reserve(gpu, "pick records", size, usage)?;
    gpu.checked(Catch::All, "a record group", |device| {
        let group = |layout, bytes: usize| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("pick records"),
                layout,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer: &buffer,
                        offset: 0,
                        size: wgpu::BufferSize::new(bytes as u64),
                    }),
                }],
            })
        };
        RecordBuffer {
            pick: group(&binds.pick, size_of::<PickUniforms>()),
            draw: group(&binds.draw, size_of::<DrawRecord>()),
            buffer: buffer.clone(),
        }
    })
}

/// All slots: as many as were ever in flight at once.
pub(crate) struct Slots {
    slots: Vec<Slot>,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self { slots: Vec::new() }
    }

    /// Takes a slot for a plan and uploads the plan's records. It flies from now on: somebody must
    /// call [`Slots::tie`].
    ///
    /// # Errors
    /// `Unsupported` for more than the device's buffers hold; `Broken` when it has no room.
    pub(crate) fn take(
        &mut self,
        gpu: &Gpu,
        binds: &Binds,
        plan: &Plan,
        records: &mut Records,
    ) -> Result<SlotId, PickError> {
        let records_size = records.checked_size(gpu, plan)?;
        let index = self.best_free(plan);
        let slot = &mut self.slots[index];
        slot.layout.lay_out(gpu, plan)?;
        slot.fit(gpu, binds, records_size)?;
        slot.generation += 1;
        slot.flag.rearm();
        slot.sent = Instant::now();
        slot.timeout_ms = plan.timeout_ms;
        slot.submission = None;
        slot.doom = None;
        let stamp = slot.stamp(index);
        if let Some(held) = &slot.records {
            records.write(gpu, &held.buffer, plan, stamp);
        }
        slot.phase = Phase::Flying;
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

    pub(crate) fn at(&self, id: &SlotId) -> Option<&Slot> {
        self.slots.get(id.index)
    }

    /// Copies the stamp, and ties the map to the encoder: it happens with the encoder's submission,
    /// and is dropped with the encoder.
    pub(crate) fn tie(&self, id: &SlotId, encoder: &mut wgpu::CommandEncoder) {
        let Some(slot) = self.slots.get(id.index) else {
            return;
        };
        let (Some(records), Some(readback)) = (&slot.records, &slot.readback) else {
            return;
        };
        encoder.copy_buffer_to_buffer(
            &records.buffer,
            STAMP_OFFSET,
            readback,
            slot.layout.stamp_offset,
            STAMP_BYTES,
        );
        let teller = Teller::new(&slot.flag);
        encoder.map_buffer_on_submit(
            readback,
            wgpu::MapMode::Read,
            ..slot.layout.size(),
            move |result| teller.tell(result),
        );
    }

    /// Our own submission has it.
    pub(crate) fn submitted(&mut self, id: &SlotId, submission: &wgpu::SubmissionIndex) {
        if let Some(slot) = self.slots.get_mut(id.index) {
            slot.submission = Some(submission.clone());
        }
    }

    /// Takes in what has arrived.
    pub(crate) fn take_in(&mut self, gpu: &Gpu, lost: &mut Lost) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            slot.take_in(gpu, index, lost);
        }
    }

    /// Whatever flies ends with this error.
    pub(crate) fn doom_all(&mut self, error: &PickError) {
        for slot in &mut self.slots {
            if matches!(slot.phase, Phase::Flying) {
                slot.doom = Some(error.clone());
            }
        }
    }

    pub(crate) fn is_any_flying(&self) -> bool {
        self.slots.iter().any(|s| matches!(s.phase, Phase::Flying))
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn is_flying(&self, id: &SlotId) -> bool {
        let slot = self.find(id);
        slot.is_some_and(|slot| matches!(slot.phase, Phase::Flying))
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn submission(&self, id: &SlotId) -> Option<wgpu::SubmissionIndex> {
        self.find(id)?.submission.clone()
    }

    /// How far a pick is.
    pub(crate) fn state(&self, id: &SlotId, lost: &Lost) -> SlotState<'_> {
        let Some(slot) = self.find(id) else {
            return SlotState::Failed(InputError::ForeignKey { what: "slot" }.into());
        };
        match &slot.phase {
            Phase::Ready => SlotState::Ready(&slot.tight),
            Phase::Failed(error) => SlotState::Failed(error.clone()),
            Phase::Flying => match lost.error().or_else(|| slot.doom.clone()) {
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
