//! Axis-aligned boxes that never are too small.

use glam::{DVec3, Vec3A};
use obvhs::aabb::Aabb;

use crate::ray::split;

/// The slack given to what f64 arithmetic rounds, as a share of the size of the numbers that went in: far above the rounding
/// (which also grows with the condition of a transform), far below what an f32 box can show.
pub(crate) const SLACK: f64 = 1.0 / (1u64 << 40) as f64;

/// An axis-aligned box; empty where `min` is above `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The low corner.
    pub min: DVec3,
    /// The high corner.
    pub max: DVec3,
}

impl Bounds {
    /// The box around nothing.
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }
}

/// Moves one box by many transforms.
pub(crate) struct Mover {
    middle: DVec3,
    /// Half the box's size, and the slack for its corners.
    half: DVec3,
}

impl Mover {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        let far = bounds.min.abs().max(bounds.max.abs());
        Self {
            middle: (bounds.min + bounds.max) * 0.5,
            half: (bounds.max - bounds.min) * 0.5 + far * SLACK,
        }
    }

    /// The box in f32 around the box moved by a row-major affine transform, rounded outward.
    #[inline]
    pub(crate) fn moved(&self, rows: &[[f32; 4]; 3]) -> Aabb {
        let (linear, origin) = split(rows);
        let middle = linear * self.middle + origin;
        let reach = linear.abs() * self.half + origin.abs() * SLACK;
        Aabb {
            min: round_down(middle - reach),
            max: round_up(middle + reach),
        }
    }
}

impl From<&Aabb> for Bounds {
    fn from(aabb: &Aabb) -> Self {
        Self {
            min: aabb.min.as_dvec3(),
            max: aabb.max.as_dvec3(),
        }
    }
}

/// An f32 vector at or under `v`, by two steps at most; what is out of f32's range becomes its end.
#[inline]
pub(crate) fn round_down(v: DVec3) -> Vec3A {
    -round_up(-v)
}

/// An f32 vector at or over `v`, by two steps at most; what is out of f32's range becomes its end.
#[inline]
pub(crate) fn round_up(v: DVec3) -> Vec3A {
    // Lifted by more than rounding to the nearest can take away: cheaper than to look which way it went.
    const SHARE: f64 = f32::EPSILON as f64;
    const LEAST: DVec3 = DVec3::splat(f32::MIN_POSITIVE as f64 * SHARE);
    let (most, least) = (Vec3A::splat(f32::MAX), Vec3A::splat(f32::MIN));
    (v + v.abs() * SHARE + LEAST).as_vec3a().clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_goes_outward() {
        for x in [
            0.0,
            0.1,
            -0.1,
            1e6 + 0.01,
            -1e300,
            1e300,
            1e-60,
            -1e-60,
            16_777_217.0,
        ] {
            let (low, high) = (round_down(DVec3::splat(x)).x, round_up(DVec3::splat(x)).x);
            assert!(low <= high);
            assert!(f64::from(low) <= x || x < f64::from(f32::MIN), "{low} {x}");
            assert!(
                f64::from(high) >= x || x > f64::from(f32::MAX),
                "{high} {x}"
            );
        }
    }

    #[test]
    fn a_moved_box_holds_its_corners() {
        let bounds = Bounds {
            min: DVec3::new(-1.0, 0.0, 2.0),
            max: DVec3::new(3.0, 0.0, 2.5),
        };
        let rows = [
            [0.1, -2.0, 0.5, 1e6],
            [3.0, 0.7, 0.0, -7.0],
            [0.0, 0.25, -1.0, 2.0],
        ];
        let moved = Bounds::from(&Mover::new(&bounds).moved(&rows));
        let (linear, origin) = split(&rows);
        for corner in 0..8 {
            let pick = |axis: usize| corner >> axis & 1 == 1;
            let point = DVec3::select(
                glam::BVec3::new(pick(0), pick(1), pick(2)),
                bounds.max,
                bounds.min,
            );
            let at = linear * point + origin;
            assert!(at.cmpge(moved.min).all() && at.cmple(moved.max).all());
        }
    }
}
