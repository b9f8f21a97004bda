//! What a pixel may answer: the surfaces that a rasteriser's sub-pixel step around the centre meets.

use crate::oracle::Oracle;
use crate::oracle::camera::Ray;
use crate::oracle::math::{V3, dot, length, sub};
use crate::oracle::triangle::Triangle;

/// Rounding of f32.
pub const EPS32: f64 = 1.0 / (1_u32 << 24) as f64;

/// A pixel's truth.
#[derive(Debug)]
pub struct Pixel<'a> {
    /// The ray through its centre.
    pub ray: Ray,
    /// What may be answered, in the order offered.
    pub candidates: Vec<Met<'a>>,
    /// Nothing may be answered.
    pub may_miss: bool,
}

/// A surface that the step around a centre meets.
#[derive(Clone, Debug)]
pub struct Met<'a> {
    /// Which.
    pub triangle: &'a Triangle,
    /// The centre's own ray meets it.
    pub inside: bool,
    /// The centre counts as within this many pixels.
    pub step: f64,
    /// Where the centre's ray meets its plane: distance from the ray's origin.
    pub distance: Option<f64>,
    /// Where the rays one step right of and below the centre meet its plane.
    pub beside: [Option<V3>; 2],
    /// Depths it may be given: the least and the most.
    pub depths: [f64; 2],
    /// The same as distances from the ray's origin.
    pub distances: [f64; 2],
    /// The cosine of the ray against the plane.
    pub slant: f64,
    /// Along how much of the step, in eight directions and the centre, it is surely there: its depth.
    cover: [Option<f64>; 9],
    /// Which of its polygon's edges run within the step of the centre.
    near_edges: Vec<bool>,
}

/// The centre, and eight ways out of it.
const WAYS: [[f64; 2]; 9] = {
    const D: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [
        [0.0, 0.0],
        [1.0, 0.0],
        [D, D],
        [0.0, 1.0],
        [-D, D],
        [-1.0, 0.0],
        [-D, -D],
        [0.0, -1.0],
        [D, -D],
    ]
};

