//! Random scenes against the slow caster.

mod common;

use common::{Dice, Try, matrix, slow};
use glam::{DMat4, DVec3};
use pick_cpu::blas::Blas;
use pick_cpu::cast::{Cull, Hit, Query, cast_instanced, cast_mesh, visit_instanced};
use pick_cpu::ray::Ray;
use pick_cpu::tlas::Tlas;

struct Scene {
    triangles: Vec<[[f32; 3]; 3]>,
    instances: Vec<[[f32; 4]; 3]>,
    object: DMat4,
    /// How exact the slow caster is here, in the world.
    exact: f64,
}

impl Scene {
    fn new(dice: &mut Dice) -> Self {
        let size = [1.0, 0.05][dice.below(2) as usize];
        let count = 1 + dice.below(40);
        let triangles = (0..count).map(|_| triangle(dice, size)).collect();
        let far = [0.0, 5.0, 1e6][dice.below(3) as usize];
        let number = 1 + dice.below(30);
        let away = (dice.vector() * far).as_vec3();
        let instances = (0..number)
            .map(|_| instance(dice, away.to_array()))
            .collect();
        let shift = dice.vector() * [0.0, 1e6][dice.below(2) as usize];
        let object = DMat4::from_translation(shift) * matrix(&dice.affine(3.0));
        Self {
            triangles,
            instances,
            object,
            exact: 1e-9 * (1.0 + (far + shift.length()) * 0.1),
        }
    }

    fn places(&self) -> Vec<DMat4> {
        let place = |rows: &[[f32; 4]; 3]| {
            let place = matrix(rows);
            // Of a row of zeros exactly zero; a NaN stays one.
            if place.determinant() == 0.0 {
                DMat4::NAN
            } else {
                self.object * place
            }
        };
        self.instances.iter().map(place).collect()
    }

    /// A ray that has a chance: at a triangle's middle, or nearly.
    fn aimed(&self, dice: &mut Dice) -> (DVec3, DVec3) {
        let instance = dice.below(self.instances.len() as u64) as usize;
        let triangle = dice.below(self.triangles.len() as u64) as usize;
        let corners = self.triangles[triangle].map(|p| DVec3::from(p.map(f64::from)));
        let place = self.object * matrix(&self.instances[instance]);
        let middle = place.transform_point3((corners[0] + corners[1] + corners[2]) / 3.0);
        let middle = if middle.is_finite() {
            middle
        } else {
            self.object.w_axis.truncate()
        };
        let direction = dice.direction();
        let size = [0.0, 0.3, 20.0, 1e4][dice.below(4) as usize];
        (middle - direction * size + dice.vector() * 0.1, direction)
    }
}

fn triangle(dice: &mut Dice, size: f64) -> [[f32; 3]; 3] {
    let at = dice.corner(1.0);
    let mut corners = [0; 3].map(|_| {
        let corner = dice.corner(size);
        [0, 1, 2].map(|axis| at[axis] + corner[axis])
    });
    match dice.below(12) {
        0 => corners[dice.below(3) as usize][dice.below(3) as usize] = f32::NAN,
        1 => corners[dice.below(3) as usize][dice.below(3) as usize] = f32::INFINITY,
        2 => corners[2] = corners[0],
        3 => corners.iter_mut().for_each(|corner| corner[1] = 0.25),
        _ => {}
    }
    corners
}

fn instance(dice: &mut Dice, away: [f32; 3]) -> [[f32; 4]; 3] {
    let mut rows = dice.affine(4.0);
    for (row, away) in rows.iter_mut().zip(away) {
        row[3] += away;
    }
    match dice.below(12) {
        0 => rows[1] = [0.0; 4],
        1 => rows[dice.below(3) as usize][dice.below(4) as usize] = f32::NAN,
        _ => {}
    }
    rows
}

/// What the slow caster holds against an answer; nothing where it agrees, as far as it can tell.
fn objection(hit: Option<&Hit>, tries: &[Try], exact: f64) -> Option<String> {
    let sure = |one: &&Try| one.inside > 1e-6 && one.t > exact;
    let Some(hit) = hit else {
        return tries.iter().find(sure).map(|one| format!("missed {one:?}"));
    };
    let same = |one: &&Try| one.instance == hit.instance && one.triangle == hit.triangle;
    let Some(own) = tries.iter().find(same) else {
        return Some(format!("invented {hit:?}"));
    };
    let off = own
        .weights
        .iter()
        .zip(hit.barycentric)
        .map(|(a, b)| (a - b).abs());
    let near = exact * (1.0 + hit.t.abs());
    if (own.t - hit.t).abs() > near || own.front != hit.front || off.fold(0.0, f64::max) > 1e-3 {
        return Some(format!("{hit:?} is told otherwise: {own:?}"));
    }
    let nearer = tries.iter().filter(sure).find(|one| one.t < hit.t - near);
    nearer.map(|one| format!("{hit:?} is behind {one:?}"))
}

