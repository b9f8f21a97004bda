//! Exit codes, one test a class.

use crate::common::{NO_GPU, pick, pick_in};

const GRID: &str = "builtin:grid?count=8";

#[test]
fn answered_is_0_and_so_is_a_miss() {
    pick(&["query", GRID, "--backend", "cpu"]).ended(0);
    pick(&["query", GRID, "--backend", "cpu", "--at", "0,0"]).ended(0);
    pick(&["--help"]).ended(0);
}

#[test]
fn bad_input_is_2() {
    for words in [
        &["query"][..],
        &["query", "builtin:no"],
        &["query", "builtin:grid?count=0"],
        &["query", "builtin:grid?cuont=1"],
        &["query", "missing.glb"],
        &["query", GRID, "--strategy", "psychic"],
        &["query", GRID, "--backend", "cpu", "--at", "640,0"],
        &["query", GRID, "--backend", "cpu", "--at", "here"],
        &["query", GRID, "--near", "-1"],
        &["query", GRID, "--near", "nan"],
        &["query", GRID, "--size", "0x4"],
        &["query", GRID, "--fov", "180"],
        &["query", GRID, "--eye", "0,0"],
        &["query", GRID, "--eye", "0,0,0", "--target", "0,0,0"],
        &["query", GRID, "--pixels", "missing.json"],
        &["query", GRID, "--camera", "missing.json"],
        &["query", GRID, "--camera", "c.json", "--fov", "40"],
        &["compare", "builtin:no"],
    ] {
        let ran = pick(words).ended(2);
        assert!(
            !ran.err.is_empty() || ran.out.contains("error"),
            "{words:?}"
        );
    }
}

#[test]
fn the_good_pixels_are_answered_beside_the_bad() {
    let ran = pick(&[
        "query",
        GRID,
        "--backend",
        "cpu",
        "--format",
        "jsonl",
        "--at",
        "nan,3",
        "--at",
        "1,1",
        "--at",
        "x",
    ])
    .ended(2);
    let lines = ran.lines();
    assert_eq!(lines.len(), 3);
    assert!(lines[0]["error"].is_string() && lines[2]["error"].is_string());
    assert_eq!(lines[1]["hit"], false);
}

#[test]
fn what_cannot_be_had_is_3() {
    for backend in ["wgpu", "vulkan"] {
        let none = pick_in(&NO_GPU, &["query", GRID, "--backend", backend]).ended(3);
        assert!(
            none.err.contains("--backend") && none.err.contains("cpu: CPU"),
            "{}",
            none.err
        );
        pick_in(&NO_GPU, &["compare", GRID, "--backend", backend]).ended(3);
        pick_in(&NO_GPU, &["devices", "--backend", backend]).ended(3);
        pick_in(&NO_GPU, &["latency", "--backend", backend]).ended(3);
    }
    let latency = pick_in(&NO_GPU, &["latency"]).ended(3);
    assert!(latency.err.contains("--driver llvmpipe"), "{}", latency.err);
    let driver = pick_in(&NO_GPU, &["query", GRID, "--driver", "no such thing"]).ended(3);
    assert!(
        driver.err.contains("no such thing") && driver.err.contains("CPU"),
        "{}",
        driver.err
    );
    pick(&["query", GRID, "--backend", "cpu", "--driver", "llvmpipe"]).ended(3);
}

#[test]
fn auto_comes_to_the_cpu_with_one_line() {
    let ran = pick_in(&NO_GPU, &["query", GRID, "--format", "jsonl"]).ended(0);
    assert_eq!(ran.lines().len(), 1);
    let said: Vec<_> = ran.err.lines().collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("CPU"), "{said:?}");
}
