//! The picked pixels as a ray that grows wider: it tells most boxes from what is picked in a few steps,
//! and more sharply than planes, which cut off corners of a box but not what lies between them.

use glam::{BVec3A, DMat3, DMat4, DVec2, DVec3, Vec3A};

use crate::cull::volume::SLACK;
use crate::rect::PixelRect;
use crate::view::View;

/// Corners of the region that look further away from its centre than this cosine: a beam tells nothing.
const WIDEST: f64 = 0.05;

/// Transforms flatter than this, as a share of the volume that their columns could span, have no inverse to
/// rely on.
const FLATTEST: f64 = 1e-6;

/// Whatever the pixels see lies, for some `t >= 0`, within `width + growth * t` of `origin + direction * t`,
/// along each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beam {
    origin: DVec3,
    direction: DVec3,
    width: DVec3,
    growth: DVec3,
}

impl Beam {
    /// What `region` sees and `margin` pixels more on each side; `None` where that is very wide.
    pub(super) fn new(view: &View, region: PixelRect, margin: f64) -> Option<Self> {
        let center = view.ray(region.center());
        let half = DVec2::new(f64::from(region.width), f64::from(region.height)) * 0.5 + margin;
        let signs = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
        let corners = signs.map(|(x, y)| view.ray(region.center() + half * DVec2::new(x, y)));
        let direction = center.direction;
        // How far along the middle ray each corner's begins: the same of a perspective view, not always of
        // an orthographic one. The first is where the beam begins.
        let begins = corners.map(|ray| (ray.origin - center.origin).dot(direction));
        let mut first = begins.into_iter().fold(0.0, f64::min);
        if view.is_orthographic() {
            // As sharp as f32 depths tell where the near plane is.
            first -= center.t_far * 2.4e-7;
        }
        let origin = center.origin + direction * first;
        let mut beam = Self {
            origin,
            direction,
            width: DVec3::ZERO,
            growth: DVec3::ZERO,
        };
        // The corners' rays as functions of the way along the middle one. Between them lies, at any `t`,
        // all that the pixels see there: it is a mix of the four.
        for (ray, begin) in corners.iter().zip(begins) {
            let along = ray.direction.dot(direction);
            if along.is_nan() || along < WIDEST {
                return None;
            }
            let step = ray.direction / along;
            let apart = ray.origin - origin - step * (begin - first);
            beam.width = beam.width.max(apart.abs());
            beam.growth = beam.growth.max((step - direction).abs());
        }
        // What f64 rounded, many times over.
        beam.width += 1e-15 * origin.abs().max_element();
        beam.growth += 1e-12;
        Some(beam)
    }

    /// The same in world space, for tests of boxes. The beam's own width is all that they are loosened by,
    /// but for [`SLACK`] of the way to a box's far corner.
    pub(super) fn probe(&self) -> Option<Probe> {
        Probe::new(self, SLACK)
    }

    /// The same as seen from a local space, for tests of boxes there. `slack` is how far a GPU may be off in
    /// world space. `None` for a transform that cannot be inverted well.
    pub(super) fn probe_in(&self, world_from_local: &DMat4, slack: f64) -> Option<Probe> {
        let linear = DMat3::from_mat4(*world_from_local);
        let [x, y, z] = [linear.x_axis, linear.y_axis, linear.z_axis];
        let rows = [y.cross(z), z.cross(x), x.cross(y)];
        let volume = x.dot(rows[0]);
        let most = x.length() * y.length() * z.length();
        if volume.is_nan() || volume.abs() <= most * FLATTEST {
            return None;
        }
        let [x, y, z] = rows.map(|row| row / volume);
        let from = self.origin - world_from_local.w_axis.truncate();
        let through = |v: DVec3| DVec3::new(x.dot(v), y.dot(v), z.dot(v));
        let (x, y, z) = (x.abs(), y.abs(), z.abs());
        let widened = |v: DVec3| DVec3::new(x.dot(v), y.dot(v), z.dot(v));
        // The inverse is as exact as its columns are apart: a billionth by the test above.
        let local = Self {
            origin: through(from),
            direction: through(self.direction),
            width: widened(self.width + slack + from.abs() * 1e-9),
            growth: widened(self.growth + self.direction.abs() * 1e-9),
        };
        Probe::new(&local, 0.0)
    }
}

