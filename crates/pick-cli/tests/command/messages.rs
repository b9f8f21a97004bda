//! Messages name the file, the field and the fix.

use crate::common::{camera_text, file, pick};

const GRID: &str = "builtin:grid?count=8";

fn refused(words: &[&str], parts: &[&str]) {
    let ran = pick(words).ended(2);
    for part in parts {
        assert!(ran.err.contains(part), "{part:?} is not in {:?}", ran.err);
    }
    assert_eq!(ran.out, "", "{words:?}");
}

#[test]
fn cameras() {
    let good = camera_text();
    let cases = [
        ("syntax", "{", "whole file", "\"viewport\""),
        (
            "nan",
            &good.replace("0,0,-5,1", "0,0,NaN,1"),
            "view",
            "write",
        ),
        (
            "huge",
            &good.replace("0,0,-5,1", "0,0,1e999,1"),
            "view",
            "16 finite numbers",
        ),
        (
            "text",
            &good.replace("0,0,-5,1", "0,0,\"a\",1"),
            "view",
            "16 finite numbers",
        ),
        (
            "short",
            &good.replace("0,0,-5,1", "0,0,-5"),
            "view",
            "15 numbers, not 16",
        ),
        (
            "singular",
            &good.replace("1,0,0,0, 0,1,0,0, 0,0,1,0", "0,0,0,0, 0,1,0,0, 0,0,1,0"),
            "view",
            "inverted",
        ),
        (
            "depth",
            &good.replace("reversed", "backwards"),
            "depth",
            "\"standard\"",
        ),
        (
            "wrong-depth",
            &good.replace("reversed", "standard"),
            "depth",
            "other convention",
        ),
        (
            "viewport",
            &good.replace("[64,64]", "[64,0]"),
            "viewport",
            "whole pixels",
        ),
        (
            "half",
            &good.replace("[64,64]", "[64.5,64]"),
            "viewport",
            "whole",
        ),
        (
            "large",
            &good.replace("[64,64]", "[99999999,64]"),
            "viewport",
            "2^24",
        ),
        (
            "missing",
            &good.replace("\"projection\"", "\"view2\""),
            "view2",
            "use viewport, view, projection, depth",
        ),
        ("none", "{}", "view", "it is missing"),
    ];
    for (name, text, field, fix) in cases {
        let path = file(&format!("camera-{name}.json"), text);
        let place = format!("{path}: {field}");
        let place = if name == "syntax" {
            path.as_str()
        } else {
            &place
        };
        refused(
            &["query", GRID, "--backend", "cpu", "--camera", &path],
            &[place, field, fix],
        );
    }
}

#[test]
fn pixels() {
    let cases = [
        ("object", "{\"x\":1}", "write a list of pixels"),
        ("cut", "[[1,2]", "write a list of pixels"),
        ("number", "7", "write a list of pixels"),
    ];
    for (name, text, fix) in cases {
        let path = file(&format!("pixels-{name}.json"), text);
        refused(
            &["query", GRID, "--backend", "cpu", "--pixels", &path],
            &[&path, fix],
        );
    }
    let path = file("pixels-one.json", "[[1]]");
    let ran = pick(&[
        "query",
        GRID,
        "--backend",
        "cpu",
        "--format",
        "jsonl",
        "--pixels",
        &path,
    ])
    .ended(2);
    let error = ran.lines()[0]["error"].to_string();
    assert!(
        error.contains("pixels-one.json: [0]: 1 numbers, not 2"),
        "{error}"
    );
}

#[test]
fn scenes() {
    refused(&["query", "thing.obj"], &["thing.obj", ".glb"]);
    refused(&["query", "builtin:gird"], &["gird", "grid"]);
    refused(
        &["query", "builtin:grid?count=many"],
        &["count", "many", "whole number"],
    );
    let path = file("broken.glb", b"glTF\x02\0\0\0\x0c\0");
    refused(&["query", &path], &["broken.glb"]);
    refused(&["query", "nowhere/a.glb"], &["nowhere/a.glb"]);
}

#[test]
fn options() {
    refused(
        &["query", GRID, "--near", "nan"],
        &["--near", "NaN", "finite and above 0"],
    );
    refused(
        &["query", GRID, "--near", "5", "--far", "4"],
        &["--far", "4", "above near"],
    );
    refused(&["query", GRID, "--fov", "inf"], &["--fov", "degrees"]);
    refused(
        &["query", GRID, "--ortho", "-1"],
        &["--ortho", "-1", "above 0"],
    );
    refused(&["query", GRID, "--eye", "0,inf,0"], &["--eye", "finite"]);
    refused(
        &["query", GRID, "--eye", "0,9,0", "--target", "0,0,0"],
        &["--up", "0,0,1"],
    );
    refused(&["query", GRID, "--size", "wide"], &["--size", "640x480"]);
}
