//! Culling on the device, where a device's limits matter.

use glam::Vec3;
use pick_core::{
    Aabb, Culling, DepthConvention, HostInstances, InstanceFormat, InstanceSource, Object, Picker,
    Scene,
};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{cube, kept, middle, shifted, view};

on_each_driver! {
    windows_of_instances,
    host_sets_elsewhere_cost_nothing,
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