/// A beam as single boxes meet it, in f32.
///
/// A box is touched where some `t >= 0` fulfils, along each axis, `min - origin - width <= t * (direction +
/// growth)` and `t * (direction - growth) <= max - origin + width`: each bounds `t` from one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    origin: Vec3A,
    low: Vec3A,
    high: Vec3A,
    /// 1 over the factors of `t`.
    first: Vec3A,
    second: Vec3A,
    /// The factors are above 0, so that the first bounds `t` from below and the second from above.
    first_rises: BVec3A,
    second_rises: BVec3A,
    /// How much boxes are loosened, as a share of the way to their far corner.
    share: f32,
}

impl Probe {
    /// f32 rounds the origin, each difference and each product. The first is in the width; the others are
    /// shares of `t` times a factor, and so in the growth, many times over.
    fn new(beam: &Beam, share: f64) -> Option<Self> {
        let longest = beam.direction.abs().max_element();
        if !(1e-12..1e12).contains(&longest) {
            return None;
        }
        let growth = beam.growth * (1.0 + 1e-5) + longest * 4e-6;
        let rounding = beam.origin.abs().max_element() * 2.5e-7 + 1e-30;
        let width = beam.width * (1.0 + 1e-5) + rounding;
        let (first, second) = (beam.direction + growth, beam.direction - growth);
        // What is as small as this is so by chance, within the growth's share of rounding. It counts as the
        // least number of the sign that lets `t` be anything where nothing else is asked.
        let least = longest * 1e-15;
        let inverse = |v: f64, sign: f64| match v.abs() < least {
            true => sign / least,
            false => 1.0 / v,
        };
        let inverses = |v: DVec3, sign| {
            let [x, y, z] = v.to_array().map(|v| inverse(v, sign));
            DVec3::new(x, y, z).as_vec3a()
        };
        let (first, second) = (inverses(first, 1.0), inverses(second, -1.0));
        let probe = Self {
            origin: beam.origin.as_vec3a(),
            low: (beam.origin + width).as_vec3a(),
            high: (beam.origin - width).as_vec3a(),
            first,
            second,
            first_rises: first.cmpgt(Vec3A::ZERO),
            second_rises: second.cmpgt(Vec3A::ZERO),
            share: (share * 1.001) as f32,
        };
        (probe.low.is_finite() && probe.high.is_finite()).then_some(probe)
    }

    /// What kernels are told of it, where boxes come loosened: the lows, the highs, and 1 over the first and
    /// the second factors.
    pub(super) fn terms(&self) -> [Vec3A; 4] {
        [self.low, self.high, self.first, self.second]
    }

