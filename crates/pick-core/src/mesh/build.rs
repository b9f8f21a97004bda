//! Building a [`MeshData`]: every fault is found here, not when somebody picks.

use crate::error::{InputError, PickError};
use crate::mesh::{Aabb, Drawable, FaceGroups, MeshData, SubMesh};

/// Collects the streams of a mesh; [`MeshBuilder::build`] checks them.
#[derive(Clone, Debug)]
pub struct MeshBuilder {
    positions: Vec<[f32; 3]>,
    normals: Option<Vec<[f32; 3]>>,
    uvs: Option<Vec<[f32; 2]>>,
    indices: Option<Vec<u32>>,
    submeshes: Vec<SubMesh>,
    faces: Option<FaceGroups>,
}

impl MeshBuilder {
    pub(super) fn new(positions: Vec<[f32; 3]>) -> Self {
        Self {
            positions,
            normals: None,
            uvs: None,
            indices: None,
            submeshes: Vec::new(),
            faces: None,
        }
    }

    /// Reads positions out of interleaved vertices: `stride` and `offset` in bytes.
    ///
    /// # Errors
    /// [`InputError::BadMesh`] when a vertex does not fit its stride.
    pub fn interleaved(vertices: &[u8], stride: usize, offset: usize) -> Result<Self, PickError> {
        Ok(Self::new(attribute(vertices, stride, offset, "positions")?))
    }

    /// Vertex normals, one per position; they need not have unit length.
    pub fn normals(mut self, normals: Vec<[f32; 3]>) -> Self {
        self.normals = Some(normals);
        self
    }

    /// Vertex normals out of interleaved vertices: `stride` and `offset` in bytes.
    ///
    /// # Errors
    /// [`InputError::BadMesh`] when a vertex does not fit its stride.
    pub fn interleaved_normals(
        self,
        vertices: &[u8],
        stride: usize,
        offset: usize,
    ) -> Result<Self, PickError> {
        let normals = attribute(vertices, stride, offset, "normals")?;
        Ok(self.normals(normals))
    }

    /// Texture coordinates, one per position.
    pub fn uvs(mut self, uvs: Vec<[f32; 2]>) -> Self {
        self.uvs = Some(uvs);
        self
    }

    /// Texture coordinates out of interleaved vertices: `stride` and `offset` in bytes.
    ///
    /// # Errors
    /// [`InputError::BadMesh`] when a vertex does not fit its stride.
    pub fn interleaved_uvs(
        self,
        vertices: &[u8],
        stride: usize,
        offset: usize,
    ) -> Result<Self, PickError> {
        let uvs = attribute(vertices, stride, offset, "uvs")?;
        Ok(self.uvs(uvs))
    }

    /// A triangle list: three vertex numbers a triangle.
    pub fn indices(mut self, indices: Vec<u32>) -> Self {
        self.indices = Some(indices);
        self
    }

    /// A triangle list of 16-bit indices. 65535 is an ordinary vertex number, never a restart.
    pub fn indices_u16(self, indices: &[u16]) -> Self {
        self.indices(indices.iter().map(|&i| u32::from(i)).collect())
    }

    /// Adds a part. A mesh without parts is one part.
    pub fn submesh(mut self, submesh: SubMesh) -> Self {
        self.submeshes.push(submesh);
        self
    }

    /// Which face each triangle belongs to.
    pub fn faces(mut self, faces: FaceGroups) -> Self {
        self.faces = Some(faces);
        self
    }

    /// Checks everything and makes the mesh. Empty meshes are allowed and never hit.
    ///
    /// # Errors
    /// [`InputError::BadMesh`] for streams of unequal length, element counts that are not whole
    /// triangles, parts beyond the elements, face lists of the wrong length or, where stated
    /// unshared, with a shared vertex; [`InputError::IndexOutOfRange`].
    pub fn build(mut self) -> Result<MeshData, PickError> {
        self.check_counts()?;
        self.check_indices()?;
        let element_count = self.element_count() as u32;
        if self.submeshes.is_empty() {
            self.submeshes.push(SubMesh::new(0..element_count));
        }
        for part in &mut self.submeshes {
            check_elements(part, u64::from(element_count))?;
            part.has_normals &= self.normals.is_some();
            part.has_uvs &= self.uvs.is_some();
        }
        let face_of_vertex = self.face_of_vertex()?;
        let face_count = self.face_count()?;
        Ok(MeshData {
            bounds: Aabb::around(self.positions.iter().copied()),
            drawable: drawable(&self.positions, self.indices.as_deref()),
            positions: self.positions,
            normals: self.normals,
            uvs: self.uvs,
            indices: self.indices,
            submeshes: self.submeshes,
            faces: self.faces,
            face_of_vertex,
            face_count,
        })
    }

    fn element_count(&self) -> usize {
        self.indices.as_ref().map_or(self.positions.len(), Vec::len)
    }

    fn check_counts(&self) -> Result<(), PickError> {
        let vertices = self.positions.len();
        let lengths = [
            ("normals", self.normals.as_ref().map(Vec::len)),
            ("uvs", self.uvs.as_ref().map(Vec::len)),
        ];
        for (what, length) in lengths {
            if length.is_some_and(|length| length != vertices) {
                return bad(
                    what,
                    format!("must be one for each of {vertices} positions"),
                );
            }
        }
        let elements = self.element_count();
        if vertices > MAX_COUNT || elements > MAX_COUNT {
            return bad(
                "elements",
                format!("at most {MAX_COUNT} fit a 32-bit count"),
            );
        }
        if !elements.is_multiple_of(3) {
            return bad("elements", format!("{elements} are not whole triangles"));
        }
        Ok(())
    }

