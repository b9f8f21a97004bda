//! What comes back of a plan: copies, and the blocks that they fill.

use super::{BufferIndex, Channel, TargetIndex};

/// A copy into the read-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyStep {
    /// From where.
    pub from: CopySource,
    /// Position in [`Plan::readbacks`](super::Plan::readbacks).
    pub readback: usize,
}

/// What is copied into the read-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopySource {
    /// One aspect of every pixel of a target.
    Target {
        /// Which.
        target: TargetIndex,
        /// Which part of a pixel.
        aspect: Aspect,
    },
    /// Part of one of the plan's own buffers, as many bytes as the read-back has.
    Scratch {
        /// Which.
        buffer: BufferIndex,
        /// Bytes before the part; a multiple of 4.
        offset: u64,
    },
}

/// Part of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// All of a colour pixel.
    Color,
    /// The depth, as f32.
    Depth,
    /// The stencil byte.
    Stencil,
}

/// One tight block of the read-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readback {
    /// What it means.
    pub channel: Channel,
    /// Which part of the channel's pixel.
    pub aspect: Aspect,
    /// How much it is.
    pub size: ReadbackSize,
}

impl Readback {
    /// Its bytes, where the region has so many pixels.
    pub fn bytes(&self, pixels: u64) -> u64 {
        match self.size {
            ReadbackSize::PerPixel(bytes) => pixels * u64::from(bytes),
            ReadbackSize::Fixed(bytes) => u64::from(bytes),
        }
    }
}

/// How large a read-back is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadbackSize {
    /// So many bytes for each pixel of the region.
    PerPixel(u32),
    /// So many bytes, whatever the region.
    Fixed(u32),
}
