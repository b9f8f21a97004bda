//! Shapes and transforms that cases are made of.

use std::ops::RangeInclusive;

use crate::case::{CaseMesh, Rows};
use crate::oracle::math::{IDENTITY, M4, V3};

/// Q of the field cases: two triangles facing +z with normals and texture coordinates.
pub fn quad(x: RangeInclusive<f64>, y: RangeInclusive<f64>, z: f64) -> CaseMesh {
    let corner = |x: f64, y: f64| [x as f32, y as f32, z as f32];
    CaseMesh {
        positions: vec![
            corner(*x.start(), *y.start()),
            corner(*x.end(), *y.start()),
            corner(*x.end(), *y.end()),
            corner(*x.start(), *y.end()),
        ],
        normals: Some(vec![[0.0, 0.0, 1.0]; 4]),
        uvs: Some(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]),
        indices: Some(vec![0, 1, 2, 0, 2, 3]),
        ..CaseMesh::default()
    }
}

/// A cube from `-half` to `half` with a face number for each side and no shared vertex.
pub fn boxed(half: f64) -> CaseMesh {
    let mut mesh = CaseMesh {
        normals: Some(Vec::new()),
        uvs: Some(Vec::new()),
        indices: Some(Vec::new()),
        faces: Some(Vec::new()),
        faces_unshared: true,
        ..CaseMesh::default()
    };
    for side in 0..6_u32 {
        let axis = (side / 2) as usize;
        let sign = if side.is_multiple_of(2) { 1.0 } else { -1.0 };
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let first = mesh.positions.len() as u32;
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let mut corner = [0.0; 3];
            corner[axis] = sign * half;
            // Counter-clockwise from outside on either side of the axis.
            corner[u] = sign * a * half;
            corner[v] = b * half;
            mesh.positions.push(corner.map(|c| c as f32));
            let mut normal = [0.0; 3];
            normal[axis] = sign as f32;
            mesh.normals.get_or_insert_default().push(normal);
            let uv = [(a as f32 + 1.0) * 0.5, (b as f32 + 1.0) * 0.5];
            mesh.uvs.get_or_insert_default().push(uv);
        }
        let list = [0, 1, 2, 0, 2, 3].map(|k| first + k);
        mesh.indices.get_or_insert_default().extend(list);
        mesh.faces.get_or_insert_default().extend([side, side]);
    }
    mesh
}

/// The grid of field case 42: `side` x `side` quads over +-4, row by row from the bottom left.
pub fn grid(side: u32) -> CaseMesh {
    let at = |k: u32| (f64::from(k) / f64::from(side) * 8.0 - 4.0) as f32;
    let unit = |k: u32| k as f32 / side as f32;
    let mut mesh = CaseMesh::default();
    let mut uvs = Vec::new();
    for y in 0..=side {
        for x in 0..=side {
            mesh.positions.push([at(x), at(y), 0.0]);
            uvs.push([unit(x), unit(y)]);
        }
    }
    let mut indices = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let v0 = y * (side + 1) + x;
            let (v1, v3) = (v0 + 1, v0 + side + 1);
            indices.extend([v0, v1, v3 + 1, v0, v3 + 1, v3]);
        }
    }
    mesh.normals = Some(vec![[0.0, 0.0, 1.0]; mesh.positions.len()]);
    mesh.uvs = Some(uvs);
    mesh.indices = Some(indices);
    mesh
}

/// A sphere of `rings` x 2`rings` cells with smooth normals, its vertices shared.
pub fn sphere(radius: f64, rings: u32) -> CaseMesh {
    let mut mesh = CaseMesh::default();
    let mut normals = Vec::new();
    let columns = rings * 2;
    for ring in 0..=rings {
        let polar = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
        for column in 0..=columns {
            let around = std::f64::consts::TAU * f64::from(column) / f64::from(columns);
            let unit: V3 = [
                polar.sin() * around.cos(),
                polar.sin() * around.sin(),
                polar.cos(),
            ];
            mesh.positions.push(unit.map(|c| (c * radius) as f32));
            normals.push(unit.map(|c| c as f32));
        }
    }
    let mut indices = Vec::new();
    for ring in 0..rings {
        for column in 0..columns {
            let a = ring * (columns + 1) + column;
            let c = a + columns + 1;
            if ring > 0 {
                indices.extend([a, c, a + 1]);
            }
            if ring + 1 < rings {
                indices.extend([a + 1, c, c + 1]);
            }
        }
    }
    mesh.normals = Some(normals);
    mesh.indices = Some(indices);
    mesh
}

/// A translation.
pub fn shifted(by: V3) -> M4 {
    let mut m = IDENTITY;
    m[3] = [by[0], by[1], by[2], 1.0];
    m
}

/// The same with triangles of no area behind its own: so many elements are drawn, and nothing more is
/// seen. A mesh with indices, in one part.
pub fn with_flat_triangles(mut mesh: CaseMesh, elements: usize) -> CaseMesh {
    if let Some(indices) = &mut mesh.indices {
        indices.resize(elements.max(indices.len()), 0);
    }
    mesh
}

/// A translation after a scale along the axes.
pub fn scaled(by: V3, then: V3) -> M4 {
    let mut m = shifted(then);
    for axis in 0..3 {
        m[axis][axis] = by[axis];
    }
    m
}

/// The instance transform that changes nothing.
pub fn identity_rows() -> Rows {
    rows_at([0.0; 3])
}

/// The instance transform that translates.
pub fn rows_at(by: [f32; 3]) -> Rows {
    [
        [1.0, 0.0, 0.0, by[0]],
        [0.0, 1.0, 0.0, by[1]],
        [0.0, 0.0, 1.0, by[2]],
    ]
}
