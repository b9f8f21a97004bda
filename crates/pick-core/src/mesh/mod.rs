//! Triangle meshes and instance sets: what a contributor draws, on the CPU or in a host's buffers.

mod build;
mod clusters;
mod host;
mod instances;

pub use build::MeshBuilder;
pub use clusters::MeshCluster;
pub(crate) use clusters::{box_around, clusters_of};
pub use host::{HostMesh, IndexFormat, IndexStream, VertexStream};
pub use instances::{HostInstances, InstanceFormat, InstanceSource, affine_from_rows};

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec3, Vec3};

/// A box with sides along the axes, in f32 local or instance space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box around all finite points; `None` when there are none.
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Self> {
        let finite = points.into_iter().map(Vec3::from).filter(|p| p.is_finite());
        finite.fold(None, |bounds, p| match bounds {
            None => Some(Self { min: p, max: p }),
            Some(Self { min, max }) => Some(Self {
                min: min.min(p),
                max: max.max(p),
            }),
        })
    }

    /// The box around boxes; `None` where one of them is not known, or there is none.
    pub(crate) fn around_all(boxes: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        let boxes: Option<Vec<Self>> = boxes.collect();
        let corners = boxes?.into_iter().flat_map(|own| [own.min, own.max]);
        Self::around(corners.map(Into::into))
    }

    /// The point of the box nearest to `point`.
    pub fn clamp(&self, point: DVec3) -> DVec3 {
        point.clamp(self.min.as_dvec3(), self.max.as_dvec3())
    }

    /// Finite, and no side is inside out.
    pub(crate) fn is_sound(&self) -> bool {
        self.min.is_finite() && self.max.is_finite() && self.min.cmple(self.max).all()
    }

    /// The largest absolute coordinate of the box.
    pub fn reach(&self) -> f32 {
        self.min.abs().max(self.max.abs()).max_element()
    }
}

/// A run of a mesh's elements that is one draw of the caller, with one material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubMesh {
    /// Positions in the index list, or vertices where there is none; whole triangles.
    pub elements: Range<u32>,
    /// The material lets both sides be seen; matters where a pick culls as the material says.
    pub double_sided: bool,
    /// The mesh's normals hold for this part.
    pub has_normals: bool,
    /// The mesh's uvs hold for this part.
    pub has_uvs: bool,
}

impl SubMesh {
    /// A part that has whatever the mesh has and shows both sides.
    pub fn new(elements: Range<u32>) -> Self {
        Self {
            elements,
            double_sided: true,
            has_normals: true,
            has_uvs: true,
        }
    }

    /// How many triangles the part has.
    pub fn triangle_count(&self) -> u32 {
        (self.elements.end - self.elements.start) / 3
    }
}

/// Which face each triangle belongs to: a box's six sides, the faces of a CAD body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceGroups {
    /// One face number per triangle of the mesh.
    pub face_of_triangle: Vec<u32>,
    /// The caller states that no vertex belongs to triangles of two faces. Then integer-ID names the
    /// face too, packed beside the object in one id. Checked when the mesh is built.
    pub unshared_vertices: bool,
}

/// A triangle list on the CPU, checked when it was built.
#[derive(Clone, Debug)]
pub struct MeshData {
    positions: Vec<[f32; 3]>,
    normals: Option<Vec<[f32; 3]>>,
    uvs: Option<Vec<[f32; 2]>>,
    indices: Option<Vec<u32>>,
    submeshes: Vec<SubMesh>,
    faces: Option<FaceGroups>,
    face_of_vertex: Option<Vec<u32>>,
    face_count: u32,
    bounds: Option<Aabb>,
    drawable: Drawable,
}

/// What a backend uploads where triangles with non-finite vertices must not reach a rasteriser.
#[derive(Clone, Debug, Default)]
struct Drawable {
    positions: Option<Vec<[f32; 3]>>,
    indices: Option<Vec<u32>>,
}

impl MeshData {
    /// Starts a mesh from its vertex positions, in local space.
    pub fn builder(positions: Vec<[f32; 3]>) -> MeshBuilder {
        MeshBuilder::new(positions)
    }

    /// Vertex positions as given.
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Vertex normals as given.
    pub fn normals(&self) -> Option<&[[f32; 3]]> {
        self.normals.as_deref()
    }

