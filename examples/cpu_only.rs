//! Picking without a GPU: a triangle, a camera, a pixel.

use glam::{DMat4, DVec3};
use pick::cpu::CpuBackend;
use pick::projection::{DepthRange, look_at, perspective};
use pick::{
    DepthConvention, MeshData, Object, PickError, PickPoint, Picker, Request, Scene, View, Viewport,
};

fn main() -> Result<(), PickError> {
    let mut backend = CpuBackend::new();
    let mut scene = Scene::new();
    let triangle = MeshData::builder(vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
        .uvs(vec![[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]])
        .build()?;
    let mesh = scene.meshes.add_mesh(&mut backend, triangle)?;
    let place = DMat4::from_translation(DVec3::new(0.5, 0.0, 0.0));
    scene
        .meshes
        .insert(Object::new(mesh).at(place).tagged(42))?;

    let view = View::new(
        look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y)?,
        perspective(
            45f64.to_radians(),
            640.0 / 480.0,
            DepthRange::from(0.1),
            DepthConvention::Reversed,
        )?,
        Viewport::new(0, 0, 640, 480),
        DepthConvention::Reversed,
    )?;
    let mut picker = Picker::new();
    for x in [320.0, 20.0] {
        let request = Request::point(&view, PickPoint::target_pixels(x, 240.0))?;
        let answer = picker.pick(&mut backend, &mut scene, request)?;
        match answer.result {
            None => println!("({x}, 240): nothing"),
            Some(hit) => println!("({x}, 240): {hit:#?}"),
        }
    }
    Ok(())
}
