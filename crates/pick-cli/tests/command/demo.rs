//! `demo`: pictures and a table, on a machine with nothing.

use crate::common::{NO_GPU, path, pick, pick_in};
use crate::images::{colors, decode};

#[test]
fn the_demo_draws_two_pictures_without_a_gpu() {
    let folder = path("demo");
    let ran = pick_in(&NO_GPU, &["demo", "--out", &folder, "--size", "160x100"]).ended(0);
    let printed = |name: &str| {
        let path = format!("{folder}/{name}");
        assert!(ran.out.contains(&path), "{}", ran.out);
        path
    };
    for name in ["shaded.png", "ids.png"] {
        let (width, height, bytes) = decode(&printed(name));
        assert_eq!((width, height), (160, 100));
        assert!(colors(&bytes) > 50, "{name}");
    }
    for object in [
        "floor",
        "knot",
        "marble",
        "crate",
        "mirrored crate",
        "cone",
        "fence",
        "(nothing)",
    ] {
        assert!(ran.out.contains(object), "{object}: {}", ran.out);
    }
    assert_eq!(
        ran.err.lines().count(),
        1,
        "one line about the CPU: {}",
        ran.err
    );
    let scene = printed("demo.glb");
    let asked = pick(&["query", &scene, "--backend", "cpu", "--format", "jsonl"]).ended(0);
    assert_eq!(asked.lines()[0]["hit"], true);
}
