//! The camera as four linear forms over world points: clip x, y, z and w.

use crate::case::CaseView;
use crate::oracle::math::{
    V3, V4, common_zero, cross, dot, form, length, meet, product, row, scale, sub, unit,
};

/// A camera read off its matrices.
#[derive(Clone, Debug)]
pub struct Camera {
    rows: [V4; 4],
    viewport: [f64; 4],
    /// 1 is near.
    pub reversed: bool,
    /// The eye of a perspective camera.
    pub eye: Option<V3>,
}

/// The ray through a place in target pixels.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// The eye; without one the point on the near plane.
    pub origin: V3,
    /// Unit length.
    pub direction: V3,
    /// Distance to the near plane.
    pub near: f64,
    /// Distance to the far plane.
    pub far: f64,
}

impl Camera {
    /// Reads a view.
    pub fn new(view: &CaseView) -> Self {
        let clip_from_world = product(&view.clip_from_view, &view.view_from_world);
        let rows = [0, 1, 2, 3].map(|r| row(&clip_from_world, r));
        let zero = common_zero(rows[0], rows[1], rows[3]);
        let size = length([zero[0], zero[1], zero[2]]);
        let eye = (zero[3].abs() > size * 1e-11)
            .then(|| [zero[0] / zero[3], zero[1] / zero[3], zero[2] / zero[3]]);
        Self {
            rows,
            viewport: view.viewport.map(f64::from),
            reversed: view.reversed,
            eye,
        }
    }

    /// Clip coordinates of a world point.
    pub fn clip(&self, point: V3) -> V4 {
        self.rows.map(|r| form(r, point))
    }

    /// Sizes of the terms that make up the clip coordinates of a world point, seen from the eye.
    pub fn clip_terms(&self, point: V3) -> V4 {
        let from = self.eye.map_or(point, |eye| sub(point, eye));
        let constant = self.eye.map_or([0.0; 4], |eye| self.clip(eye));
        let mut terms = [0.0; 4];
        for (k, term) in terms.iter_mut().enumerate() {
            let r = self.rows[k];
            let rest = if self.eye.is_some() {
                constant[k]
            } else {
                r[3]
            };
            *term = (0..3).map(|c| (r[c] * from[c]).abs()).sum::<f64>() + rest.abs();
        }
        terms
    }

    /// Sizes of the terms that a direction adds to clip coordinates.
    pub fn clip_terms_of_direction(&self, direction: V3) -> V4 {
        self.rows
            .map(|r| (r[0] * direction[0] + r[1] * direction[1] + r[2] * direction[2]).abs())
    }

    /// Target pixels of clip coordinates.
    pub fn target(&self, clip: V4) -> [f64; 2] {
        let [x, y, width, height] = self.viewport;
        [
            x + (clip[0] / clip[3] + 1.0) * 0.5 * width,
            y + (1.0 - clip[1] / clip[3]) * 0.5 * height,
        ]
    }

    /// Target pixels in half a unit of normalised device coordinates: width, height.
    pub fn half_size(&self) -> [f64; 2] {
        [self.viewport[2] * 0.5, self.viewport[3] * 0.5]
    }

    /// Depth of a world point.
    pub fn depth(&self, point: V3) -> f64 {
        form(self.rows[2], point) / form(self.rows[3], point)
    }

    /// What the depth is cleared to.
    pub fn clear_depth(&self) -> f64 {
        if self.reversed { 0.0 } else { 1.0 }
    }

    /// A number that grows with the distance from the eye.
    pub fn order(&self, depth: f64) -> f64 {
        if self.reversed { -depth } else { depth }
    }

    /// How far along a ray a depth is met.
    pub fn distance(&self, ray: &Ray, depth: f64) -> f64 {
        let plane: V4 = std::array::from_fn(|c| self.rows[2][c] - depth * self.rows[3][c]);
        -form(plane, ray.origin) / dot([plane[0], plane[1], plane[2]], ray.direction)
    }

    /// The clip-space forms that are at least 0 between the near and the far plane.
    pub fn inside(&self, clip: V4) -> [f64; 2] {
        let [_, _, z, w] = clip;
        if self.reversed {
            [w - z, z]
        } else {
            [z, w - z]
        }
    }

