//! What a case shows, as plain data: the library's scene and the oracle's are both made from it.

mod build;
mod camera;
mod shapes;

pub use build::Stage;
pub use camera::{Camera, CaseView, Depths};
pub use shapes::{
    boxed, grid, identity_rows, quad, rows_at, scaled, shifted, sphere, with_flat_triangles,
};

use std::ops::Range;

use crate::oracle::math::{IDENTITY, M4};

/// An instance transform: three rows of four.
pub type Rows = [[f32; 4]; 3];

/// Meshes, instance sets and the objects that use them, in the order they are offered.
#[derive(Clone, Debug, Default)]
pub struct CaseScene {
    /// Geometry.
    pub meshes: Vec<CaseMesh>,
    /// Instance sets.
    pub instances: Vec<Vec<Rows>>,
    /// What is drawn.
    pub objects: Vec<CaseObject>,
}

/// A triangle mesh.
#[derive(Clone, Debug, Default)]
pub struct CaseMesh {
    /// Local space.
    pub positions: Vec<[f32; 3]>,
    /// One a vertex.
    pub normals: Option<Vec<[f32; 3]>>,
    /// One a vertex.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// Three a triangle; `None`: consecutive vertices.
    pub indices: Option<Vec<u32>>,
    /// The indices are handed over as 16 bits.
    pub narrow: bool,
    /// Empty: one part that has everything.
    pub parts: Vec<CasePart>,
    /// One a triangle.
    pub faces: Option<Vec<u32>>,
    /// The faces are stated to share no vertex.
    pub faces_unshared: bool,
    /// The CPU forgets the geometry once it is uploaded.
    pub forgotten: bool,
}

/// A run of a mesh's elements.
#[derive(Clone, Debug)]
pub struct CasePart {
    /// Which.
    pub elements: Range<u32>,
    /// Its material shows both sides.
    pub double_sided: bool,
    /// The mesh's normals hold.
    pub normals: bool,
    /// The mesh's texture coordinates hold.
    pub uvs: bool,
}

/// A mesh at a place.
#[derive(Clone, Debug)]
pub struct CaseObject {
    /// Position in [`CaseScene::meshes`].
    pub mesh: usize,
    /// Position in [`CaseScene::instances`].
    pub instances: Option<usize>,
    /// Where.
    pub world_from_object: M4,
    /// It is drawn.
    pub visible: bool,
    /// It takes part in picks.
    pub pickable: bool,
    /// It takes part also while not visible.
    pub pick_when_hidden: bool,
    /// Which layers it is on.
    pub layers: u32,
    /// The user's own word.
    pub tag: u64,
}

/// Which sides a request leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cull {
    /// None.
    #[default]
    None,
    /// Backs.
    Back,
    /// Fronts.
    Front,
    /// Backs of single-sided parts.
    Material,
}

/// What of a request changes its right answer.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// Which sides.
    pub cull: Cull,
    /// Which layers.
    pub layers: u32,
}

impl Default for Asking {
    fn default() -> Self {
        Self {
            cull: Cull::None,
            layers: u32::MAX,
        }
    }
}

impl CaseScene {
    /// Adds a mesh and one object that shows it untransformed; gives the object's position.
    pub fn show(&mut self, mesh: CaseMesh) -> usize {
        self.show_at(mesh, IDENTITY)
    }

    /// Adds a mesh and one object that shows it at a place; gives the object's position.
    pub fn show_at(&mut self, mesh: CaseMesh, world_from_object: M4) -> usize {
        self.meshes.push(mesh);
        self.add(CaseObject::new(self.meshes.len() - 1).at(world_from_object))
    }

    /// Adds an object; gives its position, which is its tag too.
    pub fn add(&mut self, mut object: CaseObject) -> usize {
        let position = self.objects.len();
        object.tag = position as u64;
        self.objects.push(object);
        position
    }

    /// A scene of meshes, each shown once where it is.
    pub fn of(meshes: impl IntoIterator<Item = CaseMesh>) -> Self {
        let mut scene = Self::default();
        for mesh in meshes {
            scene.show(mesh);
        }
        scene
    }
}

impl CaseMesh {
    /// The parts, spelt out.
    pub fn all_parts(&self) -> Vec<CasePart> {
        if self.parts.is_empty() {
            vec![CasePart::new(0..self.element_count())]
        } else {
            self.parts.clone()
        }
    }

    /// How many elements it has.
    pub fn element_count(&self) -> u32 {
        self.indices.as_ref().map_or(self.positions.len(), Vec::len) as u32
    }

    /// The vertex numbers of a triangle of the whole mesh.
    pub fn triangle(&self, triangle: u32) -> [usize; 3] {
        let first = triangle as usize * 3;
        [first, first + 1, first + 2].map(|element| match &self.indices {
            Some(indices) => indices[element] as usize,
            None => element,
        })
    }

    /// The same, uploaded and then forgotten on the CPU.
    pub fn forgotten(mut self) -> Self {
        self.forgotten = true;
        self
    }
}

impl CasePart {
    /// A part that has what the mesh has and shows both sides.
    pub fn new(elements: Range<u32>) -> Self {
        Self {
            elements,
            double_sided: true,
            normals: true,
            uvs: true,
        }
    }

    /// The same, showing only its front.
    pub fn single_sided(mut self) -> Self {
        self.double_sided = false;
        self
    }
}

impl CaseObject {
    /// A visible, pickable object at the origin, on every layer.
    pub fn new(mesh: usize) -> Self {
        Self {
            mesh,
            instances: None,
            world_from_object: IDENTITY,
            visible: true,
            pickable: true,
            pick_when_hidden: false,
            layers: u32::MAX,
            tag: 0,
        }
    }

    /// Places it.
    pub fn at(mut self, world_from_object: M4) -> Self {
        self.world_from_object = world_from_object;
        self
    }

    /// Gives it copies.
    pub fn instanced(mut self, set: usize) -> Self {
        self.instances = Some(set);
        self
    }

    /// True when a request sees it.
    pub fn takes_part(&self, asking: &Asking) -> bool {
        self.pickable && (self.visible || self.pick_when_hidden) && self.layers & asking.layers != 0
    }
}
