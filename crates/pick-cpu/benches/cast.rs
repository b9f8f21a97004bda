//! What a cast and a set-up cost, as multiples of what the BVH library alone takes for the like, on 100,000 instances of one
//! cube: `cargo bench -p pick-cpu`.
//!
//! Both sides are timed in turns, block by block, and the ratio is the median of the blocks' ratios, so that a noisy machine
//! shifts both; this pairing is what Criterion cannot do, and why it is not used here.

use std::hint::black_box;
use std::time::Instant;

use glam::{Affine3A, DMat4, DVec3, EulerRot, Quat, Vec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::ray::{Ray as BareRay, RayHit};
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle;
use pick_core::projection::{DepthRange, look_at, perspective};
use pick_core::{
    DepthConvention, InstanceSource, MeshData, Object, PickPoint, Picker, Request, Scene, View,
    Viewport,
};
use pick_cpu::CpuBackend;
use pick_cpu::blas::Blas;
use pick_cpu::cast::{Query, cast_instanced, cast_mesh};
use pick_cpu::ray::Ray;
use pick_cpu::tlas::Tlas;

const COUNT: usize = 100_000;
const SIDE: usize = 192;
const BLOCKS: usize = 15;
const EYE: DVec3 = DVec3::new(140.0, 110.0, 180.0);

/// The library's own two levels: its trees, its walk, its f32 triangles, and inverses made beforehand.
struct Bare {
    tlas: Bvh2,
    blas: Bvh2,
    faces: Vec<RtTriangle>,
    inverses: Vec<Affine3A>,
}

impl Bare {
    fn new(faces: &[Triangle], places: &[Affine3A]) -> Self {
        let blas = build_bvh2(
            faces,
            BvhBuildParams::medium_build(),
            &mut Default::default(),
        );
        Self {
            tlas: build_bare(&boxes(places)),
            faces: blas
                .primitive_indices
                .iter()
                .map(|&k| (&faces[k as usize]).into())
                .collect(),
            blas,
            inverses: places.iter().map(Affine3A::inverse).collect(),
        }
    }

    fn cast(&self, origin: Vec3A, direction: Vec3A) -> Option<(u32, f32)> {
        let mut hit = RayHit::none();
        self.tlas.ray_traverse(
            BareRay::new_inf(origin, direction),
            &mut hit,
            |ray, slot| {
                let inverse = &self.inverses[self.tlas.primitive_indices[slot] as usize];
                let origin = inverse.transform_point3a(ray.origin);
                let direction = inverse.transform_vector3a(ray.direction);
                let inner = BareRay::new(origin, direction, ray.tmin, ray.tmax);
                let mut hit = RayHit::none();
                self.blas
                    .ray_traverse(inner, &mut hit, |ray, slot| self.faces[slot].intersect(ray));
                hit.t
            },
        );
        hit.t.is_finite().then_some((hit.primitive_id, hit.t))
    }
}

/// The library's own one level: all triangles of all instances, put where they are.
struct Flat {
    tree: Bvh2,
    corners: Vec<[f32; 3]>,
    faces: Vec<RtTriangle>,
}

impl Flat {
    fn new(faces: &[Triangle], places: &[Affine3A]) -> Self {
        let put = |place: &Affine3A, face: &Triangle| Triangle {
            v0: place.transform_point3a(face.v0),
            v1: place.transform_point3a(face.v1),
            v2: place.transform_point3a(face.v2),
        };
        let all: Vec<Triangle> = places
            .iter()
            .flat_map(|place| faces.iter().map(move |face| put(place, face)))
            .collect();
        let tree = build_bvh2(
            &all,
            BvhBuildParams::very_fast_build(),
            &mut Default::default(),
        );
        let faces = tree
            .primitive_indices
            .iter()
            .map(|&k| (&all[k as usize]).into())
            .collect();
        let corners = all
            .iter()
            .flat_map(|t| [t.v0, t.v1, t.v2].map(|v| v.to_array()))
            .collect();
        Self {
            tree,
            corners,
            faces,
        }
    }

    fn cast(&self, origin: Vec3A, direction: Vec3A) -> Option<f32> {
        let mut hit = RayHit::none();
        let ray = BareRay::new_inf(origin, direction);
        self.tree
            .ray_traverse(ray, &mut hit, |ray, slot| self.faces[slot].intersect(ray));
        hit.t.is_finite().then_some(hit.t)
    }
}

fn build_bare(boxes: &[Aabb]) -> Bvh2 {
    build_bvh2(
        boxes,
        BvhBuildParams::fastest_build(),
        &mut Default::default(),
    )
}

fn boxes(places: &[Affine3A]) -> Vec<Aabb> {
    let one = |place: &Affine3A| {
        let axes = place.matrix3;
        let half = (axes.x_axis.abs() + axes.y_axis.abs() + axes.z_axis.abs()) * 0.5;
        Aabb::new(place.translation - half, place.translation + half)
    };
    places.iter().map(one).collect()
}

fn cube() -> (Vec<[f32; 3]>, Vec<u32>) {
    let corner = |k: u32| [0, 1, 2].map(|axis| (k >> axis & 1) as f32 - 0.5);
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let indices = sides
        .iter()
        .flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d])
        .collect();
    ((0..8).map(corner).collect(), indices)
}

