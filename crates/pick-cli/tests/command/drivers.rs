//! Both ways to a GPU, on the software drivers that are here.

use crate::common::{Ran, pick, pick_in};

/// What `PICK_REQUIRE_DRIVERS` calls a Vulkan driver, and what the driver calls its device.
const DRIVERS: [(&str, &str); 2] = [("lavapipe", "llvmpipe"), ("swiftshader", "swiftshader")];
const BACKENDS: [&str; 2] = ["vulkan", "wgpu"];
const SCENE: &str = "builtin:instances?count=27";

/// Runs the words on every driver by every backend; a driver that is not here is a named skip, and a
/// failure where it is demanded.
fn on_each(words: &[&str], check: impl Fn(&str, Ran)) {
    let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
    for (name, device) in DRIVERS {
        for backend in BACKENDS {
            let chosen = ["--backend", backend, "--driver", device];
            let ran = pick(&[words, &chosen].concat());
            if ran.code == 3 {
                let demanded = demanded.split(',').any(|found| found.trim() == name);
                assert!(!demanded, "{name} is demanded: {}", ran.err);
                eprintln!("skipped: {name} by {backend}: {}", ran.err);
                continue;
            }
            check(backend, ran.ended(0));
        }
    }
}

#[test]
fn every_backend_and_driver_names_what_the_cpu_names() {
    let words = ["query", SCENE, "--format", "jsonl", "--at", "320,240"];
    let right = pick(&[&words[..], &["--backend", "cpu"]].concat()).ended(0);
    on_each(&words, |_, ran| {
        for key in ["object", "instance", "primitive", "front_facing"] {
            assert_eq!(ran.lines()[0][key], right.lines()[0][key], "{key}");
        }
    });
}

#[test]
fn devices_are_listed_by_backend() {
    on_each(&["devices"], |backend, ran| {
        assert!(ran.out.starts_with(&format!("{backend}: ")), "{}", ran.out);
        assert!(ran.out.contains("detailed, pulled"), "{}", ran.out);
        assert!(!ran.out.contains("cannot be opened"), "{}", ran.out);
    });
}

#[test]
fn nothing_is_wrong_by_any_backend() {
    let words = ["compare", "builtin:grid?count=20", "--size", "64x48"];
    on_each(
        &[&words[..], &["--format", "jsonl"]].concat(),
        |backend, ran| {
            let lines = ran.lines();
            assert!(lines.len() >= 4, "{}", ran.out);
            assert!(lines.iter().all(|line| line["backend"] == backend));
        },
    );
}

#[test]
fn latencies_are_multiples_of_a_floor_and_an_empty_pass() {
    on_each(
        &["latency", "--picks", "40", "--format", "jsonl"],
        |backend, ran| {
            let lines = ran.lines();
            // Four strategies on each API of the device; raw Vulkan waits in two ways.
            let rows = if backend == "vulkan" { 8 } else { 4 };
            assert!(lines.len() >= rows, "{}", ran.out);
            assert_eq!(lines.len() % rows, 0, "{}", ran.out);
            for line in &lines {
                let number = |key: &str| line[key].as_f64().expect("a number");
                let (floor, empty, pick) = (
                    number("floor_micros"),
                    number("empty_micros"),
                    number("pick_micros"),
                );
                assert!(floor > 0.0 && empty > 0.0 && pick > 0.0, "{line}");
                assert!((number("pick_empty_multiple") - pick / empty).abs() < 1e-9);
                assert!((number("pick_floor_multiple") - pick / floor).abs() < 1e-9);
                assert_eq!(
                    (&line["picks"], &line["backend"]),
                    (&40.into(), &backend.into())
                );
            }
        },
    );
}

/// A GL context of an old version, whose limits are those of a new one, is refused by what it lacks.
#[test]
fn an_old_gl_is_told_what_to_ask_for() {
    let old = [
        ("WGPU_BACKEND", "gl"),
        ("MESA_GL_VERSION_OVERRIDE", "3.3"),
        ("MESA_GLSL_VERSION_OVERRIDE", "330"),
    ];
    let told = pick_in(
        &old,
        &["devices", "--backend", "wgpu", "--driver", "llvmpipe"],
    );
    if !told.out.contains("(GL)") {
        let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
        let needed = demanded.split(',').any(|name| name.trim() == "gl");
        assert!(!needed, "gl is demanded, but not here: {}", told.out);
        return eprintln!("skipped: gl is not here");
    }
    assert!(told.out.contains("ask for OpenGL 4.3"), "{}", told.out);
}
