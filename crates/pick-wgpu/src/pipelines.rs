//! Shader modules and pipelines, kept by what makes them differ.

use pick_core::kit::Cache;
use pick_core::{
    Capability, DepthConvention, Keeps, PassStep, PickError, Plan, StrategyShader, TargetFormat,
    VertexFetch,
};
use pick_shaders::{GeometryUse, Variant, VertexAttributes, stencil_bits};

use crate::bind::Binds;
use crate::conv;
use crate::device::Gpu;
use crate::scope::Catch;

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

/// What a pass draws into, and how it tests: what a foreign drawer makes its pipelines for.
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

    /// How many of [`PassFormats::color_states`] a pipeline names: up to the last that is there.
    pub fn color_count(&self) -> usize {
        let last = self.colors.iter().rposition(Option::is_some);
        last.map_or(0, |last| last + 1)
    }

    /// The colour targets as a pipeline names them, the first [`PassFormats::color_count`] of them.
    pub fn color_states(&self) -> [Option<wgpu::ColorTargetState>; 2] {
        self.colors.map(|format| {
            Some(wgpu::ColorTargetState {
                format: conv::texture_format(format?),
                blend: None,
                write_mask: wgpu::ColorWrites::ALL,
            })
        })
    }

    /// The depth and stencil test as a pipeline names it. A foreign draw that uses it takes part in
    /// stencil passes too.
    pub fn depth_stencil_state(&self) -> wgpu::DepthStencilState {
        let face = wgpu::StencilFaceState {
            compare: wgpu::CompareFunction::Always,
            fail_op: wgpu::StencilOperation::Keep,
            depth_fail_op: wgpu::StencilOperation::Keep,
            pass_op: wgpu::StencilOperation::Replace,
        };
        wgpu::DepthStencilState {
            format: conv::texture_format(self.depth),
            depth_write_enabled: Some(!self.keeps_all),
            depth_compare: Some(match self.keeps_all {
                false => conv::compare(self.convention),
                true => wgpu::CompareFunction::Always,
            }),
            stencil: match self.writes_stencil {
                false => wgpu::StencilState::default(),
                true => wgpu::StencilState {
                    front: face,
                    back: face,
                    read_mask: 0xff,
                    write_mask: 0xff,
                },
            },
            bias: wgpu::DepthBiasState::default(),
        }
    }

    fn bytes_per_sample(&self) -> u32 {
        let colors = self.colors.iter().flatten();
        colors.map(|format| format.bytes_per_pixel()).sum()
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
    modules: Cache<Variant, wgpu::ShaderModule>,
    drawing: Cache<Key, wgpu::RenderPipeline>,
    /// One pipeline a bit, by depth-stencil format.
    stencil_bits: Vec<(TargetFormat, [wgpu::RenderPipeline; 8])>,
}

/// A built-in strategy with one primitive source and one vertex layout takes one; the bound is for
/// hosts with many layouts and for strategies of users' own.
const MOST_PIPELINES: usize = 256;
const MOST_MODULES: usize = 64;

