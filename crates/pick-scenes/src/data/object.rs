//! Objects, their instances and materials, and cameras.

use glam::DMat4;

/// A mesh placed in the world, once or as instances.
#[derive(Clone, Debug)]
pub struct SceneObject {
    /// Its name in the file, or what a built-in scene calls it.
    pub name: Option<String>,
    /// The node's number in a glTF file; the number in drawing order of a built-in scene.
    pub index: u32,
    /// Which of the scene's meshes it draws.
    pub mesh: usize,
    /// Which list of instances draws it, each `world_from_object * row`; none if it is drawn once.
    pub instances: Option<usize>,
    /// From the mesh's (or the instances') space to the world's.
    pub world_from_object: DMat4,
    /// Whether it is drawn.
    pub visible: bool,
    /// Which skin deforms it.
    pub skin: Option<usize>,
    /// Weights of the mesh's morph targets, where the object overrides the mesh's own.
    pub morph_weights: Option<Vec<f32>>,
}

impl SceneObject {
    /// A visible object without instances, skin or name.
    pub fn new(index: u32, mesh: usize, world_from_object: DMat4) -> Self {
        Self {
            name: None,
            index,
            mesh,
            instances: None,
            world_from_object,
            visible: true,
            skin: None,
            morph_weights: None,
        }
    }
}

/// The transforms of an instanced object.
#[derive(Clone, Debug, Default)]
pub struct SceneInstances {
    /// Object-from-instance, one a copy: the upper three rows of an affine matrix, row by row.
    pub rows: Vec<[[f32; 4]; 3]>,
}

/// What picking may have to know of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneMaterial {
    /// Its name in the file.
    pub name: Option<String>,
    /// Whether back sides are drawn as well.
    pub double_sided: bool,
    /// How alpha is taken.
    pub alpha: SceneAlpha,
    /// Base colour factor: linear red, green, blue, and alpha.
    pub base_color: [f32; 4],
}

/// How a material takes its alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SceneAlpha {
    /// Alpha is ignored.
    Opaque,
    /// What is below the cutoff is not there.
    Mask {
        /// The least alpha that is drawn.
        cutoff: f32,
    },
    /// Blended with what is behind.
    Blend,
}

/// A camera that the scene places.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneCamera {
    /// Its name in the file, the node's if it has none itself.
    pub name: Option<String>,
    /// The number of the node that holds it; 0 in a built-in scene.
    pub index: u32,
    /// From the camera's space (it looks along -z, y up) to the world's.
    pub world_from_camera: DMat4,
    /// How it projects.
    pub projection: SceneProjection,
}

/// How a [`SceneCamera`] projects.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SceneProjection {
    /// Perspective.
    Perspective {
        /// The whole vertical angle of view, in radians.
        yfov: f64,
        /// Width over height, where the file fixes it.
        aspect_ratio: Option<f64>,
        /// Distance of the near plane.
        near: f64,
        /// Distance of the far plane; none for infinity.
        far: Option<f64>,
    },
    /// Orthographic.
    Orthographic {
        /// Half the width of the view.
        xmag: f64,
        /// Half the height of the view.
        ymag: f64,
        /// Distance of the near plane.
        near: f64,
        /// Distance of the far plane.
        far: f64,
    },
}