    /// Texture coordinates as given.
    pub fn uvs(&self) -> Option<&[[f32; 2]]> {
        self.uvs.as_deref()
    }

    /// The index list as given, widened to u32; `None` when consecutive vertices make the triangles.
    pub fn indices(&self) -> Option<&[u32]> {
        self.indices.as_deref()
    }

    /// The parts, at least one.
    pub fn submeshes(&self) -> &[SubMesh] {
        &self.submeshes
    }

    /// The face groups, if any.
    pub fn faces(&self) -> Option<&FaceGroups> {
        self.faces.as_ref()
    }

    /// The face of each vertex, where the caller stated that faces share none.
    pub fn face_of_vertex(&self) -> Option<&[u32]> {
        self.face_of_vertex.as_deref()
    }

    /// One more than the largest face number; 0 without faces.
    pub fn face_count(&self) -> u32 {
        self.face_count
    }

    /// The box around all finite vertices.
    pub fn bounds(&self) -> Option<Aabb> {
        self.bounds
    }

    /// The box around a part's vertices. A part of a mesh with vertices that are not finite is
    /// bounded as it is drawn.
    pub(crate) fn part_bounds(&self, part: &SubMesh) -> Option<Aabb> {
        let positions = self.drawable_positions();
        if part.elements == (0..self.element_count()) && self.drawable.positions.is_none() {
            return self.bounds;
        }
        let elements = part.elements.start as usize..part.elements.end as usize;
        match self.drawable_indices() {
            Some(indices) => {
                let corners = indices.get(elements)?.iter();
                Aabb::around(corners.map(|&vertex| positions[vertex as usize]))
            }
            None => Aabb::around(positions.get(elements)?.iter().copied()),
        }
    }

    /// Positions for a rasteriser: as given, but those of dead triangles are collapsed.
    pub fn drawable_positions(&self) -> &[[f32; 3]] {
        self.drawable.positions.as_ref().unwrap_or(&self.positions)
    }

    /// Indices for a rasteriser: as given, but triangles with a non-finite vertex are collapsed onto
    /// one vertex, so that they cover nothing on any driver and keep their number.
    pub fn drawable_indices(&self) -> Option<&[u32]> {
        self.drawable.indices.as_deref().or(self.indices())
    }

    /// How many elements (indices, or vertices without an index list) the mesh has.
    pub fn element_count(&self) -> u32 {
        self.indices.as_ref().map_or(self.positions.len(), Vec::len) as u32
    }

    /// The vertex numbers of triangle `triangle` of the whole mesh, in the caller's order.
    pub fn triangle(&self, triangle: u32) -> Option<[u32; 3]> {
        let first = triangle as usize * 3;
        match &self.indices {
            Some(indices) => indices.get(first..first + 3)?.try_into().ok(),
            None if first + 3 <= self.positions.len() => {
                let v = triangle * 3;
                Some([v, v + 1, v + 2])
            }
            None => None,
        }
    }
}

/// Where a mesh's geometry lives.
#[derive(Clone, Debug)]
pub enum MeshSource {
    /// On the CPU: the backend uploads it. It stays readable, so answers carry the exact surface.
    Cpu(Arc<MeshData>),
    /// Uploaded from the CPU once and then forgotten there: less memory, and the surface comes from
    /// the GPU.
    Upload(Arc<MeshData>),
    /// In the host's own GPU buffers.
    Host(Box<HostMesh>),
}

impl MeshSource {
    /// The geometry on the CPU where it stays readable after creation.
    pub fn cpu_data(&self) -> Option<&Arc<MeshData>> {
        match self {
            Self::Cpu(data) => Some(data),
            Self::Upload(_) => None,
            Self::Host(host) => host.cpu.as_ref(),
        }
    }

    /// The parts.
    pub fn submeshes(&self) -> &[SubMesh] {
        match self {
            Self::Cpu(data) | Self::Upload(data) => data.submeshes(),
            Self::Host(host) => &host.submeshes,
        }
    }
}

impl From<HostMesh> for MeshSource {
    fn from(host: HostMesh) -> Self {
        Self::Host(Box::new(host))
    }
}

impl From<MeshData> for MeshSource {
    fn from(data: MeshData) -> Self {
        Self::Cpu(Arc::new(data))
    }
}
