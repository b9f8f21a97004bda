//! An answer as `query` prints it. The names are stable: scripts are written against them.

use pick_core::Hit;
use pick_scenes::SceneData;
use serde::Serialize;
use serde_json::Value;

/// What there is to say of a pixel.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// Something is there.
    Hit(Box<HitLine>),
    /// Nothing is there.
    Miss {
        /// As it was given.
        pixel: Value,
        /// False.
        hit: bool,
    },
    /// The pixel was not answered.
    Failed {
        /// As it was given.
        pixel: Value,
        /// Why not.
        error: String,
    },
}

/// What is there. `None` where the strategy, the device or the scene does not give it.
#[derive(Clone, Debug, Serialize)]
pub struct HitLine {
    /// As it was given.
    pub pixel: Value,
    /// True.
    pub hit: bool,
    /// The node's name.
    pub object: Option<String>,
    /// The node's number in a glTF file, the order of insertion in a built-in scene.
    pub object_index: Option<u32>,
    /// The copy's number.
    pub instance: Option<u32>,
    /// The mesh primitive's number in a glTF file.
    pub submesh: Option<u32>,
    /// The material's number in a glTF file.
    pub material: Option<u32>,
    /// The triangle's number in the sub-mesh.
    pub primitive: Option<u32>,
    /// The face group.
    pub face: Option<u32>,
    /// Weights of the triangle's vertices.
    pub barycentric: Option<[f64; 3]>,
    /// In the world.
    pub point: Option<[f64; 3]>,
    /// Interpolated from the vertices.
    pub normal: Option<[f64; 3]>,
    /// Of the triangle's plane.
    pub face_normal: Option<[f64; 3]>,
    /// Texture coordinates.
    pub uv: Option<[f64; 2]>,
    /// The fragment's depth.
    pub depth: Option<f32>,
    /// From the ray's origin to the point.
    pub distance: Option<f64>,
    /// Whether the ray met the front.
    pub front_facing: Option<bool>,
    /// From submission to answer.
    pub micros: f64,
}

impl Line {
    /// The line for an answer.
    pub fn of(pixel: &Value, hit: Option<&Hit>, micros: f64, data: &SceneData) -> Self {
        let pixel = pixel.clone();
        let Some(hit) = hit else {
            return Self::Miss { pixel, hit: false };
        };
        let object = data.objects.get(hit.tag as usize);
        let mesh = object.and_then(|object| data.meshes.get(object.mesh));
        let part = mesh.and_then(|mesh| mesh.submeshes.get(hit.part as usize));
        let xyz = |v: glam::DVec3| v.to_array();
        Self::Hit(Box::new(HitLine {
            pixel,
            hit: true,
            object: object.and_then(|object| object.name.clone()),
            object_index: object.map(|object| object.index),
            instance: hit.instance.ok(),
            submesh: part.map(|part| part.primitive),
            material: part.and_then(|part| part.material),
            primitive: hit.primitive.ok(),
            face: hit.face.ok(),
            barycentric: hit.surface.barycentric.ok(),
            point: hit.point.ok().map(xyz),
            normal: hit.surface.normal.ok().map(xyz),
            face_normal: hit.surface.face_normal.ok().map(xyz),
            uv: hit.surface.uv.ok(),
            depth: hit.depth.ok(),
            distance: hit.distance.ok(),
            front_facing: hit.front_facing.ok(),
            micros: (micros * 10.0).round() / 10.0,
        }))
    }
}
