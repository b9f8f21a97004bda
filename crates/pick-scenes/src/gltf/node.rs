//! The node tree: checked, walked, and its meshes placed in the world.

use glam::{DMat4, DVec3};
use gltf_json::Node;

use super::accessor::Accessors;
use super::document::{Document, RawTransform};
use super::value::below;
use super::{Result, camera, instancing, mesh};
use crate::data::{Note, NoteKind, SceneData, SceneMesh, SceneNode, SceneObject, SceneTransform};
use crate::error::{SceneError, SceneErrorKind};

/// Beyond any world, and small enough that what is computed from it stays finite.
const FARTHEST: f64 = 1e30;

/// The tree of all nodes, which has been checked to be one (or several).
pub(super) struct Tree {
    parents: Vec<Option<u32>>,
    /// Nodes without a parent, in order.
    roots: Vec<usize>,
}

/// Finds each node's parent.
pub(super) fn tree(document: &Document) -> Result<Tree> {
    let nodes = &document.root.nodes;
    let mut parents: Vec<Option<u32>> = vec![None; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for (k, child) in children(node).enumerate() {
            let field = || format!("nodes[{i}].children[{k}]");
            match parents.get_mut(child) {
                None => return Err(super::out_of_range(field(), child, "nodes", nodes.len())),
                Some(Some(parent)) => {
                    let problem = format!("node {child} is a child of node {parent} already");
                    return Err(hierarchy(field(), problem, "give each node one parent"));
                }
                Some(parent) => *parent = Some(i as u32),
            }
        }
    }
    let roots: Vec<usize> = (0..nodes.len()).filter(|&i| parents[i].is_none()).collect();
    // With one parent a node at most, what cannot be reached from a root hangs on a cycle.
    let mut reached = vec![false; nodes.len()];
    let mut open = roots.clone();
    while let Some(i) = open.pop() {
        reached[i] = true;
        open.extend(children(&nodes[i]));
    }
    match reached.iter().position(|r| !r) {
        Some(i) => {
            let problem = format!("node {i} is its own ancestor, or below one that is");
            Err(hierarchy(
                format!("nodes[{i}].children"),
                problem,
                "take the cycle apart",
            ))
        }
        None => Ok(Tree { parents, roots }),
    }
}

fn children(node: &Node) -> impl Iterator<Item = usize> {
    node.children.iter().flatten().map(|c| c.value())
}

fn hierarchy(field: String, problem: String, fix: &str) -> SceneError {
    SceneError::new(SceneErrorKind::Hierarchy, field, problem, fix)
}

/// Walks the scene and adds its nodes, objects and cameras to what is handed out.
pub(super) fn place(
    document: &Document,
    accessors: &Accessors<'_>,
    tree: &Tree,
    meshes: &[Option<usize>],
    scene: &mut SceneData,
) -> Result<()> {
    let nodes = &document.root.nodes;
    let mut last_joints = vec![None; scene.meshes.len()];
    for (i, node) in nodes.iter().enumerate() {
        let raw = document.transforms.get(i).copied().unwrap_or_default();
        scene.nodes.push(SceneNode {
            name: node.name.clone(),
            parent: tree.parents[i],
            parent_from_node: transform(i, &raw)?,
        });
    }
    // Depth first, children in order: the order in which things are drawn.
    let mut open: Vec<(usize, DMat4, bool)> = Vec::new();
    let listed = roots(document, tree, &mut scene.notes)?;
    open.extend(listed.into_iter().rev().map(|r| (r, DMat4::IDENTITY, true)));
    let mut drawn = vec![false; nodes.len()];
    while let Some((i, parent, visible)) = open.pop() {
        if std::mem::replace(&mut drawn[i], true) {
            let field = "scenes".to_owned();
            let problem = format!("node {i} is listed as a root, and so is a node above it");
            return Err(hierarchy(field, problem, "list roots only"));
        }
        let node = &nodes[i];
        let world = parent * scene.nodes[i].parent_from_node.matrix();
        if !world.to_cols_array().iter().all(|x| x.abs() < FARTHEST) {
            let problem = format!("its matrix in the world has a number beyond {FARTHEST:e}");
            let fix = "give it and its parents smaller translations and scales";
            let field = format!("nodes[{i}]");
            return Err(SceneError::new(
                SceneErrorKind::BadValue,
                field,
                problem,
                fix,
            ));
        }
        let visible = visible && shown(i, node)?;
        if let Some(source) = node.mesh {
            let Some(mesh) = meshes.get(source.value()) else {
                let field = format!("nodes[{i}].mesh");
                return Err(super::out_of_range(
                    field,
                    source.value(),
                    "meshes",
                    meshes.len(),
                ));
            };
            if let &Some(mesh) = mesh {
                let object = SceneObject {
                    visible,
                    ..SceneObject::new(i as u32, mesh, world)
                };
                add(accessors, node, object, &mut last_joints, scene)?;
            }
        }
        if let Some(source) = node.camera {
            scene
                .cameras
                .push(camera::read(document, i, source.value(), world)?);
        }
        let from = open.len();
        open.extend(children(node).map(|c| (c, world, visible)));
        open[from..].reverse();
    }
    Ok(())
}

