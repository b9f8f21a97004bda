//! On one driver, wgpu and raw Vulkan give the same bits: ids, triangles, depths.

use std::sync::Arc;

use glam::{DMat4, DVec3};
use pick::projection::{DepthRange, look_at, perspective};
use pick::vulkan::VulkanBackend;
use pick::wgpu::WgpuBackend;
use pick::{
    Backend, BuiltinStrategy, DepthConvention, IdImage, InstanceSource, MeshData, Object, Picker,
    PixelRect, PrimitiveSource, Request, Scene, View,
};

const SIDE: u32 = 96;

fn view(depth: DepthConvention) -> View {
    let camera = look_at(DVec3::new(1.5, 2.5, 6.0), DVec3::ZERO, DVec3::Y).unwrap();
    let projection = perspective(0.9, 1.0, DepthRange::new(0.1, 100.0), depth).unwrap();
    View::new(camera, projection, PixelRect::new(0, 0, SIDE, SIDE), depth).unwrap()
}

/// A wavy sheet.
fn sheet() -> MeshData {
    let at = |column: u32, row: u32| {
        let (x, y) = (column as f32 / 8.0 - 1.0, row as f32 / 8.0 - 1.0);
        [x, y, (x * 5.0).sin() * (y * 3.0).cos() * 0.3]
    };
    let positions = (0..17 * 17).map(|i| at(i % 17, i / 17)).collect();
    let quad = |i: u32| {
        let first = i % 16 + i / 16 * 17;
        [first, first + 1, first + 18, first, first + 18, first + 17]
    };
    let indices = (0..256).flat_map(quad).collect();
    MeshData::builder(positions)
        .indices(indices)
        .build()
        .unwrap()
}

fn scene(backend: &mut impl Backend) -> Scene {
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(backend, sheet()).unwrap();
    let row = |x: f32, z: f32| {
        [
            [0.6, 0.0, 0.2, x],
            [0.0, 0.7, 0.0, 0.3],
            [-0.1, 0.0, 0.5, z],
        ]
    };
    let copies = Arc::from([row(-1.5, -1.0), row(0.2, -2.0), row(1.4, 0.5)]);
    let copies = InstanceSource::Cpu(copies);
    let copies = scene.meshes.add_instances(backend, copies).unwrap();
    let turned = DMat4::from_rotation_y(0.4) * DMat4::from_scale(DVec3::new(1.0, -1.1, 0.9));
    scene.meshes.insert(Object::new(mesh).at(turned)).unwrap();
    let copies = Object::new(mesh).instanced(copies);
    scene.meshes.insert(copies).unwrap();
    scene
}

fn images(backend: &mut impl Backend) -> Vec<(String, IdImage)> {
    let mut scene = scene(backend);
    let mut picker = Picker::new();
    let read = backend.start_self_test(10_000).unwrap();
    backend.wait(Some(&read), 10_000).unwrap();
    backend.drive();
    let mut images = Vec::new();
    for depth in [DepthConvention::Standard, DepthConvention::Reversed] {
        let view = view(depth);
        for strategy in BuiltinStrategy::ALL {
            for source in [
                PrimitiveSource::Builtin,
                PrimitiveSource::Pulled,
                PrimitiveSource::Expanded,
            ] {
                let request = Request::id_image(&view, PixelRect::new(0, 0, SIDE, SIDE)).unwrap();
                let request = request.strategy(strategy).primitive_source(source);
                if let Ok(answer) = picker.pick(backend, &mut scene, request) {
                    images.push((format!("{depth:?} {strategy:?} {source:?}"), answer.result));
                }
            }
        }
    }
    images
}

fn same_bits(driver: &str) {
    let here = pick::vulkan::adapters().unwrap_or_default();
    if !here.iter().any(|a| a.name.to_lowercase().contains(driver)) {
        let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
        assert!(demanded.is_empty(), "{driver} is not here");
        return eprintln!("skipped: {driver} is not here");
    }
    let selector = pick::wgpu::Selector::any()
        .named(driver)
        .backend(wgpu::Backend::Vulkan);
    let mut wgpu = WgpuBackend::headless_blocking(&selector).unwrap();
    let selector = pick::vulkan::Selector::any().named(driver);
    let mut vulkan = VulkanBackend::headless(&selector).unwrap();
    let (one, two) = (images(&mut wgpu), images(&mut vulkan));
    assert_eq!(one.len(), two.len());
    assert!(one.len() >= 16, "{}", one.len());
    for ((name, one), (_, two)) in one.iter().zip(&two) {
        let mut hits = 0;
        for (row, column) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |c| (row, c))) {
            let hit = |image: &IdImage| {
                let hit = image.hit(column, row).unwrap()?;
                let depth = hit.depth.ok().map(f32::to_bits);
                Some((
                    hit.instance.ok(),
                    hit.primitive.ok(),
                    hit.front_facing.ok(),
                    depth,
                ))
            };
            assert_eq!(hit(one), hit(two), "{driver} {name} ({column}, {row})");
            hits += u32::from(hit(one).is_some());
        }
        assert!(hits > 500, "{name}: {hits}");
    }
}

#[test]
fn lavapipe() {
    same_bits("llvmpipe");
}

#[test]
fn swiftshader() {
    same_bits("swiftshader");
}
