//! Files that are broken or mean ill: each gets its typed error, at the field, soon.

use pick_scenes::SceneErrorKind as Kind;
use pick_scenes::gltf::load_bytes;
use serde_json::{Value, json};

use crate::common::{File, POINTS, glb, triangle};

/// A triangle with one value of its document changed.
fn changed(pointer: &str, value: Value) -> File {
    let mut file = triangle();
    set(&mut file.json, pointer, value);
    file
}

fn set(json: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer
        .rsplit_once('/')
        .expect("a pointer starts with a slash");
    let parent = json.pointer_mut(parent).expect("the parent is there");
    match key.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[key] = value,
    }
}

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
fn ranges_beyond_buffers_are_checked_without_overflow() {
    let huge = [37_u64, 1 << 32, u64::MAX / 12, u64::MAX];
    for value in huge {
        changed("/bufferViews/0/byteLength", value.into())
            .fails(Kind::ByteRange, "bufferViews[0].byteLength");
        changed("/bufferViews/0/byteOffset", value.into())
            .fails(Kind::ByteRange, "bufferViews[0].byteLength");
        changed("/accessors/0/byteOffset", value.into())
            .fails(Kind::ByteRange, "accessors[0].byteOffset");
        changed("/buffers/0/byteLength", value.into())
            .fails(Kind::Truncated, "buffers[0].byteLength");
    }
    changed("/accessors/0/count", 4.into()).fails(Kind::ByteRange, "accessors[0].byteOffset");
    changed("/accessors/0/count", u32::MAX.into())
        .fails(Kind::ByteRange, "accessors[0].byteOffset");
    changed("/accessors/0/count", u64::MAX.into()).fails(Kind::TooLarge, "accessors[0].count");
    for stride in [0_u64, 1, 253, u64::MAX] {
        changed("/bufferViews/0/byteStride", stride.into())
            .fails(Kind::BadValue, "bufferViews[0].byteStride");
    }
    changed("/bufferViews/0/byteStride", 8.into())
        .fails(Kind::BadValue, "bufferViews[0].byteStride");
    changed("/bufferViews/0/byteStride", 16.into())
        .fails(Kind::ByteRange, "accessors[0].byteOffset");
}

