//! Picks recorded into the host's own encoder, and picks amid the host's frames.

use std::time::{Duration, Instant};

use pick_core::{
    Backend, BuiltinStrategy, ColorId, DepthConvention, Detailed, ErrorKind, IntegerId, Picker,
    PrimitiveIndex,
};

use crate::common::driver::{Driver, Host};
use crate::common::on_each_driver;
use crate::common::scene::{kept, little, middle, view};

on_each_driver! {
    two_picks_share_an_encoder,
    a_dropped_encoder_cancels,
    a_refused_submission_is_no_answer,
    a_recording_keeps_what_it_saw,
    picks_leave_the_frame_alone,
    a_hover_does_not_wait_for_a_frame,
}

fn encoder(host: &Host) -> wgpu::CommandEncoder {
    host.device.create_command_encoder(&Default::default())
}

/// Two picks in one encoder do not disturb each other, whatever their strategies.
fn two_picks_share_an_encoder(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    for (one, two) in [
        (
            BuiltinStrategy::from(Detailed),
            BuiltinStrategy::from(IntegerId),
        ),
        (ColorId.into(), ColorId.into()),
    ] {
        let mut encoder = encoder(&host);
        let first = middle(&view).strategy(one);
        let second =
            pick_core::Request::point(&view, pick_core::PickPoint::target_pixels(2.0, 2.0));
        let second = second.unwrap().strategy(two);
        let mut first = picker
            .record(&mut backend, &mut scene, first, &mut encoder)
            .unwrap();
        let mut second = picker
            .record(&mut backend, &mut scene, second, &mut encoder)
            .unwrap();
        for _ in 0..3 {
            picker.poll(&mut backend, &mut scene);
        }
        assert!(
            !first.is_ready() && !second.is_ready(),
            "nothing was submitted"
        );
        host.queue.submit([encoder.finish()]);
        backend.wait(None, 10_000).unwrap();
        picker.poll(&mut backend, &mut scene);
        let first = first.try_take().unwrap().unwrap().result;
        assert_eq!(first.map(|hit| hit.tag), Some(1));
        assert!(second.try_take().unwrap().unwrap().result.is_none());
    }
}

/// A dropped encoder cancels its picks, and its slots serve again.
fn a_dropped_encoder_cancels(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    for round in 0..5 {
        let mut encoder = encoder(&host);
        let mut ticket = picker
            .record(&mut backend, &mut scene, middle(&view), &mut encoder)
            .unwrap();
        match round % 2 {
            0 => drop(encoder),
            _ => drop(encoder.finish()),
        }
        picker.poll(&mut backend, &mut scene);
        let error = ticket.try_take().unwrap().unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Cancelled);
    }
    // The self-test was in a dropped encoder too: it is due again.
    if driver.has_builtin() {
        assert_eq!(backend.caps().primitive_index, PrimitiveIndex::Untested);
    }
    let slot_bytes = backend.memory().slot_bytes;
    let answer = picker
        .pick(&mut backend, &mut scene, middle(&view))
        .unwrap();
    assert_eq!(answer.result.map(|hit| hit.tag), Some(1));
    assert_eq!(
        backend.memory().slot_bytes,
        slot_bytes + tight_bytes(&backend, slot_bytes)
    );
    if driver.has_builtin() {
        backend.drive();
        assert_eq!(backend.caps().primitive_index, PrimitiveIndex::Trusted);
    }
}

/// An encoder that wgpu refuses fails its picks; what an earlier pick left is not passed off as
/// their answer.
fn a_refused_submission_is_no_answer(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    picker
        .pick(&mut backend, &mut scene, middle(&view).strategy(IntegerId))
        .unwrap();
    let scope = host.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let mut encoder = encoder(&host);
    let request = middle(&view).strategy(IntegerId);
    let mut ticket = picker
        .record(&mut backend, &mut scene, request, &mut encoder)
        .unwrap();
    // The host's own mistake: a copy beyond a buffer's end.
    let small = host.buffer(&[0; 16], wgpu::BufferUsages::COPY_SRC);
    encoder.copy_buffer_to_buffer(&small, 0, &small, 64, 64);
    host.queue.submit([encoder.finish()]);
    assert!(pollster::block_on(scope.pop()).is_some());
    backend.wait(None, 10_000).unwrap();
    picker.poll(&mut backend, &mut scene);
    let error = ticket.try_take().unwrap().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Broken { .. }), "{error}");
    let answer = picker.pick(&mut backend, &mut scene, middle(&view).strategy(IntegerId));
    assert_eq!(answer.unwrap().result.map(|hit| hit.tag), Some(1));
}

