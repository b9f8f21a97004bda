//! One plan, pixel by pixel: the nearest hit of every band, written as the plan's channels.

use std::ops::Range;
use std::sync::Arc;

use glam::{DMat4, DVec3};
use pick_core::{
    Capability, CullMode, Draw, InputError, InstancesId, Item, MeshData, MeshId, PickError,
    PickRay, PixelRect, PlacedTriangle, Plan, Readback, Registry, StrategyShader, affine_from_rows,
};

use crate::blas::Blas;
use crate::cast::{Cull, Query, cast_instanced, cast_mesh, visit_instanced, visit_mesh};
use crate::flat::{cast_flat, visit_flat};
use crate::fragments::write_kept;
use crate::ray::Ray;
use crate::scene::{CpuInstances, CpuMesh};
use crate::texel::{Fragment, surface, write};
use crate::tlas::Tlas;

/// Pixels of a region at most: their hits are held until every block is written, some gigabytes.
const MOST_PIXELS: u64 = 1 << 26;

/// A plan's draws, made ready for rays. Kept from plan to plan for its memory.
#[derive(Default)]
pub(crate) struct Casts {
    casts: Vec<Cast>,
    fragments: Vec<Option<Fragment>>,
}

struct Cast {
    query: Query,
    data: Arc<MeshData>,
    blas: Arc<Blas>,
    copies: Option<Copies>,
}

struct Copies {
    tree: Arc<Tlas>,
    rows: Arc<[[[f32; 4]; 3]]>,
    flat: Arc<[u32]>,
    run: Range<u32>,
}

/// A hit before it is a fragment.
pub(crate) struct Met {
    t: f64,
    instance: u32,
    triangle: u32,
    front: bool,
    /// Item of the plan.
    item: usize,
}

impl Casts {
    /// Looks everything up that the plan draws, in its order.
    pub(crate) fn gather(
        &mut self,
        plan: &Plan,
        meshes: &Registry<MeshId, CpuMesh>,
        instances: &mut Registry<InstancesId, CpuInstances>,
    ) -> Result<(), PickError> {
        if let StrategyShader::Custom(custom) = &plan.shader {
            return Err(PickError::unsupported(
                Capability::Shaders,
                format!("the CPU backend cannot run the strategy {}", custom.key),
            ));
        }
        self.casts.clear();
        for item in &plan.items {
            let Item::Draw(draw) = item else {
                return Err(PickError::unsupported(
                    Capability::ForeignDraw,
                    "the CPU backend has no passes to record into",
                ));
            };
            let cast = Cast::of(draw, meshes.get(draw.mesh)?, instances)?;
            self.casts.push(cast);
        }
        Ok(())
    }

    /// Calls `visit` with every hit of a ray on what an item of the plan draws.
    pub(crate) fn each_hit(&self, ray: &Ray, draw: &Draw, item: usize, visit: impl FnMut(Met)) {
        if let Some(cast) = self.casts.get(item) {
            cast.each_hit(ray, draw, item, visit);
        }
    }
}

impl Casts {
    /// Calls `visit` with every triangle of what an item of the plan draws: its copy, its corners in the world.
    pub(crate) fn each_triangle(
        &self,
        draw: &Draw,
        item: usize,
        mut visit: impl FnMut(u32, [DVec3; 3]),
    ) {
        let Some(cast) = self.casts.get(item) else {
            return;
        };
        let run = cast.copies.as_ref().map(|copies| copies.run.clone());
        for instance in run.clone().unwrap_or(0..1) {
            let copy = run.as_ref().map(|_| instance);
            let Some(place) = cast.world_from_local(draw, copy) else {
                continue;
            };
            let numbers = cast.query.triangles.clone();
            for vertices in numbers.map_while(|number| cast.data.triangle(number)) {
                let corner = |vertex: u32| {
                    let local = cast.data.positions()[vertex as usize].map(f64::from);
                    place.transform_point3(DVec3::from(local))
                };
                visit(instance, vertices.map(corner));
            }
        }
    }
}

impl Cast {
    fn of(
        draw: &Draw,
        mesh: &CpuMesh,
        instances: &mut Registry<InstancesId, CpuInstances>,
    ) -> Result<Self, PickError> {
        let mut query = Query::new(&draw.world_from_object);
        query.triangles = draw.elements.start / 3..draw.elements.end / 3;
        query.cull = match draw.cull {
            CullMode::None => Cull::None,
            CullMode::Back => Cull::Back,
            CullMode::Front => Cull::Front,
        };
        let copies = match draw.instances {
            None => None,
            Some(run) => {
                let set = instances.get_mut(run.set)?;
                Some(Copies {
                    tree: set.tree(draw.mesh, mesh),
                    rows: set.rows.clone(),
                    flat: set.flat.clone(),
                    run: run.first..run.first.saturating_add(run.count),
                })
            }
        };
        Ok(Self {
            query,
            data: mesh.data.clone(),
            blas: mesh.blas.clone(),
            copies,
        })
    }

