//! Geometry in the host's own GPU buffers: named by id, never copied unless a strategy asks.

use std::sync::Arc;

use crate::error::PickError;
use crate::mesh::build::{bad, check_elements};
use crate::mesh::{Aabb, FaceGroups, MeshCluster, MeshData, SubMesh, clusters};
use crate::registry::BufferId;

/// One f32 vertex attribute inside a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexStream {
    /// Where.
    pub buffer: BufferId,
    /// Byte offset of the first vertex's value; a multiple of 4.
    pub offset: u64,
    /// Bytes from one vertex to the next; a multiple of 4.
    pub stride: u32,
}

/// Width of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexFormat {
    /// 16 bits. 65535 is an ordinary vertex number in a list, never a restart.
    U16,
    /// 32 bits.
    U32,
}

impl IndexFormat {
    /// Bytes in an index.
    pub fn bytes(self) -> u64 {
        match self {
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }
}

/// An index list inside a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexStream {
    /// Where.
    pub buffer: BufferId,
    /// Byte offset of the first index; a multiple of 4.
    pub offset: u64,
    /// How wide.
    pub format: IndexFormat,
    /// How many.
    pub count: u32,
}

/// A triangle list in the host's buffers.
///
/// What the buffers must have been made for: vertex streams `VERTEX`, index lists `INDEX`, instance
/// sets `STORAGE`. Detailed picks by pulled vertices need `STORAGE` on vertices and indices too; give
/// it wherever the device may lack the primitive-index builtin (SwiftShader, browsers), or give the
/// mesh its CPU copy. A base vertex is said by the streams' offsets. A 16-bit index list that starts
/// at an odd index is said by a part's `elements`, since list offsets are multiples of 4.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HostMesh {
    /// Three f32 a vertex.
    pub positions: VertexStream,
    /// Three f32 a vertex.
    pub normals: Option<VertexStream>,
    /// Two f32 a vertex.
    pub uvs: Option<VertexStream>,
    /// `None`: consecutive vertices make the triangles.
    pub indices: Option<IndexStream>,
    /// How many vertices the streams hold: what is checked against the buffers' sizes.
    pub vertex_count: u32,
    /// The parts; at least one.
    pub submeshes: Vec<SubMesh>,
    /// Which face each triangle belongs to, if it has faces. Its vertices are not readable, so
    /// `unshared_vertices` is not looked at.
    pub faces: Option<FaceGroups>,
    /// The box around all vertices in local space, if known. It must contain every vertex. Without it, clusters
    /// or a CPU copy nothing of the mesh can be left out: every pick draws it, and all copies of it.
    pub local_bounds: Option<Aabb>,
    /// Runs of its triangles with the boxes around them, if the host knows them; empty where it does not.
    pub clusters: Vec<MeshCluster>,
    /// The same geometry on the CPU, if the host has it: then answers carry barycentrics and the exact surface,
    /// expanded geometry is possible, and the bounds are known. Without it the surface is the GPU's own, and
    /// barycentrics are withheld.
    pub cpu: Option<Arc<MeshData>>,
}

impl HostMesh {
    /// Consecutive vertices that make triangles, in one part; nothing more is known.
    pub fn new(positions: VertexStream, vertex_count: u32) -> Self {
        Self {
            positions,
            normals: None,
            uvs: None,
            indices: None,
            vertex_count,
            submeshes: vec![SubMesh::new(0..vertex_count)],
            faces: None,
            local_bounds: None,
            clusters: Vec::new(),
            cpu: None,
        }
    }

    /// An index list makes the triangles, and all of it is one part.
    pub fn indices(mut self, indices: IndexStream) -> Self {
        self.submeshes = vec![SubMesh::new(0..indices.count)];
        self.indices = Some(indices);
        self
    }

    /// Vertex normals: three f32 a vertex.
    pub fn normals(mut self, normals: VertexStream) -> Self {
        self.normals = Some(normals);
        self
    }

    /// Texture coordinates: two f32 a vertex.
    pub fn uvs(mut self, uvs: VertexStream) -> Self {
        self.uvs = Some(uvs);
        self
    }

    /// These parts instead of one; say so after the index list.
    pub fn submeshes(mut self, submeshes: Vec<SubMesh>) -> Self {
        self.submeshes = submeshes;
        self
    }

