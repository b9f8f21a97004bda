//! Questions about more than one pixel's nearest thing: batches, discs, areas, drills.

use crate::common::{Quad, camera, file, pick, quads};
use serde_json::{Value, json};

/// Three quads side by side, 7 pixels wide each, seen by the camera of the field cases: columns 22 to 28, 32 to 38
/// and 42 to 48 or so.
fn row(name: &str) -> (String, String) {
    let quad = |name, x| Quad {
        name,
        x: [x, x + 1.0],
        y: [1.0, 2.0],
    };
    let scene = quads(
        name,
        &[quad("left", -2.0), quad("middle", 0.0), quad("right", 2.0)],
    );
    (scene, camera(&format!("{name}.json")))
}

fn ask(name: &str, words: &[&str], code: i32) -> Vec<Value> {
    let (scene, camera) = row(name);
    let first = [
        "query",
        &scene,
        "--camera",
        &camera,
        "--backend",
        "cpu",
        "--format",
        "jsonl",
    ];
    pick(&[&first[..], words].concat()).ended(code).lines()
}

fn names(lines: &[Value]) -> Vec<Value> {
    lines.iter().map(|line| line["object"].clone()).collect()
}

#[test]
fn a_batch_answers_as_single_picks_do_and_in_order() {
    let at = [
        "--at", "48,22", "--at", "0,0", "--at", "99,3", "--at", "34,22", "--at", "48,22",
    ];
    let alone = ask("batch", &at, 2);
    let batch = ask("batch", &[&at[..], &["--batch"]].concat(), 2);
    assert_eq!(alone.len(), batch.len());
    for (alone, batch) in alone.iter().zip(&batch) {
        let without = |line: &Value| {
            let mut line = line.clone();
            line.as_object_mut().expect("an object").remove("micros");
            line
        };
        assert_eq!(without(alone), without(batch));
    }
    assert_eq!(batch[0]["object"], "right");
    assert!(
        batch[2]["error"]
            .as_str()
            .is_some_and(|error| error.contains("outside"))
    );
}

