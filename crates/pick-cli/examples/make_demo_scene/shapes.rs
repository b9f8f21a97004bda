//! The shapes of the demo scene, wound counter-clockwise as seen from outside.

use std::f32::consts::{PI, TAU};

use glam::Vec3;

/// Triangles with normals and texture coordinates.
#[derive(Default)]
pub struct Shape {
    /// Of the vertices.
    pub positions: Vec<[f32; 3]>,
    /// Of the vertices.
    pub normals: Vec<[f32; 3]>,
    /// Of the vertices.
    pub uvs: Vec<[f32; 2]>,
    /// Three a triangle.
    pub indices: Vec<u16>,
}

impl Shape {
    fn vertex(&mut self, position: Vec3, normal: Vec3, uv: [f32; 2]) -> u16 {
        self.positions.push(position.to_array());
        self.normals.push(normal.normalize_or(Vec3::Y).to_array());
        self.uvs.push(uv);
        (self.positions.len() - 1) as u16
    }

    /// A sheet of `columns` x `rows` quads; u runs with the columns, v with the rows, and the outside is
    /// where u x v points. Triangles without area, at poles, are left out.
    fn sheet(columns: u16, rows: u16, at: impl Fn(f32, f32) -> (Vec3, Vec3)) -> Self {
        let mut shape = Self::default();
        for row in 0..=rows {
            for column in 0..=columns {
                let uv = [
                    f32::from(column) / f32::from(columns),
                    f32::from(row) / f32::from(rows),
                ];
                let (position, normal) = at(uv[0], uv[1]);
                shape.vertex(position, normal, uv);
            }
        }
        let across = columns + 1;
        for row in 0..rows {
            for column in 0..columns {
                let a = row * across + column;
                let (b, c, d) = (a + 1, a + across + 1, a + across);
                shape.triangle([a, b, c]);
                shape.triangle([a, c, d]);
            }
        }
        shape
    }

    fn triangle(&mut self, corners: [u16; 3]) {
        let [a, b, c] = corners.map(|i| Vec3::from(self.positions[usize::from(i)]));
        if (b - a).cross(c - a).length() > 1e-7 {
            self.indices.extend(corners);
        }
    }
}

/// A flat round sheet that faces +y.
pub fn disc(radius: f32, sides: u16) -> Shape {
    let mut shape = Shape::default();
    shape.vertex(Vec3::ZERO, Vec3::Y, [0.5, 0.5]);
    for side in 0..sides {
        let (sin, cos) = (f32::from(side) / f32::from(sides) * TAU).sin_cos();
        let uv = [0.5 + 0.5 * sin, 0.5 + 0.5 * cos];
        shape.vertex(Vec3::new(radius * sin, 0.0, radius * cos), Vec3::Y, uv);
    }
    for side in 0..sides {
        shape.triangle([0, 1 + side, 1 + (side + 1) % sides]);
    }
    shape
}

/// The unit sphere.
pub fn sphere(columns: u16, rows: u16) -> Shape {
    Shape::sheet(columns, rows, |u, v| {
        let (sin, cos) = (u * TAU).sin_cos();
        let (rise, ring) = ((v - 0.5) * PI).sin_cos();
        let out = Vec3::new(ring * sin, rise, ring * cos);
        (out, out)
    })
}

/// What a profile of (radius, height) points, from the bottom up, makes when it is turned about y.
pub fn turned(profile: &[[f32; 2]], columns: u16) -> Shape {
    let mut shape = Shape::default();
    for (step, piece) in profile.windows(2).enumerate() {
        let ([r0, y0], [r1, y1]) = (piece[0], piece[1]);
        let part = Shape::sheet(columns, 1, |u, v| {
            let (sin, cos) = (u * TAU).sin_cos();
            let radius = r0 + (r1 - r0) * v;
            let position = Vec3::new(radius * sin, y0 + (y1 - y0) * v, radius * cos);
            let slope = Vec3::new((y1 - y0) * sin, r0 - r1, (y1 - y0) * cos);
            (position, slope)
        });
        let first = shape.positions.len() as u16;
        shape.positions.extend(part.positions);
        shape.normals.extend(part.normals);
        let pieces = (profile.len() - 1) as f32;
        shape.uvs.extend(
            part.uvs
                .iter()
                .map(|[u, v]| [*u, (v + step as f32) / pieces]),
        );
        shape.indices.extend(part.indices.iter().map(|i| i + first));
    }
    shape
}

/// A tube along a knot that winds three times about y while it goes twice around the tube.
pub fn knot(columns: u16, rows: u16) -> Shape {
    let center = |u: f32| {
        let angle = u * TAU;
        let (wave_sin, wave_cos) = (angle * 3.0).sin_cos();
        let (sin, cos) = (angle * 2.0).sin_cos();
        let radius = 1.05 + 0.42 * wave_cos;
        Vec3::new(radius * cos, radius * sin, 0.5 * wave_sin)
    };
    Shape::sheet(columns, rows, |u, v| {
        let here = center(u);
        let along = (center(u + 1e-3) - center(u - 1e-3)).normalize();
        let side = along.cross(here).normalize();
        let out = side.cross(along);
        let (sin, cos) = (v * TAU).sin_cos();
        let normal = out * cos - side * sin;
        (here + normal * 0.21, normal)
    })
}

/// The unit cube around the origin: five sides, and the lid.
pub fn crate_parts() -> (Shape, Shape) {
    let (mut sides, mut lid) = (Shape::default(), Shape::default());
    let rounds = [
        Vec3::X,
        Vec3::NEG_X,
        Vec3::Y,
        Vec3::NEG_Y,
        Vec3::Z,
        Vec3::NEG_Z,
    ];
    for normal in rounds {
        let shape = if normal == Vec3::Y {
            &mut lid
        } else {
            &mut sides
        };
        let right = if normal.y == 0.0 {
            Vec3::Y.cross(normal)
        } else {
            Vec3::X
        };
        let up = normal.cross(right);
        let corner = |u: f32, v: f32| 0.5 * normal + (u - 0.5) * right + (v - 0.5) * up;
        let [a, b, c, d] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
            .map(|[u, v]| shape.vertex(corner(u, v), normal, [u, v]));
        shape.triangle([a, b, c]);
        shape.triangle([a, c, d]);
    }
    (sides, lid)
}