#[test]
fn counts_that_the_file_cannot_account_for_are_refused() {
    // No buffer view: zeros, as many as it says.
    let mut file = changed(
        "/accessors/0",
        json!({"type": "VEC3", "componentType": 5126, "count": 4_000_000_000_u32}),
    );
    file.fails(Kind::TooLarge, "accessors[0].count");
    set(&mut file.json, "/accessors/0/count", 3.into());
    assert_eq!(file.load().map(|s| s.drawn_triangles()).ok(), Some(1));
    // Many meshes that decode the same accessor over and over.
    let mut file = File::new();
    let positions = file.floats("VEC3", 3, &[0.5; 30_000]);
    let primitive = json!({"primitives": [{"attributes": {"POSITION": positions}}]});
    file.json["meshes"] = json!(vec![primitive; 400]);
    file.fails(Kind::TooLarge, &format!("accessors[{positions}].count"));
    // Attributes that one primitive has and another, with many vertices, does not.
    let mut file = File::new();
    let few = file.positions(&POINTS[..3]);
    let many = file.floats("VEC3", 3, &[0.5; 90_000]);
    let target = json!({"POSITION": few});
    file.draw(json!([
        {"attributes": {"POSITION": few}, "targets": vec![target; 200]},
        {"attributes": {"POSITION": many}, "targets": vec![json!({}); 200]},
    ]));
    file.fails(Kind::TooLarge, "meshes[0].primitives[1]");
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
fn vertices_and_indices_must_fit_together() {
    let indexed = |component, bytes: &[u8]| {
        let mut file = triangle();
        let each = if component == 5121 { 1 } else { 4 };
        let indices = file.accessor("SCALAR", component, bytes.len() / each, bytes);
        file.json["meshes"][0]["primitives"][0]["indices"] = indices.into();
        file
    };
    let error = indexed(5121, &[0, 1, 3]).fails(Kind::IndexOutOfRange, "accessors[1]");
    assert!(error.problem().contains("element 2"), "{error}");
    indexed(5121, &[0, 255, 1]).fails(Kind::BadValue, "accessors[1]");
    indexed(5125, &[0xff; 12]).fails(Kind::BadValue, "accessors[1]");
    indexed(5120, &[0; 12]).fails(Kind::BadValue, "accessors[1].componentType");
    let mut file = triangle();
    let normals = file.floats("VEC3", 3, &[0.0; 6]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = normals.into();
    file.fails(Kind::BadValue, "accessors[1].count");
    let mut file = triangle();
    file.json["meshes"][0]["weights"] = json!([1, 2]);
    file.fails(Kind::BadValue, "meshes[0].weights");
}

#[test]
fn sparse_accessors_are_checked() {
    let sparse = |count: u64, indices: &[u8], values: usize| {
        let mut file = triangle();
        let index = file.view(indices, None);
        let value = file.view(&vec![0; values], None);
        file.json["accessors"][0]["sparse"] = json!({
            "count": count,
            "indices": {"bufferView": index, "componentType": 5121},
            "values": {"bufferView": value},
        });
        file
    };
    assert!(sparse(2, &[0, 2], 24).load().is_ok());
    sparse(4, &[0, 1, 2, 3], 48).fails(Kind::BadValue, "accessors[0].sparse.count");
    sparse(u64::MAX, &[0], 12).fails(Kind::BadValue, "accessors[0].sparse.count");
    sparse(2, &[0, 3], 24).fails(Kind::IndexOutOfRange, "accessors[0].sparse.indices");
    sparse(2, &[2, 0], 24).fails(Kind::IndexOutOfRange, "accessors[0].sparse.indices");
    sparse(2, &[1, 1], 24).fails(Kind::IndexOutOfRange, "accessors[0].sparse.indices");
    sparse(2, &[0], 24).fails(Kind::ByteRange, "accessors[0].sparse.indices.byteOffset");
    sparse(2, &[0, 1], 23).fails(Kind::ByteRange, "accessors[0].sparse.values.byteOffset");
    let mut file = sparse(1, &[0], 12);
    file.json["accessors"][0]["sparse"]["values"]["bufferView"] = 9.into();
    file.fails(
        Kind::IndexOutOfRange,
        "accessors[0].sparse.values.bufferView",
    );
}

#[test]
fn animations_are_checked() {
    let animated = || {
        let mut file = triangle();
        let times = file.floats("SCALAR", 1, &[0., 1.]);
        let values = file.floats("VEC3", 3, &[0.5; 6]);
        file.json["animations"] = json!([{
            "samplers": [{"input": times, "output": values}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "scale"}}],
        }]);
        file
    };
    assert!(animated().load().is_ok());
    let changed = |pointer: &str, value: Value| {
        let mut file = animated();
        set(&mut file.json, &format!("/animations/0{pointer}"), value);
        file
    };
    let at = |field: &str| format!("animations[0].{field}");
    changed("/channels/0/sampler", 3.into())
        .fails(Kind::IndexOutOfRange, &at("channels[0].sampler"));
    changed("/channels/0/target/node", 3.into())
        .fails(Kind::IndexOutOfRange, &at("channels[0].target.node"));
    changed("/channels/0/target/path", "rotation".into())
        .fails(Kind::BadValue, &at("channels[0].sampler"));
    changed("/samplers/0/input", 0.into()).fails(Kind::BadValue, "accessors[0].type");
    changed("/samplers/0/output", 1.into()).fails(Kind::BadValue, &at("channels[0].sampler"));
    changed("/samplers/0/output", 0.into()).fails(Kind::BadValue, &at("samplers[0].output"));
    changed("/samplers/0/interpolation", "CUBICSPLINE".into())
        .fails(Kind::BadValue, &at("samplers[0].output"));
    changed("/samplers/0/interpolation", "WOBBLY".into())
        .fails(Kind::BadValue, &at("samplers[0].interpolation"));
}
