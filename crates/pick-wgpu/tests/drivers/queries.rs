//! Every kind of query recorded into the host's encoder, and drills that must run again in a later one.

use std::sync::Arc;

use glam::DVec2;
use pick_core::{
    Backend, DepthConvention, InstanceSource, MeshData, Object, PickPoint, Picker, PixelRect,
    Request, Scene, Through,
};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::view;

on_each_driver! {
    every_query_shares_one_recording,
    views_share_one_submission,
    a_drill_that_overflows_goes_on_in_the_next_recording,
}

/// Sheets that cover the view, one behind the other.
fn sheets<B: Backend>(backend: &mut B, count: u32) -> Scene {
    let corners = [
        [-9.0, -9.0, 0.0],
        [9.0, -9.0, 0.0],
        [9.0, 9.0, 0.0],
        [-9.0, 9.0, 0.0],
    ];
    let sheet = MeshData::builder(corners.to_vec())
        .indices(vec![0, 1, 2, 0, 2, 3])
        .build();
    let place = |k: u32| {
        let z = -1e-3 * k as f32;
        [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, z],
        ]
    };
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(backend, sheet.unwrap()).unwrap();
    let copies = InstanceSource::Cpu(Arc::from_iter((0..count).map(place)));
    let copies = scene.meshes.add_instances(backend, copies).unwrap();
    let object = Object::new(mesh).instanced(copies).tagged(5);
    scene.meshes.insert(object).unwrap();
    scene
}

/// All of them answer after the host's one submission, none before.
fn every_query_shares_one_recording(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = sheets(&mut backend, 3);
    let mut picker = Picker::with_capacity(8);
    let view = view(DepthConvention::Reversed);
    let at = |x: f64, y: f64| PickPoint::target_pixels(x, y);
    let corners = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]].map(DVec2::from);
    let mut encoder = host.device.create_command_encoder(&Default::default());
    macro_rules! record {
        ($request:expr) => {
            picker
                .record(&mut backend, &mut scene, $request.unwrap(), &mut encoder)
                .unwrap()
        };
    }
    let mut points = record!(Request::points(&view, [at(3.0, 3.0), at(5.0, 1.0)]));
    let mut near = record!(Request::near(&view, at(4.0, 4.0), 3.0));
    let mut rect = record!(Request::rect(&view, PixelRect::new(1, 1, 5, 4)));
    let mut lasso = record!(Request::lasso(&view, &corners));
    let touched = Request::rect(&view, PixelRect::new(1, 1, 5, 4));
    let mut touched = record!(touched.map(|request| request.through(Through::Touched)));
    let mut drill = record!(Request::drill(&view, at(2.0, 2.0), 64));
    for _ in 0..3 {
        assert_eq!(
            picker.poll(&mut backend, &mut scene),
            0,
            "nothing was submitted"
        );
    }
    host.queue.submit([encoder.finish()]);
    backend.wait(None, 10_000).unwrap();
    picker.poll(&mut backend, &mut scene);
    let points = points.try_take().unwrap().unwrap().result;
    assert!(
        points
            .iter()
            .all(|hit| hit.as_ref().is_some_and(|hit| hit.instance == Ok(0)))
    );
    let near = near.try_take().unwrap().unwrap().result.unwrap();
    assert_eq!((near.pixel, near.pixel_distance), ([4, 4], 0.0));
    for (told, pixels) in [(&mut rect, 20), (&mut lasso, 28)] {
        let told = told.try_take().unwrap().unwrap().result;
        let found: Vec<_> = told
            .found
            .iter()
            .map(|hit| (hit.instance, hit.pixel_count))
            .collect();
        assert_eq!(found, [(Ok(0), pixels)]);
    }
    let touched = touched.try_take().unwrap().unwrap().result;
    let found: Vec<_> = touched
        .found
        .iter()
        .map(|hit| (hit.instance, hit.pixel_count))
        .collect();
    assert_eq!(found, [(Ok(0), 20), (Ok(1), 20), (Ok(2), 20)]);
    let drill = drill.try_take().unwrap().unwrap().result;
    assert_eq!((drill.hits.len(), drill.beyond), (3, 0));
}

/// Several views of one scene on one device, each with a picker of its own, asked in one submission: each answer is
/// of its own camera.
fn views_share_one_submission(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = sheets(&mut backend, 2);
    let whole = view(DepthConvention::Reversed);
    let views = [
        whole,
        whole.with_viewport(PixelRect::new(8, 16, 32, 24)).unwrap(),
        view(DepthConvention::Standard),
    ];
    let mut pickers = [Picker::new(), Picker::new(), Picker::new()];
    let mut encoder = host.device.create_command_encoder(&Default::default());
    let mut tickets = Vec::new();
    for (picker, view) in pickers.iter_mut().zip(&views) {
        let rect = Request::rect(view, view.viewport()).unwrap();
        let drill = Request::drill(view, PickPoint::normalized(0.5, 0.5), 9).unwrap();
        let rect = picker
            .record(&mut backend, &mut scene, rect, &mut encoder)
            .unwrap();
        let drill = picker
            .record(&mut backend, &mut scene, drill, &mut encoder)
            .unwrap();
        tickets.push((rect, drill));
    }
    host.queue.submit([encoder.finish()]);
    backend.wait(None, 10_000).unwrap();
    for ((picker, view), (mut rect, mut drill)) in pickers.iter_mut().zip(&views).zip(tickets) {
        assert_eq!(picker.poll(&mut backend, &mut scene), 2);
        let rect = rect.try_take().unwrap().unwrap();
        assert_eq!(rect.request.view, *view);
        let found: Vec<_> = rect
            .result
            .found
            .iter()
            .map(|hit| hit.pixel_count)
            .collect();
        assert_eq!(found, [view.viewport().pixel_count() as u32]);
        let drill = drill.try_take().unwrap().unwrap().result;
        assert_eq!((drill.hits.len(), drill.beyond), (2, 0));
        let middle = view.viewport().center();
        assert!(
            drill
                .hits
                .iter()
                .all(|hit| hit.ray == view.ray(middle.floor() + 0.5))
        );
    }
}

/// What the list had no room for takes the host's next recording; nothing is submitted meanwhile.
fn a_drill_that_overflows_goes_on_in_the_next_recording(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = sheets(&mut backend, 2000);
    let mut picker = Picker::new();
    let view = view(DepthConvention::Reversed);
    let request = Request::drill(&view, PickPoint::target_pixels(2.0, 2.0), 4).unwrap();
    let mut encoder = host.device.create_command_encoder(&Default::default());
    let ticket = picker.record(&mut backend, &mut scene, request, &mut encoder);
    let mut ticket = ticket.unwrap();
    host.queue.submit([encoder.finish()]);
    for _ in 0..3 {
        backend.wait(None, 10_000).unwrap();
        picker.poll(&mut backend, &mut scene);
        assert!(!ticket.is_ready(), "it waits for the host");
        assert_eq!(picker.waiting_for_host(), 1);
    }
    let mut encoder = host.device.create_command_encoder(&Default::default());
    picker.resume(&mut backend, &mut encoder).unwrap();
    assert_eq!(picker.waiting_for_host(), 0);
    host.queue.submit([encoder.finish()]);
    backend.wait(None, 10_000).unwrap();
    picker.poll(&mut backend, &mut scene);
    let drill = ticket.try_take().unwrap().unwrap().result;
    let copies: Vec<_> = drill.hits.iter().map(|hit| hit.instance).collect();
    assert_eq!(copies, [Ok(0), Ok(1), Ok(2), Ok(3)]);
    assert_eq!(drill.beyond, 1996);
}
