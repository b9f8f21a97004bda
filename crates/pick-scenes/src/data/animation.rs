//! The node tree, skins and animations: what a later version deforms by.

use glam::{DMat4, DQuat, DVec3};

/// A node of a glTF file.
#[derive(Clone, Debug)]
pub struct SceneNode {
    /// Its name in the file.
    pub name: Option<String>,
    /// Its parent; none for a root.
    pub parent: Option<u32>,
    /// Where it stands in its parent's space.
    pub parent_from_node: SceneTransform,
}

/// A node's transform, kept as the file gives it, since only the second form can be animated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SceneTransform {
    /// A matrix.
    Matrix(DMat4),
    /// Scale, then rotation, then translation.
    Parts {
        /// The translation.
        translation: DVec3,
        /// The rotation, of unit length.
        rotation: DQuat,
        /// The scale.
        scale: DVec3,
    },
}

impl SceneTransform {
    /// The matrix it stands for.
    pub fn matrix(&self) -> DMat4 {
        match *self {
            Self::Matrix(matrix) => matrix,
            Self::Parts {
                translation,
                rotation,
                scale,
            } => DMat4::from_scale_rotation_translation(scale, rotation, translation),
        }
    }
}

/// The joints that deform a mesh.
#[derive(Clone, Debug)]
pub struct SceneSkin {
    /// Its name in the file.
    pub name: Option<String>,
    /// Node numbers of the joints, in the order that vertices count them.
    pub joints: Vec<u32>,
    /// Joint-from-mesh in the bind pose, column by column; one a joint.
    pub inverse_bind: Vec<[[f32; 4]; 4]>,
    /// The node that is the root of the skeleton, where the file says so.
    pub skeleton: Option<u32>,
}

/// A keyframe animation.
#[derive(Clone, Debug)]
pub struct SceneAnimation {
    /// Its name in the file.
    pub name: Option<String>,
    /// The curves, which channels share.
    pub samplers: Vec<SceneSampler>,
    /// What the curves drive.
    pub channels: Vec<SceneChannel>,
}

/// A curve over time.
#[derive(Clone, Debug)]
pub struct SceneSampler {
    /// How values between keys come about.
    pub interpolation: SceneInterpolation,
    /// Times of the keys in seconds, rising.
    pub times: Vec<f32>,
    /// Values, `width` numbers each; three of them a key (in-tangent, value, out-tangent) for cubic
    /// splines, and as many as there are morph targets for weights.
    pub values: Vec<f32>,
    /// Numbers in a value: 1, 3 or 4.
    pub width: u32,
}

/// How a [`SceneSampler`] goes from key to key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneInterpolation {
    /// In a straight line, rotations along the arc.
    Linear,
    /// Holds each value until the next key.
    Step,
    /// Along cubic Hermite splines.
    CubicSpline,
}

/// What a curve drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneChannel {
    /// Which sampler of the animation.
    pub sampler: u32,
    /// Which node.
    pub node: u32,
    /// Which property of the node.
    pub property: SceneProperty,
}

/// A property that can be animated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneProperty {
    /// The node's translation.
    Translation,
    /// The node's rotation.
    Rotation,
    /// The node's scale.
    Scale,
    /// The weights of its mesh's morph targets.
    MorphWeights,
}