impl Oracle {
    /// The truth of a target pixel.
    pub fn pixel(&self, pixel: [u32; 2]) -> Pixel<'_> {
        let center = pixel.map(|p| f64::from(p) + 0.5);
        let [x, y] = center;
        let rays = [center, [x + 1.0, y], [x, y + 1.0]].map(|at| self.camera.ray(at));
        let mut met: Vec<_> = self
            .triangles
            .iter()
            .filter(|t| t.twin.is_none() && bounding_gap(&t.polygon, center) <= self.reach(t))
            .filter_map(|t| self.meet(t, center, &rays))
            .collect();
        let open: Vec<_> = met.iter().map(|m| m.is_open_among(&met)).collect();
        for (m, _) in met.iter_mut().zip(open).filter(|(_, open)| *open) {
            m.cover = [None; 9];
        }
        let order = |depth: f64| self.camera.order(depth);
        // The farthest of the nearest surfaces in all ways: what lies behind it is surely hidden.
        let mut hidden_behind = Some(f64::NEG_INFINITY);
        for way in 0..WAYS.len() {
            let depths = met.iter().filter_map(|m| m.cover[way].map(order));
            let nearest = depths.reduce(f64::min);
            hidden_behind = hidden_behind.zip(nearest).map(|(a, b)| a.max(b));
        }
        let limit = hidden_behind.unwrap_or(f64::INFINITY);
        let nearest_order = |m: &Met<'_>| order(m.depths[0]).min(order(m.depths[1]));
        let candidates: Vec<_> = met
            .into_iter()
            .filter(|m| nearest_order(m) <= limit)
            .collect();
        let clear = order(self.camera.clear_depth());
        let at_the_end = |m: &Met<'_>| order(m.depths[0]).max(order(m.depths[1])) >= clear;
        Pixel {
            ray: rays[0],
            may_miss: hidden_behind.is_none() || candidates.iter().any(at_the_end),
            candidates,
        }
    }

    /// Every triangle that a target pixel's ray may meet, hidden or not, and whether it surely does.
    pub fn layers(&self, pixel: [u32; 2]) -> Vec<(&Triangle, bool)> {
        let center = pixel.map(|p| f64::from(p) + 0.5);
        let [x, y] = center;
        let rays = [center, [x + 1.0, y], [x, y + 1.0]].map(|at| self.camera.ray(at));
        let near = |t: &&Triangle| bounding_gap(&t.polygon, center) <= self.reach(t);
        let met = self.triangles.iter().filter(near);
        let met = met.filter_map(|t| self.meet(t, center, &rays));
        met.map(|m| {
            let surely = m.triangle.uncut && m.cover.iter().all(Option::is_some);
            (m.triangle, surely)
        })
        .collect()
    }

    /// No centre farther away than this meets the triangle.
    fn reach(&self, triangle: &Triangle) -> f64 {
        self.step(triangle, triangle.least_w)
    }

    /// The driver's sub-pixel step, and what f32 vertices add to it.
    fn step(&self, triangle: &Triangle, w: f64) -> f64 {
        let [half_width, half_height] = self.camera.half_size();
        let [x, y, _, tw] = triangle.terms;
        let pixels = (half_width * (x + tw)).max(half_height * (y + tw)) / w;
        self.tolerance.step_px + self.tolerance.vertex_rounding * EPS32 * pixels
    }

    fn meet<'a>(
        &self,
        triangle: &'a Triangle,
        center: [f64; 2],
        rays: &[Ray; 3],
    ) -> Option<Met<'a>> {
        let on_plane = |ray: &Ray| {
            let toward = dot(triangle.normal, ray.direction);
            let distance = dot(triangle.normal, sub(triangle.corners[0], ray.origin)) / toward;
            distance.is_finite().then_some(distance)
        };
        let depth_on = |ray: &Ray| on_plane(ray).map(|t| self.camera.depth(ray.at(t)));
        let distance = on_plane(&rays[0]);
        let w = distance.map_or(0.0, |t| self.camera.clip(rays[0].at(t))[3]);
        let w = if w > triangle.least_w {
            w
        } else {
            triangle.least_w
        };
        let step = self.step(triangle, w);
        let gap = polygon_gap(&triangle.polygon, center);
        if gap > step {
            return None;
        }
        // Depth is affine in target pixels.
        let gradient = depth_on(&rays[0])
            .zip(depth_on(&rays[1]).zip(depth_on(&rays[2])))
            .map(|(d, (dx, dy))| (d, [dx - d, dy - d]));
        let at =
            |way: [f64; 2]| gradient.map(|(d, [gx, gy])| d + (gx * way[0] + gy * way[1]) * step);
        let steps = if triangle.uncut {
            2.0
        } else {
            2.0 * self.tolerance.cut_steps
        };
        let spread = gradient.map_or(f64::INFINITY, |(_, [gx, gy])| steps * step * gx.hypot(gy));
        let middle = gradient.map_or(triangle.depths[0], |(d, _)| d);
        let rounding = self.depth_rounding(triangle, middle, w);
        // A rasteriser runs the plane on past the edge, as far as its step.
        let [least, most] = triangle.depths;
        let beyond = spread.min(most - least);
        let within = |d: f64| d.clamp(least - beyond, most + beyond);
        let depths = [
            within(middle - spread) - rounding,
            within(middle + spread) + rounding,
        ];
        let cover = WAYS.map(|way| {
            let place = [center[0] + way[0] * step, center[1] + way[1] * step];
            let there = !triangle.doubtful && polygon_gap(&triangle.polygon, place) == 0.0;
            let far = if self.camera.reversed { -1.0 } else { 1.0 };
            at(way).filter(|_| there).map(|d| d + far * rounding)
        });
        Some(Met {
            triangle,
            inside: gap == 0.0,
            step,
            distance,
            beside: [[step, 0.0], [0.0, step]].map(|[x, y]| {
                let ray = self.camera.ray([center[0] + x, center[1] + y]);
                on_plane(&ray).map(|t| ray.at(t))
            }),
            distances: depths.map(|d| self.camera.distance(&rays[0], d)),
            depths,
            near_edges: near_edges(&triangle.polygon, center, step),
            slant: dot(triangle.normal, rays[0].direction) / length(triangle.normal),
            cover,
        })
    }

    fn depth_rounding(&self, triangle: &Triangle, depth: f64, w: f64) -> f64 {
        let terms = triangle.terms[2] + depth.abs() * triangle.terms[3];
        self.tolerance.depth_rounding * EPS32 * terms / w + self.tolerance.depth_share * depth.abs()
    }
}

impl Met<'_> {
    /// An edge of its own runs through the step. Triangles that share an edge's two ends leave no gap
    /// there on any driver; what shares none may be snapped apart from whatever lies beside it.
    fn is_open_among(&self, met: &[Met<'_>]) -> bool {
        let t = self.triangle;
        let near = self
            .near_edges
            .iter()
            .enumerate()
            .filter(|(_, near)| **near);
        near.map(|(k, _)| k).any(|k| {
            let ends = [t.corners[k % 3], t.corners[(k + 1) % 3]];
            let shares = |other: &Met<'_>| {
                let o = other.triangle;
                let itself = std::ptr::eq(o, t);
                let one_draw = (o.object, o.instance) == (t.object, t.instance);
                !itself && one_draw && ends.iter().all(|end| o.corners.contains(end))
            };
            !t.uncut || !met.iter().any(shares)
        })
    }

    /// Where the centre's ray meets its plane.
    pub fn point(&self, ray: &Ray) -> Option<V3> {
        self.distance.map(|t| ray.at(t))
    }
}

