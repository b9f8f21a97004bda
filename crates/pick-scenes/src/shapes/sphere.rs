//! A closed sphere of exactly as many triangles as asked for, smooth or bumpy.

use glam::DVec3;
use std::f64::consts::{PI, TAU};

use super::whole;
use crate::data::SceneMesh;

/// The fewest triangles a sphere here has: two rings of four.
pub(crate) const fn sphere_triangles_min() -> u64 {
    8
}

/// The most triangles, so that three vertex numbers each fit well into 32 bits.
pub(crate) const fn sphere_triangles_max() -> u64 {
    20_000_000
}

/// What raises and lowers the surface: one product of waves along x, y and z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bumps {
    pub(crate) height: f64,
    pub(crate) waves: f64,
    pub(crate) phase: DVec3,
}

impl Bumps {
    pub(crate) const NONE: Self = Self {
        height: 0.0,
        waves: 0.0,
        phase: DVec3::ZERO,
    };

    /// How far the surface lies above the unit sphere in a direction, and the slope of that.
    fn rise(&self, direction: DVec3) -> (f64, DVec3) {
        let angle = direction * self.waves + self.phase;
        let sin = DVec3::new(angle.x.sin(), angle.y.sin(), angle.z.sin());
        let cos = DVec3::new(angle.x.cos(), angle.y.cos(), angle.z.cos());
        let slope = DVec3::new(
            cos.x * sin.y * sin.z,
            sin.x * cos.y * sin.z,
            sin.x * sin.y * cos.z,
        );
        (
            self.height * sin.x * sin.y * sin.z,
            slope * self.height * self.waves,
        )
    }

    /// The point of the surface in a direction, and its normal.
    fn surface(&self, direction: DVec3) -> (DVec3, DVec3) {
        let (rise, slope) = self.rise(direction);
        let radius = 1.0 + rise;
        let along = slope - direction * direction.dot(slope);
        (direction * radius, (direction - along / radius).normalize())
    }
}

/// Vertices as they are made.
struct Maker {
    bumps: Bumps,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
}

impl Maker {
    fn vertex(&mut self, direction: DVec3, uv: [f32; 2]) -> u32 {
        let (position, normal) = self.bumps.surface(direction);
        self.positions.push(position.as_vec3().to_array());
        self.normals.push(normal.as_vec3().to_array());
        self.uvs.push(uv);
        (self.positions.len() - 1) as u32
    }
}

/// A closed sphere of radius 1 (before the bumps) with exactly `triangles` triangles, an even number
/// of at least [`sphere_triangles_min`]: a net of `r` rings and `2 r` sectors, the largest that
/// fits, in which the first triangles are each split into three to make up the number.
pub(crate) fn sphere(triangles: u32, bumps: Bumps) -> SceneMesh {
    let mut rings = 2_u32;
    while 4 * u64::from(rings + 1) * u64::from(rings) <= u64::from(triangles) {
        rings += 1;
    }
    let sectors = 2 * rings;
    let splits = (triangles - 2 * sectors * (rings - 1)) / 2;
    let mut maker = Maker {
        bumps,
        positions: vec![],
        normals: vec![],
        uvs: vec![],
    };
    for ring in 0..=rings {
        let v = f64::from(ring) / f64::from(rings);
        // The poles exactly, and the seam from the same angle on both sides: no crack anywhere.
        let (sin, cos) = match ring {
            0 => (0.0, 1.0),
            _ if ring == rings => (0.0, -1.0),
            _ => (PI * v).sin_cos(),
        };
        for sector in 0..=sectors {
            let angle = TAU * f64::from(sector % sectors) / f64::from(sectors);
            let u = f64::from(sector) / f64::from(sectors);
            let direction = match sin {
                0.0 => DVec3::new(0.0, cos, 0.0),
                _ => DVec3::new(sin * angle.sin(), cos, sin * angle.cos()),
            };
            maker.vertex(direction, [u as f32, 1.0 - v as f32]);
        }
    }
    let mut indices = Vec::with_capacity(3 * triangles as usize);
    let mut left = splits;
    for ring in 0..rings {
        for sector in 0..sectors {
            let a = ring * (sectors + 1) + sector;
            let [b, c, d] = [a + 1, a + sectors + 1, a + sectors + 2];
            if ring != rings - 1 {
                push(&mut maker, &mut indices, &mut left, [a, c, d]);
            }
            if ring != 0 {
                push(
                    &mut maker,
                    &mut indices,
                    &mut left,
                    [a, if ring == rings - 1 { c } else { d }, b],
                );
            }
        }
    }
    let elements = indices.len() as u32;
    SceneMesh {
        name: Some("sphere".to_owned()),
        positions: maker.positions,
        normals: Some(maker.normals),
        uvs: Some(maker.uvs),
        indices: Some(indices),
        submeshes: whole(elements, true, true),
        ..SceneMesh::default()
    }
}

