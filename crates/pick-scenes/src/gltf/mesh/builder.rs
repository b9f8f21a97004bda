//! A mesh as it grows: the vertices of each primitive, its indices, its sub-mesh.

use std::collections::HashMap;

use gltf_json::mesh::{Primitive, Semantic};
use gltf_json::validation::Checked;

use super::super::accessor::{Accessors, Wanted};
use super::super::attributes::{Block, Reader};
use super::super::components::{Component, Shape};
use super::super::{Result, document::Document, triangles};
use super::pad::Pad;
use crate::data::{Note, NoteKind, SceneMesh, SceneMorphTarget, SceneSubMesh, SceneTopology};
use crate::error::{SceneError, SceneErrorKind};

/// A mesh as it grows primitive by primitive.
pub(super) struct Builder<'a> {
    document: &'a Document,
    accessors: &'a Accessors<'a>,
    indexed: bool,
    pub(super) mesh: SceneMesh,
    /// Where the vertices of a set of accessors went, so that primitives that share them still do.
    placed: HashMap<Vec<[u32; 2]>, (usize, usize)>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(document: &'a Document, accessors: &'a Accessors<'a>, indexed: bool) -> Self {
        let mesh = SceneMesh {
            indices: indexed.then(Vec::new),
            ..SceneMesh::default()
        };
        Self {
            document,
            accessors,
            indexed,
            mesh,
            placed: HashMap::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        number: u32,
        primitive: &Primitive,
        topology: SceneTopology,
        field: &str,
        notes: &mut Vec<Note>,
    ) -> Result<()> {
        self.check_compressed(primitive, field)?;
        let key = key(primitive);
        let (base, vertices) = match self.placed.get(&key).filter(|_| self.indexed) {
            Some(&place) => place,
            None => {
                let reader = Reader::new(self.document, self.accessors, primitive, field, notes);
                let place = self.append(reader.read()?, field)?;
                self.placed.insert(key, place);
                place
            }
        };
        let given = match primitive.indices {
            None => None,
            Some(indices) => Some(self.indices(indices.value(), vertices, field)?),
        };
        let elements = given.as_ref().map_or(vertices, Vec::len);
        let triangles = triangles::count(topology, elements);
        if topology == SceneTopology::List && elements % 3 != 0 {
            notes.push(Note {
                kind: NoteKind::Mended,
                field: field.to_owned(),
                text: format!("{elements} vertices are no whole triangles; the last were left out"),
            });
        }
        let start = match &mut self.mesh.indices {
            None => base,
            Some(indices) => {
                self.accessors.charge(triangles, 12, || field.to_owned())?;
                let start = indices.len();
                indices.reserve(3 * triangles);
                for corner in (0..triangles).flat_map(|t| triangles::corners(topology, t)) {
                    let vertex = match &given {
                        None => corner as u32,
                        Some(given) => given.get(corner).copied().unwrap_or_default(),
                    };
                    indices.push(base as u32 + vertex);
                }
                start
            }
        };
        let end = start + 3 * triangles;
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
            return Err(too_large(field));
        };
        let material = self.material(primitive, field)?;
        let has = |s| primitive.attributes.contains_key(&Checked::Valid(s));
        self.mesh.submeshes.push(SceneSubMesh {
            elements: start..end,
            primitive: number,
            material: material.map(|(m, _)| m),
            double_sided: material.is_some_and(|(_, both)| both),
            has_normals: has(Semantic::Normals),
            has_uvs: has(Semantic::TexCoords(0)),
            topology,
        });
        Ok(())
    }

    /// The number of a primitive's material, and whether that is double-sided.
    fn material(&self, primitive: &Primitive, field: &str) -> Result<Option<(u32, bool)>> {
        let Some(index) = primitive.material else {
            return Ok(None);
        };
        let all = &self.document.root.materials;
        match all.get(index.value()) {
            Some(material) => Ok(Some((index.value() as u32, material.double_sided))),
            None => {
                let field = format!("{field}.material");
                Err(super::super::out_of_range(
                    field,
                    index.value(),
                    "materials",
                    all.len(),
                ))
            }
        }
    }

    /// Without the extension's decoder, the accessors of a compressed primitive may be empty shells.
    fn check_compressed(&self, primitive: &Primitive, field: &str) -> Result<()> {
        const DRACO: &str = "KHR_draco_mesh_compression";
        let compressed = |p: &Primitive| {
            p.extensions
                .as_ref()
                .is_some_and(|e| e.others.contains_key(DRACO))
        };
        let position = primitive
            .attributes
            .get(&Checked::Valid(Semantic::Positions));
        let accessor = position.and_then(|i| self.document.root.accessors.get(i.value()));
        if compressed(primitive) && accessor.is_some_and(|a| a.buffer_view.is_none()) {
            return Err(SceneError::new(
                SceneErrorKind::Unsupported,
                format!("{field}.extensions.{DRACO}"),
                "the geometry is there in compressed form only",
                "write the file without compression",
            ));
        }
        Ok(())
    }

    /// Adds vertices; zeros where they lack what others have, or the other way round.
    fn append(&mut self, block: Block, field: &str) -> Result<(usize, usize)> {
        let mesh = &mut self.mesh;
        let (base, count) = (mesh.positions.len(), block.positions.len());
        let total = base + count;
        if u32::try_from(total).is_err() {
            return Err(too_large(field));
        }
        if base > 0 && mesh.morph_targets.len() != block.targets.len() {
            return Err(SceneError::new(
                SceneErrorKind::BadValue,
                format!("{field}.targets"),
                format!(
                    "there are {} morph targets, and {} in the primitives before it",
                    block.targets.len(),
                    mesh.morph_targets.len()
                ),
                "give every primitive of a mesh as many",
            ));
        }
        mesh.positions.extend(block.positions);
        let pad = Pad {
            accessors: self.accessors,
            base,
            total,
            field,
        };
        pad.join(&mut mesh.normals, block.normals)?;
        pad.join(&mut mesh.uvs, block.uvs)?;
        pad.join(&mut mesh.uvs1, block.uvs1)?;
        pad.join(&mut mesh.tangents, block.tangents)?;
        pad.join(&mut mesh.colors, block.colors)?;
        pad.join_sets(&mut mesh.joints, block.joints)?;
        pad.join_sets(&mut mesh.weights, block.weights)?;
        if base == 0 {
            mesh.morph_targets
                .resize_with(block.targets.len(), SceneMorphTarget::default);
        }
        for (all, new) in mesh.morph_targets.iter_mut().zip(block.targets) {
            pad.join(&mut all.positions, new.positions)?;
            pad.join(&mut all.normals, new.normals)?;
            pad.join(&mut all.tangents, new.tangents)?;
        }
        Ok((base, count))
    }

    /// The indices of a primitive, each the number of one of its vertices.
    fn indices(&self, accessor: usize, vertices: usize, field: &str) -> Result<Vec<u32>> {
        let used_by = format!("{field}.indices");
        let plain = Some(false);
        let wanted = Wanted {
            used_by: &used_by,
            shapes: &[Shape::Scalar],
            components: &[
                (Component::U8, plain),
                (Component::U16, plain),
                (Component::U32, plain),
            ],
        };
        let elements = self.accessors.find(accessor, wanted)?;
        let indices = self.accessors.wholes::<1>(&elements)?.into_flattened();
        let restart = match elements.component {
            Component::U8 => u32::from(u8::MAX),
            Component::U16 => u32::from(u16::MAX),
            _ => u32::MAX,
        };
        let wrong = indices
            .iter()
            .position(|&i| i as usize >= vertices || i == restart);
        match wrong {
            None => Ok(indices),
            Some(at) if indices[at] == restart => Err(SceneError::new(
                SceneErrorKind::BadValue,
                format!("accessors[{accessor}]"),
                format!("element {at} is {restart}, which restarts a primitive; glTF forbids it"),
                "split the primitive there, or use a wider type for the indices",
            )),
            Some(at) => Err(SceneError::new(
                SceneErrorKind::IndexOutOfRange,
                format!("accessors[{accessor}]"),
                format!(
                    "element {at} of {used_by} is {}, and there are {vertices} vertices",
                    indices[at]
                ),
                "write indices below the number of vertices",
            )),
        }
    }
}

