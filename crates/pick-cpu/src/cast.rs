//! Rays through a mesh, or through its instances.

use std::ops::Range;

use glam::DMat4;

use crate::blas::Blas;
use crate::ray::{Frame, Ray};
use crate::tlas::Tlas;
use crate::triangle::Needle;
use crate::walk::walk;

/// The side of a triangle that is passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cull {
    /// Both sides are hit.
    #[default]
    None,
    /// The back is passed over.
    Back,
    /// The front is passed over.
    Front,
}

/// What is cast at, beside the ray; the same for all rays of one pick at one object.
#[derive(Clone, Debug)]
pub struct Query {
    /// The way from the world into the object; none where the object's transform has no inverse, and then nothing is hit.
    pub frame: Option<Frame>,
    /// The triangles that count, by the mesh's numbers: a sub-mesh.
    pub triangles: Range<u32>,
    /// The side that does not count.
    pub cull: Cull,
}

impl Query {
    /// All of an object, both sides, where this affine transform puts it.
    pub fn new(world_from_object: &DMat4) -> Self {
        Self {
            frame: Frame::from_matrix(world_from_object),
            triangles: 0..u32::MAX,
            cull: Cull::None,
        }
    }

    fn counts(&self, triangle: u32, front: bool) -> bool {
        let culled = match self.cull {
            Cull::None => false,
            Cull::Back => !front,
            Cull::Front => front,
        };
        !culled && self.triangles.contains(&triangle)
    }
}

/// One meeting of a ray with a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Where on the ray, in its own parameter.
    pub t: f64,
    /// The caller's number of the instance; 0 of a mesh cast at by itself.
    pub instance: u32,
    /// The caller's number of the triangle in the whole mesh.
    pub triangle: u32,
    /// Whether the ray meets the side from which the corners run counter-clockwise in the mesh's own space.
    pub front: bool,
    /// The weights of the corners.
    pub barycentric: [f64; 3],
}

impl Hit {
    fn is_before(&self, other: &Self) -> bool {
        let key = |hit: &Self| (hit.instance, hit.triangle);
        self.t < other.t || (self.t == other.t && key(self) < key(other))
    }
}

/// The nearest hit on a mesh that `accept` takes; of equally near ones that with the lowest triangle.
pub fn cast_mesh(
    blas: &Blas,
    ray: &Ray,
    query: &Query,
    accept: impl FnMut(&Hit) -> bool,
) -> Option<Hit> {
    let mut nearest = None;
    visit_mesh(blas, ray, query, keep_nearest(&mut nearest, accept));
    nearest
}

/// The nearest hit on a mesh's instances that `accept` takes; of equally near ones that with the lowest instance, then with the
/// lowest triangle.
pub fn cast_instanced(
    blas: &Blas,
    tlas: &Tlas,
    ray: &Ray,
    query: &Query,
    accept: impl FnMut(&Hit) -> bool,
) -> Option<Hit> {
    let mut nearest = None;
    visit_instanced(blas, tlas, ray, query, keep_nearest(&mut nearest, accept));
    nearest
}

/// Calls `visit` with every hit on a mesh, in no order. `visit` may lower the limit beyond which hits count no more.
pub fn visit_mesh(blas: &Blas, ray: &Ray, query: &Query, mut visit: impl FnMut(&Hit, &mut f64)) {
    let Some(ray) = enter(ray, query) else { return };
    let mut limit = ray.t_max;
    walk_mesh(blas, &ray, query, 0, &mut limit, &mut visit);
}

/// Calls `visit` with every hit on a mesh's instances, in no order. `visit` may lower the limit beyond which hits count no more.
pub fn visit_instanced(
    blas: &Blas,
    tlas: &Tlas,
    ray: &Ray,
    query: &Query,
    mut visit: impl FnMut(&Hit, &mut f64),
) {
    let Some(ray) = enter(ray, query) else { return };
    let mut limit = ray.t_max;
    walk(&tlas.tree, &ray, &mut limit, &mut |instance, _, limit| {
        let frame = Frame::from_known_rows(&tlas.transforms[instance as usize]);
        walk_mesh(blas, &frame.enter(&ray), query, instance, limit, &mut visit);
    });
}

fn enter(ray: &Ray, query: &Query) -> Option<Ray> {
    query
        .frame
        .filter(|_| ray.is_castable())
        .map(|frame| frame.enter(ray))
}

#[inline]
fn walk_mesh(
    blas: &Blas,
    ray: &Ray,
    query: &Query,
    instance: u32,
    limit: &mut f64,
    visit: &mut impl FnMut(&Hit, &mut f64),
) {
    let needle = Needle::new(ray);
    walk(&blas.tree, ray, limit, &mut |first, count, limit| {
        let slots = first as usize..(first + count) as usize;
        for face in &blas.faces[slots] {
            let Some(met) = needle.meet(&face.corners, *limit) else {
                continue;
            };
            if query.counts(face.number, met.front) {
                let (t, front, barycentric) = (met.t, met.front, met.barycentric);
                visit(
                    &Hit {
                        t,
                        instance,
                        triangle: face.number,
                        front,
                        barycentric,
                    },
                    limit,
                );
            }
        }
    });
}

fn keep_nearest(
    nearest: &mut Option<Hit>,
    mut accept: impl FnMut(&Hit) -> bool,
) -> impl FnMut(&Hit, &mut f64) {
    move |hit, limit| {
        let wins = nearest.as_ref().is_none_or(|best| hit.is_before(best));
        if wins && accept(hit) {
            *limit = hit.t;
            *nearest = Some(*hit);
        }
    }
}
