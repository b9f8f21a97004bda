//! Random scenes, and a caster that shares nothing with the crate's: every triangle is put into the world and tried.
#![allow(dead_code, reason = "each test uses its own part")]

use glam::{DMat4, DVec3, DVec4};

/// A small generator, so that a failing case is named by its seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    /// Between -1 and 1.
    pub fn signed(&mut self) -> f64 {
        self.below(1 << 40) as f64 / (1u64 << 39) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// A direction, now and then along an axis or in a plane of two.
    pub fn direction(&mut self) -> DVec3 {
        let mut direction = self.vector();
        for axis in 0..3 {
            if self.below(6) == 0 {
                direction[axis] = 0.0;
            }
        }
        if direction == DVec3::ZERO {
            DVec3::NEG_Y
        } else {
            direction.normalize()
        }
    }

    pub fn corner(&mut self, size: f64) -> [f32; 3] {
        (self.vector() * size).as_vec3().to_array()
    }

    /// Turned, mirrored, sheared, stretched, and put as far away as `far`.
    pub fn affine(&mut self, far: f64) -> [[f32; 4]; 3] {
        loop {
            let stretch = [1.0, 0.01, 30.0][self.below(3) as usize];
            let rows = [0; 3].map(|_| {
                let (v, t) = (self.vector() * stretch, self.signed() * far);
                [v.x as f32, v.y as f32, v.z as f32, t as f32]
            });
            if volume(&matrix(&rows)) > 0.02 {
                return rows;
            }
        }
    }
}

/// How far from flat a transform is: 1 for a turn, 0 where it has no inverse.
fn volume(m: &DMat4) -> f64 {
    let sizes = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
    m.determinant().abs() / sizes
}

pub fn matrix(rows: &[[f32; 4]; 3]) -> DMat4 {
    let [a, b, c] = rows.map(|row| DVec4::from(row.map(f64::from)));
    DMat4::from_cols(a, b, c, DVec4::W).transpose()
}

/// A hit of the slow caster.
#[derive(Clone, Copy, Debug)]
pub struct Try {
    pub t: f64,
    pub instance: u32,
    pub triangle: u32,
    pub front: bool,
    /// The least weight of a corner: how clearly it is a hit, a miss where negative.
    pub inside: f64,
    pub weights: [f64; 3],
}

/// Every triangle that the ray's line meets or nearly meets, in f64, in the world.
pub fn slow(
    triangles: &[[[f32; 3]; 3]],
    places: &[DMat4],
    origin: DVec3,
    direction: DVec3,
) -> Vec<Try> {
    let mut tries = Vec::new();
    for (instance, place) in (0..).zip(places) {
        for (triangle, corners) in (0..).zip(triangles) {
            let Some(mut one) = single(corners, place, origin, direction) else {
                continue;
            };
            (one.instance, one.triangle) = (instance, triangle);
            tries.push(one);
        }
    }
    tries
}

fn single(corners: &[[f32; 3]; 3], place: &DMat4, origin: DVec3, direction: DVec3) -> Option<Try> {
    let [a, b, c] =
        corners.map(|p| place.transform_point3(DVec3::new(p[0].into(), p[1].into(), p[2].into())));
    let (e, f) = (b - a, c - a);
    let normal = e.cross(f);
    let slope = normal.dot(direction);
    // What is no number, has no area or is seen edge-on.
    let flat = slope.abs() / (e.length() * f.length() + f64::MIN_POSITIVE);
    if flat.is_nan() || flat < 1e-9 {
        return None;
    }
    let t = normal.dot(a - origin) / slope;
    let at = origin + direction * t;
    let size = normal.length_squared();
    let v = (at - a).cross(f).dot(normal) / size;
    let w = e.cross(at - a).dot(normal) / size;
    let weights = [1.0 - v - w, v, w];
    let inside = weights[0].min(v).min(w);
    let mirrored = place.determinant() < 0.0;
    let front = (slope < 0.0) != mirrored;
    (inside > -1e-3).then_some(Try {
        t,
        instance: 0,
        triangle: 0,
        front,
        inside,
        weights,
    })
}
