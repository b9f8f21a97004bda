//! Loss, time-outs, and what the host does wrong: typed, and never a panic.

use std::sync::Arc;

use pick_core::{
    AnyStrategy, Aspect, Backend, Caps, Channel, CustomShader, DepthConvention, ErrorKind,
    HostMesh, IntegerId, Object, PickError, Picker, Plan, Samples, Scene, Strategy, StrategyShader,
    TargetFormat, Texels, VertexStream, draw_all,
};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{cube, kept, little, middle, view};

on_each_driver! {
    a_destroyed_device_ends_everything_by_type,
    a_dead_device_takes_no_mesh,
    told_loss_ends_what_is_under_way,
    a_late_pick_times_out_and_the_next_is_right,
    waiting_for_an_unsubmitted_recording_times_out,
    a_destroyed_host_buffer_fails_by_type,
    a_strategy_of_a_users_own,
    dropping_with_picks_under_way,
}

fn is_lost(error: &PickError) -> bool {
    matches!(error.kind(), ErrorKind::DeviceLost { .. })
}

/// Field case 79: the device goes while a pick is under way.
fn a_destroyed_device_ends_everything_by_type(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let mut pending = picker
        .click(&mut backend, &mut scene, middle(&view))
        .unwrap();
    host.device.destroy();
    let start = std::time::Instant::now();
    let first = loop {
        picker.poll(&mut backend, &mut scene);
        if let Some(outcome) = pending.try_take() {
            break outcome;
        }
        assert!(
            start.elapsed().as_secs() < 5,
            "the pending pick never ended"
        );
    };
    match first {
        Ok(answer) => assert_eq!(answer.result.map(|hit| hit.tag), Some(1)),
        Err(error) => assert!(is_lost(&error), "{error}"),
    }
    for _ in 0..3 {
        let error = picker
            .pick(&mut backend, &mut scene, middle(&view))
            .unwrap_err();
        assert!(is_lost(&error), "{error}");
    }
    assert!(backend.lost_reason().is_some());
    let error = scene.meshes.add_mesh(&mut backend, cube()).unwrap_err();
    assert!(is_lost(&error), "{error}");
}

/// Making things on a device that is already gone says that it is gone.
fn a_dead_device_takes_no_mesh(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    host.device.destroy();
    let mut scene = Scene::new();
    let error = scene.meshes.add_mesh(&mut backend, cube()).unwrap_err();
    assert!(is_lost(&error), "{error}");
}

/// The host knows first.
fn told_loss_ends_what_is_under_way(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let mut ticket = picker
        .click(&mut backend, &mut scene, middle(&view))
        .unwrap();
    backend.device_lost("the driver went away");
    picker.poll(&mut backend, &mut scene);
    let error = ticket.try_take().unwrap().unwrap_err();
    assert!(
        is_lost(&error) && error.to_string().contains("went away"),
        "{error}"
    );
    let error = picker
        .click(&mut backend, &mut scene, middle(&view))
        .unwrap_err();
    assert!(is_lost(&error), "{error}");
    assert!(is_lost(&backend.wait(None, 100).err().unwrap_or(error)));
}

/// Field case 81: a pick that times out ends, and the next one is right.
fn a_late_pick_times_out_and_the_next_is_right(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let mut encoder = host.device.create_command_encoder(&Default::default());
    let request = middle(&view).strategy(IntegerId).timeout_ms(5);
    let mut ticket = picker
        .record(&mut backend, &mut scene, request, &mut encoder)
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    picker.poll(&mut backend, &mut scene);
    let error = ticket.try_take().unwrap().unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::TimedOut { timeout_ms: 5 });
    let pick = |backend: &mut _, picker: &mut Picker, scene: &mut _| {
        let answer = picker.pick(backend, scene, middle(&view).strategy(IntegerId));
        answer.unwrap().result.map(|hit| hit.tag)
    };
    assert_eq!(pick(&mut backend, &mut picker, &mut scene), Some(1));
    // The late one is submitted after all: nobody minds.
    host.queue.submit([encoder.finish()]);
    for _ in 0..3 {
        assert_eq!(pick(&mut backend, &mut picker, &mut scene), Some(1));
    }
}

