//! How geometry is read: indices, topologies, accessors, several primitives.

use pick_scenes::{NoteKind, SceneData, SceneTopology};
use serde_json::json;

use crate::common::{File, POINTS, triangle};

fn load(file: &File) -> SceneData {
    file.load().unwrap_or_else(|e| panic!("{e}"))
}

/// The vertices of every triangle of the first mesh.
fn triangles(scene: &SceneData) -> Vec<[u32; 3]> {
    let mesh = &scene.meshes[0];
    let elements = mesh
        .submeshes
        .iter()
        .flat_map(|s| s.elements.clone().step_by(3));
    elements
        .map(|e| mesh.triangle(e).expect("the triangle is there"))
        .collect()
}

#[test]
fn without_indices_vertices_are_in_order() {
    let scene = load(&triangle());
    assert!(scene.meshes[0].indices.is_none());
    assert_eq!(triangles(&scene), [[0, 1, 2]]);
    assert_eq!(scene.meshes[0].positions[..], POINTS[..3]);
    assert_eq!(scene.name, "test.glb");
}

#[test]
fn indices_of_every_width_are_read() {
    let wanted = [0_u32, 1, 2, 0, 2, 3];
    let bytes: [(u32, Vec<u8>); 3] = [
        (5121, wanted.iter().map(|&i| i as u8).collect()),
        (
            5123,
            wanted
                .iter()
                .flat_map(|&i| (i as u16).to_le_bytes())
                .collect(),
        ),
        (5125, wanted.iter().flat_map(|&i| i.to_le_bytes()).collect()),
    ];
    for (component, bytes) in bytes {
        let mut file = File::new();
        let positions = file.positions(&POINTS);
        let indices = file.accessor("SCALAR", component, 6, &bytes);
        file.draw(json!([{"attributes": {"POSITION": positions}, "indices": indices}]));
        let scene = load(&file);
        assert_eq!(
            scene.meshes[0].indices.as_deref(),
            Some(&wanted[..]),
            "{component}"
        );
        assert_eq!(triangles(&scene), [[0, 1, 2], [0, 2, 3]]);
    }
}

#[test]
fn strips_and_fans_keep_the_numbers_of_their_triangles() {
    let strip = [[0, 1, 2], [1, 3, 2], [2, 3, 4]];
    let fan = [[1, 2, 0], [2, 3, 0], [3, 4, 0]];
    for (mode, topology, expected) in [
        (5, SceneTopology::Strip, strip),
        (6, SceneTopology::Fan, fan),
    ] {
        let mut file = File::new();
        let positions = file.positions(&POINTS);
        file.draw(json!([{"attributes": {"POSITION": positions}, "mode": mode}]));
        let scene = load(&file);
        assert_eq!(triangles(&scene), expected);
        assert_eq!(scene.meshes[0].submeshes[0].topology, topology);
    }
    // With indices, and a triangle without area in the middle, which keeps its number.
    let mut file = File::new();
    let positions = file.positions(&POINTS);
    let indices = file.accessor("SCALAR", 5121, 5, &[4, 3, 3, 2, 1]);
    file.draw(json!([{"attributes": {"POSITION": positions}, "indices": indices, "mode": 5}]));
    assert_eq!(triangles(&load(&file)), [[4, 3, 3], [3, 2, 3], [3, 2, 1]]);
}

#[test]
fn what_is_too_short_for_a_triangle_has_none() {
    for (mode, points) in [(4, 2), (5, 2), (6, 1)] {
        let mut file = File::new();
        let positions = file.positions(&POINTS[..points]);
        file.draw(json!([{"attributes": {"POSITION": positions}, "mode": mode}]));
        assert_eq!(load(&file).drawn_triangles(), 0);
    }
    let mut file = File::new();
    let positions = file.positions(&POINTS);
    file.draw(json!([{"attributes": {"POSITION": positions}}]));
    let scene = load(&file);
    assert_eq!(triangles(&scene), [[0, 1, 2]]);
    assert_eq!(
        (scene.notes.len(), scene.notes[0].kind),
        (1, NoteKind::Mended)
    );
}