    fn check_indices(&self) -> Result<(), PickError> {
        let vertex_count = self.positions.len();
        let indices = self.indices.as_deref().unwrap_or_default();
        match indices.iter().position(|&i| i as usize >= vertex_count) {
            None => Ok(()),
            Some(element) => Err(InputError::IndexOutOfRange {
                element: element as u64,
                index: indices[element],
                vertex_count: vertex_count as u64,
            }
            .into()),
        }
    }

    fn face_count(&self) -> Result<u32, PickError> {
        let Some(faces) = &self.faces else {
            return Ok(0);
        };
        let triangles = self.element_count() / 3;
        if faces.face_of_triangle.len() != triangles {
            return bad(
                "faces",
                format!("must be one for each of {triangles} triangles"),
            );
        }
        match faces.face_of_triangle.iter().max() {
            None => Ok(0),
            Some(&u32::MAX) => bad("faces", "a face number must be below 2^32 - 1"),
            Some(&largest) => Ok(largest + 1),
        }
    }

    /// The face of each vertex where faces share none; unused vertices get face 0.
    fn face_of_vertex(&self) -> Result<Option<Vec<u32>>, PickError> {
        let Some(faces) = self.faces.as_ref().filter(|faces| faces.unshared_vertices) else {
            return Ok(None);
        };
        let mut owner = vec![None; self.positions.len()];
        for (triangle, &face) in faces.face_of_triangle.iter().enumerate() {
            for element in triangle * 3..(triangle * 3 + 3).min(self.element_count()) {
                let vertex = match &self.indices {
                    Some(indices) => indices[element] as usize,
                    None => element,
                };
                if *owner[vertex].get_or_insert(face) != face {
                    return bad("faces", format!("vertex {vertex} belongs to two faces"));
                }
            }
        }
        Ok(Some(
            owner.into_iter().map(Option::unwrap_or_default).collect(),
        ))
    }
}

/// Counts stay below 2^31, so that an element number plus a base never wraps.
const MAX_COUNT: usize = i32::MAX as usize;

/// A part must be whole triangles inside the mesh's elements.
pub(super) fn check_elements(part: &SubMesh, element_count: u64) -> Result<(), PickError> {
    let range = &part.elements;
    let ordered = range.start <= range.end && u64::from(range.end) <= element_count;
    if !ordered {
        return bad(
            "part",
            format!("{range:?} lies outside the {element_count} elements"),
        );
    }
    // Parts start at a multiple of 3 too: face groups and triangle numbers count from the mesh.
    if !range.start.is_multiple_of(3) || !range.end.is_multiple_of(3) {
        return bad(
            "part",
            format!("{range:?} must start and end on whole triangles"),
        );
    }
    Ok(())
}

/// A [`InputError::BadMesh`] as a result.
pub(super) fn bad<T>(
    what: &'static str,
    fault: impl Into<std::borrow::Cow<'static, str>>,
) -> Result<T, PickError> {
    Err(InputError::BadMesh {
        what,
        fault: fault.into(),
    }
    .into())
}

fn attribute<const N: usize>(
    vertices: &[u8],
    stride: usize,
    offset: usize,
    what: &'static str,
) -> Result<Vec<[f32; N]>, PickError> {
    let fits = offset.checked_add(N * 4).is_some_and(|end| end <= stride);
    if !fits {
        return bad(
            what,
            format!(
                "{} bytes at {offset} do not fit a stride of {stride}",
                N * 4
            ),
        );
    }
    if !vertices.len().is_multiple_of(stride) {
        return bad(
            what,
            format!("{} bytes are not whole strides of {stride}", vertices.len()),
        );
    }
    let read = |vertex: &[u8]| {
        let floats = vertex[offset..offset + N * 4].chunks_exact(4);
        let mut out = [0.0; N];
        for (value, bytes) in out.iter_mut().zip(floats) {
            *value = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        out
    };
    Ok(vertices.chunks_exact(stride).map(read).collect())
}

/// Collapses triangles that have a non-finite vertex (field case 67).
fn drawable(positions: &[[f32; 3]], indices: Option<&[u32]>) -> Drawable {
    let dead = |p: &[f32; 3]| p.iter().any(|c| !c.is_finite());
    if !positions.iter().any(dead) {
        return Drawable::default();
    }
    let finite = |p: &[f32; 3]| if dead(p) { [0.0; 3] } else { *p };
    let mut drawable = Drawable::default();
    match indices {
        Some(indices) => {
            let mut collapsed = indices.to_vec();
            for triangle in collapsed.chunks_exact_mut(3) {
                if triangle.iter().any(|&v| dead(&positions[v as usize])) {
                    triangle.fill(triangle[0]);
                }
            }
            drawable.indices = Some(collapsed);
            drawable.positions = Some(positions.iter().map(finite).collect());
        }
        None => {
            let mut collapsed = positions.to_vec();
            for triangle in collapsed.chunks_exact_mut(3) {
                if triangle.iter().any(dead) {
                    triangle.fill([0.0; 3]);
                }
            }
            drawable.positions = Some(collapsed);
        }
    }
    drawable
}
