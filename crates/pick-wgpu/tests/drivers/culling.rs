//! Culling on the device, where a device's limits matter.

use glam::Vec3;
use pick_core::{
    Aabb, Backend, Culling, DepthConvention, HostInstances, InstanceFormat, InstanceSource, Object,
    Picker, Scene,
};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{cube, kept, middle, shifted, view};

on_each_driver! {
    windows_of_instances,
    host_sets_elsewhere_cost_nothing,
    contents_of_host_buffers_change,
    buffers_by_turns_keep_their_bounds,
    trimming_frees_the_lists_of_culling,
}

/// Instance sets beyond what one binding holds are drawn in windows, and keep their numbers and their
/// order over the windows' edges.
fn windows_of_instances(driver: Driver) {
    let host = driver.host_with(|descriptor| {
        descriptor.required_limits.max_storage_buffer_binding_size = 1 << 16;
    });
    let mut backend = host.backend();
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, kept(cube())).unwrap();
    // 1,280 copies a window: the third and the fourth have one at the same place.
    let mut rows = vec![shifted(40.0, 0.0, 0.0); 5000];
    (rows[3000], rows[4000]) = (shifted(0.0, 0.0, 0.0), shifted(0.0, 0.0, 0.0));
    let source = InstanceSource::Cpu(rows.into());
    let set = scene.meshes.add_instances(&mut backend, source).unwrap();
    scene
        .meshes
        .insert(Object::new(mesh).instanced(set))
        .unwrap();
    let view = view(DepthConvention::Standard);
    for culling in [Culling::On, Culling::Off] {
        let request = middle(&view).culling(culling);
        let answer = Picker::new()
            .pick(&mut backend, &mut scene, request)
            .unwrap();
        assert_eq!(answer.result.unwrap().instance, Ok(3000), "{culling:?}");
    }
}

/// A host that says where its copies are, and how large they get, has them left out of picks elsewhere.
fn host_sets_elsewhere_cost_nothing(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let rows: Vec<u8> = (0..2000)
        .flat_map(|_| shifted(40.0, 0.0, 0.0))
        .flatten()
        .flat_map(f32::to_le_bytes)
        .collect();
    let buffer = host.buffer(&rows, wgpu::BufferUsages::STORAGE);
    let buffer = backend.adopt_buffer(&buffer);
    let plain = HostInstances::new(buffer, InstanceFormat::Rows3x4, 2000);
    let at = Vec3::new(40.0, 0.0, 0.0);
    let placed = plain.translation_bounds(Aabb { min: at, max: at });
    let told = |max_scale| placed.max_scale(max_scale);
    // Enlarged so far, copies may reach the pixel.
    for (source, is_drawn) in [
        (plain, true),
        (placed, true),
        (told(1.0), false),
        (told(90.0), true),
    ] {
        let mut scene = Scene::new();
        let mesh = scene.meshes.add_mesh(&mut backend, kept(cube())).unwrap();
        let set = scene.meshes.add_instances(&mut backend, source);
        let object = Object::new(mesh).instanced(set.unwrap());
        scene.meshes.insert(object).unwrap();
        let answer = Picker::new().pick(&mut backend, &mut scene, middle(&view));
        let answer = answer.unwrap();
        assert_eq!(answer.result, None);
        assert_eq!(answer.report.items > 0, is_drawn, "{source:?}");
    }
    for wrong in [
        placed.max_scale(f32::NAN),
        placed.max_scale(-1.0),
        plain.translation_bounds(Aabb { min: at, max: -at }),
        plain.offset(8),
    ] {
        let mut scene = Scene::new();
        let refused = scene.meshes.add_instances(&mut backend, wrong);
        assert!(refused.is_err_and(|error| error.is_input()), "{wrong:?}");
    }
}

