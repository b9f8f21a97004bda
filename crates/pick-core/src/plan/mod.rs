//! A pick as plain data: what to draw into which targets, and what to copy back.
//!
//! `pick-core` makes plans; a backend executes them and gives back texels. Nothing in a plan is a
//! handle of a graphics API, so `Debug` prints it and tests compare it without a GPU.

mod compute;
mod draw;
mod readback;

pub use compute::{
    Access, COMPUTE_BINDINGS, ComputeBinding, ComputeStep, IdTexels, Kernel, KernelParams, Scratch,
    ScratchRole, Texel,
};
pub use draw::{CullMode, Draw, ForeignItem, InstanceRun, Item, VertexFetch};
pub use readback::{Aspect, CopySource, CopyStep, Readback, ReadbackSize};

use std::ops::Range;
use std::sync::Arc;

use glam::DMat4;

use crate::layout::PickUniforms;
use crate::rect::PixelRect;
use crate::view::View;

/// A whole pick. The vectors keep their memory from pick to pick.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Shows in GPU debuggers.
    pub label: Option<Arc<str>>,
    /// The camera, frozen.
    pub view: View,
    /// The pixels asked about; every target has this size.
    pub region: PixelRect,
    /// Pixels that the viewport is larger than the region on each side, so that rasterisers clip large
    /// triangles some way off the pixels that are asked about (see [`Plan::zoom`]).
    pub margin: u32,
    /// What every draw's shader shares.
    pub uniforms: PickUniforms,
    /// The fragment stage.
    pub shader: StrategyShader,
    /// The fragment writes its depth itself (see [`crate::Caps::reversed_depth_in_fragment`]).
    pub fragment_depth: bool,
    /// What the passes draw into.
    pub targets: Vec<Target>,
    /// What kernels write and draws read.
    pub scratch: Vec<Scratch>,
    /// What [`Step::Upload`] copies.
    pub words: Vec<u32>,
    /// The pixels that read-backs have a texel for, by their places row by row in the region, in this order;
    /// empty for all of them. Only asked of backends that say [`crate::Caps::reads_places`].
    pub places: Vec<u32>,
    /// What the passes draw, in the order offered.
    pub items: Vec<Item>,
    /// Which items belong to each priority band, the lowest first.
    pub bands: Vec<Range<usize>>,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// What comes back, in order, tight: rows of a read-back have no padding, and each starts where
    /// the one before it ended.
    pub readbacks: Vec<Readback>,
    /// Within how many milliseconds the answer must come.
    pub timeout_ms: u64,
}

impl Plan {
    /// A plan that does nothing yet.
    pub fn new(view: View, region: PixelRect) -> Self {
        Self {
            label: None,
            view,
            region,
            margin: 0,
            uniforms: PickUniforms::default(),
            shader: StrategyShader::IntegerId { faces: false },
            fragment_depth: false,
            targets: Vec::new(),
            scratch: Vec::new(),
            words: Vec::new(),
            places: Vec::new(),
            items: Vec::new(),
            bands: Vec::new(),
            steps: Vec::new(),
            readbacks: Vec::new(),
            timeout_ms: 0,
        }
    }

    /// What projections are multiplied with from the left: clip space is the region and its margin.
    ///
    /// Hardware clips triangles in f32, and where it cuts one is off by the rounding of the triangle's
    /// own size in clip space. Cut at the edge of a single pixel, a floor of some kilometres would miss
    /// its centre; cut a margin away, the error stays there.
    pub fn zoom(&self) -> DMat4 {
        self.view.zoom(self.region, f64::from(self.margin))
    }

