//! Picks recorded into an engine's own command buffer, completed by its timeline.

use std::time::{Duration, Instant};

use pick_core::{
    Backend, BuiltinStrategy, ColorId, DepthConvention, Detailed, ErrorKind, IntegerId, PickPoint,
    Picker, PrimitiveIndex, Request, SlotState, StencilId,
};

use pick_vulkan::ash::vk;

use crate::common::driver::Driver;
use crate::common::host::Host;
use crate::common::on_each_driver;
use crate::common::scene::{cube, kept, little, middle, shifted, view};

on_each_driver! {
    picks_share_a_command_buffer,
    recordings_and_submissions_mix,
    a_dropped_recording_cancels,
    a_value_without_its_recording_is_no_answer,
    a_recording_keeps_what_it_saw,
    what_is_removed_lives_until_its_recording_has_run,
    a_backend_goes_before_its_recordings_end,
    a_backend_that_goes_amid_a_frame_leaks_nothing,
    picks_leave_the_frame_alone,
    a_hover_does_not_wait_for_a_frame,
}

/// Picks in one command buffer do not disturb each other, whatever their strategies; the self-test
/// comes along.
fn picks_share_a_command_buffer(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::with_capacity(8);
    let view = view(DepthConvention::Standard);
    for (one, two) in [
        (
            BuiltinStrategy::from(Detailed),
            BuiltinStrategy::from(IntegerId),
        ),
        (ColorId.into(), ColorId.into()),
        (StencilId.into(), Detailed.into()),
    ] {
        let frame = host.begin();
        let first = middle(&view).strategy(one);
        let second = Request::point(&view, PickPoint::target_pixels(2.0, 2.0));
        let second = second.unwrap().strategy(two);
        let mut first = picker
            .record(&mut backend, &mut scene, first, frame.commands())
            .unwrap();
        let mut second = picker
            .record(&mut backend, &mut scene, second, frame.commands())
            .unwrap();
        for _ in 0..3 {
            picker.poll(&mut backend, &mut scene);
        }
        assert!(
            !first.is_ready() && !second.is_ready(),
            "nothing was submitted"
        );
        frame.submit();
        backend.wait(None, 10_000).unwrap();
        picker.poll(&mut backend, &mut scene);
        let first = first.try_take().unwrap().unwrap().result;
        assert_eq!(first.map(|hit| hit.tag), Some(1));
        assert!(second.try_take().unwrap().unwrap().result.is_none());
    }
    if driver.has_builtin() {
        assert_eq!(backend.caps().primitive_index, PrimitiveIndex::Trusted);
    }
}

/// Our own submissions between recording and submission of the host's, on the same targets.
fn recordings_and_submissions_mix(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::with_capacity(8);
    let view = view(DepthConvention::Standard);
    let nothing = || Request::point(&view, PickPoint::target_pixels(2.0, 2.0)).unwrap();
    for _ in 0..10 {
        let frames = [host.begin(), host.begin()];
        let mut tickets = Vec::new();
        for frame in &frames {
            let ticket = picker.record(&mut backend, &mut scene, middle(&view), frame.commands());
            tickets.push(ticket.unwrap());
            let between = picker.click(&mut backend, &mut scene, nothing()).unwrap();
            backend.drive();
            drop(between);
        }
        let answer = picker.pick(&mut backend, &mut scene, nothing()).unwrap();
        assert!(answer.result.is_none());
        for frame in frames {
            host.wait(frame.submit());
        }
        picker.poll(&mut backend, &mut scene);
        for mut ticket in tickets {
            let hit = ticket.try_take().unwrap().unwrap().result;
            assert_eq!(hit.map(|hit| hit.tag), Some(1));
        }
    }
}

/// What the host drops unsubmitted ends as cancelled, and its slots serve again.
fn a_dropped_recording_cancels(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    for _ in 0..5 {
        let frame = host.begin();
        let mut ticket = picker
            .record(&mut backend, &mut scene, middle(&view), frame.commands())
            .unwrap();
        frame.drop_unsubmitted(&mut backend);
        picker.poll(&mut backend, &mut scene);
        let error = ticket.try_take().unwrap().unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Cancelled);
    }
    // The self-test was in a dropped recording too: it is due again.
    if driver.has_builtin() {
        assert_eq!(backend.caps().primitive_index, PrimitiveIndex::Untested);
    }
    let answer = picker
        .pick(&mut backend, &mut scene, middle(&view))
        .unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
    if driver.has_builtin() {
        backend.drive();
        assert_eq!(backend.caps().primitive_index, PrimitiveIndex::Trusted);
    }
}