/// Field case 38, where only the device has the transforms: by the queue, and by a command ahead of the
/// pick in the host's own encoder. Bounds that were built of older contents must not last.
fn contents_of_host_buffers_change(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let count = 1300;
    let rows = |one: u32| -> Vec<u8> {
        let place = |k| if k == one { 0.0 } else { 40.0 };
        (0..count)
            .flat_map(|k| shifted(place(k), 0.0, 0.0).into_iter().flatten())
            .flat_map(f32::to_le_bytes)
            .collect()
    };
    let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let buffer = host.buffer(&rows(0), storage);
    let id = backend.adopt_buffer(&buffer);
    let source = HostInstances::new(id, InstanceFormat::Rows3x4, count);
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, kept(cube())).unwrap();
    let set = scene.meshes.add_instances(&mut backend, source).unwrap();
    let object = Object::new(mesh).instanced(set);
    scene.meshes.insert(object).unwrap();
    let view = view(DepthConvention::Standard);
    let mut picker = Picker::new();
    for one in [0, 1299, 256, 600] {
        host.queue.write_buffer(&buffer, 0, &rows(one));
        scene
            .meshes
            .update_instances(&mut backend, set, source)
            .unwrap();
        // Twice: bounds are built by the first, and used by the second.
        for _ in 0..2 {
            let answer = picker.pick(&mut backend, &mut scene, middle(&view));
            let answer = answer.unwrap();
            assert_eq!(answer.report.culling.instances_untested, 0);
            assert_eq!(answer.result.unwrap().instance, Ok(one));
        }
        let next = (one + 700) % count;
        let staged = host.buffer(&rows(next), wgpu::BufferUsages::COPY_SRC);
        let mut encoder = host.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&staged, 0, &buffer, 0, None);
        scene
            .meshes
            .update_instances(&mut backend, set, source)
            .unwrap();
        let request = middle(&view);
        let mut ticket = picker
            .record(&mut backend, &mut scene, request, &mut encoder)
            .unwrap();
        host.queue.submit([encoder.finish()]);
        let answer = loop {
            picker.poll(&mut backend, &mut scene);
            if let Some(answer) = ticket.try_take() {
                break answer.unwrap();
            }
        };
        assert_eq!(answer.result.unwrap().instance, Ok(next));
    }
}

/// A host that writes one buffer while the device reads another: each keeps its bounds, as many as hosts go
/// round, and what they take is told.
fn buffers_by_turns_keep_their_bounds(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let count = 1300;
    let sources: Vec<HostInstances> = (0..6)
        .map(|one| {
            let place = |k| if k == one * 200 { 0.0 } else { 40.0 };
            let rows: Vec<u8> = (0..count)
                .flat_map(|k| shifted(place(k), 0.0, 0.0).into_iter().flatten())
                .flat_map(f32::to_le_bytes)
                .collect();
            let buffer = host.buffer(&rows, wgpu::BufferUsages::STORAGE);
            let id = backend.adopt_buffer(&buffer);
            HostInstances::new(id, InstanceFormat::Rows3x4, count)
        })
        .collect();
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, kept(cube())).unwrap();
    let set = scene
        .meshes
        .add_instances(&mut backend, sources[0])
        .unwrap();
    let object = Object::new(mesh).instanced(set);
    scene.meshes.insert(object).unwrap();
    let view = view(DepthConvention::Standard);
    let mut picker = Picker::new();
    let mut held = Vec::new();
    for turn in [0, 1, 0, 1, 2, 1, 0, 3, 4, 5] {
        let meshes = &mut scene.meshes;
        meshes
            .update_instances(&mut backend, set, sources[turn])
            .unwrap();
        let answer = picker.pick(&mut backend, &mut scene, middle(&view));
        let hit = answer.unwrap().result.unwrap();
        assert_eq!(hit.instance, Ok(turn as u32 * 200));
        held.push(backend.memory().bounds_bytes);
    }
    let each = held[0];
    let places = held.iter().map(|bytes| bytes / each);
    assert_eq!(places.collect::<Vec<_>>(), [1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
    backend.trim();
    assert_eq!(backend.memory().bounds_bytes, each);
}

/// Groups that name a list would keep it.
fn trimming_frees_the_lists_of_culling(driver: Driver) {
    let host = driver.host();
    let mut backend = host.backend();
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(&mut backend, kept(cube())).unwrap();
    let at = |k| if k == 7 { 0.0 } else { 40.0 };
    let rows = (0..5000).map(|k| shifted(at(k), 0.0, 0.0));
    let source = InstanceSource::Cpu(rows.collect());
    let set = scene.meshes.add_instances(&mut backend, source).unwrap();
    scene
        .meshes
        .insert(Object::new(mesh).instanced(set))
        .unwrap();
    let view = view(DepthConvention::Standard);
    let mut picker = Picker::new();
    let lists = || {
        let report = host.device.generate_allocator_report()?;
        let is_list = |name: &str| name.contains("pick scratch");
        let found = report.allocations.iter().filter(|one| is_list(&one.name));
        Some(found.count())
    };
    for _ in 0..3 {
        let answer = picker.pick(&mut backend, &mut scene, middle(&view));
        assert_eq!(answer.unwrap().result.unwrap().instance, Ok(7));
        // GL does not tell.
        assert_eq!(lists(), (driver != Driver::Gl).then_some(1));
        let with_lists = backend.memory().culling_bytes;
        backend.trim();
        assert!(backend.memory().culling_bytes < with_lists);
        host.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        assert_eq!(lists(), (driver != Driver::Gl).then_some(0));
    }
}
