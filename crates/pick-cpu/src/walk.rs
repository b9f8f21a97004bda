//! The walk of a ray through a tree of boxes, which never passes by a box that the ray meets.
//!
//! The library has a walk of its own, which compares f32 numbers as they come and asks for strictly nearer: it loses boxes at
//! exactly the best distance (a tie that the lower index must win), turns directions under 1e-7 into others, and rounds an
//! origin at 1e6 by more than a small triangle's size. Here the ray first advances to the tree in f64; its origin is rounded to
//! both sides, so that every box is seen a little too large; and what f32 then rounds is given back as a share of the distance.

use glam::{DVec3, Vec3A};
use obvhs::aabb::Aabb;

use crate::bounds::{SLACK, round_down, round_up};
use crate::ray::Ray;
use crate::tree::Tree;

/// More than what the f32 steps between a box and its two distances round, as a share of them.
const SHARE: f32 = 1e-6;

/// An origin is never rounded outward by less, so that a box is never left at a distance that underflows.
const LEAST: f64 = 1e-30;

/// The largest reciprocal of a direction's part.
const STEEPEST: DVec3 = DVec3::splat(1e300);

/// Nodes put off at once; a deeper tree is walked by calling again.
const STACK: usize = 64;

impl Tree {
    /// Calls `leaf` with the slots of every leaf whose box the ray meets no farther than `limit`, nearer ones first as a rule.
    ///
    /// `leaf` may lower the limit it is given; a box at exactly the limit still counts.
    #[inline]
    pub(crate) fn walk<F>(&self, ray: &Ray, limit: &mut f64, leaf: &mut F)
    where
        F: FnMut(u32, u32, &mut f64),
    {
        let Some(root) = self.nodes.first() else {
            return;
        };
        let Some(probe) = Probe::new(ray, root.aabb(), self.reach, *limit) else {
            return;
        };
        if root.is_leaf() {
            leaf(root.first_index, root.prim_count, limit);
        } else {
            self.descend(root.first_index, &probe, limit, leaf);
        }
    }

    /// Walks the pair of nodes at `pair` and all under it.
    fn descend<F>(&self, mut pair: u32, probe: &Probe, limit: &mut f64, leaf: &mut F)
    where
        F: FnMut(u32, u32, &mut f64),
    {
        let mut later = [(0u32, 0f32); STACK];
        let mut waiting = 0;
        let mut cut = probe.cut(*limit);
        loop {
            let first = pair as usize;
            let [left, right] = &self.nodes[first..first + 2] else {
                return;
            };
            let (mut near, mut far) = (left, right);
            let (mut near_t, mut far_t) = (probe.enter(near.aabb()), probe.enter(far.aabb()));
            if far_t < near_t {
                std::mem::swap(&mut near, &mut far);
                std::mem::swap(&mut near_t, &mut far_t);
            }
            let mut next = None;
            if near_t <= cut {
                if near.is_leaf() {
                    leaf(near.first_index, near.prim_count, limit);
                    cut = probe.cut(*limit);
                } else {
                    next = Some(near.first_index);
                }
            }
            if far_t <= cut {
                if far.is_leaf() {
                    leaf(far.first_index, far.prim_count, limit);
                    cut = probe.cut(*limit);
                } else if next.is_none() {
                    next = Some(far.first_index);
                } else if waiting < STACK {
                    later[waiting] = (far.first_index, far_t);
                    waiting += 1;
                } else {
                    self.descend(far.first_index, probe, limit, leaf);
                    cut = probe.cut(*limit);
                }
            }
            pair = loop {
                if let Some(pair) = next {
                    break pair;
                }
                if waiting == 0 {
                    return;
                }
                waiting -= 1;
                let (pair, t) = later[waiting];
                next = (t <= cut).then_some(pair);
            };
        }
    }
}

/// A ray in f32, advanced to the tree.
struct Probe {
    /// The origin rounded up (to measure low sides from) and down (to measure high sides from).
    up: Vec3A,
    down: Vec3A,
    inverse: Vec3A,
    /// The parameter at which the ray was taken up.
    start: f64,
    /// The walk's own parameter runs as the largest part of the direction does, so that no scale is too large for f32.
    scale: f64,
}

impl Probe {
    /// None where the ray misses the whole tree.
    #[inline]
    fn new(ray: &Ray, root: &Aabb, reach: f64, limit: f64) -> Option<Self> {
        let slack = (ray.origin.abs().max_element() + reach) * SLACK + LEAST;
        // Kept finite, so that a zero in the direction makes no NaN where the origin lies in a side.
        let inverse = (1.0 / ray.direction).clamp(-STEEPEST, STEEPEST);
        let low = (root.min.as_dvec3() - slack - ray.origin) * inverse;
        let high = (root.max.as_dvec3() + slack - ray.origin) * inverse;
        let enter = low.min(high).max_element();
        let leave = low.max(high).min_element();
        let start = enter.max(ray.t_min);
        if !(start <= leave && start <= limit && start.is_finite()) {
            return None;
        }
        let origin = ray.at(start);
        let scale = ray.direction.abs().max_element();
        let (most, least) = (Vec3A::splat(f32::MAX), Vec3A::splat(f32::MIN));
        Some(Self {
            up: round_up(origin + slack),
            down: round_down(origin - slack),
            inverse: (inverse * scale).as_vec3a().clamp(least, most),
            start,
            scale,
        })
    }

    /// Where the ray enters the box, counted from the start; infinity where it does not.
    #[inline]
    fn enter(&self, aabb: &Aabb) -> f32 {
        let low = (aabb.min - self.up) * self.inverse;
        let high = (aabb.max - self.down) * self.inverse;
        let enter = low.min(high).max_element();
        let leave = low.max(high).min_element();
        if leave >= 0.0 && enter <= leave * (1.0 + SHARE) {
            enter
        } else {
            f32::INFINITY
        }
    }

    /// The largest entrance that may still hold a hit no farther than `limit`.
    #[inline]
    fn cut(&self, limit: f64) -> f32 {
        let left = (limit - self.start) * self.scale;
        let cut = (left + left.abs() * f64::from(SHARE)) as f32;
        cut.min(f32::MAX)
    }
}
