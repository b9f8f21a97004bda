//! What a pick uploads: its uniforms, one record a draw and one a kernel, and the plan's words, written into mapped
//! memory.

use pick_core::layout::{DrawRecord, PickUniforms};
use pick_core::{Capability, Item, KernelParams, PickError, Plan};

use crate::device::Gpu;
use crate::vk::{Buffer, check_size};

/// Where records are.
#[derive(Clone, Copy)]
pub(crate) struct Records {
    first: u64,
    stride: u64,
    params_stride: u64,
}

impl Records {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let limits = &gpu.device.physical.limits;
        // Records are bound as both; alignments are powers of two.
        let alignment = limits
            .min_storage_buffer_offset_alignment
            .max(limits.min_uniform_buffer_offset_alignment)
            .max(4);
        Self {
            first: (size_of::<PickUniforms>() as u64).next_multiple_of(alignment),
            stride: (size_of::<DrawRecord>() as u64).next_multiple_of(alignment),
            params_stride: (KernelParams::MOST_BYTES as u64).next_multiple_of(alignment),
        }
    }

    /// Bytes that a plan uploads.
    ///
    /// # Errors
    /// `Unsupported` for more than a buffer or an offset of this device can be.
    pub(crate) fn checked_size(&self, gpu: &Gpu, plan: &Plan) -> Result<u64, PickError> {
        let draws = plan.items.len().max(1) as u64;
        let size = self.words_offset(plan) + 4 * plan.words.len() as u64;
        check_size(&gpu.device, size)?;
        if u32::try_from(size).is_err() {
            return Err(PickError::unsupported(
                Capability::BufferSize,
                format!("the records of {draws} draws take {size} bytes, beyond 32-bit offsets"),
            ));
        }
        Ok(size)
    }

    /// The dynamic offset of an item's record.
    pub(crate) fn offset(&self, item: usize) -> u32 {
        // Fits: the size was checked.
        (self.first + self.stride * item as u64) as u32
    }

    /// Where what kernels are told begins: behind the draws' records.
    fn first_params(&self, plan: &Plan) -> u64 {
        self.first + self.stride * plan.items.len().max(1) as u64
    }

    /// The dynamic offset of what a kernel is told, by its place among the plan's kernels.
    pub(crate) fn params_offset(&self, plan: &Plan, kernel: usize) -> u32 {
        // Fits: the size was checked.
        (self.first_params(plan) + self.params_stride * kernel as u64) as u32
    }

    /// Where the plan's words begin: behind what kernels are told.
    pub(crate) fn words_offset(&self, plan: &Plan) -> u64 {
        self.first_params(plan) + self.params_stride * plan.kernels().count() as u64
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
        for (index, step) in plan.kernels().enumerate() {
            let offset = u64::from(self.params_offset(plan, index));
            fits &= buffer.write(offset, step.params.bytes());
        }
        if !plan.words.is_empty() {
            fits &= buffer.write(self.words_offset(plan), bytemuck::cast_slice(&plan.words));
        }
        match fits {
            true => Ok(()),
            false => Err(PickError::broken("a slot is too small for its records")), // not reached
        }
    }
}
