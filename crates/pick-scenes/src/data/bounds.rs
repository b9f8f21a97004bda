//! How far a scene reaches, for framing it with a camera.

use glam::{DMat4, DVec3};

use super::{SceneData, SceneMesh};

/// A box along the axes that holds something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least corner.
    pub min: DVec3,
    /// The greatest corner.
    pub max: DVec3,
}

impl Bounds {
    /// The middle.
    pub fn center(&self) -> DVec3 {
        (self.min + self.max) * 0.5
    }

    /// The radius of the sphere around the middle that holds the box.
    pub fn radius(&self) -> f64 {
        (self.max - self.min).length() * 0.5
    }

    /// The smallest box that holds both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The box along the axes around this one after an affine transform.
    pub fn transformed(&self, matrix: &DMat4) -> Self {
        let center = matrix.transform_point3(self.center());
        let half = (self.max - self.min) * 0.5;
        let reach = matrix.x_axis.truncate().abs() * half.x
            + matrix.y_axis.truncate().abs() * half.y
            + matrix.z_axis.truncate().abs() * half.z;
        Self {
            min: center - reach,
            max: center + reach,
        }
    }
}

impl SceneMesh {
    /// The box around its vertices; none if it has no vertices.
    pub fn bounds(&self) -> Option<Bounds> {
        let mut points = self.positions.iter().map(|p| DVec3::from(p.map(f64::from)));
        let first = points.next()?;
        Some(points.fold(
            Bounds {
                min: first,
                max: first,
            },
            |b, p| Bounds {
                min: b.min.min(p),
                max: b.max.max(p),
            },
        ))
    }
}

impl SceneData {
    /// The box around all that is visible, in f64; none if nothing is. It is the box around the
    /// meshes' own boxes, so it may be a little larger than the tightest one.
    pub fn world_bounds(&self) -> Option<Bounds> {
        let meshes: Vec<_> = self.meshes.iter().map(SceneMesh::bounds).collect();
        let mut whole: Option<Bounds> = None;
        for object in self.objects.iter().filter(|o| o.visible) {
            let Some(local) = meshes.get(object.mesh).copied().flatten() else {
                continue;
            };
            let reach = match object.instances {
                None => Some(local),
                Some(list) => self.instances.get(list).and_then(|list| {
                    let boxes = list
                        .rows
                        .iter()
                        .map(|rows| local.transformed(&affine(rows)));
                    boxes.reduce(|a, b| a.union(&b))
                }),
            };
            let Some(reach) = reach else { continue };
            let reach = reach.transformed(&object.world_from_object);
            whole = Some(whole.map_or(reach, |w| w.union(&reach)));
        }
        whole
    }
}

/// The matrix that three rows stand for.
fn affine(rows: &[[f32; 4]; 3]) -> DMat4 {
    let [x, y, z] = rows.map(|r| r.map(f64::from));
    DMat4::from_cols_array_2d(&[
        [x[0], y[0], z[0], 0.0],
        [x[1], y[1], z[1], 0.0],
        [x[2], y[2], z[2], 0.0],
        [x[3], y[3], z[3], 1.0],
    ])
}