/// 50 x 50 x 40 cubes, each turned and scaled.
fn places() -> Vec<Affine3A> {
    let one = |k: usize| {
        let angle = k as f32 * 0.37;
        let turn = Quat::from_euler(EulerRot::XYZ, angle, angle * 1.3, angle * 0.7);
        let size = 0.8 + (k * 7919 % 100) as f32 * 0.004;
        let at = Vec3::new(
            (k % 50) as f32 - 25.0,
            (k / 50 % 50) as f32 - 25.0,
            (k / 2500) as f32 - 20.0,
        );
        Affine3A::from_scale_rotation_translation(Vec3::splat(size), turn, at * 3.0)
    };
    (0..COUNT).map(one).collect()
}

/// The pixels of a frame that the grid fills, row by row.
fn rays() -> Vec<(DVec3, DVec3)> {
    let eye = EYE;
    let ahead = -eye.normalize();
    let right = ahead.cross(DVec3::Y).normalize();
    let up = right.cross(ahead);
    let one = |k: usize| {
        let across = |at: usize| ((at as f64 + 0.5) / SIDE as f64 - 0.5) * 0.9;
        (
            eye,
            (ahead + right * across(k % SIDE) - up * across(k / SIDE)).normalize(),
        )
    };
    (0..SIDE * SIDE).map(one).collect()
}

fn rows(place: &Affine3A) -> [[f32; 4]; 3] {
    let (m, t) = (place.matrix3, place.translation);
    [0, 1, 2].map(|r| [m.x_axis[r], m.y_axis[r], m.z_axis[r], t[r]])
}

/// Keeps the compiler from dropping what it made.
fn keep<T>(made: T) {
    black_box(&made);
}