fn bounding_gap(polygon: &[[f64; 2]], at: [f64; 2]) -> f64 {
    let gap = |axis: usize| {
        let values = polygon.iter().map(|p| p[axis]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
            (l.min(v), h.max(v))
        });
        (low - at[axis]).max(at[axis] - high).max(0.0)
    };
    gap(0).max(gap(1))
}

fn near_edges(polygon: &[[f64; 2]], at: [f64; 2], step: f64) -> Vec<bool> {
    let next = polygon.iter().cycle().skip(1);
    let edges = polygon.iter().zip(next);
    edges.map(|(a, b)| edge_gap(*a, *b, at).0 <= step).collect()
}

/// The distance from a place to an edge, and on which side of it the place lies.
fn edge_gap(a: [f64; 2], b: [f64; 2], at: [f64; 2]) -> (f64, f64) {
    let (edge, to) = ([b[0] - a[0], b[1] - a[1]], [at[0] - a[0], at[1] - a[1]]);
    let side = edge[0] * to[1] - edge[1] * to[0];
    let squared = edge[0] * edge[0] + edge[1] * edge[1];
    let along = if squared > 0.0 {
        ((edge[0] * to[0] + edge[1] * to[1]) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let away = [to[0] - edge[0] * along, to[1] - edge[1] * along];
    (away[0].hypot(away[1]), side)
}

/// The distance from a place to a convex polygon; 0 inside.
fn polygon_gap(polygon: &[[f64; 2]], at: [f64; 2]) -> f64 {
    let (mut left, mut right) = (false, false);
    let mut nearest = f64::INFINITY;
    for (k, a) in polygon.iter().enumerate() {
        let b = polygon[(k + 1) % polygon.len()];
        let (gap, side) = edge_gap(*a, b, at);
        left |= side > 0.0;
        right |= side < 0.0;
        nearest = nearest.min(gap);
    }
    if left && right || !(left || right) {
        nearest
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Asking, Camera, CaseScene, quad};
    use crate::driver::Tolerance;

    fn primitives(pixel: &Pixel<'_>) -> Vec<u32> {
        pixel
            .candidates
            .iter()
            .map(|m| m.triangle.primitive)
            .collect()
    }

    fn of(scene: &CaseScene) -> Oracle {
        Oracle::new(
            scene,
            &Camera::cam_p(),
            &Asking::default(),
            &Tolerance::EXACT,
        )
    }

    /// Field case 16
    #[test]
    fn a_pixel_wide_quad_is_exactly_its_pixels() {
        let oracle = of(&CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)]));
        let hit = |x| !oracle.pixel([x, 22]).candidates.is_empty();
        let row: Vec<u32> = (0..64).filter(|&x| hit(x)).collect();
        assert_eq!(row, (38..=44).collect::<Vec<_>>());
    }

    /// Field case 40
    #[test]
    fn triangles_are_told_apart_off_their_edge() {
        let oracle = of(&CaseScene::of([quad(-2.0..=2.0, -2.0..=2.0, 0.0)]));
        assert_eq!(primitives(&oracle.pixel([43, 44])), [0]);
        assert_eq!(primitives(&oracle.pixel([20, 20])), [1]);
        // The diagonal runs through pixel corners, not centres.
        assert!(oracle.pixel([43, 44]).candidates[0].inside);
    }

    #[test]
    fn what_is_covered_is_no_candidate() {
        let scene = CaseScene::of([
            quad(-4.0..=4.0, -4.0..=4.0, -1.0),
            quad(-4.0..=4.0, -4.0..=4.0, 0.0),
        ]);
        let oracle = of(&scene);
        let pixel = oracle.pixel([20, 40]);
        let objects: Vec<_> = pixel.candidates.iter().map(|m| m.triangle.object).collect();
        assert_eq!(objects, [1]);
        assert!(!pixel.may_miss);
    }

    #[test]
    fn a_silhouette_within_the_step_may_go_either_way() {
        // The right edge at x = 0.078125 projects onto the centre of pixel 32.
        let scene = CaseScene::of([
            quad(-4.0..=4.0, -4.0..=4.0, -1.0),
            quad(-1.0..=0.078_125, -4.0..=4.0, 0.0),
        ]);
        let oracle = of(&scene);
        let pixel = oracle.pixel([32, 40]);
        let objects: Vec<_> = pixel.candidates.iter().map(|m| m.triangle.object).collect();
        assert_eq!(objects, [0, 1]);
    }

    #[test]
    fn of_equal_triangles_the_first_offered_counts() {
        let mut scene = CaseScene::of([quad(-4.0..=4.0, -4.0..=4.0, 0.0)]);
        scene.add(crate::case::CaseObject::new(0));
        let oracle = of(&scene);
        let pixel = oracle.pixel([20, 40]);
        let objects: Vec<_> = pixel.candidates.iter().map(|m| m.triangle.object).collect();
        assert_eq!(objects, [0]);
    }
}