    /// The viewport within the targets, in their pixels: x, y (0 or negative), width, height.
    pub fn viewport(&self) -> [f32; 4] {
        let margin = self.margin as f32;
        let shown = |side: u32| side as f32 + 2.0 * margin;
        [
            -margin,
            -margin,
            shown(self.region.width),
            shown(self.region.height),
        ]
    }

    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.label = None;
        self.targets.clear();
        self.scratch.clear();
        self.words.clear();
        self.places.clear();
        self.items.clear();
        self.bands.clear();
        self.steps.clear();
        self.readbacks.clear();
    }

    /// Adds a target and names it.
    pub fn add_target(&mut self, format: TargetFormat, channel: Channel) -> TargetIndex {
        self.targets.push(Target { format, channel });
        TargetIndex(self.targets.len() - 1)
    }

    /// Adds a buffer of the plan's own and names it.
    pub fn add_scratch(&mut self, bytes: u64, role: ScratchRole) -> BufferIndex {
        self.scratch.push(Scratch { bytes, role });
        BufferIndex(self.scratch.len() - 1)
    }

    /// Adds a copy of a target to the read-back.
    pub fn read_back(&mut self, target: TargetIndex, aspect: Aspect) {
        let bytes_per_pixel = match aspect {
            Aspect::Color => self.targets[target.0].format.bytes_per_pixel(),
            Aspect::Depth => 4,
            Aspect::Stencil => 1,
        };
        self.steps.push(Step::Copy(CopyStep {
            from: CopySource::Target { target, aspect },
            readback: self.readbacks.len(),
        }));
        self.readbacks.push(Readback {
            channel: self.targets[target.0].channel,
            aspect,
            size: ReadbackSize::PerPixel(bytes_per_pixel),
        });
    }

    /// Adds a copy of some bytes of one of the plan's own buffers to the read-back. Offset and size
    /// are multiples of 4.
    pub fn read_back_words(
        &mut self,
        buffer: BufferIndex,
        offset: u64,
        bytes: u32,
        channel: Channel,
    ) {
        self.steps.push(Step::Copy(CopyStep {
            from: CopySource::Scratch { buffer, offset },
            readback: self.readbacks.len(),
        }));
        self.readbacks.push(Readback {
            channel,
            aspect: Aspect::Color,
            size: ReadbackSize::Fixed(bytes),
        });
    }

    /// How many pixels read-backs have a texel for.
    pub fn pixels_read(&self) -> u64 {
        match self.places.len() as u64 {
            0 => self.region.pixel_count(),
            places => places,
        }
    }

    /// Bytes of read-back `index`.
    pub fn readback_bytes(&self, index: usize) -> u64 {
        self.readbacks[index].bytes(self.pixels_read())
    }

    /// Whether any step copies this aspect of the target.
    pub fn copies(&self, target: TargetIndex, aspect: Aspect) -> bool {
        let from = CopySource::Target { target, aspect };
        let copies = |step: &Step| matches!(step, Step::Copy(copy) if copy.from == from);
        self.steps.iter().any(copies)
    }

    /// Bytes of all read-backs together.
    pub fn total_readback_bytes(&self) -> u64 {
        (0..self.readbacks.len())
            .map(|index| self.readback_bytes(index))
            .sum()
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> impl Iterator<Item = &ComputeStep> {
        self.steps.iter().filter_map(|step| match step {
            Step::Compute(compute) => Some(compute),
            _ => None,
        })
    }

    /// The draws among the items.
    pub fn draws(&self) -> impl Iterator<Item = &Draw> {
        self.items.iter().filter_map(|item| match item {
            Item::Draw(draw) => Some(draw),
            Item::Foreign(_) => None,
        })
    }
}

/// Position in [`Plan::scratch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferIndex(pub usize);

/// Position in [`Plan::targets`].
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
    /// A custom strategy's own.
    Custom,
}

/// The fragment stage of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StrategyShader {
    /// shaders/wgsl/strategy/color_id.wgsl
    ColorId,
    /// shaders/wgsl/strategy/integer_id.wgsl
    IntegerId {
        /// The face is packed beside the object where a draw has faces of its own vertices.
        faces: bool,
    },
    /// shaders/wgsl/strategy/stencil_id.wgsl
    StencilId,
    /// shaders/wgsl/strategy/detailed.wgsl
    Detailed {
        /// The second texel is written.
        surface: bool,
    },
    /// A user's own strategy.
    Custom(CustomShader),
}

/// The WGSL of a user's own strategy.
#[derive(Clone, Debug)]
pub struct CustomShader {
    /// Names the source in pipeline caches: change it when the source changes.
    pub key: Arc<str>,
    /// Defines `PickOutput` and `fn pick_output(in: PickFragment) -> PickOutput`.
    pub wgsl: Arc<str>,
    /// The source reads `in.primitive`, so draws need a primitive source.
    pub needs_primitive: bool,
}

impl PartialEq for CustomShader {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for CustomShader {}

impl std::hash::Hash for CustomShader {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl StrategyShader {
    /// True when the fragment stage needs to know its triangle.
    pub fn needs_primitive(&self) -> bool {
        match self {
            Self::Detailed { .. } => true,
            Self::Custom(custom) => custom.needs_primitive,
            _ => false,
        }
    }

    /// True when the vertex stage forwards normals and texture coordinates.
    pub fn needs_surface(&self) -> bool {
        matches!(self, Self::Detailed { surface: true })
    }

    /// True when the vertex stage forwards the vertex's face.
    pub fn needs_faces(&self) -> bool {
        matches!(self, Self::IntegerId { faces: true })
    }
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "few steps, kept in one flat list"
)]
pub enum Step {
    /// Run a kernel.
    Compute(ComputeStep),
    /// Draw items into targets.
    Pass(PassStep),
    /// Turn a stencil into a colour, by eight stencil-tested full-screen draws.
    StencilBits {
        /// The depth-stencil target.
        from: TargetIndex,
        /// An [`TargetFormat::R8Unorm`] target.
        to: TargetIndex,
    },
    /// Copy [`Plan::words`] to the start of one of the plan's own buffers.
    Upload(BufferIndex),
    /// Copy a target's pixels into the read-back.
    Copy(CopyStep),
}

/// A render pass.
#[derive(Clone, Debug, PartialEq)]
pub struct PassStep {
    /// Which of [`Plan::items`], drawn in this order.
    pub items: Range<usize>,
    /// Colour targets, in the order of the shader's outputs.
    pub colors: [Option<TargetIndex>; 2],
    /// Depth or depth-stencil target. The compare function is strict and follows from the view's
    /// depth convention, as does what it is cleared to.
    pub depth: TargetIndex,
    /// Colours and stencil are cleared first; else a band keeps the ids below it. The depth is
    /// cleared always.
    pub clear_ids: bool,
    /// Which byte of each draw's number the stencil takes.
    pub stencil_plane: Option<u8>,
}
