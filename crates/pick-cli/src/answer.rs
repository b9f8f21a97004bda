//! An answer as `query` prints it. The names are stable: scripts are written against them.

use pick_core::{AreaHit, Hit};
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
    /// What other questions than the plain one add.
    #[serde(flatten)]
    pub found: Found,
}

/// What a question adds to a hit. `None` is left out.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Found {
    /// Of an area: at how many pixels it is what is nearest, or how many fragments it has there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The pixel where it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_pixel: Option<[u32; 2]>,
    /// How far that is from the one asked about, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixel_distance: Option<f64>,
    /// Of a drill: how many are seen before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Of a drill or an area: how many more there are than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond: Option<u64>,
}

impl Line {
    /// How many more there are than are listed, where a question tells that.
    pub fn beyond(&self) -> Option<u64> {
        match self {
            Self::Hit(hit) => hit.found.beyond,
            Self::Miss { .. } | Self::Failed { .. } => None,
        }
    }

    /// The line for an answer.
    pub fn of(pixel: &Value, hit: Option<&Hit>, micros: f64, data: &SceneData) -> Self {
        let pixel = pixel.clone();
        match hit {
            None => Self::Miss { pixel, hit: false },
            Some(hit) => Self::hit(pixel, hit, micros, data, Found::default()),
        }
    }

    /// The line for a hit that a question says more of.
    pub fn hit(pixel: Value, hit: &Hit, micros: f64, data: &SceneData, found: Found) -> Self {
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
            micros: rounded(micros),
            found,
        }))
    }

    /// The line for a thing in an area.
    pub fn of_area(hit: &AreaHit, beyond: u64, micros: f64, data: &SceneData) -> Self {
        let object = data.objects.get(hit.tag as usize);
        Self::Hit(Box::new(HitLine {
            pixel: Value::from(hit.near_pixel.to_vec()),
            hit: true,
            object: object.and_then(|object| object.name.clone()),
            object_index: object.map(|object| object.index),
            instance: hit.instance.ok(),
            submesh: None,
            material: None,
            primitive: None,
            face: None,
            barycentric: None,
            point: hit.point.ok().map(|point| point.to_array()),
            normal: None,
            face_normal: None,
            uv: None,
            depth: hit.depth.ok(),
            distance: hit.distance.ok(),
            front_facing: None,
            micros: rounded(micros),
            found: Found {
                count: Some(hit.pixel_count),
                near_pixel: Some(hit.near_pixel),
                beyond: Some(beyond),
                ..Found::default()
            },
        }))
    }
}

/// To tenths of a microsecond.
fn rounded(micros: f64) -> f64 {
    (micros * 10.0).round() / 10.0
}
