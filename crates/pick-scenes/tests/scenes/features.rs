//! Nodes, instances, materials, cameras, buffers: what a file may have beside geometry.

use glam::{DMat4, DQuat, DVec3};
use pick_scenes::{
    NoteKind, SceneAlpha, SceneData, SceneErrorKind, SceneInterpolation, SceneProjection,
    SceneTransform,
};
use serde_json::json;

use crate::common::{File, POINTS, triangle};

fn load(file: &File) -> SceneData {
    file.load().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn nodes_place_one_mesh_many_times_in_tree_order() {
    let mut file = triangle();
    file.json["nodes"] = json!([
        {"name": "child", "mesh": 0, "scale": [2, 2, -2]},
        {"name": "root", "children": [3, 0], "translation": [1e7, 0.123456789, 0]},
        {"name": "elsewhere", "mesh": 0},
        {"mesh": 0, "rotation": [0, 0, 1, 1]},
    ]);
    file.json["scenes"] = json!([{"nodes": [2]}, {"nodes": [1]}]);
    file.json["scene"] = 1.into();
    let scene = load(&file);
    assert_eq!(scene.meshes.len(), 1);
    let objects: Vec<_> = scene
        .objects
        .iter()
        .map(|o| (o.index, o.name.as_deref()))
        .collect();
    assert_eq!(objects, [(3, None), (0, Some("child"))]);
    // In f64: f32 would have lost the y.
    let place = DVec3::new(1e7, 0.123_456_789, 0.0);
    assert_eq!(scene.objects[1].world_from_object.w_axis.truncate(), place);
    assert!(scene.objects[1].world_from_object.determinant() < 0.0);
    // The rotation is a quarter turn, though its quaternion is not of length 1.
    let turned = scene.objects[0]
        .world_from_object
        .transform_vector3(DVec3::X);
    assert!((turned - DVec3::Y).length() < 1e-12);
    assert_eq!(scene.nodes.len(), 4);
    assert_eq!(
        (scene.nodes[0].parent, scene.nodes[1].parent),
        (Some(1), None)
    );
    assert!(matches!(
        scene.nodes[0].parent_from_node,
        SceneTransform::Parts { .. }
    ));
    file.json.as_object_mut().map(|root| root.remove("scene"));
    assert_eq!(load(&file).objects[0].index, 2);
    file.json.as_object_mut().map(|root| root.remove("scenes"));
    let indices: Vec<_> = load(&file).objects.iter().map(|o| o.index).collect();
    assert_eq!(indices, [3, 0, 2]);
    file.json["scenes"] = json!([{"name": "a scene without nodes is allowed"}]);
    assert!(load(&file).objects.is_empty());
}

#[test]
fn matrices_are_read_by_columns() {
    let mut file = triangle();
    file.json["nodes"][0]["matrix"] =
        json!([1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 4, 5.000000001, 6, 1]);
    let world = load(&file).objects[0].world_from_object;
    let scale = DMat4::from_scale(DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(
        world,
        DMat4::from_translation(DVec3::new(4.0, 5.000_000_001, 6.0)) * scale
    );
    file.json["nodes"][0]["scale"] = json!([1, 1, 1]);
    file.fails(SceneErrorKind::BadValue, "nodes[0].matrix");
}

#[test]
fn gpu_instancing_composes_every_attribute() {
    let mut file = triangle();
    file.json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    file.json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    let translations = file.floats("VEC3", 3, &[1., 2., 3., 4., 5., 6.]);
    // A quarter turn about z, and none: shorts that stand for -1 to 1.
    let half = (0.5_f64.sqrt() * 32767.0).round() as i16;
    let bytes: Vec<u8> = [0, 0, half, half, 0, 0, 0, 32767]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    let rotations = file.accessor("VEC4", 5122, 2, &bytes);
    file.json["accessors"][rotations]["normalized"] = true.into();
    let scales = file.floats("VEC3", 3, &[1., 2., 3., -1., 1., 1.]);
    file.json["nodes"][0]["translation"] = json!([100, 0, 0]);
    file.json["nodes"][0]["extensions"] = json!({"EXT_mesh_gpu_instancing": {"attributes": {
        "TRANSLATION": translations, "ROTATION": rotations, "SCALE": scales, "_ID": 0,
    }}});
    let scene = load(&file);
    assert_eq!(
        (
            scene.objects.len(),
            scene.drawn_copies(),
            scene.drawn_triangles()
        ),
        (1, 2, 2)
    );
    assert_eq!(scene.objects[0].instances, Some(0));
    assert_eq!(scene.objects[0].world_from_object.w_axis.x, 100.0);
    let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let expected = DMat4::from_scale_rotation_translation(
        DVec3::new(1., 2., 3.),
        turn,
        DVec3::new(1., 2., 3.),
    );
    for (r, row) in scene.instances[0].rows[0].iter().enumerate() {
        for (c, number) in row.iter().enumerate() {
            assert!((f64::from(*number) - expected.row(r)[c]).abs() < 1e-6);
        }
    }
    let mirrored = [[-1., 0., 0., 4.], [0., 1., 0., 5.], [0., 0., 1., 6.]];
    assert_eq!(scene.instances[0].rows[1], mirrored);
    let attributes = |file: &mut File, json| {
        file.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = json;
    };
    let at = "nodes[0].extensions.EXT_mesh_gpu_instancing.attributes";
    attributes(&mut file, json!({}));
    file.fails(SceneErrorKind::BadValue, at);
    attributes(&mut file, json!({"TRANSLATION": translations, "SCALE": 0}));
    file.fails(SceneErrorKind::BadValue, &format!("{at}.SCALE"));
    attributes(&mut file, json!({"TRANSLATION": -1}));
    file.fails(SceneErrorKind::BadValue, &format!("{at}.TRANSLATION"));
    attributes(&mut file, json!({"TRANSLATION": 77}));
    file.fails(
        SceneErrorKind::IndexOutOfRange,
        &format!("{at}.TRANSLATION"),
    );
    let zero = file.floats("VEC4", 4, &[0.0; 8]);
    attributes(&mut file, json!({"ROTATION": zero}));
    file.fails(SceneErrorKind::BadValue, &format!("{at}.ROTATION"));
    let huge = file.floats("VEC3", 3, &[3e38; 3]);
    let odd = file.floats("VEC4", 4, &[0.5, 0.1, 0.7, 0.3]);
    attributes(&mut file, json!({"SCALE": huge, "ROTATION": odd}));
    assert!(
        load(&file).instances[0].rows[0]
            .as_flattened()
            .iter()
            .all(|x| x.is_finite())
    );
}

#[test]
fn node_visibility_is_inherited() {
    let mut file = triangle();
    file.json["extensionsRequired"] = json!(["KHR_node_visibility"]);
    file.json["nodes"] = json!([
        {"mesh": 0, "children": [1], "extensions": {"KHR_node_visibility": {"visible": false}}},
        {"mesh": 0, "extensions": {"KHR_node_visibility": {"visible": true}}},
        {"mesh": 0},
    ]);
    let scene = load(&file);
    assert_eq!(
        scene.objects.iter().map(|o| o.visible).collect::<Vec<_>>(),
        [false, false, true]
    );
    assert_eq!(scene.drawn_triangles(), 1);
    file.json["nodes"][2]["extensions"] = json!({"KHR_node_visibility": {"visible": 1}});
    file.fails(
        SceneErrorKind::BadValue,
        "nodes[2].extensions.KHR_node_visibility.visible",
    );
}

#[test]
fn alpha_modes_and_double_sides_are_read() {
    let mut file = triangle();
    file.json["materials"] = json!([
        {},
        {"name": "leaf", "alphaMode": "MASK", "doubleSided": true, "extras": "any type"},
        {"alphaMode": "MASK", "alphaCutoff": 0.25},
        {"alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 0.5]}},
    ]);
    file.json["meshes"][0]["primitives"][0]["material"] = 1.into();
    let scene = load(&file);
    let alpha: Vec<_> = scene.materials.iter().map(|m| m.alpha).collect();
    assert_eq!(
        alpha,
        [
            SceneAlpha::Opaque,
            SceneAlpha::Mask { cutoff: 0.5 },
            SceneAlpha::Mask { cutoff: 0.25 },
            SceneAlpha::Blend
        ]
    );
    assert_eq!(scene.materials[3].base_color, [1.0, 0.0, 0.0, 0.5]);
    assert_eq!(
        (
            scene.materials[1].name.as_deref(),
            scene.materials[1].double_sided
        ),
        (Some("leaf"), true)
    );
    assert!(scene.meshes[0].submeshes[0].double_sided);
    file.json["materials"][0]["alphaMode"] = "GLASS".into();
    file.fails(SceneErrorKind::BadValue, "materials[0].alphaMode");
}

#[test]
fn cameras_are_placed() {
    let mut file = triangle();
    file.json["cameras"] = json!([
        {"type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.25}},
        {"type": "orthographic", "name": "plan",
         "orthographic": {"xmag": 2, "ymag": 3, "znear": 0, "zfar": 10}},
    ]);
    file.push(
        "nodes",
        json!({"camera": 0, "translation": [0, 0, 5], "name": "eye"}),
    );
    file.push("nodes", json!({"camera": 1}));
    let scene = load(&file);
    assert_eq!(scene.cameras.len(), 2);
    assert_eq!(
        (scene.cameras[0].name.as_deref(), scene.cameras[0].index),
        (Some("eye"), 1)
    );
    assert_eq!(scene.cameras[0].world_from_camera.w_axis.z, 5.0);
    let perspective = SceneProjection::Perspective {
        yfov: 0.5,
        aspect_ratio: None,
        near: 0.25,
        far: None,
    };
    assert_eq!(scene.cameras[0].projection, perspective);
    assert_eq!(scene.cameras[1].name.as_deref(), Some("plan"));
    let flat = SceneProjection::Orthographic {
        xmag: 2.0,
        ymag: 3.0,
        near: 0.0,
        far: 10.0,
    };
    assert_eq!(scene.cameras[1].projection, flat);
    file.json["cameras"][0]["perspective"]["znear"] = 0.into();
    file.fails(SceneErrorKind::BadValue, "cameras[0].perspective");
    file.json["nodes"][1]["camera"] = 2.into();
    file.fails(SceneErrorKind::IndexOutOfRange, "nodes[1].camera");
}

#[test]
fn points_and_lines_are_named_as_not_pickable_yet() {
    let mut file = File::new();
    let positions = file.positions(&POINTS);
    let primitives: Vec<_> = (0..4)
        .map(|mode| json!({"attributes": {"POSITION": positions}, "mode": mode}))
        .collect();
    file.draw(json!(primitives));
    file.json["meshes"][0]["name"] = "cloud".into();
    let scene = load(&file);
    assert!(scene.meshes.is_empty() && scene.objects.is_empty());
    let notes: Vec<_> = scene
        .notes
        .iter()
        .map(|n| (n.kind, n.text.as_str()))
        .collect();
    let text = |i: u32, what: &str| {
        format!("primitive {i} of mesh 0 \"cloud\" is {what}, which are not pickable yet")
    };
    let expected = [
        text(0, "points"),
        text(1, "lines"),
        text(2, "lines"),
        text(3, "lines"),
    ];
    for (note, expected) in notes.iter().zip(&expected) {
        assert_eq!(*note, (NoteKind::NotPickableYet, expected.as_str()));
    }
    assert_eq!(
        notes[4],
        (NoteKind::Empty, "mesh 0 \"cloud\" has no triangles")
    );
}

#[test]
fn a_primitive_without_positions_is_passed_over() {
    let mut file = triangle();
    file.json["meshes"][0]["primitives"] =
        json!([{"attributes": {}}, file.json["meshes"][0]["primitives"][0]]);
    let scene = load(&file);
    assert_eq!(scene.meshes[0].submeshes[0].primitive, 1);
    assert_eq!(
        (scene.notes[0].kind, scene.notes[0].field.as_str()),
        (NoteKind::Empty, "meshes[0].primitives[0]")
    );
}

#[test]
fn animations_and_skins_are_read() {
    let mut file = triangle();
    let joints = file.accessor("VEC4", 5121, 3, &[0, 1, 0, 0].repeat(3));
    let weights = file.floats("VEC4", 4, &[0.75, 0.25, 0., 0.].repeat(3));
    let attributes = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = joints.into();
    attributes["WEIGHTS_0"] = weights.into();
    file.json["nodes"][0]["skin"] = 0.into();
    file.json["skins"] = json!([{"joints": [1, 2], "skeleton": 1}]);
    file.push("nodes", json!({"children": [2]}));
    file.push("nodes", json!({}));
    let times = file.floats("SCALAR", 1, &[0., 1.]);
    let values = file.floats("VEC3", 3, &[0.5; 18]);
    file.json["animations"] = json!([{
        "samplers": [{"input": times, "output": values, "interpolation": "CUBICSPLINE"}],
        "channels": [
            {"sampler": 0, "target": {"node": 2, "path": "translation"}},
            {"sampler": 0, "target": {"path": "pointer"}},
            {"sampler": 0, "target": {"node": 2, "path": "unheard of"}},
        ],
    }]);
    let scene = load(&file);
    assert_eq!(scene.meshes[0].joints[0][2], [0, 1, 0, 0]);
    assert_eq!(scene.meshes[0].weights[0][0], [0.75, 0.25, 0., 0.]);
    assert_eq!(
        (scene.skins[0].joints.as_slice(), scene.skins[0].skeleton),
        (&[1, 2][..], Some(1))
    );
    assert_eq!(scene.skins[0].inverse_bind[1][3], [0., 0., 0., 1.]);
    let animation = &scene.animations[0];
    assert_eq!(
        (animation.channels.len(), animation.channels[0].node),
        (1, 2)
    );
    let sampler = &animation.samplers[0];
    assert_eq!(
        (sampler.interpolation, sampler.width),
        (SceneInterpolation::CubicSpline, 3)
    );
    assert_eq!((sampler.times.len(), sampler.values.len()), (2, 18));
    let ignored = scene
        .notes
        .iter()
        .filter(|n| n.kind == NoteKind::Ignored)
        .count();
    assert_eq!(ignored, 2);
    file.json["skins"][0]["joints"] = json!([1]);
    file.fails(SceneErrorKind::IndexOutOfRange, "nodes[0].skin");
    file.json["skins"][0]["joints"] = json!([1, 9]);
    file.fails(SceneErrorKind::IndexOutOfRange, "skins[0].joints[1]");
}
