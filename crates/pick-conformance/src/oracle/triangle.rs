//! A case's triangles in world space, clipped between the near and the far plane and projected.

use std::collections::HashMap;

use crate::case::{Asking, CaseMesh, CaseObject, CaseScene, Cull};
use crate::oracle::camera::Camera;
use crate::oracle::math::{
    IDENTITY, M4, V3, V4, cross, determinant, dot, from_rows, linear, move_point, product, scale,
    sub,
};

/// A triangle that a pick may hit.
#[derive(Clone, Debug)]
pub struct Triangle {
    /// Position of its object in the case.
    pub object: usize,
    /// The part.
    pub part: usize,
    /// The copy, of an instanced object.
    pub instance: Option<u32>,
    /// Its number in the part.
    pub primitive: u32,
    /// Its face group.
    pub face: Option<u32>,
    /// World space.
    pub corners: [V3; 3],
    /// World space, towards the side from which the local winding is counter-clockwise; not unit.
    pub normal: V3,
    /// World normals at the corners, not unit.
    pub normals: Option<[V3; 3]>,
    /// Texture coordinates at the corners.
    pub uvs: Option<[[f64; 2]; 3]>,
    /// The mesh's geometry stays on the CPU.
    pub kept: bool,
    /// The case promises that faces share no vertex.
    pub faces_unshared: bool,
    /// What of it is between near and far, in target pixels.
    pub polygon: Vec<[f64; 2]>,
    /// Nothing of it was cut off: edge `k` of the polygon runs from corner `k` to the next.
    pub uncut: bool,
    /// Depths at the polygon's corners: the smallest and the largest.
    pub depths: [f64; 2],
    /// Largest sizes of the terms of its corners' clip coordinates.
    pub terms: V4,
    /// The smallest clip w of its polygon.
    pub least_w: f64,
    /// Its smallest height on the screen, in pixels; 0 seen edge-on.
    pub height: f64,
    /// The ray meets its front.
    pub front: bool,
    /// Culling may go either way: it is nearly edge-on.
    pub doubtful: bool,
    /// Where in the list an equal triangle was offered before it.
    pub twin: Option<usize>,
}

/// What makes two triangles rasterise alike, bit by bit.
type Twin = (usize, bool, Vec<u64>, [u32; 9]);

/// Below this height in pixels a driver's snapping may turn a triangle over.
const THIN: f64 = 0.25;

/// A draw: a part of an object, one copy of it.
struct Draw<'a> {
    mesh: &'a CaseMesh,
    object: usize,
    part: usize,
    instance: Option<u32>,
    world: M4,
    object_world: &'a M4,
    /// Of a copy.
    place: Option<M4>,
}

/// Every triangle that takes part, in the order offered.
pub fn flatten(scene: &CaseScene, camera: &Camera, asking: &Asking) -> Vec<Triangle> {
    let mut out = Vec::new();
    let mut twins: HashMap<Twin, usize> = HashMap::new();
    for (position, object) in scene.objects.iter().enumerate() {
        if !object.takes_part(asking) {
            continue;
        }
        let mesh = &scene.meshes[object.mesh];
        for part in 0..mesh.all_parts().len() {
            for (instance, place) in copies(scene, object) {
                let draw = Draw {
                    mesh,
                    object: position,
                    part,
                    instance,
                    world: product(&object.world_from_object, &place),
                    object_world: &object.world_from_object,
                    place: instance.map(|_| place),
                };
                draw.triangles(camera, asking, |mut triangle, corners| {
                    let key = draw.twin_key(object.mesh, &place, corners);
                    triangle.twin = twins.get(&key).copied();
                    // One that may be culled hides nobody.
                    if !triangle.doubtful {
                        twins.entry(key).or_insert(out.len());
                    }
                    out.push(triangle);
                });
            }
        }
    }
    out
}

/// The copies that can be hit: a transform that is not finite is an instance that never is.
fn copies(scene: &CaseScene, object: &CaseObject) -> Vec<(Option<u32>, M4)> {
    let Some(set) = object.instances else {
        return vec![(None, IDENTITY)];
    };
    let rows = (0..).zip(&scene.instances[set]);
    let finite = |rows: &[[f32; 4]; 3]| rows.iter().flatten().all(|c| c.is_finite());
    rows.filter(|(_, rows)| finite(rows))
        .map(|(index, rows)| (Some(index), from_rows(rows)))
        .collect()
}

