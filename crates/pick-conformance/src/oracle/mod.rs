//! Truth: every triangle of a case against the ray through a pixel's centre, brute force, in f64.
//!
//! Nothing here knows the CPU backend's code nor the library's matrices: rays come from intersecting
//! planes, depth from the camera's own rows, coverage from the distance between a pixel's centre and
//! a projected polygon.

pub mod camera;
pub mod given;
pub mod math;
pub mod pixel;
pub mod triangle;
pub mod verdict;

use crate::case::{Asking, CaseScene, CaseView};
use crate::driver::Tolerance;
use camera::Camera;
use triangle::Triangle;

/// A case as the oracle sees it.
#[derive(Debug)]
pub struct Oracle {
    /// The camera.
    pub camera: Camera,
    /// In the order offered; what cannot be hit is left out.
    pub triangles: Vec<Triangle>,
    /// How exact the driver is.
    pub tolerance: Tolerance,
}

impl Oracle {
    /// Flattens a scene.
    pub fn new(scene: &CaseScene, view: &CaseView, asking: &Asking, tolerance: &Tolerance) -> Self {
        let camera = Camera::new(view);
        let triangles = triangle::flatten(scene, &camera, asking);
        Self {
            camera,
            triangles,
            tolerance: *tolerance,
        }
    }
}
