//! Shader modules and pipelines, kept by what makes them differ.

use ash::vk;
use pick_core::kit::Cache;
use pick_core::{
    DepthConvention, Keeps, PassStep, PickError, Plan, StrategyShader, TargetFormat, VertexFetch,
};
use pick_shaders::{GeometryUse, Variant, VertexAttributes, stencil_bits, to_spirv};

use crate::bind::Binds;
use crate::conv;
use crate::device::Gpu;
use crate::vk::{
    Pipeline, PipelineCache, PipelineLayout, PipelineParts, Shader, Stencil, depth_stencil,
};

/// What draws of one pass differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DrawShape {
    pub(crate) fetch: VertexFetch,
    pub(crate) attributes: VertexAttributes,
    /// Bytes from a vertex to the next: position, normal, texture coordinate.
    pub(crate) strides: [u32; 3],
    /// The instances are those that a kernel listed.
    pub(crate) survivors: bool,
}

/// What a pass draws into, and how it tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PassFormats {
    /// Colour targets, in the order of the shader's outputs.
    pub colors: [Option<TargetFormat>; 2],
    /// The depth or depth-stencil target.
    pub depth: TargetFormat,
    /// Which way depth runs.
    pub convention: DepthConvention,
    /// The stencil takes the reference that is set before every draw.
    pub writes_stencil: bool,
    /// Every fragment counts, without a depth test.
    pub keeps_all: bool,
}

impl PassFormats {
    /// What a pass of a plan draws into.
    ///
    /// # Errors
    /// `Broken` when the strategy that made the plan names targets that are not there or do not fit.
    pub fn of(plan: &Plan, pass: &PassStep) -> Result<Self, PickError> {
        let format = |index: usize| plan.targets.get(index).map(|target| target.format);
        let color = |index: Option<pick_core::TargetIndex>| match index {
            None => Ok(None),
            Some(index) => match format(index.0) {
                Some(format) if !format.is_depth() => Ok(Some(format)),
                _ => Err(PickError::broken("a pass has no such colour target")),
            },
        };
        let depth = format(pass.depth.0).filter(|format| format.is_depth());
        let depth = depth.ok_or_else(|| PickError::broken("a pass has no such depth target"))?;
        let writes_stencil = pass.stencil_plane.is_some();
        if writes_stencil && !depth.has_stencil() {
            return Err(PickError::broken("a stencil pass has no stencil"));
        }
        Ok(Self {
            colors: [color(pass.colors[0])?, color(pass.colors[1])?],
            depth,
            convention: plan.view.depth(),
            writes_stencil,
            keeps_all: pass.keeps != Keeps::Nearest,
        })
    }

    /// How many of [`PassFormats::colors`] a pipeline names: up to the last that is there.
    pub fn color_count(&self) -> usize {
        let last = self.colors.iter().rposition(Option::is_some);
        last.map_or(0, |last| last + 1)
    }

