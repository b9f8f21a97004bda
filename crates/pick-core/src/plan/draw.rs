//! What a pass draws.

use std::ops::Range;

use glam::DMat4;

use super::BufferIndex;
use crate::id::IdRange;
use crate::layout::DrawRecord;
use crate::registry::{ForeignId, InstancesId, MeshId};

/// Something a pass draws.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all items are draws, kept in one flat list"
)]
pub enum Item {
    /// A built-in draw.
    Draw(Draw),
    /// A user contributor's own recording.
    Foreign(ForeignItem),
}

impl Item {
    /// Its number among the offers, from 1.
    pub fn number(&self) -> u32 {
        match self {
            Self::Draw(draw) => draw.number,
            Self::Foreign(foreign) => foreign.number,
        }
    }
}

/// A user contributor's own recording, by the drawer it registered with the backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignItem {
    /// Who records.
    pub drawer: ForeignId,
    /// The contributor's own word to its drawer.
    pub token: u64,
    /// The ids it may write.
    pub ids: IdRange,
    /// Its number among the offers, from 1: what stencil-ID writes. Draws of one offer share it.
    pub number: u32,
}

/// A draw of triangles.
#[derive(Clone, Debug)]
pub struct Draw {
    /// Whose triangles.
    pub mesh: MeshId,
    /// Which copies; `None` for the mesh itself.
    pub instances: Option<InstanceRun>,
    /// Which elements (indices, or vertices without an index list).
    pub elements: Range<u32>,
    /// How vertices reach the shader.
    pub fetch: VertexFetch,
    /// The ids of this draw.
    pub ids: IdRange,
    /// Its number among the offers, from 1: what stencil-ID writes. Draws of one offer share it.
    pub number: u32,
    /// Which sides are drawn.
    pub cull: CullMode,
    /// Where kernels left its counts, and the original numbers of its instances; a buffer of
    /// [`ScratchRole::Survivors`](super::ScratchRole::Survivors).
    pub survivors: Option<BufferIndex>,
    /// For the shader.
    pub record: DrawRecord,
    /// For a backend that computes in f64.
    pub world_from_object: DMat4,
}

/// Which copies of an instanced draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstanceRun {
    /// Which set.
    pub set: InstancesId,
    /// The first one drawn.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// How vertices reach the shader, and so how a fragment knows its triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexFetch {
    /// Vertex buffers and an index buffer; the triangle is the builtin.
    Indexed,
    /// Storage buffers, read by the vertex stage; the triangle is vertex / 3.
    Pulled,
    /// Vertex buffers of a de-indexed copy; the triangle is vertex / 3.
    Expanded,
}

/// Which sides of a triangle are left out. The front is the side from which the local winding is
/// counter-clockwise, also under mirroring transforms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CullMode {
    /// Both sides are drawn.
    #[default]
    None,
    /// Back faces are left out.
    Back,
    /// Front faces are left out.
    Front,
}