    /// Each triangle belongs to a face.
    pub fn faces(mut self, faces: FaceGroups) -> Self {
        self.faces = Some(faces);
        self
    }

    /// All vertices lie in this box of local space, so that picks elsewhere cost nothing of it. It must hold, else
    /// the mesh is missed.
    pub fn local_bounds(mut self, bounds: Aabb) -> Self {
        self.local_bounds = Some(bounds);
        self
    }

    /// The mesh's triangles lie in these boxes, run by run in the order in which they are drawn: a pick
    /// draws the runs that it may see. Runs of 64 to 256 triangles, about one as
    /// long as another, suit most: each run of a copy costs as much as the longest. They must ascend and not
    /// overlap, and have all elements of a part or none; a part without any is drawn whole, and so is one
    /// of fewer than 4,096 triangles, for which nothing is kept. Boxes must hold, else triangles are missed.
    ///
    /// Say so of what only the GPU has: of geometry with a CPU copy the library finds runs by itself, and
    /// takes these instead.
    pub fn clusters(mut self, clusters: Vec<MeshCluster>) -> Self {
        self.clusters = clusters;
        self
    }

    /// The same geometry on the CPU.
    pub fn cpu(mut self, data: Arc<MeshData>) -> Self {
        self.cpu = Some(data);
        self
    }

    /// How many elements (indices, or vertices without an index list) the mesh has.
    pub fn element_count(&self) -> u32 {
        self.indices.map_or(self.vertex_count, |i| i.count)
    }

    /// Checks what can be checked without the device: alignment, whole triangles, parts, and that a
    /// CPU copy has the same shape.
    ///
    /// # Errors
    /// [`crate::InputError::BadMesh`].
    pub fn check(&self) -> Result<(), PickError> {
        let elements = self.element_count();
        if !elements.is_multiple_of(3) {
            return bad("elements", format!("{elements} are not whole triangles"));
        }
        if self.submeshes.is_empty() {
            return bad("parts", "there must be at least one");
        }
        for part in &self.submeshes {
            check_elements(part, u64::from(elements))?;
        }
        if !self.local_bounds.as_ref().is_none_or(Aabb::is_sound) {
            return bad("local bounds", "they must be finite, and min at most max");
        }
        clusters::check(&self.clusters, &self.submeshes, elements)?;
        if self.vertex_count == 0 && elements > 0 {
            return bad("vertices", "there are elements, but no vertex");
        }
        let triangles = elements as usize / 3;
        if self
            .faces
            .as_ref()
            .is_some_and(|f| f.face_of_triangle.len() != triangles)
        {
            return bad(
                "faces",
                format!("must be one for each of {triangles} triangles"),
            );
        }
        let streams = [
            ("positions", Some(self.positions), 12),
            ("normals", self.normals, 12),
            ("uvs", self.uvs, 8),
        ];
        for (what, stream, bytes) in streams {
            stream.map_or(Ok(()), |stream| stream.check(what, bytes))?;
        }
        if self.indices.is_some_and(|i| i.offset % 4 != 0) {
            return bad("indices", "the offset must be a multiple of 4");
        }
        match &self.cpu {
            Some(cpu) if cpu.element_count() != elements => bad(
                "CPU copy",
                format!(
                    "{} elements, but the buffers hold {elements}",
                    cpu.element_count()
                ),
            ),
            _ => Ok(()),
        }
    }
}

impl VertexStream {
    fn check(self, what: &'static str, bytes: u32) -> Result<(), PickError> {
        if !self.offset.is_multiple_of(4) || !self.stride.is_multiple_of(4) {
            return bad(what, "offset and stride must be multiples of 4");
        }
        if self.offset / 4 > u64::from(u32::MAX) {
            return bad(what, "the offset must stay below 2^34");
        }
        if self.stride < bytes || self.stride > 2048 {
            return bad(what, format!("the stride must be from {bytes} to 2048"));
        }
        Ok(())
    }

    /// Bytes from the buffer's start to the end of vertex `vertex_count - 1`'s value of `bytes` bytes.
    pub fn end(self, vertex_count: u32, bytes: u64) -> u64 {
        match vertex_count {
            0 => self.offset,
            n => {
                let span = u64::from(n - 1) * u64::from(self.stride) + bytes;
                self.offset.saturating_add(span)
            }
        }
    }
}
