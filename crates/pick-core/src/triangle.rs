//! One triangle of a mesh where it stands in the world: its plane, its weights, what it interpolates.

use glam::{DMat3, DMat4, DVec3};

use crate::mesh::MeshData;
use crate::view::PickRay;

/// A triangle of a mesh under a transform, in f64.
#[derive(Clone, Copy, Debug)]
pub struct PlacedTriangle<'a> {
    data: &'a MeshData,
    vertices: [u32; 3],
    corners: [DVec3; 3],
    linear: DMat3,
    /// -1 under a mirroring transform, which swaps the winding in world space.
    side: f64,
}

impl<'a> PlacedTriangle<'a> {
    /// Triangle `number` of the whole mesh; `None` beyond the last.
    pub fn new(data: &'a MeshData, number: u32, world_from_local: &DMat4) -> Option<Self> {
        let vertices = data.triangle(number)?;
        let linear = DMat3::from_mat4(*world_from_local);
        Some(Self {
            corners: vertices.map(|v| {
                let local = data.positions()[v as usize].map(f64::from);
                world_from_local.transform_point3(DVec3::from(local))
            }),
            data,
            vertices,
            linear,
            side: if linear.determinant() < 0.0 {
                -1.0
            } else {
                1.0
            },
        })
    }

    /// Unit, world space, to the side from which the local winding is counter-clockwise; `None` for a
    /// triangle without area.
    pub fn face_normal(&self) -> Option<DVec3> {
        (self.winding() * self.side).try_normalize()
    }

    /// The point with these weights of vertices 0, 1, 2.
    pub fn point(&self, weights: [f64; 3]) -> DVec3 {
        blend(self.corners, weights)
    }

    /// The vertex normals interpolated, by the inverse transpose; `None` without normals and where
    /// they cancel out.
    pub fn normal(&self, weights: [f64; 3]) -> Option<DVec3> {
        let normals = self.data.normals()?;
        let at = |v: u32| DVec3::from(normals[v as usize].map(f64::from));
        let local = blend(self.vertices.map(at), weights);
        // The inverse transpose up to a positive factor: the cofactors, with the determinant's sign.
        let m = &self.linear;
        let cofactors = DMat3::from_cols(
            m.y_axis.cross(m.z_axis),
            m.z_axis.cross(m.x_axis),
            m.x_axis.cross(m.y_axis),
        );
        (cofactors * local * self.side).try_normalize()
    }

    /// The texture coordinates interpolated; `None` without any.
    pub fn uv(&self, weights: [f64; 3]) -> Option<[f64; 2]> {
        let uvs = self.data.uvs()?;
        let at = |v: u32| {
            let [u, v] = uvs[v as usize].map(f64::from);
            DVec3::new(u, v, 0.0)
        };
        let uv = blend(self.vertices.map(at), weights);
        Some([uv.x, uv.y])
    }

    /// Weights where the ray meets the triangle's plane, clamped onto the triangle: a rasteriser's
    /// sample can lie within its sub-pixel step outside the exact edge. `None` for a plane seen
    /// edge-on.
    pub fn weights_on_ray(&self, ray: &PickRay) -> Option<[f64; 3]> {
        let [a, b, c] = self.corners.map(|corner| corner - ray.origin);
        // Signed volumes of the ray's direction with each edge (Moeller and Trumbore 1997, rearranged).
        let volume = |a: DVec3, b: DVec3| ray.direction.dot(a.cross(b));
        let volumes = [volume(b, c), volume(c, a), volume(a, b)];
        let total: f64 = volumes.iter().sum();
        if total.abs() <= self.winding().length() * 1e-9 {
            return None;
        }
        clamped(volumes.map(|volume| volume / total))
    }

    /// Weights of the point of the triangle's plane nearest to `point`, clamped onto the triangle.
    /// `None` for a triangle without area.
    pub fn weights_at(&self, point: DVec3) -> Option<[f64; 3]> {
        let winding = self.winding();
        let [a, b, c] = self.corners.map(|corner| corner - point);
        let area = |a: DVec3, b: DVec3| a.cross(b).dot(winding);
        let areas = [area(b, c), area(c, a), area(a, b)];
        let total: f64 = areas.iter().sum();
        clamped(areas.map(|area| area / total))
    }

    fn winding(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a)
    }
}

fn blend(values: [DVec3; 3], weights: [f64; 3]) -> DVec3 {
    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
}

fn clamped(weights: [f64; 3]) -> Option<[f64; 3]> {
    let clamped = weights.map(|w| w.clamp(0.0, 1.0));
    let sum: f64 = clamped.iter().sum();
    (sum.is_finite() && sum > 0.0).then(|| clamped.map(|w| w / sum))
}
