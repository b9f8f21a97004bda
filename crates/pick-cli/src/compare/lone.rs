//! A scene with nothing in it but what an answer names, to see whether that is there at all.

use pick_core::{Given, Hit};
use pick_scenes::{SceneData, SceneInstances, SceneMesh, SceneObject, SceneSubMesh};

/// The triangle that the answer names, or all of the part (of the face) where it names none; of one copy,
/// or of all.
/// `None` where the scene has no such thing.
pub fn scene(data: &SceneData, hit: &Hit) -> Option<SceneData> {
    let object = data.objects.get(hit.tag as usize)?;
    let mesh = data.meshes.get(object.mesh)?;
    let part = mesh.submeshes.get(hit.part as usize)?;
    let first = part.elements.start;
    let elements = match hit.primitive {
        Ok(primitive) => {
            let start = first.checked_add(primitive.checked_mul(3)?)?;
            start..start.checked_add(3)?
        }
        Err(_) => part.elements.clone(),
    };
    let mut positions = Vec::with_capacity(elements.len());
    for element in elements.step_by(3) {
        if !is_of_face(mesh, element, hit.face) {
            continue;
        }
        for vertex in mesh.triangle(element)? {
            positions.push(*mesh.positions.get(vertex as usize)?);
        }
    }
    let mut lone = SceneData::default();
    let mut placed = SceneObject::new(0, 0, object.world_from_object);
    if object.instances.is_none() && hit.instance.is_ok() {
        return None;
    }
    if let Some(set) = object.instances {
        let rows = &data.instances.get(set)?.rows;
        let rows = match hit.instance {
            Ok(copy) => vec![*rows.get(copy as usize)?],
            Err(_) => rows.clone(),
        };
        lone.instances.push(SceneInstances { rows });
        placed.instances = Some(0);
    }
    lone.objects.push(placed);
    lone.meshes.push(SceneMesh {
        submeshes: vec![SceneSubMesh {
            elements: 0..positions.len() as u32,
            has_normals: false,
            has_uvs: false,
            ..part.clone()
        }],
        positions,
        ..SceneMesh::default()
    });
    Some(lone)
}

/// True unless the answer names another face than the triangle at this element has.
fn is_of_face(mesh: &SceneMesh, element: u32, face: Given<u32>) -> bool {
    let told = face.ok();
    let faces = mesh.faces.as_ref();
    let right = faces.and_then(|faces| faces.get(element as usize / 3).copied());
    told.is_none() || told == right
}
