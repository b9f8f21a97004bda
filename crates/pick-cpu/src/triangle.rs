//! The test of one ray against one triangle, in f64.
//!
//! The formulation is that of Woop, Benthin and Wald ("Watertight Ray/Triangle Intersection", 2013): the space is moved so that
//! the ray starts at zero, and sheared so that it runs along one axis; what is left is the question in which side of three 2-D
//! edges the zero lies. An edge's two ends come out the same, to the bit, in every triangle that has them, and
//! `a.x * b.y - a.y * b.x` merely changes its sign when they are swapped; so of two triangles that share an edge at least one is
//! hit by a ray through it, with zero counted as inside on both. Möller and Trumbore's test, the usual one, measures each
//! triangle from a vertex of its own, and two neighbours may round the same ray to either side of the edge between them.

use glam::DVec3;

use crate::ray::Ray;

/// A ray made ready for many triangles of one space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needle {
    origin: DVec3,
    /// The axes: the two that are left, and the one that the ray runs along most.
    axes: [usize; 3],
    /// The direction along the first two axes for a unit along the third; the reciprocal of the direction along the third.
    shear: DVec3,
    t_min: f64,
}

/// Where a triangle was met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meeting {
    pub t: f64,
    pub front: bool,
    pub barycentric: [f64; 3],
}

impl Needle {
    #[inline]
    pub(crate) fn new(ray: &Ray) -> Self {
        let size = ray.direction.abs();
        let main = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        // In cyclic order, which keeps the winding.
        let axes = [[1, 2, 0], [2, 0, 1], [0, 1, 2]][main];
        let d = ray.direction.to_array();
        let along = 1.0 / d[main];
        let shear = DVec3::new(d[axes[0]] / d[main], d[axes[1]] / d[main], along);
        Self {
            origin: ray.origin,
            axes,
            shear,
            t_min: ray.t_min,
        }
    }

    /// Where the ray meets the triangle, no farther than `t_max`; an edge belongs to the triangle.
    #[inline]
    pub(crate) fn meet(&self, corners: &[[f32; 3]; 3], t_max: f64) -> Option<Meeting> {
        let [a, b, c] = corners.each_ref().map(|corner| self.sheared(corner));
        let u = b.x * c.y - b.y * c.x;
        let v = c.x * a.y - c.y * a.x;
        let w = a.x * b.y - a.y * b.x;
        let low = u.min(v).min(w);
        let high = u.max(v).max(w);
        if low < 0.0 && high > 0.0 {
            return None;
        }
        let area = u + v + w;
        if area == 0.0 {
            return None;
        }
        let scale = 1.0 / area;
        let barycentric = [u * scale, v * scale, w * scale];
        let depth = (u * a.z + v * b.z + w * c.z) * scale;
        let t = depth * self.shear.z;
        // `area` is the signed area against the main axis; the ray may run against that axis.
        let front = (area < 0.0) != (self.shear.z < 0.0);
        // Written so that a NaN, of numbers beyond f64, fails it.
        (t >= self.t_min && t <= t_max).then_some(Meeting {
            t,
            front,
            barycentric,
        })
    }

    #[inline]
    fn sheared(&self, corner: &[f32; 3]) -> DVec3 {
        let p = [
            f64::from(corner[0]) - self.origin.x,
            f64::from(corner[1]) - self.origin.y,
            f64::from(corner[2]) - self.origin.z,
        ];
        let [x, y, z] = self.axes;
        DVec3::new(p[x] - self.shear.x * p[z], p[y] - self.shear.y * p[z], p[z])
    }
}

/// Whether a triangle can be hit at all: its corners are numbers and it has an area.
pub(crate) fn is_solid(corners: &[[f32; 3]; 3]) -> bool {
    let [a, b, c] = corners.map(|p| DVec3::new(p[0].into(), p[1].into(), p[2].into()));
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return false;
    }
    let (e, f) = (b - a, c - a);
    differ(e.y, f.z, e.z, f.y) || differ(e.z, f.x, e.x, f.z) || differ(e.x, f.y, e.y, f.x)
}

