//! Vertex attributes: quantized ones, further sets, morph targets, and numbers that are none.

use pick_scenes::{NoteKind, SceneData, SceneErrorKind};
use serde_json::json;

use crate::common::{File, triangle};

fn load(file: &File) -> SceneData {
    file.load().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn quantized_attributes_follow_the_formulas() {
    let mut file = File::new();
    file.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    file.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let shorts = |numbers: &[i16]| {
        numbers
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect::<Vec<_>>()
    };
    // Positions: plain shorts, padded to four bytes; normals: normalized bytes; uvs: normalized.
    let view = file.view(
        &shorts(&[-300, 0, 2, 0, 300, 0, 2, 0, 0, 1000, 2, 0]),
        Some(8),
    );
    let positions = file.push(
        "accessors",
        json!({"bufferView": view, "type": "VEC3", "componentType": 5122, "count": 3}),
    );
    let view = file.view(&[0, 0, 127, 0, 0, 0x81, 0, 0, 0, 64, 0x80, 0], Some(4));
    let normals = file.push(
        "accessors",
        json!({"bufferView": view, "type": "VEC3", "componentType": 5120, "count": 3, "normalized": true}),
    );
    let view = file.view(&[255, 51, 0, 0, 0, 0, 0, 0, 102, 0, 0, 0], Some(4));
    let uvs = file.push(
        "accessors",
        json!({"bufferView": view, "type": "VEC2", "componentType": 5121, "count": 3, "normalized": true}),
    );
    let attributes = json!({"POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs});
    file.draw(json!([{"attributes": attributes}]));
    let mesh = &load(&file).meshes[0];
    assert_eq!(
        mesh.positions[..],
        [[-300., 0., 2.], [300., 0., 2.], [0., 1000., 2.]]
    );
    let normals = mesh.normals.as_ref().expect("it has normals");
    assert_eq!(
        normals[..],
        [[0., 0., 1.], [0., -1., 0.], [0., 64. / 127., -1.]]
    );
    assert_eq!(
        mesh.uvs.as_ref().map(|u| (u[0], u[2])),
        Some(([1.0, 0.2], [0.4, 0.0]))
    );
    // The same file without the extension is told of it.
    file.json["extensionsUsed"] = json!([]);
    file.json["extensionsRequired"] = json!([]);
    let error = file.fails(SceneErrorKind::BadValue, "accessors[0].componentType");
    assert!(error.fix().contains("KHR_mesh_quantization"), "{error}");
}

#[test]
fn normalized_positions_are_between_minus_one_and_one() {
    let mut file = File::new();
    file.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    let view = file.view(&[0x80, 0, 127, 0, 0, 0, 0, 0, 127, 0x81, 0, 0], Some(4));
    let positions = file.push(
        "accessors",
        json!({"bufferView": view, "type": "VEC3", "componentType": 5120, "count": 3, "normalized": true}),
    );
    file.draw(json!([{"attributes": {"POSITION": positions}}]));
    let mesh = &load(&file).meshes[0];
    assert_eq!(
        mesh.positions[..],
        [[-1., 0., 1.], [0., 0., 0.], [1., -1., 0.]]
    );
}

#[test]
fn colours_tangents_and_second_uvs_are_read() {
    let mut file = triangle();
    let uvs = file.floats("VEC2", 2, &[0., 1., 2., 3., 4., 5.]);
    let tangents = file.floats("VEC4", 4, &[1., 0., 0., -1.].repeat(3));
    let view = file.view(&[255, 0, 51, 0, 0, 0, 0, 0, 0, 0, 0, 0], Some(4));
    let colors = file.push(
        "accessors",
        json!({"bufferView": view, "type": "VEC3", "componentType": 5121, "count": 3, "normalized": true}),
    );
    let attributes = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["TEXCOORD_1"] = uvs.into();
    attributes["TANGENT"] = tangents.into();
    attributes["COLOR_0"] = colors.into();
    attributes["_CUSTOM"] = 99.into();
    let mesh = &load(&file).meshes[0];
    assert_eq!(mesh.uvs1.as_ref().map(|u| u[2]), Some([4., 5.]));
    assert_eq!(
        mesh.tangents.as_ref().map(|t| t[1]),
        Some([1., 0., 0., -1.])
    );
    assert_eq!(mesh.colors.as_ref().map(|c| c[0]), Some([1., 0., 0.2, 1.]));
}

#[test]
fn morph_targets_are_read_with_their_weights() {
    let mut file = triangle();
    let offsets = file.floats("VEC3", 3, &[0., 0., 1.].repeat(3));
    file.json["meshes"][0]["primitives"][0]["targets"] =
        json!([{"POSITION": offsets}, {"NORMAL": offsets}]);
    file.json["meshes"][0]["weights"] = json!([0.5, 0.25]);
    file.json["nodes"][0]["weights"] = json!([1, 0]);
    let scene = load(&file);
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.morph_weights, [0.5, 0.25]);
    assert_eq!(
        mesh.morph_targets[0].positions.as_deref(),
        Some(&[[0., 0., 1.]; 3][..])
    );
    assert!(mesh.morph_targets[0].normals.is_none() && mesh.morph_targets[1].normals.is_some());
    assert_eq!(
        scene.objects[0].morph_weights.as_deref(),
        Some(&[1.0, 0.0][..])
    );
    assert_eq!(scene.notes[0].kind, NoteKind::Undeformed);
    file.json["nodes"][0]["weights"] = json!([1]);
    file.fails(SceneErrorKind::BadValue, "nodes[0].weights");
}

#[test]
fn numbers_that_are_none_are_an_error_for_positions_and_a_note_elsewhere() {
    let mut file = triangle();
    let normals = file.floats(
        "VEC3",
        3,
        &[0., 0., 1., f32::NAN, 0., 0., 0., f32::INFINITY, 1.],
    );
    file.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = normals.into();
    let scene = load(&file);
    assert_eq!(
        scene.meshes[0].normals.as_deref(),
        Some(&[[0., 0., 1.], [0.; 3], [0.; 3]][..])
    );
    assert_eq!(scene.notes[0].kind, NoteKind::Mended);
    assert!(scene.notes[0].text.contains("2 elements"));
    let positions = file.positions(&[[0.; 3], [f32::NAN, 0., 0.], [0.; 3]]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = positions.into();
    let error = file.fails(SceneErrorKind::BadValue, "accessors[2]");
    assert!(error.problem().contains("element 1"), "{error}");
}
