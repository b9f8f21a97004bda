//! Slots: what wgpu keeps for one pick in flight, from the records it uploads to the buffer it maps. When
//! a slot serves again, the core's ring decides; a plan has ended when the callback of its map has run.

use std::sync::Arc;

use pick_core::kit::{Flying, Lost, SlotRing, Stamp};
use pick_core::layout::{DrawRecord, PickUniforms};
use pick_core::{ErrorKind, KernelParams, PickError, Plan, SlotId, SlotState};
use web_time::Instant;

use crate::bind::Binds;
use crate::buffers::{reserve, roomy};
use crate::device::Gpu;
use crate::flag::{Flag, Mapping, Teller};
use crate::readback::{Layout, STAMP_BYTES};
use crate::records::{Records, STAMP_OFFSET};
use crate::scope::Catch;

/// What one pick in flight has for itself.
#[derive(Default)]
pub(crate) struct Slot {
    flag: Arc<Flag>,
    layout: Layout,
    records: Option<RecordBuffer>,
    readback: Option<wgpu::Buffer>,
    /// Of our own submission; the host's are not known.
    submission: Option<wgpu::SubmissionIndex>,
}

/// The uniforms and draw records of a pick, and the groups that bind them.
pub(crate) struct RecordBuffer {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) pick: wgpu::BindGroup,
    pub(crate) draw: wgpu::BindGroup,
    pub(crate) params: wgpu::BindGroup,
}

impl Slot {
    fn bytes(&self) -> u64 {
        let records = self.records.as_ref().map_or(0, |r| r.buffer.size());
        records + self.readback.as_ref().map_or(0, wgpu::Buffer::size)
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

    /// Makes both buffers large enough.
    fn fit(&mut self, gpu: &Gpu, binds: &Binds, records: u64) -> Result<(), PickError> {
        let held = self.records.as_ref().map_or(0, |r| r.buffer.size());
        if held < records {
            self.records = None;
            self.records = Some(record_buffer(gpu, binds, roomy(gpu, records))?);
        }
        let held = self.readback.as_ref().map_or(0, wgpu::Buffer::size);
        if held < self.layout.size() {
            self.readback = None;
            let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
            let size = roomy(gpu, self.layout.size());
            self.readback = Some(reserve(gpu, "pick readback", size, usage)?);
        }
        Ok(())
    }

    fn read(&self, stamp: Stamp, tight: &mut Vec<u8>) -> Result<bool, wgpu::MapRangeError> {
        let Some(buffer) = &self.readback else {
            return Ok(false);
        };
        let mapped = buffer.get_mapped_range(..self.layout.size())?;
        Ok(self.layout.take(&mapped, stamp, tight))
    }
}

/// Looks whether the map's callback has run, and takes the texels out.
fn ended(flying: Flying<'_, Slot>, gpu: &Gpu, lost: &mut Lost) -> Option<Result<(), PickError>> {
    let slot = flying.kept;
    let mapping = slot.flag.read();
    let own = slot.submission.is_some();
    let outcome = match mapping {
        Mapping::Waiting => return None,
        Mapping::Dropped => Err(PickError::new(ErrorKind::Cancelled)),
        Mapping::Refused => {
            lost.set("wgpu refused to map a readback buffer");
            Err(lost.error().unwrap_or_else(unmapped))
        }
        Mapping::Mapped if !flying.wanted => Ok(()),
        Mapping::Mapped => match slot.read(flying.stamp, flying.bytes) {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) if gpu.is_lost() => {
                lost.set("a readback buffer is gone");
                Err(lost.error().unwrap_or_else(unmapped))
            }
            Ok(false) if own => Err(PickError::broken("a submission without errors never ran")),
            Ok(false) => Err(PickError::broken(
                "the host's submission that held this pick was refused by wgpu",
            )),
            Err(_) => Err(unmapped()),
        },
    };
    slot.submission = None;
    match (mapping, &slot.readback) {
        (Mapping::Mapped, Some(buffer)) => unmap(gpu, buffer),
        // wgpu takes a buffer for mapped from the asking on, and unmaps only what is mapped.
        (Mapping::Refused, _) => slot.readback = None,
        _ => {}
    }
    Some(outcome)
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
        let entry = |binding, bytes: usize| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &buffer,
                offset: 0,
                size: wgpu::BufferSize::new(bytes as u64),
            }),
        };
        let group = |layout, entries: &[wgpu::BindGroupEntry<'_>]| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("pick records"),
                layout,
                entries,
            })
        };
        let draw = [0, 1].map(|binding| entry(binding, size_of::<DrawRecord>()));
        RecordBuffer {
            pick: group(&binds.pick, &[entry(0, size_of::<PickUniforms>())]),
            draw: group(&binds.draw, &draw),
            params: group(&binds.params, &[entry(0, KernelParams::MOST_BYTES)]),
            buffer: buffer.clone(),
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
        let id = self.ring.take(plan.total_readback_bytes());
        let slot = self.ring.get_mut(&id).ok_or_else(gone)?;
        slot.layout.lay_out(gpu, plan)?;
        slot.fit(gpu, binds, records_size)?;
        slot.flag.rearm();
        slot.submission = None;
        if let Some(held) = &slot.records {
            records.write(gpu, &held.buffer, plan, id.stamp());
        }
        self.ring.fly(&id, plan.timeout_ms, self.start.elapsed());
        Ok(id)
    }

    /// A slot that tells when the self-test has been read.
    pub(crate) fn await_verdict(&mut self, timeout_ms: u64) -> SlotId {
        self.ring.await_verdict(timeout_ms, self.start.elapsed())
    }

    /// # Errors
    /// None but for a slot that was given back, which cannot be.
    pub(crate) fn at(&self, id: &SlotId) -> Result<&Slot, PickError> {
        self.ring.get(id).ok_or_else(gone)
    }

    /// Copies the stamp, and ties the map to the encoder: it happens with the encoder's submission,
    /// and is dropped with the encoder.
    pub(crate) fn tie(&self, id: &SlotId, encoder: &mut wgpu::CommandEncoder) {
        let Some(slot) = self.ring.get(id) else {
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
        if let Some(slot) = self.ring.get_mut(id) {
            slot.submission = Some(submission.clone());
        }
    }

    /// Takes in what has arrived.
    pub(crate) fn take_in(&mut self, gpu: &Gpu, lost: &mut Lost) {
        self.ring.take_in(|flying| ended(flying, gpu, lost));
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn submission(&self, id: &SlotId) -> Option<wgpu::SubmissionIndex> {
        self.ring.get(id)?.submission.clone()
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
