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
    printed("demo.glb");
    printed("camera.json");
    // The last line says how to ask for the first mark, and gets its answer.
    let hint = ran
        .out
        .lines()
        .last()
        .and_then(|line| line.split_once("pick query "));
    let words = hint.expect("a hint").1.split(' ');
    let asked: Vec<&str> = ["query"].into_iter().chain(words).collect();
    let asked = [&asked[..], &["--backend", "cpu", "--format", "jsonl"]].concat();
    let told = pick(&asked).ended(0).lines()[0]["object"].clone();
    let first = ran
        .out
        .lines()
        .find(|line| line.trim_start().starts_with("1 "));
    let first = first.expect("the first mark");
    assert!(first.contains(told.as_str().unwrap()), "{told}: {first}");
}