/// Waiting for what was never submitted ends when its time is over.
fn waiting_for_an_unsubmitted_recording_times_out(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let mut encoder = host.device.create_command_encoder(&Default::default());
    let mut plan = Plan::new(view, pick_core::PixelRect::new(0, 0, 1, 1));
    plan.timeout_ms = 10_000;
    pick_core::Strategy::plan(&IntegerId, &backend.caps().clone(), &mut plan).unwrap();
    let slot = backend.execute(&plan, Some(&mut encoder)).unwrap();
    let error = backend.wait(Some(&slot), 20).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::TimedOut { timeout_ms: 20 });
    host.queue.submit([encoder.finish()]);
    backend.wait(Some(&slot), 10_000).unwrap();
    assert!(matches!(
        backend.poll(&slot),
        pick_core::SlotState::Ready(_)
    ));
}

/// A host buffer that is destroyed while a mesh lies in it fails picks, typed; others go on.
fn a_destroyed_host_buffer_fails_by_type(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let positions = [[-1.0f32, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let contents: Vec<u8> = positions
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let buffer = host.buffer(&contents, wgpu::BufferUsages::VERTEX);
    let positions = VertexStream {
        buffer: backend.adopt_buffer(&buffer),
        offset: 0,
        stride: 12,
    };
    let mesh = HostMesh::new(positions, 3);
    let mut scene = Scene::new();
    let source = pick_core::MeshSource::Host(Box::new(mesh));
    let key = scene.meshes.add_mesh(&mut backend, source).unwrap();
    scene.meshes.insert(Object::new(key).tagged(5)).unwrap();
    let view = view(DepthConvention::Standard);
    let mut picker = Picker::new();
    let request = || middle(&view).strategy(IntegerId);
    let answer = picker.pick(&mut backend, &mut scene, request()).unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(5));
    buffer.destroy();
    for _ in 0..3 {
        let error = picker
            .pick(&mut backend, &mut scene, request())
            .unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Broken { .. }), "{error}");
    }
    let mut other = little(&mut backend, kept);
    let answer = picker.pick(&mut backend, &mut other, request()).unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
}

/// A strategy of a user's own works, and one whose shader is wrong fails by type.
fn a_strategy_of_a_users_own(driver: Driver) {
    let mut backend = driver.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let request = middle(&view).strategy(AnyStrategy::Custom(Arc::new(Own { good: true })));
    let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
    for _ in 0..2 {
        let wrong = AnyStrategy::Custom(Arc::new(Own { good: false }));
        let request = middle(&view).strategy(wrong);
        let error = picker.pick(&mut backend, &mut scene, request).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Broken { .. }), "{error}");
    }
    let answer = picker
        .pick(&mut backend, &mut scene, middle(&view))
        .unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
}

/// A backend that is dropped with picks under way takes nothing down with it.
fn dropping_with_picks_under_way(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let sent = picker
        .click(&mut backend, &mut scene, middle(&view))
        .unwrap();
    let mut encoder = host.device.create_command_encoder(&Default::default());
    let recorded = picker
        .record(&mut backend, &mut scene, middle(&view), &mut encoder)
        .unwrap();
    drop(backend);
    host.queue.submit([encoder.finish()]);
    host.device
        .poll(wgpu::PollType::wait_indefinitely())
        .unwrap();
    drop(picker);
    drop((sent, recorded));
}

/// Writes the id alone.
struct Own {
    good: bool,
}

const GOOD: &str = "
struct PickOutput {
    @location(0) id: u32,
}

fn pick_output(in: PickFragment) -> PickOutput {
    return PickOutput(in.id);
}
";

impl Strategy for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn shader(&self, _surface: bool) -> StrategyShader {
        let wgsl = match self.good {
            true => GOOD.to_owned(),
            false => GOOD.replace("in.id", "in.nothing"),
        };
        StrategyShader::Custom(CustomShader {
            key: Arc::from(if self.good { "own" } else { "wrong" }),
            wgsl: Arc::from(wgsl),
            needs_primitive: false,
        })
    }

    fn plan(&self, _caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
        let id = plan.add_target(TargetFormat::R32Uint, Channel::Custom);
        let depth = plan.add_target(TargetFormat::Depth32Float, Channel::Depth);
        draw_all(plan, [Some(id), None], depth, None);
        plan.read_back(id, Aspect::Color);
        Ok(())
    }

    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples) {
        samples
            .ids
            .extend(texels.words::<1>(Channel::Custom).map(|[id]| id));
    }
}
