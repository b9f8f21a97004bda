//! A user contributor's own recording inside our passes.

use std::collections::HashMap;

use glam::{DMat4, DVec3};
use pick_core::{
    Backend, Band, BuiltinStrategy, Contributor, ContributorId, DepthConvention, Detailed,
    ErrorKind, ForeignContext, ForeignDraw, ForeignId, ForeignOffer, IntegerId, Object, Offers,
    PickError, PickPoint, Picker, Request, Scene, StencilId, View,
};
use pick_wgpu::{PassFormats, WgpuBackend};

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
struct Cover {
    device: wgpu::Device,
    pipelines: HashMap<(PassFormats, u32), wgpu::RenderPipeline>,
}

impl Cover {
    fn pipeline(&self, formats: &PassFormats, id: u32) -> wgpu::RenderPipeline {
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
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(wgsl.into()),
            });
        let colors = formats.color_states();
        let count = formats.color_count();
        self.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: None,
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: None,
                    compilation_options: Default::default(),
                    buffers: &[],
                },
                primitive: Default::default(),
                depth_stencil: Some(formats.depth_stencil_state()),
                multisample: Default::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: None,
                    compilation_options: Default::default(),
                    targets: &colors[..count],
                }),
                multiview_mask: None,
                cache: None,
            })
    }
}

impl ForeignDraw<WgpuBackend> for Cover {
    fn record(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        at: &ForeignContext<'_>,
    ) -> Result<(), PickError> {
        if at.item.token == 1 {
            return Err(PickError::broken("the stripes ran out of paint"));
        }
        let formats = PassFormats::of(at.plan, at.pass)?;
        let id = at.item.ids.first;
        let made = self.pipelines.get(&(formats, id)).cloned();
        let pipeline = made.unwrap_or_else(|| self.pipeline(&formats, id));
        pass.set_pipeline(&pipeline);
        // Moved on purpose: what is drawn after it must not notice.
        pass.set_scissor_rect(0, 0, 1, 1);
        pass.draw(0..3, 0..1);
        self.pipelines.insert((formats, id), pipeline);
        Ok(())
    }
}

fn cover(backend: &mut WgpuBackend) -> ForeignId {
    let drawer = Cover {
        device: backend.device().clone(),
        pipelines: HashMap::new(),
    };
    backend.register_foreign(Box::new(drawer)).unwrap()
}

/// A cube in front of the middle, and the stripes, which lie behind it at NDC depth 0.5.
fn scene(backend: &mut WgpuBackend, band: Band, fails: bool) -> (Scene, ContributorId) {
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
        let mut encoder = host.device.create_command_encoder(&Default::default());
        let error = match round % 2 {
            0 => picker.click(&mut backend, &mut bad, request()).unwrap_err(),
            _ => picker
                .record(&mut backend, &mut bad, request(), &mut encoder)
                .unwrap_err(),
        };
        assert!(error.to_string().contains("ran out of paint"), "{error}");
        // The host submits its frame all the same.
        host.queue.submit([encoder.finish()]);
        let answer = picker.pick(&mut backend, &mut good, request()).unwrap();
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
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