    /// False where nothing in the box can cover a picked pixel. The box must be of numbers.
    #[inline]
    pub(crate) fn may_touch(&self, min: Vec3A, max: Vec3A) -> bool {
        let far = (min - self.origin).abs().max((max - self.origin).abs());
        let loose = Vec3A::splat(far.max_element() * self.share);
        let first = (min - self.low - loose) * self.first;
        let second = (max - self.high + loose) * self.second;
        let (never, ever) = (Vec3A::NEG_INFINITY, Vec3A::INFINITY);
        let least = Vec3A::select(self.first_rises, first, never).max(Vec3A::select(
            self.second_rises,
            never,
            second,
        ));
        let most = Vec3A::select(self.first_rises, ever, first).min(Vec3A::select(
            self.second_rises,
            second,
            ever,
        ));
        let (least, most) = (least.max_element().max(0.0), most.min_element());
        // Coordinates at the end of f32 come to no number; they are kept.
        (least <= most) | most.is_nan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depth::DepthConvention;
    use crate::projection::{DepthRange, look_at, orthographic, perspective};

    fn views() -> Vec<View> {
        let depth = DepthConvention::Reversed;
        let viewport = PixelRect::new(0, 0, 64, 48);
        let places = [DVec3::new(3.0, 2.0, 9.0), DVec3::new(6e6, 20.0, -4e5)];
        let mut views = Vec::new();
        for eye in places {
            let camera = look_at(eye, eye - DVec3::new(1.0, 0.4, 3.0), DVec3::Y).unwrap();
            let lens = perspective(1.2, 4.0 / 3.0, DepthRange::from(0.01), depth).unwrap();
            let flat = orthographic(3.0, 4.0 / 3.0, DepthRange::new(0.5, 90.0), depth).unwrap();
            for lens in [lens, flat] {
                views.push(View::new(camera, lens, viewport, depth).unwrap());
            }
        }
        views
    }

    struct Random(u64);

    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 40) as f64 / (1u64 << 24) as f64
        }

        fn around(&mut self, reach: f64) -> DVec3 {
            DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 * reach - reach
        }
    }

    /// A box around any point that a pixel sees is touched, however thin; and boxes well away are not.
    #[test]
    fn what_a_pixel_sees_is_touched() {
        let mut random = Random(3);
        let mut missed = 0;
        for view in views() {
            for (x, y, side) in [(0, 0, 1), (31, 20, 1), (63, 47, 1), (9, 5, 30)] {
                let region = PixelRect::new(x, y, side, side.min(48 - y));
                let beam = Beam::new(&view, region, 0.5).unwrap();
                for _ in 0..400 {
                    let at = DVec2::new(
                        f64::from(region.x) + random.unit() * f64::from(region.width),
                        f64::from(region.y) + random.unit() * f64::from(region.height),
                    );
                    let ray = view.ray(at);
                    let seen = ray.at(ray.t_near + random.unit() * 60.0);
                    let low = random.around(1.0).abs() * random.unit().powi(8);
                    let high = random.around(1.0).abs() * random.unit().powi(8);
                    let (min, max) = ((seen - low).as_vec3a(), (seen + high).as_vec3a());
                    // As boxes are rounded outward.
                    let outward = seen.abs().as_vec3a() * f32::EPSILON;
                    let probe = beam.probe().unwrap();
                    assert!(probe.may_touch(min - outward, max + outward), "{seen}");
                    let turn = DMat4::from_rotation_y(random.unit() * 6.0);
                    let scale = DMat4::from_scale(random.around(2.0) + 2.1);
                    let place = DMat4::from_translation(seen + random.around(5.0)) * turn * scale;
                    let local = place.inverse().transform_point3(seen);
                    let probe = beam.probe_in(&place, 0.0).unwrap();
                    let (min, max) = ((local - low).as_vec3a(), (local + high).as_vec3a());
                    let outward = local.abs().as_vec3a() * f32::EPSILON;
                    assert!(probe.may_touch(min - outward, max + outward), "{local}");
                    let off = (seen + random.around(10.0)).as_vec3a();
                    missed += u32::from(!beam.probe().unwrap().may_touch(off, off));
                }
            }
        }
        assert!(missed > 4000, "{missed}");
    }

    #[test]
    fn what_lies_behind_or_between_the_corners_is_not_touched() {
        let view = &views()[0];
        let beam = Beam::new(view, PixelRect::new(31, 20, 1, 1), 0.5).unwrap();
        let ray = view.ray(DVec2::new(31.5, 20.5));
        let cube = |center: DVec3, half: f32| {
            let center = center.as_vec3a();
            beam.probe()
                .unwrap()
                .may_touch(center - half, center + half)
        };
        assert!(cube(ray.at(4.0), 0.1));
        assert!(!cube(ray.at(-4.0), 0.1));
        // The box around a turned rod has a corner on the ray, the rod has not.
        let place = DMat4::from_translation(ray.at(9.0) + DVec3::new(2.0, -2.0, 0.0))
            * DMat4::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let rod = Vec3A::new(3.5, 0.1, 0.1);
        assert!(!beam.probe_in(&place, 0.0).unwrap().may_touch(-rod, rod));
        assert!(cube(ray.at(9.0) + DVec3::new(2.0, -2.0, 0.0), 2.5));
        let flat = DMat4::from_scale(DVec3::new(1.0, 1.0, 0.0));
        assert!(beam.probe_in(&flat, 0.0).is_none());
    }
}