/// Whether `a * b` is another number than `c * d`, exactly: products that round alike are told apart by what was rounded off.
fn differ(a: f64, b: f64, c: f64, d: f64) -> bool {
    let (p, q) = (a * b, c * d);
    p != q || a.mul_add(b, -p) != c.mul_add(d, -q)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    #[test]
    fn weights_side_and_parameter_are_told() {
        // Counter-clockwise seen from +z, so a ray downward meets the front.
        let down = Needle::new(&Ray::new(
            DVec3::new(1.0, 2.0, 6.0),
            DVec3::new(0.0, 0.0, -2.0),
        ));
        let meeting = down
            .meet(&TRIANGLE, f64::INFINITY)
            .expect("it is in the way");
        let told = (meeting.t, meeting.front, meeting.barycentric);
        assert_eq!(told, (3.0, true, [0.25, 0.25, 0.5]));
        let up = Needle::new(&Ray::new(DVec3::new(1.0, 2.0, -6.0), DVec3::Z));
        assert!(
            up.meet(&TRIANGLE, 6.0)
                .is_some_and(|meeting| !meeting.front)
        );
        assert_eq!(up.meet(&TRIANGLE, 5.9), None);
    }

    #[test]
    fn an_edge_is_inside_and_a_hair_beyond_is_not() {
        let meets = |x, y| {
            let down = Ray::new(DVec3::new(x, y, 1.0), DVec3::NEG_Z);
            Needle::new(&down).meet(&TRIANGLE, 9.0).is_some()
        };
        let hair = 1e-300;
        assert!(meets(0.0, 1.0) && meets(1.0, 0.0) && meets(0.0, 0.0) && meets(2.0, 2.0));
        assert!(!meets(-hair, 1.0) && !meets(1.0, -hair) && !meets(2.0, 2.0f64.next_up()));
    }

    #[test]
    fn the_side_is_that_of_the_normal_along_every_axis() {
        let corners = [[0.3, -1.0, 0.2], [1.1, 0.9, -0.4], [-0.8, 0.5, 0.9]];
        let [a, b, c] = corners.map(|p: [f32; 3]| DVec3::from(p.map(f64::from)));
        let normal = (b - a).cross(c - a);
        let middle = (a + b + c) / 3.0;
        for k in 0..64 {
            let angle = f64::from(k);
            let direction = DVec3::new(angle.sin(), (angle * 2.3).cos(), (angle * 3.7).sin());
            let ray = Ray::new(middle - direction * 5.0, direction);
            let meeting = Needle::new(&ray)
                .meet(&corners, 1e9)
                .expect("aimed at its middle");
            assert_eq!(meeting.front, normal.dot(direction) < 0.0, "{direction}");
        }
    }

    #[test]
    fn a_line_is_no_triangle() {
        assert!(is_solid(&TRIANGLE));
        assert!(!is_solid(&[
            [0.1, 0.1, 0.1],
            [0.3, 0.3, 0.3],
            [0.7, 0.7, 0.7]
        ]));
        assert!(!is_solid(&[
            [1.0, 2.0, 3.0],
            [1.0, 2.0, 3.0],
            [4.0, 4.0, 4.0]
        ]));
        assert!(!is_solid(&[
            [1.0, 2.0, f32::NAN],
            [1.0, 9.0, 3.0],
            [4.0, 4.0, 4.0]
        ]));
        // The cross product's terms agree in all 53 bits, and yet there is an area.
        let (h, near) = (1.0 / (1u64 << 40) as f32, 1.0f32.next_down());
        assert!(is_solid(&[
            [-h, h, 0.0],
            [1.0, 1.0, 0.0],
            [near, near, 0.0]
        ]));
        assert!(is_solid(&[
            [1e-30, 0.0, 0.0],
            [0.0, 1e-30, 0.0],
            [0.0, 0.0, 1e-30]
        ]));
    }
}
