//! The vertex attributes of one primitive, decoded.

use gltf_json::mesh::{MorphTarget, Primitive, Semantic};
use gltf_json::validation::Checked;

use super::accessor::{Accessors, Wanted};
use super::components::{Component, Shape};
use super::{Result, document::Document};
use crate::data::{Note, NoteKind, SceneMorphTarget};
use crate::error::{SceneError, SceneErrorKind};

type Types = &'static [(Component, Option<bool>)];

const FLOAT: (Component, Option<bool>) = (Component::F32, None);
const ONLY_FLOAT: Types = &[FLOAT];
const ANY: Types = &[
    FLOAT,
    (Component::I8, None),
    (Component::U8, None),
    (Component::I16, None),
    (Component::U16, None),
];
const SIGNED: Types = &[FLOAT, (Component::I8, None), (Component::I16, None)];
const DIRECTION: Types = &[
    FLOAT,
    (Component::I8, Some(true)),
    (Component::I16, Some(true)),
];
const SHARE: Types = &[
    FLOAT,
    (Component::U8, Some(true)),
    (Component::U16, Some(true)),
];
const JOINT: Types = &[(Component::U8, Some(false)), (Component::U16, Some(false))];

/// The vertices of a primitive; every list that is there is as long as the positions.
#[derive(Default)]
pub(super) struct Block {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Option<Vec<[f32; 3]>>,
    pub(super) uvs: Option<Vec<[f32; 2]>>,
    pub(super) uvs1: Option<Vec<[f32; 2]>>,
    pub(super) tangents: Option<Vec<[f32; 4]>>,
    pub(super) colors: Option<Vec<[f32; 4]>>,
    pub(super) joints: Vec<Vec<[u16; 4]>>,
    pub(super) weights: Vec<Vec<[f32; 4]>>,
    pub(super) targets: Vec<SceneMorphTarget>,
}

/// Reads the attributes of one primitive.
pub(super) struct Reader<'a, 'b> {
    accessors: &'a Accessors<'a>,
    primitive: &'a Primitive,
    field: &'b str,
    quantized: bool,
    notes: &'b mut Vec<Note>,
}

impl<'a, 'b> Reader<'a, 'b> {
    pub(super) fn new(
        document: &Document,
        accessors: &'a Accessors<'a>,
        primitive: &'a Primitive,
        field: &'b str,
        notes: &'b mut Vec<Note>,
    ) -> Self {
        let quantized = document.uses("KHR_mesh_quantization");
        Self {
            accessors,
            primitive,
            field,
            quantized,
            notes,
        }
    }

    pub(super) fn read(mut self) -> Result<Block> {
        let quantized = self.quantized;
        let pick = |wide: Types, narrow: Types| if quantized { wide } else { narrow };
        let Some(position) = self.accessor(Semantic::Positions) else {
            return Ok(Block::default());
        };
        let used_by = self.used_by("POSITION");
        let wanted = Wanted {
            used_by: &used_by,
            shapes: &[Shape::Vec3],
            components: pick(ANY, ONLY_FLOAT),
        };
        let elements = self.accessors.find(position, wanted)?;
        let positions = self.accessors.floats(&elements, None)?;
        let count = positions.len();
        let mut block = Block {
            positions,
            ..Block::default()
        };
        let vec3 = &[Shape::Vec3];
        let (vec2, vec4) = (&[Shape::Vec2], &[Shape::Vec4]);
        let rgb = &[Shape::Vec3, Shape::Vec4];
        block.normals = self.floats(Semantic::Normals, vec3, pick(DIRECTION, ONLY_FLOAT), count)?;
        block.tangents =
            self.floats(Semantic::Tangents, vec4, pick(DIRECTION, ONLY_FLOAT), count)?;
        block.uvs = self.floats(Semantic::TexCoords(0), vec2, pick(ANY, SHARE), count)?;
        block.uvs1 = self.floats(Semantic::TexCoords(1), vec2, pick(ANY, SHARE), count)?;
        block.colors = self.floats(Semantic::Colors(0), rgb, SHARE, count)?;
        if let (Some(colors), Some(accessor)) =
            (&mut block.colors, self.accessor(Semantic::Colors(0)))
        {
            let wanted = Wanted {
                used_by: "COLOR_0",
                shapes: rgb,
                components: SHARE,
            };
            if self.accessors.find(accessor, wanted)?.width == 3 {
                colors.iter_mut().for_each(|c| c[3] = 1.0);
            }
        }
        for set in 0.. {
            let Some(joints) = self.joints(set, count)? else {
                break;
            };
            let weights = self.floats(Semantic::Weights(set), vec4, SHARE, count)?;
            let Some(weights) = weights else {
                return Err(SceneError::new(
                    SceneErrorKind::BadValue,
                    self.used_by(&format!("WEIGHTS_{set}")),
                    "joints are there without their weights",
                    "write both or neither",
                ));
            };
            block.joints.push(joints);
            block.weights.push(weights);
        }
        for (i, target) in self.primitive.targets.iter().flatten().enumerate() {
            block.targets.push(self.target(i, target, count)?);
        }
        Ok(block)
    }

