//! Rays in f64, and how one is carried into the space of an object or an instance.

use glam::{DMat3, DMat4, DVec3, Vec3Swizzles};

/// Under this share of the sum of its terms' sizes a determinant's sign is rounding error.
const SINGULAR: f64 = 1.0 / (1u64 << 49) as f64;

/// A ray and the stretch of it that counts, both ends included.
///
/// `t` is the parameter along `direction`, whatever its length: a ray carried into another space keeps its parameter, so that
/// hits of different objects and instances compare without scaling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where `t` is zero.
    pub origin: DVec3,
    /// The step of one unit of `t`.
    pub direction: DVec3,
    /// The nearest `t` that counts.
    pub t_min: f64,
    /// The farthest `t` that counts; may be infinite.
    pub t_max: f64,
}

impl Ray {
    /// The half-line from `origin` on.
    pub fn new(origin: DVec3, direction: DVec3) -> Self {
        Self {
            origin,
            direction,
            t_min: 0.0,
            t_max: f64::INFINITY,
        }
    }

    /// Whether it can hit anything: numbers that are none, and a direction that is none, cannot.
    pub fn is_castable(&self) -> bool {
        self.origin.is_finite()
            && self.direction.is_finite()
            && self.direction != DVec3::ZERO
            && self.t_min.is_finite()
            && self.t_min <= self.t_max
    }

    /// The point at `t`.
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }
}

/// The way from an outer space into the space that an affine transform comes from.
///
/// The translation is taken off before the inverse is applied: multiplied out, it would cancel against the origin only after
/// rounding, which loses the object when both are far from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    inverse: DMat3,
    origin: DVec3,
}

impl Frame {
    /// The way into the space of `outer_from_inner`, a row-major affine transform; none where that has no inverse.
    pub fn from_rows(outer_from_inner: &[[f32; 4]; 3]) -> Option<Self> {
        let (linear, origin) = split(outer_from_inner);
        Self::new(linear, origin)
    }

    /// The way into the space of `outer_from_inner`, whose last row is taken to be 0, 0, 0, 1; none where it has no inverse.
    pub fn from_matrix(outer_from_inner: &DMat4) -> Option<Self> {
        let linear = DMat3::from_mat4(*outer_from_inner);
        Self::new(linear, outer_from_inner.w_axis.truncate())
    }

    /// As [`Frame::from_rows`], for a transform that is known to have an inverse: the test costs as much as the inverse.
    #[inline]
    pub(crate) fn from_known_rows(outer_from_inner: &[[f32; 4]; 3]) -> Self {
        let (linear, origin) = split(outer_from_inner);
        let (adjugate, determinant) = adjugate(&linear);
        Self {
            inverse: adjugate * (1.0 / determinant),
            origin,
        }
    }

    fn new(linear: DMat3, origin: DVec3) -> Option<Self> {
        let (adjugate, determinant) = adjugate(&linear);
        let frame = Self {
            inverse: adjugate * (1.0 / determinant),
            origin,
        };
        let sound = is_certain(&linear) && frame.inverse.is_finite();
        (sound && origin.is_finite()).then_some(frame)
    }

    /// The same ray, with the same parameter, seen from inside.
    #[inline]
    pub fn enter(&self, ray: &Ray) -> Ray {
        Ray {
            origin: self.inverse * (ray.origin - self.origin),
            direction: self.inverse * ray.direction,
            ..*ray
        }
    }
}

/// The linear part and the translation of a row-major affine transform, exactly.
#[inline]
pub(crate) fn split(rows: &[[f32; 4]; 3]) -> (DMat3, DVec3) {
    let column = |k: usize| DVec3::new(rows[0][k].into(), rows[1][k].into(), rows[2][k].into());
    (DMat3::from_cols(column(0), column(1), column(2)), column(3))
}

/// Whether a row-major affine transform is made of numbers and has an inverse.
#[inline]
pub(crate) fn has_inverse(rows: &[[f32; 4]; 3]) -> bool {
    let (linear, origin) = split(rows);
    is_certain(&linear) && origin.is_finite()
}

/// Whether the determinant is certainly not zero: it is a sum of six products, and rounding is told by the sum of their sizes.
#[inline]
fn is_certain(linear: &DMat3) -> bool {
    let [a, b, c] = [linear.x_axis, linear.y_axis, linear.z_axis];
    let (ahead, back) = (b.yzx() * c.zxy(), b.zxy() * c.yzx());
    let determinant = a.dot(ahead - back);
    let size = a.abs().dot(ahead.abs() + back.abs());
    // Written so that a NaN fails it.
    determinant.abs() > size * SINGULAR && size.is_finite()
}

#[inline]
fn adjugate(m: &DMat3) -> (DMat3, f64) {
    let row = m.y_axis.cross(m.z_axis);
    let rows =
        DMat3::from_cols(row, m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis)).transpose();
    (rows, m.x_axis.dot(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entering_undoes_the_transform() {
        let rows = [
            [0.0, -2.0, 0.5, 1e6],
            [3.0, 0.0, 0.0, -7.0],
            [0.0, 0.25, -1.0, 2.0],
        ];
        let frame = Frame::from_rows(&rows).expect("it has an inverse");
        let (linear, origin) = split(&rows);
        let inner = DVec3::new(0.3, -0.7, 1.9);
        let seen = frame.enter(&Ray::new(linear * inner + origin, linear * DVec3::X));
        assert!((seen.origin - inner).length() < 1e-8);
        assert!((seen.direction - DVec3::X).length() < 1e-14);
    }

    #[test]
    fn what_cannot_be_undone_has_no_frame() {
        let flat = [
            [1.0, 2.0, 0.0, 0.0],
            [2.0, 4.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ];
        let lost = [
            [1.0, 0.0, 0.0, f32::NAN],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ];
        for rows in [flat, lost] {
            assert_eq!(Frame::from_rows(&rows), None);
        }
        // The third column is exactly the sum of the others, and the determinant, a sum of products of 70 bits, is not zero.
        for k in 0..100u32 {
            let part = |m: u32| (k * k * 7919 * m + m * 104_729) % 8_000_003;
            let rows = [1, 2, 3].map(|row| {
                let (a, b) = (part(row) as f32, part(row + 3) as f32);
                [a, b, a + b, 0.0]
            });
            assert_eq!(Frame::from_rows(&rows), None, "{rows:?}");
            assert!(!has_inverse(&rows));
        }
        assert_eq!(Frame::from_matrix(&DMat4::ZERO), None);
    }
}
