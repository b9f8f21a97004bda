//! Meshes and their sub-meshes.

use std::ops::Range;

/// The geometry that one or more objects share.
#[derive(Clone, Debug, Default)]
pub struct SceneMesh {
    /// Its name in the file, or what a built-in scene calls it.
    pub name: Option<String>,
    /// Vertex positions, local to the object.
    pub positions: Vec<[f32; 3]>,
    /// Vertex normals; zero for vertices of sub-meshes that have none.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Texture coordinates, set 0; zero where a sub-mesh has none.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// Texture coordinates, set 1; further sets are not read.
    pub uvs1: Option<Vec<[f32; 2]>>,
    /// Tangents with their handedness in the fourth number.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Vertex colours, set 0, linear, opaque where the file has no alpha.
    pub colors: Option<Vec<[f32; 4]>>,
    /// Joint numbers, one list for each set of four influences.
    pub joints: Vec<Vec<[u16; 4]>>,
    /// Joint weights, beside [`SceneMesh::joints`].
    pub weights: Vec<Vec<[f32; 4]>>,
    /// Morph targets, in the file's order.
    pub morph_targets: Vec<SceneMorphTarget>,
    /// Default weights of the morph targets; as many as there are targets.
    pub morph_weights: Vec<f32>,
    /// Vertex numbers, three a triangle; none if the vertices themselves are, in order.
    pub indices: Option<Vec<u32>>,
    /// The parts the mesh is drawn in, in drawing order.
    pub submeshes: Vec<SceneSubMesh>,
    /// The face each triangle belongs to (0..6 for the sides of a box), over the whole mesh.
    pub faces: Option<Vec<u32>>,
    /// Whether no vertex is shared by two faces, so that a vertex alone tells its face.
    pub faces_unshared: bool,
}

/// A part of a mesh, drawn by itself: one triangle primitive of a glTF mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneSubMesh {
    /// Which of the mesh's indices it draws, or of its vertices if there are none; whole triangles.
    pub elements: Range<u32>,
    /// Its number among the primitives of the mesh in the file, points and lines counted.
    pub primitive: u32,
    /// Its material, if the file gives one.
    pub material: Option<u32>,
    /// Whether its back sides are drawn as well.
    pub double_sided: bool,
    /// Whether its vertices have normals of their own.
    pub has_normals: bool,
    /// Whether its vertices have texture coordinates (set 0) of their own.
    pub has_uvs: bool,
    /// What it was in the file. Triangle numbers are those of the file, strips and fans included.
    pub topology: SceneTopology,
}

/// How the file joins vertices to triangles; all are turned into lists here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneTopology {
    /// Three vertices a triangle.
    List,
    /// Each triangle takes over two vertices of the one before.
    Strip,
    /// Every triangle shares the first vertex.
    Fan,
}

/// Offsets that a morph target adds; a list that is there has one entry a vertex.
#[derive(Clone, Debug, Default)]
pub struct SceneMorphTarget {
    /// Offsets of the positions.
    pub positions: Option<Vec<[f32; 3]>>,
    /// Offsets of the normals.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Offsets of the tangents.
    pub tangents: Option<Vec<[f32; 3]>>,
}

impl SceneMesh {
    /// How many triangles it has, over all sub-meshes.
    pub fn triangle_count(&self) -> u32 {
        self.submeshes
            .iter()
            .map(SceneSubMesh::triangle_count)
            .sum()
    }

    /// The vertices of the triangle that starts at an element (a multiple of 3), in order.
    pub fn triangle(&self, first_element: u32) -> Option<[u32; 3]> {
        let end = first_element.checked_add(3)?;
        match &self.indices {
            Some(indices) => indices
                .get(first_element as usize..end as usize)?
                .try_into()
                .ok(),
            None if end as usize <= self.positions.len() => {
                Some([first_element, first_element + 1, first_element + 2])
            }
            None => None,
        }
    }
}

impl SceneSubMesh {
    /// How many triangles it has.
    pub fn triangle_count(&self) -> u32 {
        self.elements.end.saturating_sub(self.elements.start) / 3
    }
}