/// A host that signals the value without having submitted gets an error, not the last pick's texels.
fn a_value_without_its_recording_is_no_answer(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let request = || middle(&view).strategy(IntegerId);
    picker.pick(&mut backend, &mut scene, request()).unwrap();
    let frame = host.begin();
    let mut ticket = picker
        .record(&mut backend, &mut scene, request(), frame.commands())
        .unwrap();
    host.signal(frame.value);
    picker.poll(&mut backend, &mut scene);
    let error = ticket.try_take().unwrap().unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Broken { .. }) && error.to_string().contains("never ran"),
        "{error}"
    );
    frame.drop_unsubmitted(&mut backend);
    let answer = picker.pick(&mut backend, &mut scene, request()).unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
}

/// What the scene does after recording and before submission does not change the answer.
fn a_recording_keeps_what_it_saw(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = pick_core::Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, cube()).unwrap();
    let rows = |x: f32| pick_core::InstanceSource::Cpu(vec![shifted(x, 0.0, 0.0)].into());
    let set = scene.meshes.add_instances(&mut backend, rows(0.0)).unwrap();
    let object = scene
        .meshes
        .insert(pick_core::Object::new(mesh).instanced(set).tagged(9))
        .unwrap();
    let view = view(DepthConvention::Standard);
    let mut picker = Picker::new();
    let frame = host.begin();
    let mut ticket = picker
        .record(&mut backend, &mut scene, middle(&view), frame.commands())
        .unwrap();
    scene
        .meshes
        .update_instances(&mut backend, set, rows(50.0))
        .unwrap();
    scene.meshes.remove(object).unwrap();
    scene.meshes.remove_instances(&mut backend, set).unwrap();
    scene.meshes.remove_mesh(&mut backend, mesh).unwrap();
    backend.trim();
    frame.submit();
    backend.wait(None, 10_000).unwrap();
    picker.poll(&mut backend, &mut scene);
    let hit = ticket.try_take().unwrap().unwrap().result;
    let hit = hit.expect("the cube as it was");
    assert_eq!((hit.tag, hit.removed), (9, true));
}

/// Buffers, sets and targets that are let go stay until the recording that needs them has run, also
/// with many picks in between.
fn what_is_removed_lives_until_its_recording_has_run(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = pick_core::Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, kept(cube())).unwrap();
    let object = pick_core::Object::new(mesh).tagged(1);
    let object = scene.meshes.insert(object).unwrap();
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let frame = host.begin();
    let mut ticket = picker
        .record(&mut backend, &mut scene, middle(&view), frame.commands())
        .unwrap();
    scene.meshes.remove(object).unwrap();
    scene.meshes.remove_mesh(&mut backend, mesh).unwrap();
    let mut other = little(&mut backend, kept);
    for side in 1..50 {
        let region = pick_core::PixelRect::new(0, 0, side, side);
        let request = Request::id_image(&view, region).unwrap();
        picker.pick(&mut backend, &mut other, request).unwrap();
    }
    frame.submit();
    backend.wait(None, 10_000).unwrap();
    picker.poll(&mut backend, &mut scene);
    let hit = ticket.try_take().unwrap().unwrap().result;
    assert_eq!(hit.map(|hit| hit.tag), Some(1));
}

/// A backend that is dropped with a recording under way destroys nothing that the recording needs: it
/// leaks. The layer would tell of objects in use.
fn a_backend_goes_before_its_recordings_end(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let view = view(DepthConvention::Standard);
    // One that is told to be dropped, and one that has run unseen, leak nothing.
    let dropped = host.begin();
    let run = host.begin();
    let mut picker = Picker::new();
    for frame in [&dropped, &run] {
        let request = middle(&view).strategy(IntegerId);
        let ticket = picker.record(&mut backend, &mut scene, request, frame.commands());
        drop(ticket.unwrap());
    }
    dropped.drop_unsubmitted(&mut backend);
    host.wait(run.submit());
    drop(backend);
    let mut plan = pick_core::Plan::new(view, pick_core::PixelRect::new(0, 0, 1, 1));
    plan.timeout_ms = 10_000;
    let mut backend = host.backend();
    pick_core::Strategy::plan(&IntegerId, &backend.caps().clone(), &mut plan).unwrap();
    let frame = host.begin();
    let slot = backend.execute(&plan, Some(frame.commands())).unwrap();
    host.wait(frame.submit());
    backend.wait(Some(&slot), 10_000).unwrap();
    assert!(matches!(backend.poll(&slot), SlotState::Ready(_)));
}

