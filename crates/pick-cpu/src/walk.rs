//! The walk of a ray through a tree of boxes, which never passes by a box that the ray meets.
//!
//! The library has a walk of its own, which compares f32 numbers as they come and asks for strictly nearer: it loses boxes at
//! exactly the best distance (a tie that the lower index must win), turns directions under 1e-7 into others, and rounds an
//! origin at 1e6 by more than a small triangle's size. Here the ray first advances to the tree in f64; its origin is rounded to
//! both sides, so that every box is seen a little too large; and what f32 then rounds is given back as a share of the distance.

use glam::Vec3A;
use obvhs::aabb::Aabb;
use pick_core::cull::Tree;

use crate::bounds::{SLACK, round_down, round_up};
use crate::ray::Ray;

/// More than what the f32 steps between a box and its two distances round, as a share of them.
const SHARE: f32 = 1e-6;

/// Nodes put off at once; a deeper tree is walked by calling again.
const STACK: usize = 64;

/// Calls `leaf` with the slots of every leaf whose box the ray meets no farther than `limit`, nearer ones first as a rule.
///
/// `leaf` may lower the limit it is given; a box at exactly the limit still counts.
#[inline]
pub(crate) fn walk<F>(tree: &Tree, ray: &Ray, limit: &mut f64, leaf: &mut F)
where
    F: FnMut(u32, u32, &mut f64),
{
    let Some(root) = tree.nodes.first() else {
        return;
    };
    let Some(probe) = Probe::new(ray, &tree.whole, tree.reach, *limit) else {
        return;
    };
    if root.is_leaf() {
        leaf(root.first_index, root.prim_count, limit);
    } else {
        descend(tree, root.first_index, &probe, limit, leaf);
    }
}

/// Walks the pair of nodes at `pair` and all under it.
fn descend<F>(tree: &Tree, mut pair: u32, probe: &Probe, limit: &mut f64, leaf: &mut F)
where
    F: FnMut(u32, u32, &mut f64),
{
    let mut later = [(0u32, 0f32); STACK];
    let mut waiting = 0;
    let mut cut = probe.cut(*limit);
    loop {
        let first = pair as usize;
        let [left, right] = &tree.nodes[first..first + 2] else {
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
                descend(tree, far.first_index, probe, limit, leaf);
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
        let slack = (ray.origin.abs().max_element() + reach) * SLACK;
        let scale = ray.direction.abs().max_element();
        // A zero in the direction makes infinities, and a NaN only where the origin lies in a side of a loosened box: the ray
        // then is outside of the true one, and every comparison with the NaN leaves it out.
        let inverse = 1.0 / ray.direction;
        let low = (root.min.as_dvec3() - slack - ray.origin) * inverse;
        let high = (root.max.as_dvec3() + slack - ray.origin) * inverse;
        let enter = low.min(high).max_element();
        let leave = low.max(high).min_element();
        let start = enter.max(ray.t_min);
        if !(start <= leave && start <= limit && start.is_finite()) {
            return None;
        }
        let origin = ray.at(start);
        Some(Self {
            up: round_up(origin + slack),
            down: round_down(origin - slack),
            inverse: (inverse * scale).as_vec3a(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use obvhs::bvh2::node::Bvh2Node;

    fn number(state: &mut u64) -> f64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    }

    fn vector(state: &mut u64) -> DVec3 {
        DVec3::new(number(state), number(state), number(state))
    }

    #[test]
    fn no_box_is_passed_by_nor_entered_late() {
        let mut state = 5;
        for round in 0..60_000 {
            let far = [0.0, 1.0, 1e3, 1e6, 1e9][round % 5];
            let size = [1e-6, 1e-2, 1.0, 1e4][round / 5 % 4];
            let at = (vector(&mut state) * far).as_vec3a();
            let half = (vector(&mut state).abs() * size).as_vec3a();
            let aabb = Aabb {
                min: at - half,
                max: at + half,
            };
            let whole = Aabb {
                min: aabb.min - far as f32,
                max: aabb.max + far as f32,
            };
            // A point of the box, often of its sides, and a ray through it, often along an axis or nearly.
            let share = (vector(&mut state) * 2.0).clamp(DVec3::NEG_ONE, DVec3::ONE) * 0.5 + 0.5;
            let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
            let point = min + (max - min) * share;
            let tilt = [0.0, 1e-12, 1e-8, 1e-3, 1.0][round / 20 % 5];
            let direction = DVec3::AXES[round % 3] + vector(&mut state) * tilt;
            let back = [0.0, size, far, 1e7][round / 100 % 4];
            let ray = Ray::new(point - direction * back, direction);
            let reach = whole.min.abs().max(whole.max.abs()).max_element().into();
            let probe = Probe::new(&ray, &whole, reach, f64::INFINITY).expect("it meets the whole");
            let enter = probe.enter(&aabb);
            assert!(enter <= probe.cut(back), "{ray:?} {aabb:?}: {enter}");
        }
    }

    #[test]
    fn a_deep_tree_is_walked_to_the_end() {
        let node = |x: f32, wide: f32, count, first_index| {
            let (min, max) = (Vec3A::new(x, -1.0, -1.0), Vec3A::new(x + wide, 1.0, 1.0));
            Bvh2Node::new(Aabb { min, max }, count, first_index)
        };
        // At every level a nearer half that goes on and a farther one of two leaves, which has to wait.
        let levels = 500u32;
        let mut nodes = vec![node(0.0, 1000.0, 0, 1)];
        for level in 0..levels {
            let base = nodes.len() as u32;
            let x = 990.0 - level as f32;
            let goes_on = if level + 1 < levels {
                (0, base + 4)
            } else {
                (1, 2 * levels)
            };
            nodes.push(node(0.0, x, goes_on.0, goes_on.1));
            nodes.push(node(x, 1.0, 0, base + 2));
            nodes.extend([0, 1].map(|k| node(x, 1.0, 1, 2 * level + k)));
        }
        let whole = *nodes[0].aabb();
        let tree = Tree {
            nodes,
            whole,
            reach: 1000.0,
        };
        let mut seen = Vec::new();
        let ray = Ray::new(DVec3::NEG_X, DVec3::X);
        walk(
            &tree,
            &ray,
            &mut f64::INFINITY.clone(),
            &mut |first, _, _| seen.push(first),
        );
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..=2 * levels));
    }
}
