//! Transforms without an inverse: what they flatten is still drawn, so it is still hit.
//!
//! A ray cannot be carried into a space that has no way back, so these triangles are carried out into
//! the world, one after the other. Nothing about them is kept: flattened geometry is rare.

use std::ops::Range;

use glam::{DMat4, DVec3};
use pick_core::MeshData;

use crate::cast::Cull;
use crate::ray::Ray;

/// The nearest hit on a mesh under a transform that has no inverse: `t`, triangle, front.
pub(crate) fn cast_flat(
    data: &MeshData,
    world_from_local: &DMat4,
    triangles: Range<u32>,
    cull: Cull,
    ray: &Ray,
) -> Option<(f64, u32, bool)> {
    let mut nearest: Option<(f64, u32, bool)> = None;
    visit_flat(data, world_from_local, triangles, cull, ray, |hit| {
        if nearest.is_none_or(|(best, ..)| hit.0 < best) {
            nearest = Some(hit);
        }
    });
    nearest
}

/// Calls `visit` with every such hit, in the order of the triangles.
pub(crate) fn visit_flat(
    data: &MeshData,
    world_from_local: &DMat4,
    triangles: Range<u32>,
    cull: Cull,
    ray: &Ray,
    mut visit: impl FnMut((f64, u32, bool)),
) {
    for number in triangles {
        let Some(vertices) = data.triangle(number) else {
            break;
        };
        let corners = vertices.map(|v| {
            let local = data.positions()[v as usize].map(f64::from);
            world_from_local.transform_point3(DVec3::from(local))
        });
        let Some((t, front)) = meet(&corners, ray) else {
            continue;
        };
        let culled = match cull {
            Cull::None => false,
            Cull::Back => !front,
            Cull::Front => front,
        };
        if !culled {
            visit((t, number, front));
        }
    }
}

/// Moeller and Trumbore's test (1997), edges included. NaN corners fail every comparison.
fn meet(corners: &[DVec3; 3], ray: &Ray) -> Option<(f64, bool)> {
    let (e1, e2) = (corners[1] - corners[0], corners[2] - corners[0]);
    let winding = e1.cross(e2);
    let against = -winding.dot(ray.direction);
    let start = ray.origin - corners[0];
    let moment = start.cross(ray.direction);
    let (v, w) = (-e2.dot(moment) / -against, e1.dot(moment) / -against);
    let t = winding.dot(start) / against;
    let inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0;
    let counts = against != 0.0 && t >= ray.t_min && t <= ray.t_max;
    (inside && counts).then_some((t, against > 0.0))
}