fn too_large(field: &str) -> SceneError {
    let problem = "the mesh has more vertices or indices than 32 bits count";
    SceneError::new(SceneErrorKind::TooLarge, field, problem, "split the mesh")
}

/// Which accessors the vertices of a primitive come from.
fn key(primitive: &Primitive) -> Vec<[u32; 2]> {
    let number = |s: &Semantic| match *s {
        Semantic::Positions => 0,
        Semantic::Normals => 1,
        Semantic::Tangents => 2,
        Semantic::Colors(set) => 16_u32.saturating_add(set.saturating_mul(4)),
        Semantic::TexCoords(set) => 17_u32.saturating_add(set.saturating_mul(4)),
        Semantic::Joints(set) => 18_u32.saturating_add(set.saturating_mul(4)),
        Semantic::Weights(set) => 19_u32.saturating_add(set.saturating_mul(4)),
    };
    let attributes =
        primitive
            .attributes
            .iter()
            .filter_map(|(semantic, accessor)| match semantic {
                Checked::Valid(semantic) => Some([number(semantic), accessor.value() as u32]),
                Checked::Invalid => None,
            });
    let targets = primitive.targets.iter().flatten().flat_map(|t| {
        let accessor = |a: Option<gltf_json::Index<_>>| a.map_or(u32::MAX, |a| a.value() as u32);
        [
            [3, accessor(t.positions)],
            [4, accessor(t.normals)],
            [5, accessor(t.tangents)],
        ]
    });
    attributes.chain(targets).collect()
}