/// The roots of the scene that is shown: the default one, the first, or all where there is no scene.
fn roots(document: &Document, tree: &Tree, notes: &mut Vec<Note>) -> Result<Vec<usize>> {
    let scenes = &document.root.scenes;
    let (number, scene) = match document.root.scene {
        Some(index) => match scenes.get(index.value()) {
            Some(scene) => (index.value(), scene),
            None => {
                return Err(super::out_of_range(
                    "scene",
                    index.value(),
                    "scenes",
                    scenes.len(),
                ));
            }
        },
        None => match scenes.first() {
            Some(scene) => (0, scene),
            None => return Ok(tree.roots.clone()),
        },
    };
    let mut listed = vec![false; tree.parents.len()];
    for (k, node) in scene.nodes.iter().enumerate() {
        let field = || format!("scenes[{number}].nodes[{k}]");
        let node = node.value();
        match listed.get_mut(node) {
            None => return Err(super::out_of_range(field(), node, "nodes", listed.len())),
            Some(true) => {
                let problem = format!("node {node} is listed twice");
                return Err(hierarchy(field(), problem, "list each root once"));
            }
            Some(listed) => *listed = true,
        }
        if let Some(parent) = tree.parents[node] {
            notes.push(Note {
                kind: NoteKind::Mended,
                field: field(),
                text: format!(
                    "node {node} is a child of node {parent}, not a root; it was taken for one, \
                     without its parent's transform"
                ),
            });
        }
    }
    Ok(scene.nodes.iter().map(|n| n.value()).collect())
}

fn shown(i: usize, node: &Node) -> Result<bool> {
    const NAME: &str = "KHR_node_visibility";
    let Some(extension) = extension(node, NAME) else {
        return Ok(true);
    };
    match below(extension, &["visible"]) {
        None => Ok(true),
        Some(visible) => visible.as_bool().ok_or_else(|| {
            let field = format!("nodes[{i}].extensions.{NAME}.visible");
            let problem = "it is neither true nor false";
            SceneError::new(
                SceneErrorKind::BadValue,
                field,
                problem,
                "write true or false",
            )
        }),
    }
}

fn extension<'a>(node: &'a Node, name: &str) -> Option<&'a serde_json::Value> {
    node.extensions.as_ref()?.others.get(name)
}

/// Adds an object, with its instances, skin and weights.
fn add(
    accessors: &Accessors<'_>,
    node: &Node,
    mut object: SceneObject,
    last_joints: &mut [Option<u16>],
    scene: &mut SceneData,
) -> Result<()> {
    let i = object.index as usize;
    object.name.clone_from(&node.name);
    if let Some(extension) = extension(node, instancing::NAME) {
        object.instances = Some(scene.instances.len());
        scene
            .instances
            .push(instancing::read(accessors, i, extension)?);
    }
    let field = || format!("nodes[{i}].weights");
    let targets = scene.meshes[object.mesh].morph_targets.len();
    object.morph_weights = mesh::weights(node.weights.as_deref(), targets, field)?;
    if let Some(skin) = node.skin {
        let skins = scene.skins.len();
        let Some(joints) = scene.skins.get(skin.value()).map(|s| s.joints.len()) else {
            let field = format!("nodes[{i}].skin");
            return Err(super::out_of_range(field, skin.value(), "skins", skins));
        };
        let mesh = &scene.meshes[object.mesh];
        let last = *last_joints[object.mesh].get_or_insert_with(|| last_joint(mesh));
        if !mesh.joints.is_empty() && usize::from(last) >= joints {
            let problem = format!("its mesh is tied to joint {last}, and the skin has {joints}");
            let fix = "tie vertices to joints of the skin only";
            let field = format!("nodes[{i}].skin");
            return Err(SceneError::new(
                SceneErrorKind::IndexOutOfRange,
                field,
                problem,
                fix,
            ));
        }
        object.skin = Some(skin.value());
        scene.notes.push(undeformed(i, node, "skinned"));
    } else if targets > 0 {
        scene.notes.push(undeformed(i, node, "morphed"));
    }
    scene.objects.push(object);
    Ok(())
}

fn undeformed(i: usize, node: &Node, what: &str) -> Note {
    let node = mesh::called("node", i, node.name.as_deref());
    Note {
        kind: NoteKind::Undeformed,
        field: format!("nodes[{i}]"),
        text: format!("{node} is {what}, and picked in the shape that is stored"),
    }
}

/// The last joint that any vertex of a mesh is tied to.
fn last_joint(mesh: &SceneMesh) -> u16 {
    let ties = mesh
        .joints
        .iter()
        .flatten()
        .flatten()
        .zip(mesh.weights.iter().flatten().flatten());
    ties.filter(|(_, weight)| **weight != 0.0)
        .map(|(joint, _)| *joint)
        .max()
        .unwrap_or(0)
}

/// A node's transform, checked.
fn transform(i: usize, raw: &RawTransform) -> Result<SceneTransform> {
    let wrong = |field: &str, problem: &str, fix: &str| {
        let field = format!("nodes[{i}].{field}");
        Err(SceneError::new(
            SceneErrorKind::BadValue,
            field,
            problem,
            fix,
        ))
    };
    if let Some(matrix) = raw.matrix {
        if raw.translation.is_some() || raw.rotation.is_some() || raw.scale.is_some() {
            let problem = "it stands beside translation, rotation or scale";
            return wrong("matrix", problem, "write one or the other");
        }
        let matrix = DMat4::from_cols_array(&matrix);
        if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
            let problem = "its last row is not 0, 0, 0, 1";
            return wrong(
                "matrix",
                problem,
                "write an affine matrix, column by column",
            );
        }
        return Ok(SceneTransform::Matrix(matrix));
    }
    let rotation = raw.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let Some(rotation) = instancing::unit(rotation) else {
        return wrong(
            "rotation",
            "its length is 0",
            "write a quaternion of length 1",
        );
    };
    Ok(SceneTransform::Parts {
        translation: raw.translation.map_or(DVec3::ZERO, DVec3::from),
        rotation,
        scale: raw.scale.map_or(DVec3::ONE, DVec3::from),
    })
}
