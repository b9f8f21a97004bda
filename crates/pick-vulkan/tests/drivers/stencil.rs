//! Stencil-ID beyond one byte, copied or read out by draws.

use glam::{DMat4, DVec3};
use pick_core::projection::{DepthRange, look_at, orthographic};
use pick_core::{
    Backend, BuiltinStrategy, Capability, ColorId, DepthConvention, Detailed, ErrorKind, IntegerId,
    Object, Picker, PixelRect, Request, Scene, StencilId, StencilRead, View,
};
use pick_vulkan::VulkanBackend;
use pick_vulkan::ash::vk;

use crate::common::driver::Driver;
use crate::common::host::HostOptions;
use crate::common::inject;
use crate::common::on_each_driver;
use crate::common::scene::cube;

on_each_driver! {
    more_draws_than_a_byte_can_name,
    stencils_are_copied,
    stencils_that_cannot_be_copied_are_read_by_draws,
    formats_that_do_not_render_are_told,
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

/// Field cases 91 and 93: stencils are copied, one aspect at a time, and f32 depth beside them.
fn stencils_are_copied(driver: Driver) {
    let mut backend = driver.backend();
    let caps = backend.caps().clone();
    assert_eq!(
        (caps.stencil_read, caps.stencil_depth_read),
        (StencilRead::Copy, true)
    );
    for depth in [DepthConvention::Standard, DepthConvention::Reversed] {
        third_of_three(&mut backend, depth, true);
    }
}

/// Without copies of stencils, eight draws read them out, exactly; depth is told as missing.
fn stencils_that_cannot_be_copied_are_read_by_draws(driver: Driver) {
    let formats = [
        vk::Format::D32_SFLOAT_S8_UINT,
        vk::Format::D24_UNORM_S8_UINT,
    ];
    without(&formats, vk::FormatFeatureFlags::TRANSFER_SRC);
    let host = driver.host_with(HostOptions {
        injected: true,
        ..HostOptions::default()
    });
    let mut backend = host.backend();
    assert_eq!(backend.caps().stencil_read, StencilRead::BitDraws);
    third_of_three(&mut backend, DepthConvention::Standard, false);
    let region = PixelRect::new(0, 0, COLUMNS, ROWS);
    let view = plan_view(region, DepthConvention::Standard);
    let mut scene = grid(&mut backend, COLUMNS * ROWS);
    let request = Request::id_image(&view, region)
        .unwrap()
        .strategy(StencilId);
    let answer = Picker::new()
        .pick(&mut backend, &mut scene, request)
        .unwrap();
    for (row, column) in (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |c| (row, c))) {
        let hit = answer.result.hit(column, row).unwrap();
        let number = u64::from(row * COLUMNS + column);
        assert_eq!(hit.map(|hit| hit.tag), Some(number), "({column}, {row})");
    }
    inject::NO_FORMAT_FEATURES.with_borrow_mut(Vec::clear);
}

/// Formats that cannot be drawn into are refused by type, whatever they are.
fn formats_that_do_not_render_are_told(driver: Driver) {
    for (format, strategy) in [
        (vk::Format::R32G32_UINT, BuiltinStrategy::from(IntegerId)),
        (vk::Format::R32G32B32A32_UINT, Detailed.into()),
        (vk::Format::R8G8B8A8_UNORM, ColorId.into()),
        (vk::Format::D32_SFLOAT, IntegerId.into()),
    ] {
        for missing in [
            vk::FormatFeatureFlags::COLOR_ATTACHMENT
                | vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
            vk::FormatFeatureFlags::TRANSFER_SRC,
        ] {
            let depth = format == vk::Format::D32_SFLOAT;
            if depth && missing == vk::FormatFeatureFlags::TRANSFER_SRC {
                continue; // the depth is not copied: it is written beside the id
            }
            without(&[format], missing);
            let host = driver.host_with(HostOptions {
                injected: true,
                ..HostOptions::default()
            });
            let mut backend = host.backend();
            inject::NO_FORMAT_FEATURES.with_borrow_mut(Vec::clear);
            let region = PixelRect::new(0, 0, COLUMNS, ROWS);
            let view = plan_view(region, DepthConvention::Standard);
            let mut scene = grid(&mut backend, 3);
            let request = Request::id_image(&view, region).unwrap().strategy(strategy);
            let error = Picker::new()
                .pick(&mut backend, &mut scene, request)
                .unwrap_err();
            let told = matches!(error.kind(), ErrorKind::Unsupported { capability, .. }
                if *capability == Capability::TargetFormat);
            assert!(told, "{format:?} {missing:?}: {error}");
            third_of_three(&mut backend, DepthConvention::Standard, true);
        }
    }
}

fn without(formats: &[vk::Format], flags: vk::FormatFeatureFlags) {
    inject::NO_FORMAT_FEATURES.with_borrow_mut(|all| {
        all.clear();
        all.extend(formats.iter().map(|format| (*format, flags)));
    });
}

fn third_of_three(backend: &mut VulkanBackend, depth: DepthConvention, has_depth: bool) {
    let region = PixelRect::new(0, 0, COLUMNS, ROWS);
    let view = plan_view(region, depth);
    let mut scene = grid(backend, 3);
    let request = Request::id_image(&view, region)
        .unwrap()
        .strategy(StencilId);
    let answer = Picker::new().pick(backend, &mut scene, request).unwrap();
    let hit = answer.result.hit(1, 0).unwrap().expect("object 1");
    assert_eq!((hit.tag, hit.depth.is_ok()), (1, has_depth));
    assert!(answer.result.hit(3, 0).unwrap().is_none());
}
