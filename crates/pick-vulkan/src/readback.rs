//! Where a plan's texels lie in a readback buffer, and how they come out of it.

use pick_core::kit::Stamp;
use pick_core::{PickError, Plan};

use crate::device::Gpu;
use crate::vk::{Buffer, check_size};

/// One block of texels in a readback buffer; its rows are tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// Written with the texels of a recording in a host's command buffer.
const STAMP_BYTES: u64 = size_of::<Stamp>() as u64;

/// All blocks, and the stamp after them. Keeps its memory from pick to pick.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) blocks: Vec<Block>,
    pub(crate) stamp_offset: u64,
}

/// Suits every format and aspect: colours ask for their texel's size, stencils for 4.
const BLOCK_ALIGNMENT: u64 = 16;

impl Layout {
    /// Lays a plan's read-backs out.
    ///
    /// # Errors
    /// `Unsupported` for more than a buffer of this device holds.
    pub(crate) fn lay_out(&mut self, gpu: &Gpu, plan: &Plan) -> Result<(), PickError> {
        self.blocks.clear();
        let mut end = 0u64;
        for index in 0..plan.readbacks.len() {
            let block = Block {
                offset: end.next_multiple_of(BLOCK_ALIGNMENT),
                bytes: plan.readback_bytes(index),
            };
            end = block.offset + block.bytes;
            self.blocks.push(block);
        }
        self.stamp_offset = end.next_multiple_of(BLOCK_ALIGNMENT);
        check_size(&gpu.device, self.size())
    }

    /// Bytes that the device writes.
    pub(crate) fn size(&self) -> u64 {
        self.stamp_offset + STAMP_BYTES
    }

    /// Copies the texels out without what lies between blocks. False when the stamp is another one: the
    /// device never ran what should have written the texels.
    ///
    /// # Errors
    /// `Broken`, `DeviceLost`.
    pub(crate) fn take(
        &self,
        buffer: &Buffer,
        stamp: Option<Stamp>,
        tight: &mut Vec<u8>,
    ) -> Result<bool, PickError> {
        let short = || PickError::broken("a readback buffer is too small"); // not reached: it was made so
        buffer.invalidate(self.size())?;
        if let Some(stamp) = stamp {
            tight.clear();
            let read = buffer.read(self.stamp_offset, STAMP_BYTES, tight);
            if !read || tight.as_slice() != bytemuck::bytes_of(&stamp) {
                return Ok(false);
            }
        }
        tight.clear();
        for block in &self.blocks {
            if !buffer.read(block.offset, block.bytes, tight) {
                return Err(short());
            }
        }
        Ok(true)
    }
}
