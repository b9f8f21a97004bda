//! Opening the pixels of a batch in a depth target, so that nothing else is shaded.

use pick_core::PickError;
use pick_core::kit::ScratchKey;
use pick_shaders::mask;

use crate::conv;
use crate::device::Gpu;
use crate::pipelines::PassFormats;
use crate::scope::Catch;

/// What passes that draw only some pixels begin with.
#[derive(Default)]
pub(crate) struct Masks {
    layout: Option<wgpu::BindGroupLayout>,
    pipelines: Vec<(PassFormats, wgpu::RenderPipeline)>,
    /// The last buffer of places that was bound.
    group: Option<(ScratchKey, wgpu::BindGroup)>,
}

impl Masks {
    /// Makes what a pass needs.
    ///
    /// # Errors
    /// `Broken` with wgpu's words.
    pub(crate) fn prepare(
        &mut self,
        gpu: &Gpu,
        formats: PassFormats,
        key: ScratchKey,
        places: &wgpu::Buffer,
    ) -> Result<(), PickError> {
        let layout = match self.layout.take() {
            Some(layout) => layout,
            None => gpu.checked(Catch::All, "a mask", layout)?,
        };
        let layout = self.layout.insert(layout);
        if self.group.as_ref().is_none_or(|(known, _)| *known != key) {
            let group = gpu.checked(Catch::All, "a mask", |device| {
                device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("pick mask"),
                    layout,
                    entries: &[wgpu::BindGroupEntry {
                        binding: 0,
                        resource: places.as_entire_binding(),
                    }],
                })
            })?;
            self.group = Some((key, group));
        }
        if !self.pipelines.iter().any(|(of, _)| *of == formats) {
            let made = gpu.checked(Catch::All, "a mask", |device| {
                pipeline(device, layout, formats)
            })?;
            self.pipelines.push((formats, made));
        }
        Ok(())
    }

    /// Draws it; what is bound changes.
    pub(crate) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        formats: PassFormats,
        count: u32,
    ) -> Option<()> {
        pass.set_pipeline(self.pipeline(formats)?);
        pass.set_bind_group(0, &self.group.as_ref()?.1, &[]);
        pass.draw(0..3 * count, 0..1);
        Some(())
    }

    fn pipeline(&self, formats: PassFormats) -> Option<&wgpu::RenderPipeline> {
        let mut made = self.pipelines.iter();
        made.find(|(of, _)| *of == formats).map(|(_, made)| made)
    }

    /// Lets go of the buffer.
    pub(crate) fn trim(&mut self) {
        self.group = None;
    }
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("pick mask"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: true },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }],
    })
}

/// Writes depth and nothing else, whatever is there.
fn pipeline(
    device: &wgpu::Device,
    group: &wgpu::BindGroupLayout,
    formats: PassFormats,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("pick mask"),
        bind_group_layouts: &[Some(group)],
        immediate_size: 0,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("pick mask"),
        source: wgpu::ShaderSource::Wgsl(mask().into()),
    });
    let colors = formats.color_states().map(|state| {
        state.map(|state| wgpu::ColorTargetState {
            write_mask: wgpu::ColorWrites::empty(),
            ..state
        })
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("pick mask"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vs_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: conv::texture_format(formats.depth),
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fs_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &colors[..formats.color_count()],
        }),
        multiview_mask: None,
        cache: None,
    })
}