/// What the scene does after recording and before submission does not change the answer.
fn a_recording_keeps_what_it_saw(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = pick_core::Scene::new();
    let mesh = scene
        .meshes
        .add_mesh(&mut backend, crate::common::scene::cube())
        .unwrap();
    let rows = |x: f32| {
        let shift = crate::common::scene::shifted(x, 0.0, 0.0);
        pick_core::InstanceSource::Cpu(std::sync::Arc::from([shift]))
    };
    let set = scene.meshes.add_instances(&mut backend, rows(0.0)).unwrap();
    let object = scene
        .meshes
        .insert(pick_core::Object::new(mesh).instanced(set).tagged(9))
        .unwrap();
    let view = view(DepthConvention::Standard);
    let mut picker = Picker::new();
    let mut encoder = encoder(&host);
    let mut ticket = picker
        .record(&mut backend, &mut scene, middle(&view), &mut encoder)
        .unwrap();
    scene
        .meshes
        .update_instances(&mut backend, set, rows(50.0))
        .unwrap();
    scene.meshes.remove(object).unwrap();
    scene.meshes.remove_instances(&mut backend, set).unwrap();
    scene.meshes.remove_mesh(&mut backend, mesh).unwrap();
    host.queue.submit([encoder.finish()]);
    backend.wait(None, 10_000).unwrap();
    picker.poll(&mut backend, &mut scene);
    let hit = ticket
        .try_take()
        .unwrap()
        .unwrap()
        .result
        .expect("the cube as it was");
    assert_eq!((hit.tag, hit.removed), (9, true));
}

/// Field case 83: the host's own frame is the same with and without picks in between.
fn picks_leave_the_frame_alone(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let plain = frame(&host, |_| {});
    for _ in 0..5 {
        let picked = frame(&host, |encoder| {
            for strategy in [BuiltinStrategy::from(Detailed), IntegerId.into()] {
                let request = middle(&view).strategy(strategy);
                drop(
                    picker
                        .record(&mut backend, &mut scene, request, encoder)
                        .unwrap(),
                );
            }
            picker.poll(&mut backend, &mut scene);
        });
        picker.poll(&mut backend, &mut scene);
        assert_eq!(picked, plain);
    }
}

/// What a first answer adds to a slot beside its buffers.
fn tight_bytes(backend: &pick_wgpu::WgpuBackend, before: u64) -> u64 {
    let grown = backend.memory().slot_bytes - before;
    assert!(grown < 4096, "{grown}");
    grown
}

/// Clears a picture in two passes with `between` in the same encoder, and reads it.
fn frame(host: &Host, between: impl FnOnce(&mut wgpu::CommandEncoder)) -> Vec<u8> {
    let size = wgpu::Extent3d {
        width: 64,
        height: 4,
        depth_or_array_layers: 1,
    };
    let picture = host.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = picture.create_view(&Default::default());
    let read = host.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 1024,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = encoder(host);
    let pass = |encoder: &mut wgpu::CommandEncoder, load| {
        drop(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load,
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        }));
    };
    let color = wgpu::Color {
        r: 0.2,
        g: 0.4,
        b: 0.6,
        a: 1.0,
    };
    pass(&mut encoder, wgpu::LoadOp::Clear(color));
    between(&mut encoder);
    pass(&mut encoder, wgpu::LoadOp::Load);
    encoder.copy_texture_to_buffer(
        picture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &read,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(256),
                rows_per_image: None,
            },
        },
        size,
    );
    encoder.map_buffer_on_submit(&read, wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    host.queue.submit([encoder.finish()]);
    host.device
        .poll(wgpu::PollType::wait_indefinitely())
        .unwrap();
    read.get_mapped_range(..).unwrap().to_vec()
}

/// Field case 86: while a frame is under way, asking takes a small part of the frame's time, or what a
/// submission of nothing takes there (on lavapipe wgpu's submissions wait for the one before), and the answer
/// comes once the device is done with what was sent.
fn a_hover_does_not_wait_for_a_frame(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Standard);
    let request = || middle(&view).strategy(IntegerId);
    picker.pick(&mut backend, &mut scene, request()).unwrap();
    let load = host.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64 << 20,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let (mut frames, mut empties, mut hovers) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..18 {
        let mut frame = encoder(&host);
        for _ in 0..3 {
            frame.clear_buffer(&load, 0, None);
        }
        let nothing = encoder(&host).finish();
        host.queue.submit([frame.finish()]);
        let start = Instant::now();
        let polled = host.device.poll(wgpu::PollType::Poll);
        let running = polled.is_ok_and(|status| !status.is_queue_empty());
        let asked = Instant::now();
        let ticket = if round % 2 == 0 {
            host.queue.submit([nothing]);
            host.device.poll(wgpu::PollType::Poll).unwrap();
            None
        } else {
            let ticket = picker.hover(&mut backend, &mut scene, request()).unwrap();
            picker.poll(&mut backend, &mut scene);
            Some(ticket)
        };
        let took = asked.elapsed();
        let done = host.device.poll(wgpu::PollType::wait_indefinitely());
        done.unwrap();
        if running {
            frames.push(start.elapsed());
            let times = match ticket {
                Some(_) => &mut hovers,
                None => &mut empties,
            };
            times.push(took);
        }
        if let Some(mut ticket) = ticket {
            picker.poll(&mut backend, &mut scene);
            let hit = ticket.try_take().unwrap().unwrap().result;
            assert_eq!(hit.map(|hit| hit.tag), Some(1));
        }
    }
    let [frame, empty, hover] = [frames, empties, hovers].map(|mut times: Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied()
    });
    match (frame, empty, hover) {
        (Some(frame), Some(empty), Some(hover)) => {
            let told = format!("{driver:?}: asked in {hover:?}, nothing in {empty:?}, {frame:?}");
            println!("{told}");
            assert!(hover < (frame / 4).max(empty * 2), "{told}");
        }
        _ => println!("{driver:?}: submitting runs the frame to its end"),
    }
}
