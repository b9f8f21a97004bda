//! A user contributor's own recording inside our passes.

use std::collections::HashMap;

use glam::{DMat4, DVec3};
use pick_core::{
    Backend, Band, BuiltinStrategy, Contributor, ContributorId, DepthConvention, Detailed,
    ErrorKind, ForeignContext, ForeignDraw, ForeignId, ForeignOffer, IntegerId, Object, Offers,
    PickError, PickPoint, Picker, Request, Scene, StencilId, TargetFormat, View,
};
use pick_vulkan::ash::{self, vk};
use pick_vulkan::{Pass, PassFormats, VulkanBackend};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{cube, view};

on_each_driver! {
    a_foreign_draw_is_picked,
    a_foreign_error_fails_its_pick_only,
    a_drawer_of_another_backend_is_refused,
}

/// Offers one recording with three ids.
struct Stripes {
    drawer: ForeignId,
    band: Band,
    fails: bool,
}

impl Contributor for Stripes {
    fn name(&self) -> &str {
        "stripes"
    }

    fn offer(&mut self, offers: &mut Offers<'_>) -> Result<(), PickError> {
        let offer = ForeignOffer {
            drawer: self.drawer,
            token: u64::from(self.fails),
            id_count: 3,
            tag: 77,
            band: self.band,
        };
        offers.foreign(offer).map(drop)
    }
}

/// Covers the target at a middling depth with the first of its ids.
#[derive(Default)]
struct Cover {
    made: HashMap<(PassFormats, u32), Made>,
    /// To destroy what was made.
    device: Option<ash::Device>,
}

struct Made {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    modules: [vk::ShaderModule; 2],
}

impl Cover {
    fn make(device: &ash::Device, formats: &PassFormats, id: u32) -> Made {
        let output = match formats.colors[0] {
            Some(_) => format!("-> @location(0) vec4u {{ return vec4u({id}u, 0u, 0u, 0u); }}"),
            None => "{}".to_owned(),
        };
        let wgsl = format!(
            "@vertex fn vs(@builtin(vertex_index) v: u32) -> @builtin(position) vec4f {{
                let corner = vec2f(f32(v & 1u), f32(v >> 1u)) * 4.0 - 1.0;
                return vec4f(corner, 0.5, 1.0);
            }}
            @fragment fn fs() {output}"
        );
        let [vs, fs] = ["vs", "fs"].map(|entry| pick_shaders::to_spirv(&wgsl, entry).unwrap());
        let colors: Vec<vk::Format> = formats.colors.into_iter().flatten().map(color).collect();
        let depth = match formats.depth {
            TargetFormat::Depth32Float => vk::Format::D32_SFLOAT,
            _ => vk::Format::D32_SFLOAT_S8_UINT,
        };
        // SAFETY: everything is made of the device's and lives through its call.
        unsafe {
            let modules = [vs, fs].map(|words| {
                let info = vk::ShaderModuleCreateInfo::default().code(&words);
                device.create_shader_module(&info, None).unwrap()
            });
            let info = vk::PipelineLayoutCreateInfo::default();
            let layout = device.create_pipeline_layout(&info, None).unwrap();
            let stage = |module, stage, name| {
                vk::PipelineShaderStageCreateInfo::default()
                    .module(module)
                    .stage(stage)
                    .name(name)
            };
            let stages = [
                stage(modules[0], vk::ShaderStageFlags::VERTEX, c"vs"),
                stage(modules[1], vk::ShaderStageFlags::FRAGMENT, c"fs"),
            ];
            let input = vk::PipelineVertexInputStateCreateInfo::default();
            let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
                .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
            let viewport = vk::PipelineViewportStateCreateInfo::default()
                .viewport_count(1)
                .scissor_count(1);
            let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
            let samples = vk::PipelineMultisampleStateCreateInfo::default()
                .rasterization_samples(vk::SampleCountFlags::TYPE_1);
            let depth_stencil = formats.depth_stencil_state();
            let blends = vec![
                vk::PipelineColorBlendAttachmentState::default()
                    .color_write_mask(vk::ColorComponentFlags::RGBA);
                colors.len()
            ];
            let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
            let moving = [
                vk::DynamicState::VIEWPORT,
                vk::DynamicState::SCISSOR,
                vk::DynamicState::STENCIL_REFERENCE,
            ];
            let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&moving);
            let stencil = match depth {
                vk::Format::D32_SFLOAT_S8_UINT => depth,
                _ => vk::Format::UNDEFINED,
            };
            let mut rendering = vk::PipelineRenderingCreateInfo::default()
                .color_attachment_formats(&colors)
                .depth_attachment_format(depth)
                .stencil_attachment_format(stencil);
            let info = vk::GraphicsPipelineCreateInfo::default()
                .stages(&stages)
                .vertex_input_state(&input)
                .input_assembly_state(&assembly)
                .viewport_state(&viewport)
                .rasterization_state(&raster)
                .multisample_state(&samples)
                .depth_stencil_state(&depth_stencil)
                .color_blend_state(&blend)
                .dynamic_state(&dynamic)
                .layout(layout)
                .push_next(&mut rendering);
            let cache = vk::PipelineCache::null();
            let made = device.create_graphics_pipelines(cache, &[info], None);
            Made {
                pipeline: made.unwrap()[0],
                layout,
                modules,
            }
        }
    }
}

fn color(format: TargetFormat) -> vk::Format {
    match format {
        TargetFormat::Rg32Uint => vk::Format::R32G32_UINT,
        TargetFormat::Rgba32Uint => vk::Format::R32G32B32A32_UINT,
        other => panic!("{other:?} is not drawn into here"),
    }
}

