//! What a pick uploads: its uniforms and one record a draw, written into mapped memory.

use pick_core::layout::{DrawRecord, PickUniforms};
use pick_core::{Item, PickError, Plan};

use crate::device::Gpu;
use crate::vk::Buffer;

/// Where records are.
#[derive(Clone, Copy)]
pub(crate) struct Records {
    first: u64,
    stride: u64,
}

impl Records {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let limits = &gpu.device.physical.limits;
        let alignment = limits
            .min_uniform_buffer_offset_alignment
            .max(limits.min_storage_buffer_offset_alignment)
            .max(4);
        Self {
            first: (size_of::<PickUniforms>() as u64).next_multiple_of(alignment),
            stride: (size_of::<DrawRecord>() as u64).next_multiple_of(alignment),
        }
    }

    /// Bytes that a plan uploads.
    pub(crate) fn size(&self, plan: &Plan) -> u64 {
        self.first + self.stride * plan.items.len().max(1) as u64
    }

    /// The dynamic offset of an item's record.
    ///
    /// # Errors
    /// `Broken` beyond 4 GiB of records.
    pub(crate) fn offset(&self, item: usize) -> Result<u32, PickError> {
        let offset = u32::try_from(self.first + self.stride * item as u64);
        offset.map_err(|_| PickError::broken("a pick has too many draws"))
    }

    /// Writes everything; the device has it before the next submission runs.
    ///
    /// # Errors
    /// `Broken` when the buffer was made too small.
    pub(crate) fn write(&self, buffer: &mut Buffer, plan: &Plan) -> Result<(), PickError> {
        let mut fits = buffer.write(0, bytemuck::bytes_of(&plan.uniforms));
        for (index, item) in plan.items.iter().enumerate() {
            if let Item::Draw(draw) = item {
                let offset = self.first + self.stride * index as u64;
                fits &= buffer.write(offset, bytemuck::bytes_of(&draw.record));
            }
        }
        match fits {
            true => Ok(()),
            false => Err(PickError::broken("a slot is too small for its records")), // not reached
        }
    }
}