impl Pipelines {
    pub(crate) fn new() -> Self {
        Self {
            modules: Cache::new(MOST_MODULES),
            drawing: Cache::new(MOST_PIPELINES),
            stencil_bits: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self) {
        self.modules.begin();
        self.drawing.begin();
    }

    /// Where the pipeline of a draw is; compiled where it is new.
    ///
    /// # Errors
    /// `Unsupported` when the targets are more than the device writes at once; `Broken` with wgpu's
    /// words when it refuses the shader or the pipeline.
    pub(crate) fn find(
        &mut self,
        gpu: &Gpu,
        binds: &mut Binds,
        plan: &Plan,
        formats: PassFormats,
        shape: DrawShape,
    ) -> Result<usize, PickError> {
        let key = Key {
            shader: plan.shader.clone(),
            fragment_depth: plan.fragment_depth,
            shape,
            formats,
        };
        if let Some(at) = self.drawing.find(&key) {
            return Ok(at);
        }
        self.add(gpu, binds, key)
    }

    fn add(&mut self, gpu: &Gpu, binds: &mut Binds, key: Key) -> Result<usize, PickError> {
        check_sample_bytes(gpu, &key.formats)?;
        let used = GeometryUse::of(key.shape.fetch, &key.shader, key.shape.survivors);
        let module = self.module(gpu, &key)?;
        let layout = binds.pipeline_layout(gpu, used, key.shader.keeps_fragments())?;
        let pipeline = create(gpu, &key, module, layout)?;
        Ok(self.drawing.insert(key, pipeline).0)
    }

    /// Makes the plainest pipeline, which every pick needs no less of. A GL context of an old version
    /// has the limits of a new one, and no shading language that could use them.
    ///
    /// # Errors
    /// `Unsupported`.
    pub(crate) fn try_one(&mut self, gpu: &Gpu, binds: &mut Binds) -> Result<(), PickError> {
        let key = Key {
            shader: StrategyShader::IntegerId { faces: false },
            fragment_depth: false,
            shape: DrawShape {
                fetch: VertexFetch::Indexed,
                attributes: VertexAttributes::default(),
                strides: [12, 0, 0],
                survivors: false,
            },
            formats: PassFormats {
                colors: [Some(TargetFormat::Rg32Uint), None],
                depth: TargetFormat::Depth32Float,
                convention: DepthConvention::Standard,
                writes_stencil: false,
                keeps_all: false,
            },
        };
        let made = self.add(gpu, binds, key);
        made.map(drop).map_err(|refused| {
            PickError::unsupported(
                Capability::Device,
                format!(
                    "shaders that read storage buffers do not compile: ask for OpenGL 4.3 or OpenGL ES \
                     3.1 at least ({refused})"
                ),
            )
        })
    }

    pub(crate) fn at(&self, position: usize) -> Option<&wgpu::RenderPipeline> {
        self.drawing.at(position)
    }

    /// The pipelines that turn a stencil of this format into a colour, bit by bit.
    ///
    /// # Errors
    /// `Broken` with wgpu's words.
    pub(crate) fn prepare_stencil_bits(
        &mut self,
        gpu: &Gpu,
        format: TargetFormat,
    ) -> Result<(), PickError> {
        if self.stencil_bits(format).is_none() {
            let made = gpu.checked(Catch::All, "the stencil read-out", |device| {
                create_stencil_bits(device, format)
            })?;
            self.stencil_bits.push((format, made));
        }
        Ok(())
    }

    pub(crate) fn stencil_bits(&self, format: TargetFormat) -> Option<&[wgpu::RenderPipeline; 8]> {
        let found = self.stencil_bits.iter().find(|(f, _)| *f == format);
        found.map(|(_, pipelines)| pipelines)
    }

    fn module(&mut self, gpu: &Gpu, key: &Key) -> Result<&wgpu::ShaderModule, PickError> {
        let variant = Variant {
            fetch: key.shape.fetch,
            shader: key.shader.clone(),
            attributes: key.shape.attributes,
            fragment_depth: key.fragment_depth,
            survivors: key.shape.survivors,
        };
        let at = match self.modules.find(&variant) {
            Some(at) => at,
            None => {
                let source = variant.wgsl();
                let module = gpu.checked(Catch::All, "a shader", |device| {
                    device.create_shader_module(wgpu::ShaderModuleDescriptor {
                        label: Some("pick"),
                        source: wgpu::ShaderSource::Wgsl(source.into()),
                    })
                })?;
                self.modules.insert(variant, module).0
            }
        };
        let lost = || PickError::broken("a shader module went away"); // cannot happen: just inserted
        self.modules.at(at).ok_or_else(lost)
    }
}

fn check_sample_bytes(gpu: &Gpu, formats: &PassFormats) -> Result<(), PickError> {
    let (bytes, limit) = (
        formats.bytes_per_sample(),
        gpu.limits.max_color_attachment_bytes_per_sample,
    );
    if bytes <= limit {
        return Ok(());
    }
    Err(PickError::unsupported(
        Capability::TargetFormat,
        format!("{bytes} bytes a pixel, but this device writes {limit} at most"),
    ))
}

fn create(
    gpu: &Gpu,
    key: &Key,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
) -> Result<wgpu::RenderPipeline, PickError> {
    let attributes = attributes();
    let buffers = vertex_buffers(&key.shape, &attributes);
    let colors = key.formats.color_states();
    let descriptor = wgpu::RenderPipelineDescriptor {
        label: Some("pick"),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vs_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: match key.shape.fetch {
                VertexFetch::Pulled => &[],
                VertexFetch::Indexed | VertexFetch::Expanded => &buffers,
            },
        },
        // Sides are left out by the fragment stage, where mirrored transforms are known.
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(key.formats.depth_stencil_state()),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fs_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &colors[..key.formats.color_count()],
        }),
        multiview_mask: None,
        cache: None,
    };
    gpu.checked(Catch::All, "a pipeline", |device| {
        device.create_render_pipeline(&descriptor)
    })
}

/// Position, normal, texture coordinate: each alone in a vertex buffer, at the location of its number.
fn attributes() -> [wgpu::VertexAttribute; 3] {
    let formats = [
        wgpu::VertexFormat::Float32x3,
        wgpu::VertexFormat::Float32x3,
        wgpu::VertexFormat::Float32x2,
    ];
    [0, 1, 2].map(|location| wgpu::VertexAttribute {
        format: formats[location],
        offset: 0,
        shader_location: location as u32,
    })
}

fn vertex_buffers<'a>(
    shape: &DrawShape,
    attributes: &'a [wgpu::VertexAttribute; 3],
) -> [Option<wgpu::VertexBufferLayout<'a>>; 3] {
    let present = [true, shape.attributes.normals, shape.attributes.uvs];
    [0, 1, 2].map(|slot| {
        present[slot].then(|| wgpu::VertexBufferLayout {
            array_stride: u64::from(shape.strides[slot]),
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: std::slice::from_ref(&attributes[slot]),
        })
    })
}

/// Each bit's pipeline draws where the bit is set, and adds the bit's weight to the colour.
fn create_stencil_bits(device: &wgpu::Device, format: TargetFormat) -> [wgpu::RenderPipeline; 8] {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("pick stencil bits"),
        source: wgpu::ShaderSource::Wgsl(stencil_bits().into()),
    });
    let weighted = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::Constant,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    let color = Some(wgpu::ColorTargetState {
        format: wgpu::TextureFormat::R8Unorm,
        blend: Some(wgpu::BlendState {
            color: weighted,
            alpha: weighted,
        }),
        write_mask: wgpu::ColorWrites::ALL,
    });
    let equal = wgpu::StencilFaceState {
        compare: wgpu::CompareFunction::Equal,
        ..wgpu::StencilFaceState::IGNORE
    };
    let pipeline = |bit: u32| {
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("pick stencil bits"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: conv::texture_format(format),
                depth_write_enabled: Some(false),
                depth_compare: Some(wgpu::CompareFunction::Always),
                stencil: wgpu::StencilState {
                    front: equal,
                    back: equal,
                    read_mask: 1 << bit,
                    write_mask: 0,
                },
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fs_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: std::slice::from_ref(&color),
            }),
            multiview_mask: None,
            cache: None,
        })
    };
    [0, 1, 2, 3, 4, 5, 6, 7].map(pipeline)
}
