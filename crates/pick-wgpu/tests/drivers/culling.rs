//! Culling on the device, where a device's limits matter.

use pick_core::{Culling, DepthConvention, InstanceSource, Object, Picker, Scene};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{cube, kept, middle, shifted, view};

on_each_driver! {
    windows_of_instances,
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