fn seconds(mut what: impl FnMut()) -> f64 {
    let start = Instant::now();
    what();
    start.elapsed().as_secs_f64()
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

/// Prints the ratio of the first to the second, timed in turns; `per` is how many things each does.
fn compare(name: &str, per: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) {
    let mut ratios = Vec::new();
    let (mut a, mut b) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..BLOCKS {
        let (x, y) = (seconds(&mut ours), seconds(&mut theirs));
        ratios.push(x / y);
        (a, b) = (a.min(x), b.min(y));
    }
    let (a, b) = (a / per as f64 * 1e9, b / per as f64 * 1e9);
    println!(
        "{name}: {:.2} times (at best {a:.0} ns against {b:.0} ns)",
        median(ratios)
    );
}

/// From request to hit, through plan, backend, decoding and resolving; one pick a ray.
struct Whole {
    backend: CpuBackend,
    scene: Scene,
    picker: Picker,
    view: View,
}

impl Whole {
    fn new(positions: &[[f32; 3]], indices: &[u32], transforms: &[[[f32; 4]; 3]]) -> Self {
        let mut backend = CpuBackend::new();
        let mut scene = Scene::new();
        let mesh = MeshData::builder(positions.to_vec()).indices(indices.to_vec());
        let mesh = mesh.build().expect("the cube is a mesh");
        let mesh = scene
            .meshes
            .add_mesh(&mut backend, mesh)
            .expect("it is on the CPU");
        let copies = InstanceSource::Cpu(transforms.into());
        let copies = scene
            .meshes
            .add_instances(&mut backend, copies)
            .expect("they are too");
        scene
            .meshes
            .insert(Object::new(mesh).instanced(copies))
            .expect("both are known");
        let depth = DepthConvention::Reversed;
        let side = SIDE as u32;
        let fov = 2.0 * 0.45f64.atan();
        let view = look_at(EYE, DVec3::ZERO, DVec3::Y).and_then(|camera| {
            let lens = perspective(fov, 1.0, DepthRange::from(0.01), depth)?;
            View::new(camera, lens, Viewport::new(0, 0, side, side), depth)
        });
        Self {
            backend,
            scene,
            picker: Picker::new(),
            view: view.expect("the camera is one"),
        }
    }

    fn pick(&mut self, pixel: usize) -> bool {
        let (x, y) = ((pixel % SIDE) as f64, (pixel / SIDE) as f64);
        let request = Request::point(&self.view, PickPoint::target_pixels(x, y));
        let request = request.expect("the pixel is inside");
        let answer = self
            .picker
            .pick(&mut self.backend, &mut self.scene, request);
        answer.expect("it is answered").result.is_some()
    }
}

fn main() {
    let (positions, indices) = cube();
    let corner = |k: u32| Vec3A::from(positions[k as usize]);
    let triangle = |t: &[u32; 3]| Triangle {
        v0: corner(t[0]),
        v1: corner(t[1]),
        v2: corner(t[2]),
    };
    let faces: Vec<Triangle> = indices.as_chunks::<3>().0.iter().map(triangle).collect();
    let (places, rays) = (places(), rays());
    let transforms: Vec<_> = places.iter().map(rows).collect();

    let blas = Blas::build(&positions, Some(&indices));
    let tlas = Tlas::build(&blas.bounds(), transforms.as_slice());
    let (bare, flat) = (Bare::new(&faces, &places), Flat::new(&faces, &places));
    let query = Query::new(&DMat4::IDENTITY);
    let ours = |&(origin, direction): &(DVec3, DVec3)| {
        cast_instanced(&blas, &tlas, &Ray::new(origin, direction), &query, |_| true)
    };
    let theirs = |r: &(DVec3, DVec3)| bare.cast(r.0.as_vec3a(), r.1.as_vec3a());
    let flats = |r: &(DVec3, DVec3)| flat.cast(r.0.as_vec3a(), r.1.as_vec3a());

    let hits = [
        rays.iter().filter_map(ours).count(),
        rays.iter().filter_map(theirs).count(),
        rays.iter().filter_map(flats).count(),
    ];
    println!(
        "{COUNT} cubes, {} rays, hits {hits:?} (ours, bare on two levels, bare flat)",
        rays.len()
    );
    println!(
        "bytes an instance {}, of the mesh {}",
        tlas.bytes() / COUNT,
        blas.bytes()
    );
    let all = || rays.iter().for_each(|ray| keep(ours(ray)));
    let bares = || rays.iter().for_each(|ray| keep(theirs(ray)));
    compare("cast / the library's two levels", rays.len(), all, bares);
    let flats = || rays.iter().for_each(|ray| keep(flats(ray)));
    compare("cast / the library's flat tree", rays.len(), all, flats);
    let mesh = Blas::build(&flat.corners, None);
    println!(
        "as one mesh: {} bytes a triangle",
        mesh.bytes() / mesh.triangles() as usize
    );
    let one = |&(origin, direction): &(DVec3, DVec3)| {
        cast_mesh(&mesh, &Ray::new(origin, direction), &query, |_| true)
    };
    let ones = || rays.iter().for_each(|ray| keep(one(ray)));
    compare(
        "one mesh / the library's flat tree",
        rays.len(),
        ones,
        flats,
    );
    let ready = boxes(&places);
    let set_up = || {
        drop(black_box(Tlas::build(
            &blas.bounds(),
            transforms.as_slice(),
        )))
    };
    compare(
        "set-up / the library's build of ready boxes",
        COUNT,
        set_up,
        || drop(black_box(build_bare(&ready))),
    );

    let mut whole = Whole::new(&positions, &indices, &transforms);
    let picked = (0..rays.len()).filter(|&pixel| whole.pick(pixel)).count();
    println!("whole picks that hit: {picked}");
    compare(
        "whole pick, against a cast on the library's own two levels",
        rays.len(),
        || (0..rays.len()).for_each(|pixel| keep(whole.pick(pixel))),
        || rays.iter().for_each(|ray| keep(theirs(ray))),
    );
}