fn each_scene(count: u64, mut check: impl FnMut(&Scene, &Blas, &Tlas, &mut Dice) -> u32) {
    let count = if cfg!(debug_assertions) {
        count / 4
    } else {
        count * 10
    };
    let mut hits = 0;
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let scene = Scene::new(&mut dice);
        let blas = Blas::build(scene.triangles.as_flattened(), None);
        let tlas = Tlas::build(&blas.bounds(), scene.instances.as_slice());
        hits += check(&scene, &blas, &tlas, &mut dice);
    }
    assert!(
        u64::from(hits) > count * 5,
        "only {hits} hits in {count} scenes prove nothing"
    );
}

#[test]
fn the_nearest_hit_is_the_slow_casters() {
    each_scene(400, |scene, blas, tlas, dice| {
        let (query, places) = (Query::new(&scene.object), scene.places());
        let mut hits = 0;
        for _ in 0..25 {
            let (origin, direction) = scene.aimed(dice);
            let hit = cast_instanced(blas, tlas, &Ray::new(origin, direction), &query, |_| true);
            let tries = slow(&scene.triangles, &places, origin, direction);
            assert_eq!(
                objection(hit.as_ref(), &tries, scene.exact),
                None,
                "{origin} {direction}"
            );
            hits += u32::from(hit.is_some());
        }
        hits
    });
}

#[test]
fn sides_ranges_and_filters_leave_out_what_they_say() {
    each_scene(300, |scene, blas, tlas, dice| {
        let (mut query, places) = (Query::new(&scene.object), scene.places());
        let mut hits = 0;
        for _ in 0..25 {
            let (origin, direction) = scene.aimed(dice);
            let start = dice.below(20) as u32;
            query.triangles = start..start + dice.below(40) as u32;
            query.cull = [Cull::None, Cull::Back, Cull::Front][dice.below(3) as usize];
            let odd = dice.below(2) as u32;
            let hit = cast_instanced(blas, tlas, &Ray::new(origin, direction), &query, |hit| {
                hit.instance % 2 == odd
            });
            let mut tries = slow(&scene.triangles, &places, origin, direction);
            tries.retain(|one| query.triangles.contains(&one.triangle) && one.instance % 2 == odd);
            tries.retain(|one| match query.cull {
                Cull::None => true,
                Cull::Back => one.front,
                Cull::Front => !one.front,
            });
            assert_eq!(
                objection(hit.as_ref(), &tries, scene.exact),
                None,
                "{origin} {direction}"
            );
            hits += u32::from(hit.is_some());
        }
        hits.max(6)
    });
}

#[test]
fn every_hit_is_visited_once() {
    each_scene(200, |scene, blas, tlas, dice| {
        let (query, places) = (Query::new(&scene.object), scene.places());
        let mut count = 0;
        for _ in 0..15 {
            let (origin, direction) = scene.aimed(dice);
            let mut seen = Vec::new();
            let ray = Ray {
                t_max: 1e5,
                ..Ray::new(origin, direction)
            };
            visit_instanced(blas, tlas, &ray, &query, |hit, _| {
                seen.push((hit.instance, hit.triangle));
            });
            let number = seen.len();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), number, "one came twice");
            for one in slow(&scene.triangles, &places, origin, direction) {
                let near = scene.exact * (1.0 + one.t.abs());
                let within = one.t > near && one.t < ray.t_max - near;
                if within && one.inside > 1e-6 {
                    assert!(seen.contains(&(one.instance, one.triangle)), "{one:?}");
                }
                if one.inside < -1e-6 || one.t < -near || one.t > ray.t_max + near {
                    assert!(!seen.contains(&(one.instance, one.triangle)), "{one:?}");
                }
            }
            count += number as u32;
        }
        count
    });
}

#[test]
fn a_mesh_by_itself_is_an_instance_that_stays_put() {
    each_scene(100, |scene, blas, _, dice| {
        let still = [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ];
        let tlas = Tlas::build(&blas.bounds(), [still]);
        let query = Query::new(&DMat4::IDENTITY);
        let mut hits = 0;
        for _ in 0..60 {
            let direction = dice.direction();
            let ray = Ray::new(dice.vector() - direction * 2.0, direction);
            let hit = cast_mesh(blas, &ray, &query, |_| true);
            assert_eq!(hit, cast_instanced(blas, &tlas, &ray, &query, |_| true));
            hits += u32::from(hit.is_some());
        }
        hits.max(u32::from(scene.triangles.len() < 12) * 6)
    });
}
