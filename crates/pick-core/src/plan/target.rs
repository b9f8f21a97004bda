//! What passes draw into.

use super::Texel;

/// Position in [`Plan::targets`](super::Plan::targets).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetIndex(pub usize);

/// A render target of the region's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// How a pixel is stored.
    pub format: TargetFormat,
    /// What a pixel means.
    pub channel: Channel,
}

/// Formats a plan asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetFormat {
    /// Four bytes, linear.
    Rgba8Unorm,
    /// One byte, linear.
    R8Unorm,
    /// One word.
    R32Uint,
    /// Two words.
    Rg32Uint,
    /// Four words.
    Rgba32Uint,
    /// f32 depth.
    Depth32Float,
    /// f32 depth and a stencil byte.
    Depth32FloatStencil8,
    /// At least 24 bits of depth, and a stencil byte; the depth cannot be copied.
    Depth24PlusStencil8,
}

impl TargetFormat {
    /// How kernels read a pixel; `None` where they do not.
    pub const fn texel(self) -> Option<Texel> {
        match self {
            Self::Rgba8Unorm => Some(Texel::Bytes),
            Self::R32Uint => Some(Texel::Word),
            Self::Rg32Uint => Some(Texel::TwoWords),
            Self::Rgba32Uint => Some(Texel::FourWords),
            Self::R8Unorm
            | Self::Depth32Float
            | Self::Depth32FloatStencil8
            | Self::Depth24PlusStencil8 => None,
        }
    }

    /// Bytes of a colour pixel; of a depth-stencil pixel those of its depth.
    pub const fn bytes_per_pixel(self) -> u32 {
        match self {
            Self::R8Unorm => 1,
            Self::Rgba8Unorm
            | Self::R32Uint
            | Self::Depth32Float
            | Self::Depth32FloatStencil8
            | Self::Depth24PlusStencil8 => 4,
            Self::Rg32Uint => 8,
            Self::Rgba32Uint => 16,
        }
    }
}

/// What a target's pixel means. A backend without shaders fills it from this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The id, least significant byte in red.
    IdBytes,
    /// The fragment's depth as f32 bits.
    DepthBits,
    /// The id, then the depth bits.
    IdDepth,
    /// Id, depth bits, primitive with the facing in bit 31, view distance as f32 bits.
    Detailed,
    /// Packed face normal, packed vertex normal, u and v as f32 bits.
    Surface,
    /// Depth test only.
    Depth,
    /// Depth, and byte `plane` of the draw's number in the stencil.
    StencilByte {
        /// 0 is the least significant byte.
        plane: u8,
    },
    /// The stencil of `plane`, bit by bit, as a colour (where stencils cannot be copied).
    StencilBits {
        /// 0 is the least significant byte.
        plane: u8,
    },
    /// How many instances a draw's culling left.
    Survivors,
    /// The place of the pixel of a disc that answers, row by row in the region, or
    /// [`NOWHERE`](crate::layout::reduce::NOWHERE).
    NearestPlace,
    /// How many ids an area has, and what was found of each.
    FoundIds,
    /// A header, then every fragment of a pixel in no order ([`crate::layout::fragments`]).
    Fragments,
    /// A custom strategy's own.
    Custom,
}