    /// The depth and stencil test as a pipeline names it. A foreign draw that uses it takes part in
    /// stencil passes too. Its pipelines are for dynamic rendering, with the formats that
    /// [`crate::VulkanBackend::vk_format`] tells; viewport, scissor and stencil reference are dynamic.
    pub fn depth_stencil_state(&self) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
        depth_stencil(self.compare(), self.stencil())
    }

    /// `ALWAYS` where every fragment counts: then no depth is written either.
    fn compare(&self) -> vk::CompareOp {
        match self.keeps_all {
            false => conv::compare(self.convention),
            true => vk::CompareOp::ALWAYS,
        }
    }

    fn stencil(&self) -> Stencil {
        match self.writes_stencil {
            true => Stencil::Write,
            false => Stencil::Off,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    shader: StrategyShader,
    fragment_depth: bool,
    shape: DrawShape,
    formats: PassFormats,
}

/// All pipelines.
pub(crate) struct Pipelines {
    shaders: Cache<Variant, Shader>,
    drawing: Cache<Key, Pipeline>,
    /// One pipeline a bit, by depth-stencil format.
    stencil_bits: Vec<(TargetFormat, Vec<Pipeline>)>,
    /// Of the pipelines that read stencils: no sets.
    no_sets: Option<PipelineLayout>,
    pub(crate) driver_cache: PipelineCache,
}

/// A built-in strategy with one primitive source and one vertex layout takes one; the bound is for
/// hosts with many layouts and for strategies of users' own.
const MOST_PIPELINES: usize = 256;
const MOST_SHADERS: usize = 64;

impl Pipelines {
    /// # Errors
    /// `Broken` without room, `DeviceLost`.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, PickError> {
        Ok(Self {
            shaders: Cache::new(MOST_SHADERS),
            drawing: Cache::new(MOST_PIPELINES),
            stencil_bits: Vec::new(),
            no_sets: None,
            driver_cache: PipelineCache::new(&gpu.device, &[])?,
        })
    }

    pub(crate) fn begin(&mut self) {
        self.shaders.begin();
        self.drawing.begin();
    }

    /// Where the pipeline of a draw is; compiled where it is new.
    ///
    /// # Errors
    /// `Broken` with naga's words for a shader that is wrong, or with the driver's; `DeviceLost`.
    pub(crate) fn find(
        &mut self,
        gpu: &Gpu,
        binds: &mut Binds,
        plan: &Plan,
        formats: PassFormats,
        shape: DrawShape,
    ) -> Result<usize, PickError> {
        // Cloning a key only counts references, and happens once a run of equal draws.
        let key = Key {
            shader: plan.shader.clone(),
            fragment_depth: plan.fragment_depth,
            shape,
            formats,
        };
        if let Some(at) = self.drawing.find(&key) {
            return Ok(at);
        }
        let variant = Variant {
            fetch: shape.fetch,
            shader: key.shader.clone(),
            attributes: shape.attributes,
            fragment_depth: key.fragment_depth,
            survivors: shape.survivors,
        };
        let shader = self.shader(gpu, variant)?;
        let shader = self.shaders.at(shader).ok_or_else(gone)?;
        let used = GeometryUse::of(shape.fetch, &plan.shader, shape.survivors);
        let layout = binds.pipeline_layout(gpu, used, plan.shader.keeps_fragments())?;
        let pipeline = create(gpu, &self.driver_cache, &key, shader, layout)?;
        Ok(self.drawing.insert(key, pipeline).0)
    }

    pub(crate) fn at(&self, position: usize) -> Option<&Pipeline> {
        self.drawing.at(position)
    }

    /// The pipelines that turn a stencil of this format into a colour, bit by bit.
    ///
    /// # Errors
    /// `Broken` with the driver's words, `DeviceLost`.
    pub(crate) fn prepare_stencil_bits(
        &mut self,
        gpu: &Gpu,
        format: TargetFormat,
    ) -> Result<(), PickError> {
        if self.stencil_bits(format).is_some() {
            return Ok(());
        }
        if self.no_sets.is_none() {
            self.no_sets = Some(PipelineLayout::new(&gpu.device, &[])?);
        }
        let layout = self.no_sets.as_ref().ok_or_else(gone)?;
        let shader = compile(gpu, stencil_bits())?;
        let color = [gpu.device.physical.format(TargetFormat::R8Unorm)];
        let bit = |bit| {
            let parts = PipelineParts {
                shader: &shader,
                layout,
                strides: [None; 3],
                colors: &color,
                depth: gpu.device.physical.format(format),
                has_stencil: true,
                compare: vk::CompareOp::ALWAYS,
                stencil: Stencil::ReadBit(bit),
                opens: false,
            };
            Pipeline::new(&gpu.device, &self.driver_cache, &parts)
        };
        let made: Result<Vec<_>, PickError> = (0..8).map(bit).collect();
        self.stencil_bits.push((format, made?));
        Ok(())
    }

    pub(crate) fn stencil_bits(&self, format: TargetFormat) -> Option<&[Pipeline]> {
        let found = self.stencil_bits.iter().find(|(f, _)| *f == format);
        found.map(|(_, pipelines)| pipelines.as_slice())
    }

    fn shader(&mut self, gpu: &Gpu, variant: Variant) -> Result<usize, PickError> {
        match self.shaders.find(&variant) {
            Some(at) => Ok(at),
            None => {
                let shader = compile(gpu, &variant.wgsl())?;
                Ok(self.shaders.insert(variant, shader).0)
            }
        }
    }
}

fn gone() -> PickError {
    PickError::broken("a shader went away") // cannot happen: just inserted
}

pub(crate) fn compile(gpu: &Gpu, wgsl: &str) -> Result<Shader, PickError> {
    let spirv = |entry| {
        let words = to_spirv(wgsl, entry);
        words.map_err(|error| PickError::broken(format!("a shader is refused: {error}")))
    };
    Shader::new(&gpu.device, &spirv("vs_main")?, &spirv("fs_main")?)
}

fn create(
    gpu: &Gpu,
    cache: &PipelineCache,
    key: &Key,
    shader: &Shader,
    layout: &PipelineLayout,
) -> Result<Pipeline, PickError> {
    let physical = &gpu.device.physical;
    let formats = &key.formats;
    let colors = formats
        .colors
        .map(|format| format.map_or(vk::Format::UNDEFINED, |f| physical.format(f)));
    let attributes = key.shape.attributes;
    let drawn = key.shape.fetch != VertexFetch::Pulled;
    let present = [drawn, attributes.normals, attributes.uvs];
    let parts = PipelineParts {
        shader,
        layout,
        strides: [0, 1, 2].map(|slot| present[slot].then_some(key.shape.strides[slot])),
        colors: &colors[..formats.color_count()],
        depth: physical.format(formats.depth),
        has_stencil: formats.depth.has_stencil(),
        compare: formats.compare(),
        stencil: formats.stencil(),
        opens: false,
    };
    Pipeline::new(&gpu.device, cache, &parts)
}
