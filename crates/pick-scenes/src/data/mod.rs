//! A scene as plain data, whatever it came from.

mod animation;
mod bounds;
mod mesh;
mod object;

pub use animation::{
    SceneAnimation, SceneChannel, SceneInterpolation, SceneNode, SceneProperty, SceneSampler,
    SceneSkin, SceneTransform,
};
pub use bounds::Bounds;
pub use mesh::{SceneMesh, SceneMorphTarget, SceneSubMesh, SceneTopology};
pub use object::{
    SceneAlpha, SceneCamera, SceneInstances, SceneMaterial, SceneObject, SceneProjection,
};

/// A whole scene: meshes once each, and the objects that place them.
#[derive(Clone, Debug, Default)]
pub struct SceneData {
    /// What the scene was asked for as: its scene string or its path.
    pub name: String,
    /// Every mesh, once, however many objects use it.
    pub meshes: Vec<SceneMesh>,
    /// Lists of instance transforms that objects refer to.
    pub instances: Vec<SceneInstances>,
    /// What is drawn, in drawing order.
    pub objects: Vec<SceneObject>,
    /// Materials that sub-meshes refer to.
    pub materials: Vec<SceneMaterial>,
    /// Cameras placed by the scene.
    pub cameras: Vec<SceneCamera>,
    /// The node tree of a glTF file, by node index; skins and animations refer to it.
    pub nodes: Vec<SceneNode>,
    /// Skins, read so that a later version can deform by them.
    pub skins: Vec<SceneSkin>,
    /// Animations, read so that a later version can play them.
    pub animations: Vec<SceneAnimation>,
    /// What was left out or put right on the way, for a person to read.
    pub notes: Vec<Note>,
}

impl SceneData {
    /// Triangles stored, each mesh counted once.
    pub fn stored_triangles(&self) -> u64 {
        self.meshes
            .iter()
            .map(|m| u64::from(m.triangle_count()))
            .sum()
    }

    /// Triangles drawn: each object's mesh times its instances, hidden objects left out.
    pub fn drawn_triangles(&self) -> u64 {
        self.visible()
            .map(|o| {
                let mesh = self.meshes.get(o.mesh).map_or(0, SceneMesh::triangle_count);
                u64::from(mesh).saturating_mul(self.copies(o))
            })
            .fold(0, u64::saturating_add)
    }

    /// Copies drawn: instances of instanced objects, one for every other object; hidden ones left out.
    pub fn drawn_copies(&self) -> u64 {
        self.visible().map(|o| self.copies(o)).sum()
    }

    fn visible(&self) -> impl Iterator<Item = &SceneObject> {
        self.objects.iter().filter(|o| o.visible)
    }

    fn copies(&self, object: &SceneObject) -> u64 {
        match object.instances {
            None => 1,
            Some(list) => self.instances.get(list).map_or(0, |i| i.rows.len() as u64),
        }
    }
}

/// Something a person should know about how the scene was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What sort of note it is.
    pub kind: NoteKind,
    /// The field it is about, such as `meshes[2].primitives[0]`.
    pub field: String,
    /// The note itself, naming the thing by its name in the file where it has one.
    pub text: String,
}

/// What sort of thing a [`Note`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// Points or lines: read, but not pickable yet.
    NotPickableYet,
    /// Skinned or morphed: picked in the shape that is stored, not in the deformed one.
    Undeformed,
    /// There was nothing to pick in it.
    Empty,
    /// The file bends a rule of glTF in a way that has one sensible reading, which was taken.
    Mended,
    /// Something that has no bearing on picking was passed over.
    Ignored,
}
