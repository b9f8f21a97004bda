//! Shader modules and graphics pipelines for dynamic rendering.

use std::sync::Arc;

use ash::vk;
use pick_core::PickError;

use super::cache::PipelineCache;
use super::descriptor::PipelineLayout;
use super::device::Device;
use super::error::refused;
use super::graves::Dead;

/// A vertex and a fragment stage, with the entry points that the composer names.
pub(crate) struct Shader {
    device: Arc<Device>,
    vertex: vk::ShaderModule,
    fragment: vk::ShaderModule,
}

impl Shader {
    /// Makes modules of SPIR-V that naga validated.
    ///
    /// # Errors
    /// `Broken`, `DeviceLost`.
    pub(crate) fn new(
        device: &Arc<Device>,
        vertex: &[u32],
        fragment: &[u32],
    ) -> Result<Self, PickError> {
        let mut shader = Self {
            device: device.clone(),
            vertex: vk::ShaderModule::null(),
            fragment: vk::ShaderModule::null(),
        };
        shader.vertex = module(device, vertex)?;
        shader.fragment = module(device, fragment)?;
        Ok(shader)
    }
}

impl Drop for Shader {
    fn drop(&mut self) {
        // Null handles are ignored when they are destroyed.
        self.device.bury(Dead::Module(self.vertex));
        self.device.bury(Dead::Module(self.fragment));
    }
}

pub(super) fn module(device: &Device, words: &[u32]) -> Result<vk::ShaderModule, PickError> {
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: invariants 2 and 8; naga made the words out of a module that it validated, and declares
    // the Geometry capability only where the device has the feature.
    let made = unsafe { device.raw.create_shader_module(&info, None) };
    made.map_err(|result| refused("a shader module", result))
}

/// What a pipeline does with the stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stencil {
    /// Nothing.
    Off,
    /// Writes the reference wherever the depth test passes.
    Write,
    /// Draws where this bit is set, without a depth test, and adds the blend constant.
    ReadBit(u32),
}

/// What a pipeline is made of.
pub(crate) struct PipelineParts<'p> {
    pub(crate) shader: &'p Shader,
    pub(crate) layout: &'p PipelineLayout,
    /// Bytes from a vertex to the next: position, normal, texture coordinate.
    pub(crate) strides: [Option<u32>; 3],
    pub(crate) colors: &'p [vk::Format],
    pub(crate) depth: vk::Format,
    pub(crate) has_stencil: bool,
    pub(crate) compare: vk::CompareOp,
    pub(crate) stencil: Stencil,
    /// It writes depth, whatever is there, and nothing else.
    pub(crate) opens: bool,
}

/// A pipeline and the layout of its sets.
pub(crate) struct Pipeline {
    device: Arc<Device>,
    pub(super) raw: vk::Pipeline,
    pub(super) layout: vk::PipelineLayout,
}

/// Position, normal, texture coordinate: each alone in a vertex buffer, at the location of its number.
const ATTRIBUTES: [vk::Format; 3] = [
    vk::Format::R32G32B32_SFLOAT,
    vk::Format::R32G32B32_SFLOAT,
    vk::Format::R32G32_SFLOAT,
];

