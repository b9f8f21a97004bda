//! `nearfar`: what strains a depth buffer.

use glam::{DMat4, DVec3};

use super::{Builtin, Key, KeyRange, Values, scene_of};
use crate::data::{SceneCamera, SceneData, SceneObject, SceneProjection};
use crate::{random::Random, shapes};

/// Distances of the nearest and the farthest cube from the camera.
const NEAREST: f64 = 0.01;
const FARTHEST: f64 = 1e5;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "nearfar",
    about: "cubes from 0.01 to 100000 away from the camera at the origin (it looks along -z), \
            larger as they are farther, so that all look about as large; the nearest come first",
    keys: &[
        Key {
            name: "count",
            about: "how many cubes, each an object",
            default: 32,
            range: KeyRange::Whole {
                min: 2,
                max: 100_000,
            },
        },
        Key::SEED,
    ],
    build,
};

fn build(values: &Values) -> SceneData {
    let count = values.get("count");
    let mut random = Random::new(values.get("seed"));
    let mut scene = scene_of(shapes::cube());
    // Over the middle of the view in a sunflower's pattern; the share of it they cover stays.
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let size = 0.5 / (count as f64).sqrt();
    for i in 0..count {
        let part = i as f64 / (count - 1) as f64;
        let distance = NEAREST * (FARTHEST / NEAREST).powf(part);
        let ring = 0.45 * ((i as f64 + 0.5) / count as f64).sqrt();
        let (sin, cos) = (golden * i as f64).sin_cos();
        let place = DVec3::new(ring * cos, ring * sin, -1.0).normalize() * distance;
        let scale = DVec3::splat(size * distance);
        let world = DMat4::from_scale_rotation_translation(scale, random.rotation(), place);
        scene.objects.push(SceneObject::new(i as u32, 0, world));
    }
    scene.cameras.push(SceneCamera {
        name: Some("origin".to_owned()),
        index: 0,
        world_from_camera: DMat4::IDENTITY,
        projection: SceneProjection::Perspective {
            yfov: std::f64::consts::FRAC_PI_3,
            aspect_ratio: None,
            near: NEAREST * 0.1,
            far: None,
        },
    });
    scene
}