#[test]
fn a_radius_finds_what_is_beside_the_pixel() {
    let at = ["--at", "41,22", "--radius"];
    let lines = ask("near", &[&at[..], &["0"]].concat(), 0);
    assert_eq!(lines, [json!({"pixel": [41, 22], "hit": false})]);
    let lines = ask("near", &[&at[..], &["5"]].concat(), 0);
    let line = &lines[0];
    let [x, y]: [i64; 2] = serde_json::from_value(line["near_pixel"].clone()).expect("a pixel");
    let distance = line["pixel_distance"].as_f64().expect("a number");
    assert!((1.0..=5.0).contains(&distance) && y == 22, "{line}");
    assert_eq!(distance, (41 - x).abs() as f64);
    assert_eq!(line["pixel"], json!([41, 22]));
    for (radius, told) in [("-1", "radius"), ("64.5", "64"), ("nan", "radius")] {
        let lines = ask("near", &[&at[..], &[radius]].concat(), 2);
        let error = lines[0]["error"].as_str().expect("an error");
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn a_rectangle_lists_each_object_once_with_its_pixels() {
    let lines = ask("rect", &["--rect", "0,0,40,64"], 0);
    assert_eq!(names(&lines), ["left", "middle"]);
    for line in &lines {
        assert!(
            line["count"].as_u64().is_some_and(|count| count > 20),
            "{line}"
        );
        assert_eq!(line["pixel"], line["near_pixel"]);
        assert_eq!(line["beyond"], 0);
        assert!(line["point"].is_array() && line["primitive"].is_null());
    }
    let lines = ask("rect", &["--rect", "0,0,64,64", "--capacity", "1"], 0);
    assert_eq!(names(&lines), ["left"]);
    assert_eq!(lines[0]["beyond"], 2);
    let lines = ask("rect", &["--rect", "0,50,64,14"], 0);
    assert_eq!(lines, [json!({"pixel": null, "hit": false})]);
}

#[test]
fn a_lasso_and_what_it_touches() {
    let around = file(
        "around.json",
        "[[0,0],[64,0],[64,64],[40,64],[40,10],[0,10]]",
    );
    let lines = ask("lasso", &["--lasso", &around], 0);
    assert_eq!(names(&lines), ["right"]);
    let lines = ask("lasso", &["--lasso", &around, "--through", "touch"], 0);
    assert_eq!(names(&lines), ["right"]);
    // All of the right quad is in the strip, and half of the middle one.
    let strip = ["--rect", "35,10,29,20", "--through"];
    assert_eq!(
        names(&ask("lasso", &[&strip[..], &["touch"]].concat(), 0)),
        ["middle", "right"]
    );
    assert_eq!(
        names(&ask("lasso", &[&strip[..], &["contain"]].concat(), 0)),
        ["right"]
    );
    for (name, text) in [("two.json", "[[0,0],[5,5]]"), ("no.json", "{}")] {
        let path = file(name, text);
        let (scene, camera) = row("bad-lasso");
        let ran = pick(&[
            "query",
            &scene,
            "--camera",
            &camera,
            "--backend",
            "cpu",
            "--lasso",
            &path,
        ]);
        let ran = ran.ended(2);
        assert!(ran.err.contains(name), "{}", ran.err);
    }
}

#[test]
fn a_drill_lists_what_is_behind() {
    let scene = "builtin:instances?count=27";
    let words = ["query", scene, "--backend", "cpu", "--format", "jsonl"];
    let ask = |more: &[&str]| pick(&[&words[..], more].concat()).ended(0).lines();
    let lines = ask(&["--drill"]);
    assert!(lines.len() > 1, "{lines:?}");
    let ranks: Vec<u64> = lines
        .iter()
        .filter_map(|line| line["rank"].as_u64())
        .collect();
    assert!(ranks.iter().copied().eq(0..lines.len() as u64));
    let distances: Vec<f64> = lines
        .iter()
        .filter_map(|line| line["distance"].as_f64())
        .collect();
    assert!(distances.is_sorted() && distances.len() == lines.len());
    let two = ask(&["--drill", "2"]);
    assert_eq!(two.len(), 2);
    assert_eq!(two[0]["beyond"], lines.len() as u64 - 2);
    let nearest = ask(&[]);
    for field in ["instance", "primitive", "point"] {
        assert_eq!(nearest[0][field], lines[0][field]);
    }
}

#[test]
fn text_has_a_column_for_what_a_question_adds() {
    let (scene, camera) = row("text");
    let run = |words: &[&str]| {
        let first = ["query", &scene, "--camera", &camera, "--backend", "cpu"];
        pick(&[&first[..], words].concat()).ended(0).out
    };
    let told = run(&["--rect", "0,0,64,64", "--capacity", "2"]);
    assert!(
        told.contains("count") && told.contains("1 more are not listed"),
        "{told}"
    );
    assert!(run(&["--at", "41,22", "--radius", "5"]).contains("pixels away"));
    assert!(run(&["--at", "34,22", "--drill", "3"]).contains("rank"));
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let scene = "builtin:grid?count=8";
    for words in [
        &["--batch", "--radius", "3"][..],
        &["--rect", "0,0,1,1", "--at", "3,4"],
        &["--rect", "0,0,1,1", "--drill"],
        &["--rect", "0,0,1"],
        &["--rect", "0,0,-5,3"],
        &["--rect", "900,0,5,3"],
        &["--rect", "nan,0,5,3"],
        &["--through", "touch"],
        &["--capacity", "3"],
        &["--rect", "0,0,9,9", "--capacity", "0"],
        &["--drill", "0"],
        &["--lasso", "missing.json"],
    ] {
        let ran = pick(&[&["query", scene, "--backend", "cpu"][..], words].concat()).ended(2);
        assert!(
            !ran.err.is_empty() || ran.out.contains("error"),
            "{words:?}"
        );
    }
}
