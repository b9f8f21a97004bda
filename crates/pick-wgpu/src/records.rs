//! What a pick uploads: its uniforms, its slot's stamp, one record a draw and a kernel, and the plan's words, in one
//! write.

use pick_core::kit::Stamp;
use pick_core::layout::{DrawRecord, PickUniforms};
use pick_core::{Capability, Item, KernelParams, PickError, Plan};

use crate::device::Gpu;
use crate::readback::STAMP_BYTES;

/// Where the stamp is.
pub(crate) const STAMP_OFFSET: u64 =
    (size_of::<PickUniforms>() as u64).next_multiple_of(STAMP_BYTES);

/// Where records are, and the memory that they are put together in.
pub(crate) struct Records {
    first: u64,
    stride: u64,
    params_stride: u64,
    bytes: Vec<u8>,
}

impl Records {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        // Records are bound as both; alignments are powers of two.
        let limits = &gpu.limits;
        let alignment = limits
            .min_storage_buffer_offset_alignment
            .max(limits.min_uniform_buffer_offset_alignment);
        let alignment = u64::from(alignment.max(4));
        Self {
            first: (STAMP_OFFSET + STAMP_BYTES).next_multiple_of(alignment),
            stride: (size_of::<DrawRecord>() as u64).next_multiple_of(alignment),
            params_stride: (KernelParams::MOST_BYTES as u64).next_multiple_of(alignment),
            bytes: Vec::new(),
        }
    }

    /// Bytes that a plan uploads.
    ///
    /// # Errors
    /// `Unsupported` for more than a buffer or an offset of this device can be.
    pub(crate) fn checked_size(&self, gpu: &Gpu, plan: &Plan) -> Result<u64, PickError> {
        let draws = plan.items.len().max(1) as u64;
        let size = self.words_offset(plan) + 4 * plan.words.len() as u64;
        gpu.check_buffer_size(size)?;
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
    pub(crate) fn write(&mut self, gpu: &Gpu, buffer: &wgpu::Buffer, plan: &Plan, stamp: Stamp) {
        let (first_params, words_offset) = (self.first_params(plan), self.words_offset(plan));
        let bytes = &mut self.bytes;
        bytes.clear();
        bytes.extend_from_slice(bytemuck::bytes_of(&plan.uniforms));
        bytes.resize(STAMP_OFFSET as usize, 0);
        bytes.extend_from_slice(bytemuck::bytes_of(&stamp));
        for (index, item) in plan.items.iter().enumerate() {
            if let Item::Draw(draw) = item {
                bytes.resize((self.first + self.stride * index as u64) as usize, 0);
                bytes.extend_from_slice(bytemuck::bytes_of(&draw.record));
            }
        }
        for (index, step) in plan.kernels().enumerate() {
            let offset = first_params + self.params_stride * index as u64;
            bytes.resize(offset as usize, 0);
            bytes.extend_from_slice(step.params.bytes());
        }
        if !plan.words.is_empty() {
            bytes.resize(words_offset as usize, 0);
            bytes.extend_from_slice(bytemuck::cast_slice(&plan.words));
        }
        gpu.queue.write_buffer(buffer, 0, bytes);
    }
}