#[test]
fn interleaved_vertices_are_taken_apart() {
    let mut file = File::new();
    let mut bytes = Vec::new();
    for (i, point) in POINTS.iter().enumerate() {
        bytes.extend(point.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0.0_f32, 0.0, 1.0].iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([i as f32, 0.5].iter().flat_map(|x| x.to_le_bytes()));
    }
    let view = file.view(&bytes, Some(32));
    let mut part = |kind: &str, offset: u32| {
        file.push(
            "accessors",
            json!({"bufferView": view, "byteOffset": offset, "type": kind, "componentType": 5126, "count": 5}),
        )
    };
    let [position, normal, uv] = [part("VEC3", 0), part("VEC3", 12), part("VEC2", 24)];
    let attributes = json!({"POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv});
    file.draw(json!([{"attributes": attributes, "mode": 5}]));
    let mesh = &load(&file).meshes[0];
    assert_eq!(mesh.positions[..], POINTS);
    assert_eq!(mesh.normals.as_deref(), Some(&[[0.0, 0.0, 1.0]; 5][..]));
    assert_eq!(mesh.uvs.as_ref().map(|u| u[4]), Some([4.0, 0.5]));
    assert!(mesh.submeshes[0].has_normals && mesh.submeshes[0].has_uvs);
}

#[test]
fn sparse_accessors_replace_elements() {
    for with_base in [true, false] {
        let mut file = File::new();
        let indices = file.view(&[1, 0, 3, 0], None);
        let values: Vec<u8> = [7.0_f32, 8., 9., -1., -2., -3.]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let values = file.view(&values, None);
        let base = file.positions(&POINTS);
        let mut accessor = json!({
            "type": "VEC3", "componentType": 5126, "count": 5,
            "sparse": {
                "count": 2,
                "indices": {"bufferView": indices, "componentType": 5123},
                "values": {"bufferView": values},
            },
        });
        if with_base {
            accessor["bufferView"] = file.json["accessors"][base]["bufferView"].clone();
        }
        let positions = file.push("accessors", accessor);
        file.draw(json!([{"attributes": {"POSITION": positions}, "mode": 6}]));
        let mesh = &load(&file).meshes[0];
        assert_eq!(
            (mesh.positions[1], mesh.positions[3]),
            ([7., 8., 9.], [-1., -2., -3.])
        );
        let rest = if with_base { POINTS[4] } else { [0.0; 3] };
        assert_eq!(mesh.positions[4], rest);
    }
}

#[test]
fn primitives_become_submeshes_of_one_mesh() {
    let mut file = File::new();
    let positions = file.positions(&POINTS);
    let normals = file.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(3));
    let others = file.positions(&POINTS[1..4]);
    let uvs = file.floats("VEC2", 2, &[0.25; 6]);
    let indices = file.accessor("SCALAR", 5121, 3, &[4, 2, 0]);
    file.push(
        "materials",
        json!({"doubleSided": true, "name": "both sides"}),
    );
    file.draw(json!([
        {"attributes": {"POSITION": positions}, "indices": indices},
        {"attributes": {"POSITION": positions}, "mode": 0},
        {"attributes": {"POSITION": others, "NORMAL": normals, "TEXCOORD_0": uvs}, "material": 0},
        {"attributes": {"POSITION": positions}, "mode": 6},
    ]));
    let scene = load(&file);
    let mesh = &scene.meshes[0];
    assert_eq!(scene.meshes.len(), 1);
    // The last primitive has the vertices of the first; those of the third come after them.
    assert_eq!(mesh.positions.len(), 8);
    assert_eq!(
        triangles(&scene),
        [[4, 2, 0], [5, 6, 7], [1, 2, 0], [2, 3, 0], [3, 4, 0]]
    );
    let parts: Vec<_> = mesh
        .submeshes
        .iter()
        .map(|s| (s.primitive, s.elements.clone(), s.has_normals))
        .collect();
    assert_eq!(
        parts,
        [(0, 0..3, false), (2, 3..6, true), (3, 6..15, false)]
    );
    assert_eq!(
        (mesh.submeshes[1].material, mesh.submeshes[1].double_sided),
        (Some(0), true)
    );
    assert_eq!(
        (mesh.submeshes[0].material, mesh.submeshes[0].double_sided),
        (None, false)
    );
    assert!(mesh.submeshes[1].has_uvs && !mesh.submeshes[0].has_uvs);
    let normals = mesh.normals.as_ref().expect("one primitive has normals");
    assert_eq!(
        (normals.len(), normals[4], normals[5]),
        (8, [0.0; 3], [0.0, 0.0, 1.0])
    );
    assert_eq!(
        mesh.uvs.as_ref().map(|u| (u.len(), u[4], u[5])),
        Some((8, [0.0; 2], [0.25; 2]))
    );
    assert_eq!(scene.notes.len(), 1);
    assert_eq!(scene.notes[0].kind, NoteKind::NotPickableYet);
    assert_eq!(scene.notes[0].field, "meshes[0].primitives[1]");
}

#[test]
fn attributes_that_end_early_in_the_list_are_filled_up() {
    let mut file = File::new();
    let positions = file.positions(&POINTS[..3]);
    let normals = file.floats("VEC3", 3, &[0.0, 1.0, 0.0].repeat(3));
    let others = file.positions(&POINTS[1..4]);
    file.draw(json!([
        {"attributes": {"POSITION": positions, "NORMAL": normals}},
        {"attributes": {"POSITION": others}},
    ]));
    let scene = load(&file);
    let mesh = &scene.meshes[0];
    assert!(mesh.indices.is_none());
    assert_eq!(triangles(&scene), [[0, 1, 2], [3, 4, 5]]);
    let normals = mesh.normals.as_ref().expect("one primitive has normals");
    assert_eq!(
        (normals.len(), normals[2], normals[3]),
        (6, [0.0, 1.0, 0.0], [0.0; 3])
    );
}
