//! What is told of a device, and devices with less than they could have.

use pick_core::{
    Backend, BuiltinStrategy, Capability, DepthConvention, ErrorKind, Picker, PixelRect,
    PrimitiveIndex, PrimitiveSource, Request,
};
use pick_wgpu::{Selector, WgpuBackend, adapters_blocking};

use crate::common::driver::Driver;
use crate::common::on_each_driver;
use crate::common::scene::{kept, little, middle, view, whole};

on_each_driver! {
    a_device_without_features,
    a_device_with_downlevel_limits,
    regions_beyond_the_device,
    adapters_are_listed,
}

/// Field case 45: a device made without the feature picks all the same, and says what it lacks.
fn a_device_without_features(driver: Driver) {
    let host =
        driver.host_with(|descriptor| descriptor.required_features = wgpu::Features::empty());
    let mut backend = host.backend();
    assert_eq!(backend.caps().primitive_index, PrimitiveIndex::Missing);
    let view = view(DepthConvention::Standard);
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    for strategy in BuiltinStrategy::ALL {
        let request = middle(&view).strategy(strategy);
        let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1), "{strategy:?}");
    }
    let request = middle(&view).primitive_source(PrimitiveSource::Builtin);
    let error = picker.pick(&mut backend, &mut scene, request).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::Unsupported {
            capability: Capability::PrimitiveIndex,
            ..
        }
    ));
}

/// Downlevel limits leave too few storage buffers for pulling: a copy is expanded.
fn a_device_with_downlevel_limits(driver: Driver) {
    let host = driver.host_with(|descriptor| {
        descriptor.required_features = wgpu::Features::empty();
        descriptor.required_limits = wgpu::Limits::downlevel_defaults();
    });
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard);
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let request = middle(&view).primitive_source(PrimitiveSource::Pulled);
    let error = picker.pick(&mut backend, &mut scene, request).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::Unsupported {
            capability: Capability::VertexPulling,
            ..
        }
    ));
    let before = backend.memory().geometry_bytes;
    for strategy in BuiltinStrategy::ALL {
        let request = middle(&view).strategy(strategy);
        let answer = picker.pick(&mut backend, &mut scene, request).unwrap();
        assert_eq!(answer.result.map(|hit| hit.tag), Some(1), "{strategy:?}");
    }
    assert!(
        backend.memory().geometry_bytes > before,
        "the expanded copy counts"
    );
    // What is forgotten on the CPU is expanded at once where nothing else would do.
    let mut scene = little(&mut backend, crate::common::scene::forgotten);
    let answer = picker
        .pick(&mut backend, &mut scene, middle(&view))
        .unwrap();
    assert!(answer.result.is_some_and(|hit| hit.primitive.is_ok()));
}

/// Field case 5: a region beyond the device's targets is an input error with the limit in it; one
/// whose texels would not fit a buffer is refused by type.
fn regions_beyond_the_device(driver: Driver) {
    let host = driver.host_with(|descriptor| {
        descriptor.required_limits.max_buffer_size = 1 << 20;
        descriptor.required_limits.max_storage_buffer_binding_size = 1 << 20;
    });
    let mut backend = host.backend();
    let view = view(DepthConvention::Standard)
        .with_viewport(PixelRect::new(0, 0, 1 << 15, 256))
        .unwrap();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let mut ask = |width| {
        let region = PixelRect::new(0, 0, width, 256);
        let request = Request::id_image(&view, region).unwrap();
        picker.pick(&mut backend, &mut scene, request)
    };
    let error = ask(1 << 15).unwrap_err();
    assert!(error.is_input(), "{error}");
    let error = ask(1 << 12).unwrap_err();
    assert!(
        matches!(
            error.kind(),
            ErrorKind::Unsupported {
                capability: Capability::BufferSize,
                ..
            }
        ),
        "{error}"
    );
    ask(64).unwrap();
    let request = Request::id_image(&view, whole()).unwrap();
    picker.pick(&mut backend, &mut scene, request).unwrap();
}

/// The adapters are listed, each with what it would give.
fn adapters_are_listed(driver: Driver) {
    let backend = driver.backend();
    let caps = backend.caps();
    let listed = adapters_blocking();
    let found = listed
        .iter()
        .find(|adapter| adapter.name == caps.device && adapter.driver == caps.driver);
    let found = found.expect("the device that was opened");
    assert_eq!(found.kind, wgpu::DeviceType::Cpu);
    let builtin = found
        .wanted_features
        .contains(wgpu::Features::PRIMITIVE_INDEX);
    assert_eq!(builtin, driver.has_builtin());
}

#[test]
fn a_device_that_is_not_here_is_unsupported() {
    for selector in [
        Selector::any().named("no such device"),
        Selector::any().backend(wgpu::Backend::Metal),
        Selector::any().backend(wgpu::Backend::Noop),
    ] {
        let error = WgpuBackend::headless_blocking(&selector).unwrap_err();
        let device = matches!(
            error.kind(),
            ErrorKind::Unsupported {
                capability: Capability::Device,
                ..
            }
        );
        assert!(device, "{error}");
    }
}