impl Drop for Cover {
    fn drop(&mut self) {
        let Some(device) = &self.device else {
            return;
        };
        // SAFETY: all picks have been waited for; the backend drops its drawers before its device.
        unsafe {
            for made in self.made.values() {
                device.destroy_pipeline(made.pipeline, None);
                device.destroy_pipeline_layout(made.layout, None);
                for module in made.modules {
                    device.destroy_shader_module(module, None);
                }
            }
        }
    }
}

impl ForeignDraw<VulkanBackend> for Cover {
    fn record(&mut self, pass: &mut Pass<'_>, at: &ForeignContext<'_>) -> Result<(), PickError> {
        if at.item.token == 1 {
            return Err(PickError::broken("the stripes ran out of paint"));
        }
        let formats = PassFormats::of(at.plan, at.pass)?;
        let id = at.item.ids.first;
        let device = pass.device();
        self.device.get_or_insert_with(|| device.clone());
        let made = self.made.entry((formats, id));
        let pipeline = made
            .or_insert_with(|| Self::make(device, &formats, id))
            .pipeline;
        let commands = pass.commands();
        let corner = vk::Rect2D::from(vk::Extent2D {
            width: 1,
            height: 1,
        });
        // SAFETY: the pass is open, and the pipeline is for its formats.
        unsafe {
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_bind_pipeline(commands, graphics, pipeline);
            // Moved on purpose: what is drawn after it must not notice.
            device.cmd_set_scissor(commands, 0, &[corner]);
            device.cmd_draw(commands, 3, 1, 0, 0);
        }
        Ok(())
    }
}

fn cover(backend: &mut VulkanBackend) -> ForeignId {
    backend
        .register_foreign(Box::new(Cover::default()))
        .unwrap()
}

/// A cube in front of the middle, and the stripes, which lie behind it at NDC depth 0.5.
fn scene(backend: &mut VulkanBackend, band: Band, fails: bool) -> (Scene, ContributorId) {
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(backend, cube()).unwrap();
    let eye = DVec3::new(1.5, 2.5, 6.0);
    // Nearer than NDC depth 0.5, which is 0.2 from the eye: nearly at it, and small.
    let near = DMat4::from_translation(eye * (1.0 - 0.15 / eye.length()))
        * DMat4::from_scale(DVec3::splat(0.02));
    scene
        .meshes
        .insert(Object::new(mesh).at(near).tagged(1))
        .unwrap();
    scene.meshes.insert(Object::new(mesh).tagged(2)).unwrap();
    let drawer = cover(backend);
    let stripes = scene.add_contributor(Stripes {
        drawer,
        band,
        fails,
    });
    (scene, stripes.id())
}

fn at(view: &View, x: f64, y: f64) -> Request<Option<pick_core::Hit>> {
    Request::point(view, PickPoint::target_pixels(x, y)).unwrap()
}

const STRATEGIES: [BuiltinStrategy; 3] = [
    BuiltinStrategy::IntegerId(IntegerId),
    BuiltinStrategy::StencilId(StencilId),
    BuiltinStrategy::Detailed(Detailed),
];

/// A recording takes part in the depth test, and bands go over it.
fn a_foreign_draw_is_picked(driver: Driver) {
    let mut backend = driver.backend();
    let view = view(DepthConvention::Standard);
    for strategy in STRATEGIES {
        let (mut below, stripes) = scene(&mut backend, Band::SCENE, false);
        let (mut above, _) = scene(&mut backend, Band(1), false);
        let mut picker = Picker::new();
        let mut pick = |scene: &mut Scene, x: f64, y: f64| {
            let request = at(&view, x, y).strategy(strategy);
            picker
                .pick(&mut backend, scene, request)
                .unwrap()
                .result
                .map(|hit| (hit.tag, hit.contributor))
        };
        let corner = pick(&mut below, 2.0, 2.0);
        assert_eq!(corner, Some((77, stripes)), "{strategy:?}");
        let (middle, over) = (pick(&mut below, 40.0, 40.0), pick(&mut above, 40.0, 40.0));
        assert_eq!(middle.map(|(tag, _)| tag), Some(1), "{strategy:?}");
        assert_eq!(over.map(|(tag, _)| tag), Some(77), "{strategy:?}");
    }
}

/// The recorder's own error is the pick's, in our encoder and in the host's, and nothing stays
/// behind.
fn a_foreign_error_fails_its_pick_only(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let (mut bad, _) = scene(&mut backend, Band(1), true);
    let (mut good, _) = scene(&mut backend, Band::SCENE, false);
    let mut picker = Picker::new();
    let request = || at(&view, 40.0, 40.0).strategy(IntegerId);
    for round in 0..6 {
        let frame = host.begin();
        let error = match round % 2 {
            0 => picker.click(&mut backend, &mut bad, request()).unwrap_err(),
            _ => picker
                .record(&mut backend, &mut bad, request(), frame.commands())
                .unwrap_err(),
        };
        assert!(error.to_string().contains("ran out of paint"), "{error}");
        // The host submits its frame all the same.
        let value = frame.submit();
        let answer = picker.pick(&mut backend, &mut good, request()).unwrap();
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
        host.wait(value);
    }
    backend.wait(None, 10_000).unwrap();
}

/// A drawer of another backend is refused.
fn a_drawer_of_another_backend_is_refused(driver: Driver) {
    let (mut one, mut two) = (driver.backend(), driver.backend());
    let view = view(DepthConvention::Standard);
    let mut scene = Scene::new();
    let drawer = cover(&mut one);
    scene.add_contributor(Stripes {
        drawer,
        band: Band::SCENE,
        fails: false,
    });
    let request = at(&view, 2.0, 2.0).strategy(IntegerId);
    let error = Picker::new()
        .pick(&mut two, &mut scene, request)
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Input(_)), "{error}");
}