    fn accessor(&self, semantic: Semantic) -> Option<usize> {
        self.primitive
            .attributes
            .get(&Checked::Valid(semantic))
            .map(|i| i.value())
    }

    fn used_by(&self, name: &str) -> String {
        format!("{}.attributes.{name}", self.field)
    }

    fn floats<const N: usize>(
        &mut self,
        semantic: Semantic,
        shapes: &[Shape],
        components: Types,
        count: usize,
    ) -> Result<Option<Vec<[f32; N]>>> {
        let Some(accessor) = self.accessor(semantic.clone()) else {
            return Ok(None);
        };
        let used_by = self.used_by(&semantic.to_string());
        self.list(
            accessor,
            Wanted {
                used_by: &used_by,
                shapes,
                components,
            },
            count,
        )
        .map(Some)
    }

    fn list<const N: usize>(
        &mut self,
        accessor: usize,
        wanted: Wanted<'_>,
        count: usize,
    ) -> Result<Vec<[f32; N]>> {
        let elements = self.accessors.find(accessor, wanted)?;
        same_count(accessor, elements.count, count, wanted.used_by)?;
        let mut mended = 0;
        let list = self.accessors.floats(&elements, Some(&mut mended))?;
        if mended > 0 {
            self.notes.push(Note {
                kind: NoteKind::Mended,
                field: wanted.used_by.to_owned(),
                text: format!("{mended} elements are not finite and were read as 0"),
            });
        }
        Ok(list)
    }

    fn joints(&self, set: u32, count: usize) -> Result<Option<Vec<[u16; 4]>>> {
        let Some(accessor) = self.accessor(Semantic::Joints(set)) else {
            return Ok(None);
        };
        let used_by = self.used_by(&format!("JOINTS_{set}"));
        let wanted = Wanted {
            used_by: &used_by,
            shapes: &[Shape::Vec4],
            components: JOINT,
        };
        let elements = self.accessors.find(accessor, wanted)?;
        same_count(accessor, elements.count, count, &used_by)?;
        let wholes = self.accessors.wholes::<4>(&elements)?;
        self.accessors.charge(count, 8, || used_by.clone())?;
        Ok(Some(
            wholes.into_iter().map(|j| j.map(|n| n as u16)).collect(),
        ))
    }

    fn target(&mut self, i: usize, target: &MorphTarget, count: usize) -> Result<SceneMorphTarget> {
        let shapes = &[Shape::Vec3];
        let (offsets, turns) = if self.quantized {
            (SIGNED, DIRECTION)
        } else {
            (ONLY_FLOAT, ONLY_FLOAT)
        };
        let mut read = |accessor: Option<usize>, name: &str, components: Types| {
            let Some(accessor) = accessor else {
                return Ok(None);
            };
            let used_by = format!("{}.targets[{i}].{name}", self.field);
            self.list(
                accessor,
                Wanted {
                    used_by: &used_by,
                    shapes,
                    components,
                },
                count,
            )
            .map(Some)
        };
        Ok(SceneMorphTarget {
            positions: read(target.positions.map(|a| a.value()), "POSITION", offsets)?,
            normals: read(target.normals.map(|a| a.value()), "NORMAL", turns)?,
            tangents: read(target.tangents.map(|a| a.value()), "TANGENT", turns)?,
        })
    }
}

fn same_count(accessor: usize, there: usize, positions: usize, used_by: &str) -> Result<()> {
    if there == positions {
        return Ok(());
    }
    Err(SceneError::new(
        SceneErrorKind::BadValue,
        format!("accessors[{accessor}].count"),
        format!("{used_by} has {there} elements, and the positions beside it {positions}"),
        "write one element a vertex",
    ))
}
