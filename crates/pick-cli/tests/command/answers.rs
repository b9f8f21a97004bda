//! What `query` answers, and under which names.

use crate::common::{Quad, camera, file, pick, quads};
use serde_json::{Value, json};

const HIT_KEYS: [&str; 18] = [
    "pixel",
    "hit",
    "object",
    "object_index",
    "instance",
    "submesh",
    "material",
    "primitive",
    "face",
    "barycentric",
    "point",
    "normal",
    "face_normal",
    "uv",
    "depth",
    "distance",
    "front_facing",
    "micros",
];

fn keys(line: &Value) -> Vec<&str> {
    let object = line.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

fn close(told: &Value, right: &[f64]) {
    let told: Vec<f64> = serde_json::from_value(told.clone()).expect("numbers");
    assert_eq!(told.len(), right.len(), "{told:?}");
    for (a, b) in told.iter().zip(right) {
        assert!((a - b).abs() < 1e-5, "{told:?} is not {right:?}");
    }
}

#[test]
fn the_names_of_an_answer_are_exactly_these() {
    let words = [
        "query",
        "builtin:instances?count=27",
        "--backend",
        "cpu",
        "--format",
        "jsonl",
    ];
    let at = ["--at", "320,240", "--at", "0,0", "--at", "-1,5"];
    let ran = pick(&[&words[..], &at[..]].concat()).ended(2);
    let lines = ran.lines();
    assert_eq!(lines.len(), 3);
    assert_eq!(sorted(keys(&lines[0])), sorted(HIT_KEYS.to_vec()));
    assert_eq!(sorted(keys(&lines[1])), ["hit", "pixel"]);
    assert_eq!(sorted(keys(&lines[2])), ["error", "pixel"]);
    assert_eq!(lines[0]["hit"], true);
    assert_eq!(lines[1], json!({"pixel": [0, 0], "hit": false}));
    assert_eq!(lines[2]["pixel"], json!([-1, 5]));
    assert!(lines[0]["instance"].is_u64() && lines[0]["face"].is_u64());
    assert_eq!(lines[0]["object"], Value::Null);
}

#[test]
fn what_a_strategy_does_not_give_is_null() {
    for strategy in ["color-id", "integer-id", "stencil-id"] {
        let ran = pick(&[
            "query",
            "builtin:instances?count=27",
            "--backend",
            "cpu",
            "--format",
            "jsonl",
            "--strategy",
            strategy,
        ])
        .ended(0);
        let line = &ran.lines()[0];
        assert_eq!(sorted(keys(line)), sorted(HIT_KEYS.to_vec()));
        for absent in [
            "primitive",
            "barycentric",
            "normal",
            "face_normal",
            "uv",
            "front_facing",
        ] {
            assert!(line[absent].is_null(), "{strategy}: {absent}");
        }
        assert_eq!(line["instance"].is_null(), strategy == "stencil-id");
        assert_eq!(line["object_index"], 0);
    }
}

/// Field case 1
#[test]
fn a_physical_pixel_is_not_a_logical_one() {
    let scene = quads(
        "case1",
        &[Quad {
            name: "seven",
            x: [1.0, 2.0],
            y: [1.0, 2.0],
        }],
    );
    let camera = camera("case1.json");
    let ran = pick(&[
        "query",
        &scene,
        "--camera",
        &camera,
        "--backend",
        "cpu",
        "--format",
        "jsonl",
        "--at",
        "41,22",
        "--at",
        "20,11",
    ])
    .ended(0);
    let lines = ran.lines();
    assert_eq!(lines[0]["object"], "seven");
    assert_eq!(lines[1]["hit"], false);
    // World x = (41.5 - 32) * 0.15625 = 1.484375; y = (32 - 22.5) * 0.15625 = 1.484375.
    close(&lines[0]["point"], &[1.484375, 1.484375, 0.0]);
    // On the diagonal: u = v, so either triangle and weights (1 - u, u).
    close(&lines[0]["uv"], &[0.484375, 0.484375]);
}

/// Field case 8
#[test]
fn the_world_point_is_that_of_the_pixels_centre() {
    let scene = quads(
        "case8",
        &[Quad {
            name: "wall",
            x: [-40.0, 40.0],
            y: [-40.0, 40.0],
        }],
    );
    let camera = camera("case8.json");
    for strategy in ["detailed", "color-id", "integer-id", "stencil-id"] {
        let ran = pick(&[
            "query",
            &scene,
            "--camera",
            &camera,
            "--backend",
            "cpu",
            "--format",
            "jsonl",
            "--at",
            "40,20",
            "--strategy",
            strategy,
        ])
        .ended(0);
        let line = &ran.lines()[0];
        close(&line["point"], &[1.328125, 1.796875, 0.0]);
        close(&json!([line["depth"]]), &[0.019019]);
        let (x, y, z): (f64, f64, f64) = (1.328125, 1.796875, 5.0);
        close(
            &json!([line["distance"]]),
            &[(x * x + y * y + z * z).sqrt()],
        );
        if strategy == "detailed" {
            // u = 41.328125 / 80, v = 41.796875 / 80: above the diagonal, triangle 1 = v0 v2 v3.
            let (u, v) = (0.516_601_562_5, 0.522_460_937_5);
            assert_eq!(line["primitive"], 1);
            close(&line["uv"], &[u, v]);
            close(&line["barycentric"], &[1.0 - v, u, v - u]);
            close(&line["face_normal"], &[0.0, 0.0, 1.0]);
            assert_eq!(line["normal"], Value::Null);
            assert_eq!(line["front_facing"], true);
        }
    }
}

#[test]
fn pixels_come_from_a_file_of_any_length() {
    let mut pixels: Vec<String> = (0..3000)
        .map(|k| format!("[{},{}]", k % 64, k / 64))
        .collect();
    pixels.push("[40.75, 20.25]".to_owned());
    pixels.push("[64, 3]".to_owned());
    pixels.push("\"no\"".to_owned());
    pixels.push("[12.5, -0.5]".to_owned());
    let pixels = file("many.json", format!("[{}]", pixels.join(",\n ")));
    let scene = quads(
        "many",
        &[Quad {
            name: "wall",
            x: [-40.0, 40.0],
            y: [-40.0, 40.0],
        }],
    );
    let camera = camera("many-camera.json");
    let ran = pick(&[
        "query",
        &scene,
        "--camera",
        &camera,
        "--backend",
        "cpu",
        "--format",
        "jsonl",
        "--pixels",
        &pixels,
    ])
    .ended(2);
    let lines = ran.lines();
    assert_eq!(lines.len(), 3004);
    assert!(lines[..3001].iter().all(|line| line["hit"] == true));
    assert_eq!(lines[3000]["pixel"], json!([40.75, 20.25]));
    close(&lines[3000]["point"], &[1.328125, 1.796875, 0.0]);
    for (line, word) in [(3001, "outside"), (3002, "[3002]"), (3003, "outside")] {
        let error = lines[line]["error"].as_str().expect("an error");
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn culling_is_asked_for() {
    let scene = quads(
        "cull",
        &[Quad {
            name: "wall",
            x: [-4.0, 4.0],
            y: [-4.0, 4.0],
        }],
    );
    let words = [
        "query",
        &scene,
        "--backend",
        "cpu",
        "--format",
        "jsonl",
        "--eye",
        "0,0,-5",
    ];
    let behind = pick(&words).ended(0);
    assert_eq!(behind.lines()[0]["front_facing"], false);
    for cull in ["back", "material"] {
        let ran = pick(&[&words[..], &["--cull", cull]].concat()).ended(0);
        assert_eq!(ran.lines()[0]["hit"], false, "{cull}");
    }
}

#[test]
fn the_scene_is_framed_and_the_centre_is_asked() {
    for scene in [
        "builtin:mesh?triangles=200",
        "builtin:ties",
        "builtin:shells",
        "builtin:nearfar",
    ] {
        let ran = pick(&["query", scene, "--backend", "cpu", "--format", "jsonl"]).ended(0);
        assert_eq!(ran.lines()[0]["pixel"], json!([320, 240]), "{scene}");
    }
    let ran = pick(&[
        "query",
        "builtin:mesh?triangles=200",
        "--backend",
        "cpu",
        "--ortho",
        "2",
    ])
    .ended(0);
    assert!(ran.out.contains("object_index 0"), "{}", ran.out);
}