impl Pipeline {
    /// Compiles a pipeline. The layout must live as long as it is used.
    ///
    /// # Errors
    /// `Broken`, `DeviceLost`.
    pub(crate) fn new(
        device: &Arc<Device>,
        cache: &PipelineCache,
        parts: &PipelineParts<'_>,
    ) -> Result<Self, PickError> {
        let stage = |module, stage, name| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(stage)
                .module(module)
                .name(name)
        };
        let stages = [
            stage(
                parts.shader.vertex,
                vk::ShaderStageFlags::VERTEX,
                c"vs_main",
            ),
            stage(
                parts.shader.fragment,
                vk::ShaderStageFlags::FRAGMENT,
                c"fs_main",
            ),
        ];
        let strides = (0..).zip(parts.strides);
        let used = strides.filter_map(|(slot, stride)| Some((slot, stride?)));
        let (bindings, attributes): (Vec<_>, Vec<_>) = used
            .map(|(slot, stride)| (binding(slot, stride), attribute(slot)))
            .unzip();
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewport_count(1)
            .scissor_count(1);
        // Sides are left out by the fragment stage, where mirrored transforms are known.
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(vk::PolygonMode::FILL)
            .cull_mode(vk::CullModeFlags::NONE)
            .front_face(vk::FrontFace::COUNTER_CLOCKWISE)
            .line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let mut depth = depth_stencil(parts.compare, parts.stencil);
        let mut blend = blend(parts.stencil);
        if parts.opens {
            depth = depth.depth_test_enable(true).depth_write_enable(true);
            blend = blend.color_write_mask(vk::ColorComponentFlags::empty());
        }
        let blends = vec![blend; parts.colors.len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let moving = [
            vk::DynamicState::VIEWPORT,
            vk::DynamicState::SCISSOR,
            vk::DynamicState::STENCIL_REFERENCE,
            vk::DynamicState::BLEND_CONSTANTS,
        ];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&moving);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(parts.colors)
            .depth_attachment_format(parts.depth)
            .stencil_attachment_format(match parts.has_stencil {
                true => parts.depth,
                false => vk::Format::UNDEFINED,
            });
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(parts.layout.raw)
            .push_next(&mut rendering);
        // SAFETY: invariants 1, 2 and 8; the cache is reached through `&mut` of the backend only.
        let made = unsafe {
            device
                .raw
                .create_graphics_pipelines(cache.raw, &[info], None)
        };
        let made = made.map_err(|(_, result)| refused("a pipeline", result))?;
        let Some(&raw) = made.first() else {
            return Err(PickError::broken("a driver made no pipeline")); // not reached: one was asked for
        };
        Ok(Self {
            device: device.clone(),
            raw,
            layout: parts.layout.raw,
        })
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        self.device.bury(Dead::Pipeline(self.raw));
    }
}

fn binding(slot: u32, stride: u32) -> vk::VertexInputBindingDescription {
    vk::VertexInputBindingDescription {
        binding: slot,
        stride,
        input_rate: vk::VertexInputRate::VERTEX,
    }
}

fn attribute(slot: u32) -> vk::VertexInputAttributeDescription {
    vk::VertexInputAttributeDescription {
        location: slot,
        binding: slot,
        format: ATTRIBUTES[slot as usize],
        offset: 0,
    }
}

/// The depth and stencil test.
pub(crate) fn depth_stencil(
    compare: vk::CompareOp,
    stencil: Stencil,
) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let keep = vk::StencilOpState {
        fail_op: vk::StencilOp::KEEP,
        pass_op: vk::StencilOp::KEEP,
        depth_fail_op: vk::StencilOp::KEEP,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: 0xff,
        write_mask: 0,
        reference: 0,
    };
    let face = match stencil {
        Stencil::Off => keep,
        Stencil::Write => vk::StencilOpState {
            pass_op: vk::StencilOp::REPLACE,
            write_mask: 0xff,
            ..keep
        },
        Stencil::ReadBit(bit) => vk::StencilOpState {
            compare_op: vk::CompareOp::EQUAL,
            compare_mask: 1 << bit,
            ..keep
        },
    };
    let tests_depth = compare != vk::CompareOp::ALWAYS && !matches!(stencil, Stencil::ReadBit(_));
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(tests_depth)
        .depth_write_enable(tests_depth)
        .depth_compare_op(compare)
        .stencil_test_enable(stencil != Stencil::Off)
        .front(face)
        .back(face)
}

fn blend(stencil: Stencil) -> vk::PipelineColorBlendAttachmentState {
    let state = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA);
    match stencil {
        Stencil::Off | Stencil::Write => state,
        Stencil::ReadBit(_) => state
            .blend_enable(true)
            .src_color_blend_factor(vk::BlendFactor::CONSTANT_COLOR)
            .dst_color_blend_factor(vk::BlendFactor::ONE)
            .color_blend_op(vk::BlendOp::ADD)
            .src_alpha_blend_factor(vk::BlendFactor::CONSTANT_ALPHA)
            .dst_alpha_blend_factor(vk::BlendFactor::ONE)
            .alpha_blend_op(vk::BlendOp::ADD),
    }
}
