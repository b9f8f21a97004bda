//! Where a plan's texels lie in a readback buffer, and how they come out of it.

use pick_core::kit::Stamp;
use pick_core::{Capability, PickError, Plan, ReadbackSize};

use crate::device::Gpu;

/// One block of texels in a readback buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Of the first row.
    pub(crate) offset: u64,
    /// From a row to the next; the end of a row up to there is not written by the device.
    pub(crate) pitch: u64,
    pub(crate) row_bytes: u64,
    rows: u64,
}

impl Block {
    fn end(&self) -> u64 {
        self.offset + self.pitch * (self.rows - 1) + self.row_bytes
    }

    /// What wgpu is told: a single row needs no pitch.
    pub(crate) fn layout(&self) -> wgpu::TexelCopyBufferLayout {
        wgpu::TexelCopyBufferLayout {
            offset: self.offset,
            bytes_per_row: (self.rows > 1).then_some(self.pitch as u32),
            rows_per_image: None,
        }
    }
}

/// Copied with the texels.
pub(crate) const STAMP_BYTES: u64 = size_of::<Stamp>() as u64;

/// All blocks, and the stamp after them. Keeps its memory from pick to pick.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) blocks: Vec<Block>,
    pub(crate) stamp_offset: u64,
}

/// Suits every format and aspect: colours ask for their texel's size, stencils for 4.
const BLOCK_ALIGNMENT: u64 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as u64;

impl Layout {
    /// Lays a plan's read-backs out.
    ///
    /// # Errors
    /// `Unsupported` for more than a buffer of this device holds.
    pub(crate) fn lay_out(&mut self, gpu: &Gpu, plan: &Plan) -> Result<(), PickError> {
        self.blocks.clear();
        let mut end = 0u64;
        for readback in &plan.readbacks {
            let (row_bytes, rows) = match readback.size {
                ReadbackSize::PerPixel(bytes) => {
                    let row_bytes = u64::from(plan.region.width) * u64::from(bytes);
                    (row_bytes, plan.region.height.max(1))
                }
                ReadbackSize::Fixed(bytes) => (u64::from(bytes), 1),
            };
            let block = Block {
                offset: end.next_multiple_of(BLOCK_ALIGNMENT),
                pitch: row_bytes.next_multiple_of(BLOCK_ALIGNMENT),
                row_bytes,
                rows: u64::from(rows),
            };
            end = block.end();
            self.blocks.push(block);
        }
        self.stamp_offset = end.next_multiple_of(STAMP_BYTES);
        let (size, limit) = (self.size(), gpu.limits.max_buffer_size);
        if size <= limit {
            return Ok(());
        }
        Err(PickError::unsupported(
            Capability::BufferSize,
            format!(
                "reading {} back takes {size} bytes, but this device's buffers end at {limit}: ask \
                 for smaller regions",
                plan.region
            ),
        ))
    }

    /// Bytes that are mapped.
    pub(crate) fn size(&self) -> u64 {
        self.stamp_offset + STAMP_BYTES
    }

    /// Copies the texels out without what lies between rows and blocks. False when the stamp is
    /// another one: the device never ran what should have written the texels.
    pub(crate) fn take(&self, mapped: &[u8], stamp: Stamp, tight: &mut Vec<u8>) -> bool {
        tight.clear();
        let at = self.stamp_offset as usize;
        let found = mapped.get(at..at + STAMP_BYTES as usize);
        if found != Some(bytemuck::bytes_of(&stamp)) {
            return false;
        }
        for block in &self.blocks {
            for row in 0..block.rows {
                let start = (block.offset + row * block.pitch) as usize;
                // Inside: the stamp lies behind every block and was found.
                tight.extend_from_slice(&mapped[start..start + block.row_bytes as usize]);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(offset: u64, row_bytes: u64, rows: u64) -> Block {
        Block {
            offset,
            pitch: row_bytes.next_multiple_of(BLOCK_ALIGNMENT),
            row_bytes,
            rows,
        }
    }

    /// Field case 89
    #[test]
    fn padding_never_comes_out() {
        let blocks = vec![block(0, 12, 2), block(512, 3, 3)];
        let layout = Layout {
            stamp_offset: blocks[1].end().next_multiple_of(STAMP_BYTES),
            blocks,
        };
        let stamp = [1, 2, 3, 4];
        let mut mapped = vec![0xab; layout.size() as usize];
        for block in &layout.blocks {
            for row in 0..block.rows {
                let start = (block.offset + row * block.pitch) as usize;
                mapped[start..start + block.row_bytes as usize].fill(row as u8);
            }
        }
        let mut tight = vec![9];
        assert!(!layout.take(&mapped, stamp, &mut tight), "no stamp yet");
        let at = layout.stamp_offset as usize;
        mapped[at..at + 16].copy_from_slice(bytemuck::bytes_of(&stamp));
        assert!(layout.take(&mapped, stamp, &mut tight));
        let expected = [[0; 12], [1; 12]].concat();
        let expected = [expected, [[0; 3], [1; 3], [2; 3]].concat()].concat();
        assert_eq!(tight, expected);
    }
}
