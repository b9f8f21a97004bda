//! Meshes: the primitives of each one after the other, as sub-meshes of one list of vertices.

mod builder;
mod pad;

use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked;

use super::accessor::Accessors;
use super::{Result, document::Document};
use crate::data::{Note, NoteKind, SceneData, SceneTopology};
use crate::error::{SceneError, SceneErrorKind};
use builder::Builder;

/// Reads every mesh of the file. The answer says for each whether, and as which of the scene's meshes,
/// there is something to pick in it.
pub(super) fn read(
    document: &Document,
    accessors: &Accessors<'_>,
    scene: &mut SceneData,
) -> Result<Vec<Option<usize>>> {
    let mut places = Vec::with_capacity(document.root.meshes.len());
    for (i, source) in document.root.meshes.iter().enumerate() {
        let kept = triangle_primitives(i, source, &mut scene.notes)?;
        if kept.is_empty() {
            scene.notes.push(Note {
                kind: NoteKind::Empty,
                field: format!("meshes[{i}]"),
                text: format!(
                    "{} has no triangles",
                    called("mesh", i, source.name.as_deref())
                ),
            });
            places.push(None);
            continue;
        }
        // Vertices can be in drawing order only if all primitives are plain lists of them.
        let indexed = kept
            .iter()
            .any(|(_, p, t)| p.indices.is_some() || *t != SceneTopology::List);
        let mut builder = Builder::new(document, accessors, indexed);
        for (number, primitive, topology) in kept {
            let field = format!("meshes[{i}].primitives[{number}]");
            builder.add(number, primitive, topology, &field, &mut scene.notes)?;
        }
        let mut mesh = builder.mesh;
        mesh.name.clone_from(&source.name);
        let targets = mesh.morph_targets.len();
        mesh.morph_weights = weights(source.weights.as_deref(), targets, || {
            format!("meshes[{i}].weights")
        })?
        .unwrap_or_else(|| vec![0.0; targets]);
        places.push(Some(scene.meshes.len()));
        scene.meshes.push(mesh);
    }
    Ok(places)
}

/// Weights of morph targets, which must be as many as there are targets.
pub(super) fn weights(
    weights: Option<&[f32]>,
    targets: usize,
    field: impl Fn() -> String,
) -> Result<Option<Vec<f32>>> {
    let Some(weights) = weights.filter(|w| !w.is_empty()) else {
        return Ok(None);
    };
    let problem = if weights.len() != targets {
        format!(
            "there are {} weights for {targets} morph targets",
            weights.len()
        )
    } else if weights.iter().any(|w| !w.is_finite()) {
        "a weight is not finite".to_owned()
    } else {
        return Ok(Some(weights.to_vec()));
    };
    let fix = "write one finite number a morph target";
    Err(SceneError::new(
        SceneErrorKind::BadValue,
        field(),
        problem,
        fix,
    ))
}

/// How a note names a thing.
pub(super) fn called(what: &str, i: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => {
            let name: String = name.chars().take(80).collect();
            format!("{what} {i} {name:?}")
        }
        None => format!("{what} {i}"),
    }
}

type Kept<'a> = Vec<(u32, &'a Primitive, SceneTopology)>;

/// The primitives that are triangles; a note for each other one.
fn triangle_primitives<'a>(
    i: usize,
    mesh: &'a gltf_json::Mesh,
    notes: &mut Vec<Note>,
) -> Result<Kept<'a>> {
    let mut kept = Vec::new();
    for (number, primitive) in (0_u32..).zip(&mesh.primitives) {
        let field = format!("meshes[{i}].primitives[{number}]");
        let Checked::Valid(mode) = primitive.mode else {
            return Err(SceneError::new(
                SceneErrorKind::BadValue,
                format!("{field}.mode"),
                "it is none of glTF's modes",
                "write a number from 0 to 6, 4 for triangles",
            ));
        };
        let place = format!(
            "primitive {number} of {}",
            called("mesh", i, mesh.name.as_deref())
        );
        let topology = match mode {
            Mode::Triangles => SceneTopology::List,
            Mode::TriangleStrip => SceneTopology::Strip,
            Mode::TriangleFan => SceneTopology::Fan,
            Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => {
                let what = if matches!(mode, Mode::Points) {
                    "points"
                } else {
                    "lines"
                };
                notes.push(Note {
                    kind: NoteKind::NotPickableYet,
                    field,
                    text: format!("{place} is {what}, which are not pickable yet"),
                });
                continue;
            }
        };
        let Some(_) = primitive
            .attributes
            .get(&Checked::Valid(Semantic::Positions))
        else {
            let text = format!("{place} has no positions");
            notes.push(Note {
                kind: NoteKind::Empty,
                field,
                text,
            });
            continue;
        };
        kept.push((number, primitive, topology));
    }
    Ok(kept)
}
