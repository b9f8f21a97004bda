//! Files that are broken or mean ill: each gets its typed error, at the field, soon.

use pick_scenes::SceneErrorKind as Kind;
use pick_scenes::gltf::load_bytes;
use serde_json::{Value, json};

use crate::common::{changed, glb, triangle};

#[test]
fn every_truncation_is_an_error() {
    let bytes = triangle().bytes();
    for end in 0..bytes.len() {
        let error = load_bytes("cut.glb", &bytes[..end], None).expect_err("it is cut");
        assert!(
            matches!(error.kind(), Kind::Format | Kind::Truncated),
            "cut at {end}: {error}"
        );
    }
    let json = triangle().json.to_string();
    for end in 0..json.len() {
        let error = load_bytes("cut.gltf", &json.as_bytes()[..end], None).expect_err("it is cut");
        assert!(
            matches!(error.kind(), Kind::Format | Kind::Json),
            "cut at {end}: {error}"
        );
    }
}

#[test]
fn indices_of_everything_are_checked() {
    for (pointer, field) in [
        ("/scene", "scene"),
        ("/nodes/0/mesh", "nodes[0].mesh"),
        ("/nodes/0/camera", "nodes[0].camera"),
        ("/nodes/0/skin", "nodes[0].skin"),
        (
            "/meshes/0/primitives/0/indices",
            "meshes[0].primitives[0].indices",
        ),
        (
            "/meshes/0/primitives/0/material",
            "meshes[0].primitives[0].material",
        ),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            "meshes[0].primitives[0].attributes.POSITION",
        ),
        ("/accessors/0/bufferView", "accessors[0].bufferView"),
        ("/bufferViews/0/buffer", "bufferViews[0].buffer"),
    ] {
        for index in [7_u32, u32::MAX] {
            let error = changed(pointer, index.into()).fails(Kind::IndexOutOfRange, field);
            assert!(error.problem().contains(&index.to_string()), "{error}");
        }
        changed(pointer, (-1).into()).fails(Kind::Json, field);
        changed(pointer, json!(1e99)).fails(Kind::Json, field);
        changed(pointer, "0".into()).fails(Kind::Json, field);
    }
    changed("/nodes/0/children", json!([5])).fails(Kind::IndexOutOfRange, "nodes[0].children[0]");
    changed("/scenes", json!([{"nodes": [5]}])).fails(Kind::IndexOutOfRange, "scenes[0].nodes[0]");
}

#[test]
fn documents_that_take_far_more_memory_than_text_are_refused() {
    let entries = |key: &str, entry: &str, count: usize| {
        let list = vec![entry; count].join(",");
        format!("{{\"asset\":{{\"version\":\"2.0\"}},\"{key}\":[{list}]}}")
    };
    let json = entries("materials", "{}", 400_000);
    let error = load_bytes("a.gltf", json.as_bytes(), None).expect_err("too many");
    assert_eq!(error.kind(), Kind::TooLarge, "{error}");
    let json = entries("nodes", "{}", 1_000);
    assert_eq!(
        load_bytes("a.gltf", json.as_bytes(), None)
            .map(|s| s.nodes.len())
            .ok(),
        Some(1000)
    );
    let json = format!("{{\"a\":{}", "[".repeat(100_000));
    let error = load_bytes("a.gltf", json.as_bytes(), None).expect_err("too deep");
    assert_eq!(error.kind(), Kind::Json, "{error}");
}

#[test]
fn nodes_must_be_a_tree() {
    let nodes = |nodes: Value| {
        let mut file = triangle();
        file.json["nodes"] = nodes;
        file
    };
    nodes(json!([{"children": [0]}])).fails(Kind::Hierarchy, "nodes[0].children");
    nodes(json!([{}, {"children": [2]}, {"children": [1]}]))
        .fails(Kind::Hierarchy, "nodes[1].children");
    nodes(json!([{"children": [2]}, {"children": [2]}, {}]))
        .fails(Kind::Hierarchy, "nodes[1].children[0]");
    nodes(json!([{"children": [1, 1]}, {}])).fails(Kind::Hierarchy, "nodes[0].children[1]");
    let mut file = nodes(json!([{"children": [1]}, {}]));
    file.json["scenes"] = json!([{"nodes": [0, 0]}]);
    file.fails(Kind::Hierarchy, "scenes[0].nodes[1]");
    file.json["scenes"] = json!([{"nodes": [0, 1]}]);
    file.fails(Kind::Hierarchy, "scenes");
    file.json["scenes"] = json!([{"nodes": [1, 0]}]);
    file.fails(Kind::Hierarchy, "scenes");
    // A chain as deep as the file can hold is no harm.
    let count = 20_000;
    let mut chain: Vec<_> = (1..count).map(|i| json!({"children": [i]})).collect();
    chain.push(json!({"mesh": 0, "translation": [0, 1, 0]}));
    chain[0]["translation"] = json!([1, 0, 0]);
    let scene = nodes(json!(chain)).load().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        scene.objects[0]
            .world_from_object
            .w_axis
            .truncate()
            .to_array(),
        [1.0, 1.0, 0.0]
    );
}