    /// The nearest hit; of equally near ones the lowest instance, then the lowest triangle.
    fn nearest(&self, ray: &Ray, draw: &Draw, item: usize) -> Option<Met> {
        let met = |(t, triangle, front), instance| Met {
            t,
            instance,
            triangle,
            front,
            item,
        };
        if self.query.frame.is_none() {
            return self.nearest_flattened(ray, draw, item);
        }
        let Some(copies) = &self.copies else {
            let hit = cast_mesh(&self.blas, ray, &self.query, |_| true)?;
            return Some(met((hit.t, hit.triangle, hit.front), 0));
        };
        let within = |hit: &crate::cast::Hit| copies.run.contains(&hit.instance);
        let hit = cast_instanced(&self.blas, &copies.tree, ray, &self.query, within);
        let mut nearest = hit.map(|hit| met((hit.t, hit.triangle, hit.front), hit.instance));
        for &instance in copies.flat.iter().filter(|i| copies.run.contains(i)) {
            let flat = self.flat(ray, draw, Some(instance));
            keep_nearer(&mut nearest, flat.map(|hit| met(hit, instance)));
        }
        nearest
    }

    /// The object's own transform has no inverse: every copy is flat.
    fn nearest_flattened(&self, ray: &Ray, draw: &Draw, item: usize) -> Option<Met> {
        let copies = self
            .copies
            .as_ref()
            .map_or(0..1, |copies| copies.run.clone());
        let mut nearest = None;
        for instance in copies {
            let placed = self.copies.is_some().then_some(instance);
            let hit = self.flat(ray, draw, placed);
            let hit = hit.map(|(t, triangle, front)| Met {
                t,
                instance,
                triangle,
                front,
                item,
            });
            keep_nearer(&mut nearest, hit);
        }
        nearest
    }

    /// Calls `visit` with every hit, in no order.
    fn each_hit(&self, ray: &Ray, draw: &Draw, item: usize, mut visit: impl FnMut(Met)) {
        let mut met = |t, triangle, front, instance| {
            visit(Met {
                t,
                instance,
                triangle,
                front,
                item,
            });
        };
        let run = self.copies.as_ref().map(|copies| copies.run.clone());
        match (&self.copies, self.query.frame) {
            (_, None) => {
                for instance in run.clone().unwrap_or(0..1) {
                    let copy = run.as_ref().map(|_| instance);
                    self.each_flat(ray, draw, copy, |(t, k, front)| met(t, k, front, instance));
                }
            }
            (None, Some(_)) => visit_mesh(&self.blas, ray, &self.query, |hit, _| {
                met(hit.t, hit.triangle, hit.front, 0);
            }),
            (Some(copies), Some(_)) => {
                visit_instanced(&self.blas, &copies.tree, ray, &self.query, |hit, _| {
                    if copies.run.contains(&hit.instance) {
                        met(hit.t, hit.triangle, hit.front, hit.instance);
                    }
                });
                for &instance in copies.flat.iter().filter(|i| copies.run.contains(i)) {
                    self.each_flat(ray, draw, Some(instance), |(t, k, front)| {
                        met(t, k, front, instance);
                    });
                }
            }
        }
    }

    fn each_flat(
        &self,
        ray: &Ray,
        draw: &Draw,
        instance: Option<u32>,
        visit: impl FnMut((f64, u32, bool)),
    ) {
        if let Some(place) = self.world_from_local(draw, instance) {
            let (triangles, cull) = (self.query.triangles.clone(), self.query.cull);
            visit_flat(&self.data, &place, triangles, cull, ray, visit);
        }
    }

    fn flat(&self, ray: &Ray, draw: &Draw, instance: Option<u32>) -> Option<(f64, u32, bool)> {
        let place = self.world_from_local(draw, instance)?;
        let (triangles, cull) = (self.query.triangles.clone(), self.query.cull);
        cast_flat(&self.data, &place, triangles, cull, ray)
    }

    fn world_from_local(&self, draw: &Draw, instance: Option<u32>) -> Option<DMat4> {
        match (&self.copies, instance) {
            (Some(copies), Some(instance)) => {
                let rows = copies.rows.get(instance as usize)?;
                Some(draw.world_from_object * DMat4::from(affine_from_rows(rows)))
            }
            _ => Some(draw.world_from_object),
        }
    }
}