/// Adds a triangle, in three parts around a new vertex of the surface as long as splits are left.
fn push(maker: &mut Maker, indices: &mut Vec<u32>, left: &mut u32, [a, b, c]: [u32; 3]) {
    if *left == 0 {
        indices.extend([a, b, c]);
        return;
    }
    *left -= 1;
    let corners = [a, b, c].map(|i| i as usize);
    let middle: DVec3 = corners
        .iter()
        .map(|&i| DVec3::from(maker.positions[i].map(f64::from)))
        .sum();
    let uv = [0, 1].map(|k| corners.iter().map(|&i| maker.uvs[i][k]).sum::<f32>() / 3.0);
    let m = maker.vertex(middle.normalize(), uv);
    indices.extend([a, b, m, b, c, m, c, a, m]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const BUMPS: Bumps = Bumps {
        height: 0.1,
        waves: 5.0,
        phase: DVec3::new(0.3, 1.0, 2.0),
    };

    #[test]
    fn it_has_exactly_the_triangles_asked_for() {
        for triangles in (8..400).step_by(2).chain([10_000, 99_998]) {
            let mesh = sphere(triangles, Bumps::NONE);
            assert_eq!(mesh.triangle_count(), triangles);
            assert_eq!(mesh.indices.map(|i| i.len()), Some(3 * triangles as usize));
        }
    }

    #[test]
    fn it_is_closed_and_faces_outwards() {
        let mesh = sphere(438, BUMPS);
        let key = |i: u32| mesh.positions[i as usize].map(f32::to_bits);
        let mut edges: HashMap<_, i32> = HashMap::new();
        for t in 0..mesh.triangle_count() {
            let vertices = mesh.triangle(3 * t).expect("the triangle is there");
            let [a, b, c] =
                vertices.map(|i| DVec3::from(mesh.positions[i as usize].map(f64::from)));
            let normal = (b - a).cross(c - a);
            assert!(normal.length() > 1e-6, "triangle {t} is degenerate");
            assert!(normal.dot(a + b + c) > 0.0, "triangle {t} faces inwards");
            for (from, to) in [(0, 1), (1, 2), (2, 0)] {
                let (from, to) = (key(vertices[from]), key(vertices[to]));
                *edges.entry((from, to)).or_default() += 1;
                *edges.entry((to, from)).or_default() -= 1;
            }
        }
        assert!(edges.values().all(|&n| n == 0), "an edge has one side only");
    }

    #[test]
    fn its_normals_are_those_of_the_surface() {
        // Against differences of the surface itself.
        for direction in [DVec3::new(0.3, 0.5, -0.8), DVec3::new(-0.9, 0.1, 0.2)] {
            let direction = direction.normalize();
            let (point, normal) = BUMPS.surface(direction);
            for step in [
                direction.any_orthonormal_vector(),
                direction.any_orthonormal_pair().1,
            ] {
                let (other, _) = BUMPS.surface((direction + step * 1e-5).normalize());
                assert!(normal.dot((other - point).normalize()).abs() < 1e-4);
            }
        }
    }
}
