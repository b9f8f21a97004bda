//! Accessors that are broken or mean ill, and what reads them.

use pick_scenes::SceneErrorKind as Kind;
use serde_json::{Value, json};

use crate::common::{File, POINTS, changed, set, triangle};

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
