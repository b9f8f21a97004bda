//! Stencil-ID beyond one byte, copied or read out by draws.

use glam::{DMat4, DVec3};
use pick_core::projection::{DepthRange, look_at, orthographic};
use pick_core::{
    Backend, Capability, DepthConvention, ErrorKind, Object, Picker, PixelRect, Request, Scene,
    StencilId, StencilRead, View,
};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::cube;

on_each_driver! {
    more_draws_than_a_byte_can_name,
    each_driver_says_how_stencils_are_read,
    a_device_without_f32_depth_stencil,
}

const COLUMNS: u32 = 24;
const ROWS: u32 = 22;

/// A cube in the middle of each pixel.
fn grid(backend: &mut impl Backend, count: u32) -> Scene {
    let mut scene = Scene::new();
    let mesh = scene.meshes.add_mesh(backend, cube()).unwrap();
    for number in 0..count {
        let (column, row) = (number % COLUMNS, number / COLUMNS);
        let at = DVec3::new(f64::from(column) + 0.5, -f64::from(row) - 0.5, 0.0);
        let place = DMat4::from_translation(at) * DMat4::from_scale(DVec3::splat(0.8));
        scene
            .meshes
            .insert(Object::new(mesh).at(place).tagged(u64::from(number)))
            .unwrap();
    }
    scene
}

fn plan_view(region: PixelRect, depth: DepthConvention) -> View {
    let (width, height) = (f64::from(COLUMNS), f64::from(ROWS));
    let center = DVec3::new(width * 0.5, -height * 0.5, 0.0);
    let view_from_world = look_at(center + DVec3::Z * 5.0, center, DVec3::Y).unwrap();
    let range = DepthRange::new(0.5, 10.0);
    let projection = orthographic(height * 0.5, width / height, range, depth).unwrap();
    View::new(view_from_world, projection, region, depth).unwrap()
}

/// Field cases 21 and 94: byte planes tell more than 255 draws apart; rows of odd widths are tight.
fn more_draws_than_a_byte_can_name(driver: Driver) {
    let mut backend = driver.backend();
    let region = PixelRect::new(0, 0, COLUMNS, ROWS);
    let view = plan_view(region, DepthConvention::Standard);
    for count in [1, 255, 256, 257, COLUMNS * ROWS] {
        let mut scene = grid(&mut backend, count);
        let inner = PixelRect::new(1, 0, 23, ROWS);
        let request = Request::id_image(&view, inner).unwrap().strategy(StencilId);
        let answer = Picker::new()
            .pick(&mut backend, &mut scene, request)
            .unwrap();
        let planes = if count > 255 { 2 } else { 1 };
        assert_eq!(answer.report.stencil_planes, planes, "{count}");
        for (row, column) in (0..ROWS).flat_map(|row| (0..23).map(move |column| (row, column))) {
            let number = row * COLUMNS + column + 1;
            let expected = (number < count).then_some(u64::from(number));
            let hit = answer.result.hit(column, row).unwrap();
            assert_eq!(
                hit.map(|hit| hit.tag),
                expected,
                "{count} ({column}, {row})"
            );
        }
    }
}

/// Field case 91: each driver reads stencils in the way that its capabilities tell, and says what
/// it cannot.
fn each_driver_says_how_stencils_are_read(driver: Driver) {
    let mut backend = driver.backend();
    let caps = backend.caps().clone();
    let gl = caps.api == "GL";
    let expected = if gl {
        StencilRead::BitDraws
    } else {
        StencilRead::Copy
    };
    assert_eq!(
        (caps.stencil_read, caps.stencil_depth_read),
        (expected, !gl)
    );
    let region = PixelRect::new(0, 0, COLUMNS, ROWS);
    for depth in [DepthConvention::Standard, DepthConvention::Reversed] {
        let view = plan_view(region, depth);
        let mut scene = grid(&mut backend, 3);
        let request = Request::id_image(&view, region)
            .unwrap()
            .strategy(StencilId);
        match Picker::new().pick(&mut backend, &mut scene, request) {
            Ok(answer) => {
                let hit = answer.result.hit(1, 0).unwrap().expect("object 1");
                let f32_depth = caps.depth32_stencil8 && caps.stencil_depth_read;
                assert_eq!((hit.tag, hit.depth.is_ok()), (1, f32_depth));
            }
            Err(error) => {
                assert!(
                    !caps.depth32_stencil8 && depth == DepthConvention::Reversed,
                    "{error}"
                );
                let lacking = matches!(error.kind(), ErrorKind::Unsupported { capability, .. }
                    if *capability == Capability::TargetFormat);
                assert!(lacking, "{error}");
            }
        }
    }
}

/// Stencil-ID on a device without the f32 depth-stencil format.
fn a_device_without_f32_depth_stencil(driver: Driver) {
    let host =
        driver.host_with(|descriptor| descriptor.required_features = wgpu::Features::empty());
    let mut backend = host.backend();
    assert!(!backend.caps().depth32_stencil8);
    let region = PixelRect::new(0, 0, COLUMNS, ROWS);
    let view = plan_view(region, DepthConvention::Standard);
    let mut scene = grid(&mut backend, 300);
    let request = Request::id_image(&view, region)
        .unwrap()
        .strategy(StencilId);
    let answer = Picker::new()
        .pick(&mut backend, &mut scene, request)
        .unwrap();
    let hit = answer.result.hit(11, 12).unwrap().expect("object 299");
    assert_eq!((hit.tag, hit.depth.is_err()), (299, true));
}