fn keep_nearer(nearest: &mut Option<Met>, hit: Option<Met>) {
    let Some(hit) = hit else { return };
    let before = |best: &Met| (hit.t, hit.instance) < (best.t, best.instance);
    if nearest.as_ref().is_none_or(before) {
        *nearest = Some(hit);
    }
}

/// Casts every pixel and writes the plan's read-backs, block after block.
pub(crate) fn execute(plan: &Plan, casts: &mut Casts, out: &mut Vec<u8>) -> Result<(), PickError> {
    out.clear();
    let PixelRect { width, height, .. } = plan.region;
    if plan.pixels_read() > MOST_PIXELS {
        let limit = MOST_PIXELS.isqrt() as u32;
        let too_large = InputError::RegionTooLarge {
            width,
            height,
            limit,
        };
        return Err(too_large.into());
    }
    if plan.shader.keeps_fragments() {
        let mut blocks = plan.readbacks.iter();
        return blocks.try_for_each(|readback| write_kept(plan, casts, readback, out));
    }
    let mut fragments = std::mem::take(&mut casts.fragments);
    fragments.clear();
    match plan.places.is_empty() {
        true => {
            for row in 0..height {
                fragments.extend((0..width).map(|column| fragment_at(plan, casts, column, row)));
            }
        }
        false => {
            let places = plan.places.iter();
            fragments.extend(places.map(|at| fragment_at(plan, casts, at % width, at / width)));
        }
    }
    let blocks = &plan.readbacks;
    let written = blocks
        .iter()
        .try_for_each(|readback| block(plan, readback, &fragments, out));
    casts.fragments = fragments;
    written
}

fn block(
    plan: &Plan,
    readback: &Readback,
    fragments: &[Option<Fragment>],
    out: &mut Vec<u8>,
) -> Result<(), PickError> {
    for fragment in fragments {
        if !write(out, readback, fragment.as_ref(), &plan.view) {
            return Err(PickError::unsupported(
                Capability::Shaders,
                "the CPU backend fills the built-in channels only",
            ));
        }
    }
    Ok(())
}

/// The ray through a pixel's centre.
pub(crate) fn ray_of(plan: &Plan, column: u32, row: u32) -> (PickRay, Ray) {
    let seen = plan.view.ray(plan.region.pixel_center(column, row));
    let ray = Ray {
        origin: seen.origin,
        direction: seen.direction,
        t_min: seen.t_near,
        t_max: seen.t_far,
    };
    (seen, ray)
}

/// A later band lies above whatever the bands before it hit.
fn fragment_at(plan: &Plan, casts: &Casts, column: u32, row: u32) -> Option<Fragment> {
    let (seen, ray) = ray_of(plan, column, row);
    let mut bands = plan.bands.iter().rev();
    let met = bands.find_map(|items| nearest_of(plan, casts, items.clone(), ray))?;
    fragment(plan, casts, &seen, &met)
}

/// The nearest hit of a band; of equally near ones that of the draw offered first.
fn nearest_of(plan: &Plan, casts: &Casts, items: Range<usize>, mut ray: Ray) -> Option<Met> {
    let mut nearest: Option<Met> = None;
    for item in items {
        let Item::Draw(draw) = &plan.items[item] else {
            continue;
        };
        let Some(hit) = casts.casts[item].nearest(&ray, draw, item) else {
            continue;
        };
        if nearest.as_ref().is_none_or(|best| hit.t < best.t) {
            ray.t_max = hit.t;
            nearest = Some(hit);
        }
    }
    nearest
}

pub(crate) fn fragment(plan: &Plan, casts: &Casts, seen: &PickRay, met: &Met) -> Option<Fragment> {
    let Item::Draw(draw) = &plan.items[met.item] else {
        return None;
    };
    let cast = &casts.casts[met.item];
    let point = seen.at(met.t);
    let view = &plan.view;
    let (_, depth) = view.target_from_world(point)?;
    let copy = cast.copies.is_some().then_some(met.instance);
    let vertices = cast.data.triangle(met.triangle)?;
    let per_instance = draw.record.ids_per_instance;
    let face = match cast.data.face_of_vertex() {
        Some(faces) if per_instance > 1 => faces[vertices[0] as usize],
        _ => 0,
    };
    let surface = match plan.shader.needs_surface() {
        true => {
            let place = cast.world_from_local(draw, copy)?;
            let placed = PlacedTriangle::new(&cast.data, met.triangle, &place)?;
            surface(&placed, point)
        }
        false => [0; 4],
    };
    Some(Fragment {
        id: draw.ids.first + met.instance * per_instance + face,
        number: draw.number,
        depth: depth as f32,
        primitive: met.triangle - cast.query.triangles.start + draw.record.primitive_base,
        front: met.front,
        view_distance: (point - view.eye()).dot(view.forward()) as f32,
        surface,
    })
}
