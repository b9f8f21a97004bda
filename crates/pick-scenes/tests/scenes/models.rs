//! The files of the models folder: what is in them is known.

use pick_scenes::{
    NoteKind, SceneAlpha, SceneData, SceneInterpolation, SceneProperty, SceneTopology,
};

use crate::common::model;

fn load(test: &str, name: &str) -> Option<SceneData> {
    let path = model(test, name)?;
    let scene = pick_scenes::load(&path.display().to_string());
    Some(scene.unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn box_glb() {
    let Some(scene) = load("box_glb", "Box.glb") else {
        return;
    };
    assert_eq!(
        (
            scene.meshes.len(),
            scene.objects.len(),
            scene.drawn_triangles()
        ),
        (1, 1, 12)
    );
    let mesh = &scene.meshes[0];
    assert_eq!(
        (mesh.name.as_deref(), mesh.positions.len()),
        (Some("Mesh"), 24)
    );
    assert!(mesh.normals.is_some() && mesh.uvs.is_none());
    assert!(mesh.submeshes[0].has_normals && !mesh.submeshes[0].has_uvs);
    assert_eq!(mesh.submeshes[0].material, Some(0));
    assert_eq!(scene.objects[0].index, 1);
    assert_eq!(scene.materials[0].name.as_deref(), Some("Red"));
    let bounds = scene.world_bounds().expect("a box has bounds");
    assert_eq!(
        (bounds.min, bounds.max),
        (glam::DVec3::splat(-0.5), glam::DVec3::splat(0.5))
    );
    // The parent's matrix turns y into -z.
    let up = scene.objects[0]
        .world_from_object
        .transform_vector3(glam::DVec3::Y);
    assert_eq!(up, glam::DVec3::NEG_Z);
}

#[test]
fn box_sparse_glb() {
    let Some(scene) = load("box_sparse_glb", "box_sparse.glb") else {
        return;
    };
    let mesh = &scene.meshes[0];
    assert_eq!((mesh.positions.len(), mesh.triangle_count()), (8, 12));
    assert_eq!(mesh.morph_targets.len(), 1);
    // The target has no base values: all but the listed vertices stay where they are.
    let offsets = mesh.morph_targets[0]
        .positions
        .as_ref()
        .expect("the target moves positions");
    let moved = offsets.iter().filter(|o| **o != [0.0; 3]).count();
    assert!((1..8).contains(&moved), "{moved} of 8 vertices move");
    assert_eq!(scene.animations.len(), 1);
    assert_eq!(
        scene.animations[0].channels[0].property,
        SceneProperty::MorphWeights
    );
    assert_eq!(scene.notes.len(), 1);
    assert_eq!(scene.notes[0].kind, NoteKind::Undeformed);
}

#[test]
fn fox_glb() {
    let Some(scene) = load("fox_glb", "Fox.glb") else {
        return;
    };
    assert_eq!(scene.drawn_triangles(), 576);
    let mesh = &scene.meshes[0];
    assert!(mesh.indices.is_none());
    assert_eq!(mesh.positions.len(), 1728);
    assert_eq!((mesh.joints.len(), mesh.weights.len()), (1, 1));
    assert!(
        mesh.weights[0]
            .iter()
            .all(|w| (w.iter().sum::<f32>() - 1.0).abs() < 1e-3)
    );
    assert_eq!(scene.nodes.len(), 26);
    assert_eq!(scene.skins[0].joints.len(), 24);
    assert_eq!(scene.skins[0].inverse_bind.len(), 24);
    assert_eq!(scene.objects[0].skin, Some(0));
    let names: Vec<_> = scene
        .animations
        .iter()
        .filter_map(|a| a.name.as_deref())
        .collect();
    assert_eq!(names, ["Survey", "Walk", "Run"]);
    assert!(scene.animations.iter().all(|a| a.channels.len() == 21));
    assert!(
        scene
            .notes
            .iter()
            .any(|n| n.kind == NoteKind::Undeformed && n.text.contains("\"fox\""))
    );
}

#[test]
fn golf_ball_glb() {
    let Some(scene) = load("golf_ball_glb", "GolfBall.glb") else {
        return;
    };
    assert_eq!(scene.drawn_triangles(), 356);
    let mesh = &scene.meshes[0];
    assert_eq!(
        (mesh.positions.len(), mesh.uvs.as_ref().map(Vec::len)),
        (540, Some(540))
    );
    assert!(mesh.submeshes[0].double_sided);
    assert!(scene.notes.is_empty(), "{:?}", scene.notes);
}

#[test]
fn morph_stress_test_gltf() {
    let Some(scene) = load("morph_stress_test_gltf", "MorphStressTest.gltf") else {
        return;
    };
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions.len(), 24 + 1504);
    let counts: Vec<_> = mesh.submeshes.iter().map(|s| s.triangle_count()).collect();
    assert_eq!(counts, [12, 2400]);
    assert_eq!((mesh.morph_targets.len(), mesh.morph_weights.len()), (8, 8));
    assert!(
        mesh.morph_targets
            .iter()
            .all(|t| t.positions.as_ref().is_some_and(|p| p.len() == 1528))
    );
    assert!(mesh.uvs1.is_some());
    // The second primitive's indices are those of its own vertices.
    let second = &mesh.indices.as_ref().expect("it has indices")[36..];
    assert!(second.iter().all(|i| (24..1528).contains(i)));
    assert_eq!(scene.animations.len(), 3);
    let sampler = &scene.animations[0].samplers[0];
    assert_eq!(sampler.interpolation, SceneInterpolation::Linear);
    assert_eq!(sampler.values.len(), 8 * sampler.times.len());
}

#[test]
fn simple_skin_gltf() {
    let Some(scene) = load("simple_skin_gltf", "SimpleSkin.gltf") else {
        return;
    };
    let mesh = &scene.meshes[0];
    assert_eq!((mesh.positions.len(), mesh.triangle_count()), (10, 8));
    assert_eq!(scene.skins[0].joints, [1, 2]);
    assert_eq!(scene.skins[0].inverse_bind[0][3], [-0.5, -1.0, 0.0, 1.0]);
    assert_eq!(scene.nodes[2].parent, Some(1));
    assert_eq!(
        scene.animations[0].channels[0].property,
        SceneProperty::Rotation
    );
    assert_eq!(scene.animations[0].channels[0].node, 2);
}

#[test]
fn cake_birthday_glb() {
    let Some(scene) = load("cake_birthday_glb", "cakeBirthday.glb") else {
        return;
    };
    assert_eq!((scene.meshes.len(), scene.objects.len()), (6, 6));
    // Node 7 draws mesh 5, and nodes 2 to 6 draw mesh 0.
    let drawn: Vec<_> = scene.objects.iter().map(|o| (o.index, o.mesh)).collect();
    assert_eq!(drawn, [(2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 5)]);
    for mesh in &scene.meshes {
        let counts: Vec<_> = mesh.submeshes.iter().map(|s| s.triangle_count()).collect();
        assert_eq!(counts, [16, 37, 63, 50, 6, 6, 44]);
        let materials: Vec<_> = mesh.submeshes.iter().map(|s| s.material).collect();
        assert_eq!(materials, [0, 1, 2, 3, 4, 5, 6].map(Some));
        // Seven primitives share one list of vertices.
        assert_eq!(mesh.positions.len(), 348);
    }
    assert_eq!(scene.drawn_triangles(), 6 * 222);
    // The file lists a child as its scene's root.
    assert_eq!(
        (scene.notes.len(), scene.notes[0].kind),
        (1, NoteKind::Mended)
    );
    assert_eq!(scene.notes[0].field, "scenes[0].nodes[0]");
    assert_eq!(scene.materials.len(), 7);
    assert!(
        scene
            .materials
            .iter()
            .all(|m| m.alpha == SceneAlpha::Opaque && !m.double_sided)
    );
}

#[test]
fn gltf_primitives_glb() {
    let Some(scene) = load("gltf_primitives_glb", "gltf_primitives.glb") else {
        return;
    };
    let mesh = &scene.meshes[0];
    let counts: Vec<_> = mesh
        .submeshes
        .iter()
        .map(|s| (s.primitive, s.triangle_count()))
        .collect();
    assert_eq!(counts, [(0, 2), (1, 2), (2, 2), (3, 6)]);
    assert_eq!(mesh.positions.len(), 24);
    assert!(
        mesh.submeshes
            .iter()
            .all(|s| s.topology == SceneTopology::List && s.double_sided)
    );
    let names: Vec<_> = scene
        .materials
        .iter()
        .filter_map(|m| m.name.as_deref())
        .collect();
    assert_eq!(names, ["Top", "Left", "Right", "Others"]);
}
