//! A pick as plain data: what to draw into which targets, and what to copy back.
//!
//! `pick-core` makes plans; a backend executes them and gives back texels. Nothing in a plan is a
//! handle of a graphics API, so `Debug` prints it and tests compare it without a GPU.

mod compute;
mod draw;
mod readback;
mod shader;
mod target;

pub use compute::{
    Access, COMPUTE_BINDINGS, ComputeBinding, ComputeStep, IdTexels, Kernel, KernelParams, Scratch,
    ScratchRole, Texel,
};
pub use draw::{CullMode, Draw, ForeignItem, InstanceRun, Item, VertexFetch};
pub use readback::{Aspect, CopySource, CopyStep, Readback, ReadbackSize};
pub use shader::{CustomShader, StrategyShader};
pub use target::{Channel, Target, TargetFormat, TargetIndex};

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
    /// empty for all of them. Only asked of backends that say [`crate::Caps::casts_rays`].
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
    /// Which fragments count.
    pub keeps: Keeps,
    /// Only these pixels are drawn.
    pub mask: Option<Mask>,
}

/// The pixels that a pass draws: their depth is the farthest at first, that of all others the nearest, so that
/// nothing there passes the depth test, and nothing is shaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask {
    /// Where their places are: [`crate::layout::mask`].
    pub buffer: BufferIndex,
    /// How many they are.
    pub count: u32,
}

/// Which fragments of a pass count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Keeps {
    /// The nearest of each pixel.
    #[default]
    Nearest,
    /// All of them, without a depth test: each is told to this buffer, in no order.
    All(BufferIndex),
}