/// The frame is let end first. The layer would tell what is left when the host destroys its device.
fn a_backend_that_goes_amid_a_frame_leaks_nothing(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let view = view(DepthConvention::Standard);
    let mut picker = Picker::new();
    let load = Load::new(&host, 8);
    for _ in 0..5 {
        let frame = host.begin();
        let request = middle(&view).strategy(IntegerId);
        let ticket = picker.record(&mut backend, &mut scene, request, frame.commands());
        load.record(&host, frame.commands);
        frame.submit();
        drop(backend);
        drop(ticket);
        backend = host.backend();
        scene = little(&mut backend, kept);
        picker = Picker::new();
    }
}

/// Field case 83: a frame of the host's is the same with and without picks amid it.
fn picks_leave_the_frame_alone(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::with_capacity(8);
    let view = view(DepthConvention::Standard);
    let picture = host.picture();
    let plain = host.two_passes(&picture, |_| {});
    assert!(plain.iter().any(|byte| *byte != 0));
    for _ in 0..5 {
        let mut tickets = Vec::new();
        let picked = host.two_passes(&picture, |frame| {
            for strategy in BuiltinStrategy::ALL {
                let request = middle(&view).strategy(strategy);
                let ticket = picker.record(&mut backend, &mut scene, request, frame.commands());
                tickets.push(ticket.unwrap());
            }
        });
        assert_eq!(picked, plain);
        picker.poll(&mut backend, &mut scene);
        for mut ticket in tickets {
            let hit = ticket.try_take().unwrap().unwrap().result;
            assert_eq!(hit.map(|hit| hit.tag), Some(1));
        }
    }
}

/// Field case 86: while a frame is under way, asking takes a small part of the frame's time, and the answer
/// is there once the device is done with what was sent.
fn a_hover_does_not_wait_for_a_frame(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let request = || middle(&view).strategy(IntegerId);
    picker.pick(&mut backend, &mut scene, request()).unwrap();
    let load = Load::new(&host, 64);
    let (mut frames, mut hovers) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        let frame = host.begin();
        load.record(&host, frame.commands);
        let start = Instant::now();
        let value = frame.submit();
        let submitted = start.elapsed();
        let running = host.reached() < value;
        let asked = Instant::now();
        let mut ticket = picker.hover(&mut backend, &mut scene, request()).unwrap();
        picker.poll(&mut backend, &mut scene);
        let took = asked.elapsed();
        host.wait(value);
        if running {
            frames.push(start.elapsed() - submitted);
            hovers.push(took);
        }
        backend.wait(None, 10_000).unwrap();
        picker.poll(&mut backend, &mut scene);
        let hit = ticket.try_take().unwrap().unwrap().result;
        assert_eq!(hit.map(|hit| hit.tag), Some(1));
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied()
    };
    match (median(&mut frames), median(&mut hovers)) {
        (Some(frame), Some(hover)) => {
            println!("{}: asked in {hover:?} amid {frame:?}", driver.name());
            assert!(hover < frame / 4, "asked in {hover:?} amid {frame:?}");
        }
        _ => println!("{}: submitting runs the frame to its end", driver.name()),
    }
}

/// Work for the device that takes a while.
struct Load {
    buffer: vk::Buffer,
}

impl Load {
    fn new(host: &Host, mib: usize) -> Self {
        let zeros = vec![0; mib << 20];
        Self {
            buffer: host
                .buffer(&zeros, vk::BufferUsageFlags::TRANSFER_DST)
                .buffer,
        }
    }

    fn record(&self, host: &Host, commands: vk::CommandBuffer) {
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
            .dst_access_mask(vk::AccessFlags2::TRANSFER_WRITE)];
        let one_after_the_other = vk::DependencyInfo::default().memory_barriers(&barriers);
        for word in 0..3 {
            // SAFETY: the buffer is recording, and the filled one lives as long as the host.
            unsafe {
                host.device
                    .cmd_pipeline_barrier2(commands, &one_after_the_other);
                host.device
                    .cmd_fill_buffer(commands, self.buffer, 0, vk::WHOLE_SIZE, word);
            }
        }
    }
}
