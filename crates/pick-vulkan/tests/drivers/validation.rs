//! The validation layer hears what it should.

use pick_core::{Backend, DepthConvention, Picker, PrimitiveSource};
use pick_vulkan::WAIVERS;

use crate::common::driver::{Driver, has_layer};
use crate::common::host::HostOptions;
use crate::common::scene::{kept, little, middle, view};

/// A planted fault: the builtin is used on a device that was made without `geometryShader`, by a host
/// that tells otherwise. The layer's message reaches the list that turns trials red.
#[test]
fn a_planted_fault_is_heard() {
    if !has_layer() {
        return eprintln!("skipped: the validation layer is not here");
    }
    let mut lines = 0;
    Driver::Lavapipe.run_quietly(|driver| {
        let host = driver.host_with(HostOptions {
            geometry_shader: false,
            told_geometry_shader: Some(true),
            ..HostOptions::default()
        });
        let mut backend = host.backend();
        let view = view(DepthConvention::Standard);
        let mut scene = little(&mut backend, kept);
        let request = middle(&view).primitive_source(PrimitiveSource::Builtin);
        drop(Picker::new().pick(&mut backend, &mut scene, request));
        backend.drive();
        let heard = host.heard.lock().unwrap();
        // The rule's number in older layers and in newer ones.
        let is_it = |line: &&String| ["01091", "08740"].iter().any(|rule| line.contains(rule));
        lines = heard.iter().filter(is_it).count();
    });
    assert!(
        lines > 0,
        "the layer said nothing of the missing capability"
    );
}

/// The same through the library's own messenger, by a run of the trial itself.
#[test]
fn a_message_turns_a_trial_red() {
    if !has_layer() {
        return eprintln!("skipped: the validation layer is not here");
    }
    let failed = std::panic::catch_unwind(|| {
        Driver::Lavapipe.run(|driver| {
            let host = driver.host();
            host.heard.lock().unwrap().push("planted".to_owned());
        });
    });
    let text = failed.unwrap_err();
    let text = text.downcast_ref::<String>().unwrap();
    assert!(text.contains("planted"), "{text}");
}

#[test]
fn waivers_have_reasons() {
    assert!(
        WAIVERS
            .iter()
            .all(|(id, why)| id.len() > 3 && why.len() > 20)
    );
}