#[test]
fn transforms_must_be_finite_and_affine() {
    changed("/nodes/0/translation", json!([1e31, 0, 0])).fails(Kind::BadValue, "nodes[0]");
    changed("/nodes/0/scale", json!([1e308, 1, 1])).fails(Kind::BadValue, "nodes[0]");
    changed("/nodes/0/scale", json!([1, 1])).fails(Kind::BadValue, "nodes[0].scale");
    changed("/nodes/0/scale", json!([1, 1, null])).fails(Kind::BadValue, "nodes[0].scale");
    changed("/nodes/0/rotation", json!([0, 0, 0, 0])).fails(Kind::BadValue, "nodes[0].rotation");
    changed("/nodes/0/rotation", json!("x")).fails(Kind::BadValue, "nodes[0].rotation");
    changed("/nodes/0/matrix", json!(vec![1.0; 16])).fails(Kind::BadValue, "nodes[0].matrix");
    changed("/nodes/0/matrix", json!(vec![1.0; 15])).fails(Kind::BadValue, "nodes[0].matrix");
    let json = triangle()
        .json
        .to_string()
        .replace("\"mesh\":0", "\"mesh\":0,\"scale\":[NaN,1,1]");
    assert!(json.contains("NaN"));
    let error = load_bytes("a.gltf", json.as_bytes(), None).expect_err("NaN is no JSON");
    assert_eq!(error.kind(), Kind::Json);
}

#[test]
fn extensions_and_versions_that_are_not_known_are_named() {
    for name in [
        "KHR_draco_mesh_compression",
        "EXT_meshopt_compression",
        "ACME_teapots",
    ] {
        let error = changed("/extensionsRequired", json!(["KHR_materials_unlit", name]))
            .fails(Kind::Unsupported, "extensionsRequired[1]");
        assert!(error.problem().contains(name), "{error}");
    }
    // Used, not required: the file says that it can do without.
    assert!(
        changed("/extensionsUsed", json!(["ACME_teapots"]))
            .load()
            .is_ok()
    );
    let draco = json!({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}});
    let mut file = changed("/meshes/0/primitives/0/extensions", draco);
    assert!(file.load().is_ok(), "the accessors are complete");
    file.json["accessors"][0]
        .as_object_mut()
        .map(|a| a.remove("bufferView"));
    file.fails(
        Kind::Unsupported,
        "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression",
    );
    changed("/asset/version", "1.0".into()).fails(Kind::Unsupported, "asset.version");
    changed("/asset/version", "3.0".into()).fails(Kind::Unsupported, "asset.version");
    changed("/asset/version", 2.into()).fails(Kind::Json, "asset.version");
    changed("/asset/minVersion", "2.1".into()).fails(Kind::Unsupported, "asset.minVersion");
    assert!(changed("/asset/version", "2.1".into()).load().is_ok());
}

#[test]
fn the_header_must_be_that_of_a_binary_file() {
    let good = triangle().bytes();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        let error = load_bytes("a.glb", &bytes, None).expect_err("the header is wrong");
        (error.kind(), error.field().to_owned())
    };
    assert_eq!(with(0, b'X'), (Kind::Format, "header".into()));
    assert_eq!(with(4, 1), (Kind::Unsupported, "header.version".into()));
    assert_eq!(with(11, 0xff), (Kind::Truncated, "header.length".into()));
    assert_eq!(with(15, 0xff), (Kind::Truncated, "chunks[0].length".into()));
    assert_eq!(with(16, b'X'), (Kind::Format, "chunks[0].type".into()));
    assert_eq!(
        load_bytes("a.glb", b"", None)
            .expect_err("it is empty")
            .kind(),
        Kind::Format
    );
    let error = load_bytes("a.glb", &glb(&json!([]), &[]), None).expect_err("no object");
    assert_eq!((error.kind(), error.field()), (Kind::Json, "JSON"));
}

#[test]
fn enumerations_are_checked() {
    changed("/meshes/0/primitives/0/mode", 7.into())
        .fails(Kind::BadValue, "meshes[0].primitives[0].mode");
    changed("/accessors/0/type", "VEC5".into()).fails(Kind::BadValue, "accessors[0].type");
    changed("/accessors/0/type", "VEC2".into()).fails(Kind::BadValue, "accessors[0].type");
    changed("/accessors/0/componentType", 5124.into())
        .fails(Kind::BadValue, "accessors[0].componentType");
    changed("/accessors/0/componentType", 5125.into())
        .fails(Kind::BadValue, "accessors[0].componentType");
    changed("/meshes", json!({})).fails(Kind::Json, "meshes");
    changed("/accessors/0/count", "3".into()).fails(Kind::Json, "accessors[0].count");
    changed("/buffers", json!([])).fails(Kind::IndexOutOfRange, "bufferViews[0].buffer");
    let mut file = triangle();
    file.push("buffers", json!({"byteLength": 1}));
    file.fails(Kind::Uri, "buffers[1].uri");
}

#[test]
fn an_error_stays_a_line_however_long_or_odd_the_key() {
    let mut file = triangle();
    let key = "TEXCOORD_\n\u{1b}[2J".to_owned() + &"x".repeat(10_000);
    file.json["meshes"][0]["primitives"][0]["attributes"][&key] = (-1).into();
    let error = file.load().expect_err("an index is negative");
    assert_eq!(error.kind(), Kind::Json);
    let text = error.to_string();
    assert!(
        text.len() < 1000 && !text.contains(char::is_control),
        "{text}"
    );
    assert!(
        text.contains("meshes[0].primitives[0].attributes.TEXCOORD_\\n"),
        "{text}"
    );
}
