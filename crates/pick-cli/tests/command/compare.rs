//! `compare` and `devices` where there is no GPU.

use crate::common::{NO_GPU, pick_in};

const CELL_KEYS: [&str; 21] = [
    "api",
    "backend",
    "bytes_read_back",
    "broken",
    "cut_at",
    "device",
    "driver",
    "empty_micros",
    "empty_multiple",
    "floor_micros",
    "floor_multiple",
    "median_micros",
    "memory_bytes",
    "p95_micros",
    "picks",
    "right",
    "ambiguous",
    "strategy",
    "unsupported",
    "wrong",
    "wrong_picks",
];

#[test]
fn the_cpu_agrees_with_itself() {
    let ran = pick_in(
        &NO_GPU,
        &["compare", "builtin:grid?count=20", "--format", "jsonl"],
    )
    .ended(0);
    let lines = ran.lines();
    let strategies: Vec<_> = lines.iter().map(|line| line["strategy"].as_str()).collect();
    assert_eq!(
        strategies,
        ["color-id", "integer-id", "stencil-id", "detailed"].map(Some)
    );
    for line in &lines {
        let mut keys: Vec<_> = line.as_object().expect("an object").keys().collect();
        let mut right = CELL_KEYS.to_vec();
        keys.sort_unstable();
        right.sort_unstable();
        assert_eq!(keys, right);
        assert_eq!(
            (&line["right"], &line["wrong"]),
            (&32.into(), &0.into()),
            "{line}"
        );
        assert!(line["memory_bytes"].as_u64() > Some(0));
        assert!(line["median_micros"].as_f64() <= line["p95_micros"].as_f64());
    }
}

#[test]
fn the_table_says_what_its_words_mean() {
    let ran = pick_in(
        &NO_GPU,
        &["compare", "builtin:ties?count=3", "--size", "64x48"],
    )
    .ended(0);
    for word in [
        "x floor",
        "x empty",
        "ambiguous",
        "1/15",
        "read back",
        "floor of CPU",
    ] {
        assert!(ran.out.contains(word), "{word}");
    }
}

#[test]
fn devices_are_listed_with_what_they_get() {
    let ran = pick_in(&NO_GPU, &["devices"]).ended(0);
    assert!(ran.out.starts_with("cpu: CPU"), "{}", ran.out);
    for strategy in ["color-id", "integer-id", "stencil-id", "detailed"] {
        assert!(ran.out.contains(strategy), "{strategy}");
    }
}