    /// The ray through a place in target pixels.
    pub fn ray(&self, [x, y]: [f64; 2]) -> Ray {
        let [left, top, width, height] = self.viewport;
        let ndc = [
            (x - left) / width * 2.0 - 1.0,
            1.0 - (y - top) / height * 2.0,
        ];
        let plane = |k: usize| std::array::from_fn(|c| self.rows[k][c] - ndc[k] * self.rows[3][c]);
        let planes: [V4; 2] = [plane(0), plane(1)];
        let normal = |p: V4| [p[0], p[1], p[2]];
        let [near_plane, far_plane] = self.depth_planes();
        let along = unit(cross(normal(planes[0]), normal(planes[1])));
        // Into the view: the near plane's form grows.
        let direction = scale(along, dot(normal(near_plane), along).signum());
        let on_near = meet([planes[0], planes[1], near_plane]).unwrap_or([f64::NAN; 3]);
        let origin = self.eye.unwrap_or(on_near);
        let near = dot(sub(on_near, origin), direction);
        let closing = -dot(normal(far_plane), direction);
        let gap = form(far_plane, on_near) / closing;
        let open = closing <= length(normal(far_plane)) * 1e-14;
        let far = if open { f64::INFINITY } else { near + gap };
        Ray {
            origin,
            direction,
            near,
            far,
        }
    }

    /// Forms over world points that are at least 0 inside: near, far.
    fn depth_planes(&self) -> [V4; 2] {
        let z = self.rows[2];
        let rest = std::array::from_fn(|c| self.rows[3][c] - self.rows[2][c]);
        if self.reversed { [rest, z] } else { [z, rest] }
    }
}

impl Ray {
    /// The point at a distance from the origin.
    pub fn at(&self, t: f64) -> V3 {
        crate::oracle::math::add(self.origin, scale(self.direction, t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Camera as Words;

    fn close(a: V3, b: V3, within: f64) {
        assert!(length(sub(a, b)) < within, "{a:?} is not {b:?}");
    }

    /// Where the ray through a pixel's centre meets z = `z`.
    fn on_plane(camera: &Camera, pixel: [u32; 2], z: f64) -> V3 {
        let ray = camera.ray(pixel.map(|p| f64::from(p) + 0.5));
        ray.at((z - ray.origin[2]) / ray.direction[2])
    }

    /// Field case 8
    #[test]
    fn rays_go_through_pixel_centres() {
        let camera = Camera::new(&Words::cam_p());
        close(
            on_plane(&camera, [40, 20], 0.0),
            [1.328_125, 1.796_875, 0.0],
            1e-12,
        );
        assert!((camera.depth([0.3, 0.2, 0.0]) - 0.980_981).abs() < 1e-6);
        close(camera.eye.unwrap(), [0.0, 0.0, 5.0], 1e-12);
    }

    /// Field case 15
    #[test]
    fn off_centre_projections_are_not_rebuilt() {
        let view = Words::field(64).frustum([-0.05, 0.15, -0.1, 0.1]);
        let camera = Camera::new(&view);
        close(
            on_plane(&camera, [16, 32], 0.0),
            [0.078_125, -0.078_125, 0.0],
            1e-12,
        );
    }

    /// Field case 56
    #[test]
    fn both_projections_of_the_field_cases() {
        let p = Camera::new(&Words::cam_p());
        close(
            on_plane(&p, [40, 20], -5.0),
            [2.656_25, 3.593_75, -5.0],
            1e-12,
        );
        let o = Camera::new(&Words::cam_o());
        assert!(o.eye.is_none());
        close(
            on_plane(&o, [40, 20], -5.0),
            [1.328_125, 1.796_875, -5.0],
            1e-12,
        );
        let ray = o.ray([40.5, 20.5]);
        close(ray.origin, [1.328_125, 1.796_875, 4.9], 1e-12);
        assert!((ray.far - 99.9).abs() < 1e-9 && ray.near == 0.0);
    }

    /// Field case 58
    #[test]
    fn reversed_depth_is_one_minus_standard() {
        let mut words = Words::field(64);
        words.depths = words.depths.reversed();
        let camera = Camera::new(&words.perspective(90.0));
        assert!((camera.depth([0.0, 0.0, 0.0]) - 0.019_019).abs() < 1e-6);
        assert!((camera.depth([0.0, 0.0, -5.0]) - 0.009_009).abs() < 1e-6);
        let ray = camera.ray([20.5, 40.5]);
        assert!(ray.near > 0.1 && ray.near < 0.2 && ray.far > 100.0 && ray.far < 200.0);
    }

    /// Field case 59
    #[test]
    fn an_infinite_far_plane_is_no_number_problem() {
        let mut words = Words::field(64);
        words.depths = crate::case::Depths {
            near: 0.1,
            far: f64::INFINITY,
            reversed: true,
        };
        let camera = Camera::new(&words.perspective(90.0));
        assert!((camera.depth([1.0, 2.0, -9995.0]) - 1e-5).abs() < 1e-12);
        assert_eq!(camera.ray([3.5, 9.5]).far, f64::INFINITY);
    }
}
