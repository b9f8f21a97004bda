//! What is told of a device, and devices with less than they could have.

use pick_core::{
    Backend, BuiltinStrategy, Capability, DepthConvention, ErrorKind, PickError, Picker, PixelRect,
    PrimitiveIndex, PrimitiveSource, Request,
};
use pick_vulkan::ash::vk;
use pick_vulkan::{HostFeatures, Selector, VulkanBackend, adapters};

use crate::common::driver::Driver;
use crate::common::host::HostOptions;
use crate::common::inject;
use crate::common::on_each_driver;
use crate::common::scene::{kept, little, middle, view};

on_each_driver! {
    a_device_without_geometry_shaders,
    what_a_host_did_not_enable_is_named,
    a_family_that_is_none_is_refused,
    a_family_without_graphics_is_refused,
    regions_beyond_the_device,
    adapters_are_listed,
    a_device_by_its_index,
}

fn is_device(error: &PickError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Unsupported {
            capability: Capability::Device,
            ..
        }
    )
}

/// Field case 45: a device made without the feature picks all the same, and says what it lacks.
fn a_device_without_geometry_shaders(driver: Driver) {
    let host = driver.host_with(HostOptions {
        geometry_shader: false,
        ..HostOptions::default()
    });
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
    let told = matches!(
        error.kind(),
        ErrorKind::Unsupported {
            capability: Capability::PrimitiveIndex,
            ..
        }
    );
    assert!(told, "{error}");
}

type Told = fn(&mut HostFeatures);

/// A device without what is needed is refused, by name, and the next one is taken.
fn what_a_host_did_not_enable_is_named(driver: Driver) {
    let told: [(Told, &[&str]); 5] = [
        (
            |features| features.api_version = vk::API_VERSION_1_2,
            &["Vulkan 1.3", "1.2.0"],
        ),
        (
            |features| features.dynamic_rendering = false,
            &["dynamicRendering"],
        ),
        (
            |features| features.synchronization2 = false,
            &["synchronization2"],
        ),
        (
            |features| features.timeline_semaphore = false,
            &["timelineSemaphore"],
        ),
        (
            |features| *features = HostFeatures::default(),
            &[
                "Vulkan 1.3",
                "dynamicRendering",
                "synchronization2",
                "timelineSemaphore",
            ],
        ),
    ];
    for (told, names) in told {
        let host = driver.host_with(HostOptions {
            told,
            ..HostOptions::default()
        });
        let error = host.try_backend().unwrap_err();
        assert!(is_device(&error), "{error}");
        for name in names {
            assert!(error.to_string().contains(name), "{name}: {error}");
        }
    }
    driver.host().backend();
}

/// A queue family that is not there.
fn a_family_that_is_none_is_refused(driver: Driver) {
    let host = driver.host_with(HostOptions {
        told_family: Some(7),
        ..HostOptions::default()
    });
    let error = host.try_backend().unwrap_err();
    assert!(
        is_device(&error) && error.to_string().contains("family 7"),
        "{error}"
    );
}

/// A queue that only computes and copies. No driver here has one, so its flags are forged.
fn a_family_without_graphics_is_refused(driver: Driver) {
    let host = driver.host_with(HostOptions {
        injected: true,
        ..HostOptions::default()
    });
    inject::NO_QUEUE_FLAGS.set(vk::QueueFlags::GRAPHICS);
    let error = host.try_backend().unwrap_err();
    inject::NO_QUEUE_FLAGS.set(vk::QueueFlags::empty());
    assert!(
        is_device(&error) && error.to_string().contains("but not GRAPHICS"),
        "{error}"
    );
    host.backend();
}

/// Field case 5: a region beyond the device's targets is an input error with the limit in it.
fn regions_beyond_the_device(driver: Driver) {
    let mut backend = driver.backend();
    let side = backend.caps().max_target_side + 1;
    let view = view(DepthConvention::Standard)
        .with_viewport(PixelRect::new(0, 0, side, 256))
        .unwrap();
    let mut scene = little(&mut backend, kept);
    let mut picker = Picker::new();
    let mut ask = |width| {
        let region = PixelRect::new(0, 0, width, 256);
        let request = Request::id_image(&view, region).unwrap();
        picker.pick(&mut backend, &mut scene, request)
    };
    let error = ask(side).unwrap_err();
    assert!(error.is_input(), "{error}");
    ask(64).unwrap();
}

/// The devices are listed, each with what it would give.
fn adapters_are_listed(driver: Driver) {
    let backend = driver.backend();
    let caps = backend.caps();
    let listed = adapters().unwrap();
    let found = listed
        .iter()
        .find(|adapter| adapter.name == caps.device && adapter.driver == caps.driver);
    let found = found.expect("the device that was opened");
    assert_eq!(found.kind, vk::PhysicalDeviceType::CPU);
    assert_eq!(found.lacking, None);
    assert_eq!(found.primitive_index, driver.has_builtin());
    assert_eq!((caps.backend, caps.api.as_str()), ("vulkan", "Vulkan"));
}

fn a_device_by_its_index(driver: Driver) {
    let listed = adapters().unwrap();
    let named = |name: &str| name.to_lowercase().contains(driver.adapter_name());
    let found = listed.iter().find(|adapter| named(&adapter.name)).unwrap();
    let backend = VulkanBackend::headless(&Selector::any().at_index(found.index)).unwrap();
    assert_eq!(backend.caps().device, found.name);
}

#[test]
fn a_device_that_is_not_here_is_unsupported() {
    for selector in [
        Selector::any().named("no such device"),
        Selector::any().at_index(1000),
    ] {
        let error = VulkanBackend::headless(&selector).unwrap_err();
        assert!(is_device(&error), "{error}");
    }
}

/// Run again by itself without any driver.
#[test]
fn a_machine_without_drivers_is_unsupported() {
    const MARK: &str = "PICK_TEST_WITHOUT_DRIVERS";
    if std::env::var_os(MARK).is_some() {
        for error in [
            VulkanBackend::headless(&Selector::any()).unwrap_err(),
            adapters().unwrap_err(),
        ] {
            assert!(is_device(&error), "{error}");
        }
        return;
    }
    let this = std::env::current_exe().unwrap();
    let start = std::time::Instant::now();
    let run = std::process::Command::new(this)
        .args(["--exact", "caps::a_machine_without_drivers_is_unsupported"])
        .env(MARK, "1")
        .env("VK_DRIVER_FILES", "no-such-driver.json")
        .env("VK_ICD_FILENAMES", "no-such-driver.json")
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stdout)
    );
    assert!(start.elapsed().as_secs() < 20);
}