impl Draw<'_> {
    fn triangles(
        &self,
        camera: &Camera,
        asking: &Asking,
        mut each: impl FnMut(Triangle, [[f32; 3]; 3]),
    ) {
        let part = self.mesh.all_parts()[self.part].clone();
        let first = part.elements.start / 3;
        for primitive in 0..(part.elements.end - part.elements.start) / 3 {
            let vertices = self.mesh.triangle(first + primitive);
            let local = vertices.map(|v| self.mesh.positions[v]);
            if !local.iter().flatten().all(|c| c.is_finite()) {
                continue;
            }
            let Some(mut made) = self.project(camera, local) else {
                continue;
            };
            made.primitive = primitive;
            let faces = self.mesh.faces.as_ref();
            made.face = faces.map(|faces| faces[(first + primitive) as usize]);
            let normals = self.mesh.normals.as_ref().filter(|_| part.normals);
            made.normals = normals.map(|all| {
                vertices
                    .map(|v| crate::oracle::math::move_normal(&self.world, all[v].map(f64::from)))
            });
            let uvs = self.mesh.uvs.as_ref().filter(|_| part.uvs);
            made.uvs = uvs.map(|all| vertices.map(|v| all[v].map(f64::from)));
            let culled = culled(asking.cull, part.double_sided, &made);
            made.doubtful = asking.cull != Cull::None && made.height < THIN;
            if !culled || made.doubtful {
                each(made, local);
            }
        }
    }

    fn project(&self, camera: &Camera, local: [[f32; 3]; 3]) -> Option<Triangle> {
        let corners = local.map(|p| move_point(&self.world, p.map(f64::from)));
        let winding = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let mirrored = determinant(linear(&self.world)) < 0.0;
        let normal = scale(winding, if mirrored { -1.0 } else { 1.0 });
        let clipped = corners.map(|p| camera.clip(p));
        let inside = |p: &V4| camera.inside(*p).iter().all(|d| *d >= 0.0);
        let uncut = clipped.iter().all(inside);
        let polygon = clip(camera, clipped);
        if polygon.len() < 3 || winding == [0.0; 3] {
            return None;
        }
        let depths = polygon.iter().map(|p| p[2] / p[3]);
        let span = depths.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], d| {
            [a.min(d), b.max(d)]
        });
        let least_w = polygon.iter().map(|p| p[3]).fold(f64::INFINITY, f64::min);
        let target: Vec<_> = polygon.iter().map(|p| camera.target(*p)).collect();
        let sight = match camera.eye {
            Some(eye) => sub(corners[0], eye),
            None => camera.ray(target[0]).direction,
        };
        Some(Triangle {
            object: self.object,
            part: self.part,
            instance: self.instance,
            primitive: 0,
            face: None,
            front: dot(normal, sight) < 0.0,
            doubtful: false,
            corners,
            normal,
            normals: None,
            uvs: None,
            kept: !self.mesh.forgotten,
            faces_unshared: self.mesh.faces_unshared,
            height: height(&target),
            polygon: target,
            uncut,
            depths: span,
            terms: self.terms(camera, local),
            least_w,
            twin: None,
        })
    }

    /// f32 vertices carry the rounding of their own coordinates and of what places them; coordinates
    /// beyond a few thousand units are measured from near the eye.
    fn terms(&self, camera: &Camera, local: [[f32; 3]; 3]) -> V4 {
        let axes = linear(self.object_world);
        let along = axes.map(|axis| camera.clip_terms_of_direction(axis));
        let origin = camera.clip(move_point(self.object_world, [0.0; 3]));
        let mut most = [0.0_f64; 4];
        for p in local {
            let p = p.map(f64::from);
            let (sizes, reach) = self.sizes(p);
            let terms = if reach > 4096.0 {
                camera.clip_terms(move_point(&self.world, p))
            } else {
                let moved = |k: usize| (0..3).map(|a| along[a][k] * sizes[a]).sum::<f64>();
                std::array::from_fn(|k| origin[k].abs() + moved(k))
            };
            most = std::array::from_fn(|k| most[k].max(terms[k]));
        }
        most
    }

    /// Sizes of the terms of a corner's object-space coordinates, and how far from zero they start.
    fn sizes(&self, p: V3) -> (V3, f64) {
        let largest = |v: V3| v.iter().fold(0.0_f64, |a, c| a.max(c.abs()));
        let Some(place) = &self.place else {
            return (p.map(f64::abs), largest(p));
        };
        let row = |a: usize| (0..3).map(|c| (place[c][a] * p[c]).abs()).sum::<f64>();
        let start = [place[3][0], place[3][1], place[3][2]];
        let sizes = std::array::from_fn(|a| start[a].abs() + row(a));
        (sizes, largest(start))
    }

    fn twin_key(&self, mesh: usize, place: &M4, corners: [[f32; 3]; 3]) -> Twin {
        let bits = |m: &M4| m.iter().flatten().map(|c| c.to_bits()).collect::<Vec<_>>();
        let mut matrices = bits(self.object_world);
        matrices.extend(bits(place));
        let mut corner_bits = [0; 9];
        for (to, from) in corner_bits.iter_mut().zip(corners.iter().flatten()) {
            *to = from.to_bits();
        }
        (mesh, self.instance.is_some(), matrices, corner_bits)
    }
}

fn culled(cull: Cull, double_sided: bool, triangle: &Triangle) -> bool {
    match cull {
        Cull::None => false,
        Cull::Back => !triangle.front,
        Cull::Front => triangle.front,
        Cull::Material => !double_sided && !triangle.front,
    }
}

/// The part of a triangle between near and far, in clip space (Sutherland and Hodgman 1974).
fn clip(camera: &Camera, corners: [V4; 3]) -> Vec<V4> {
    let mut polygon = corners.to_vec();
    for side in 0..2 {
        let inside = |p: &V4| camera.inside(*p)[side];
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for k in 0..polygon.len() {
            let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            let (da, db) = (inside(&a), inside(&b));
            if da >= 0.0 {
                kept.push(a);
            }
            if (da >= 0.0) != (db >= 0.0) {
                let at = da / (da - db);
                kept.push(std::array::from_fn(|c| a[c] + (b[c] - a[c]) * at));
            }
        }
        polygon = kept;
    }
    polygon.retain(|p| p[3] > 0.0);
    polygon
}

/// Twice the area over the longest side.
fn height(polygon: &[[f64; 2]]) -> f64 {
    let mut area = 0.0;
    let mut longest = 0.0_f64;
    for (k, a) in polygon.iter().enumerate() {
        let b = polygon[(k + 1) % polygon.len()];
        let from = polygon[0];
        area += (a[0] - from[0]) * (b[1] - from[1]) - (b[0] - from[0]) * (a[1] - from[1]);
        longest = longest.max((b[0] - a[0]).hypot(b[1] - a[1]));
    }
    if longest > 0.0 {
        area.abs() / longest
    } else {
        0.0
    }
}
