//! Equally near hits go to the lowest instance, then to the lowest triangle, however the trees came out.

mod common;

use common::{Dice, matrix};
use glam::{DMat4, DVec3};
use pick_cpu::blas::Blas;
use pick_cpu::cast::{Hit, Query, cast_instanced, cast_mesh, visit_instanced, visit_mesh};
use pick_cpu::ray::Ray;
use pick_cpu::tlas::Tlas;

/// Each thing several times over, the copies of one far apart in order.
fn repeated<T: Copy>(once: &[T], times: usize) -> Vec<T> {
    once.iter()
        .copied()
        .cycle()
        .take(once.len() * times)
        .collect()
}

fn first(hits: &[Hit]) -> Option<Hit> {
    let before = |a: &&Hit, b: &&Hit| {
        let key = |hit: &Hit| (hit.instance, hit.triangle);
        a.t.total_cmp(&b.t).then(key(a).cmp(&key(b)))
    };
    hits.iter().min_by(before).copied()
}

#[test]
fn of_copies_the_first_is_hit() {
    let count = if cfg!(debug_assertions) { 40 } else { 1000 };
    let mut hits = 0;
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let once: Vec<_> = (0..9).map(|_| [0; 3].map(|_| dice.corner(1.0))).collect();
        let away = (dice.vector() * [0.0, 1e6][dice.below(2) as usize])
            .as_vec3()
            .to_array();
        let place = |dice: &mut Dice| {
            let mut rows = dice.affine(2.0);
            rows.iter_mut()
                .zip(away)
                .for_each(|(row, away)| row[3] += away);
            rows
        };
        let places: Vec<_> = (0..5).map(|_| place(&mut dice)).collect();
        let blas = Blas::build(repeated(&once, 7).as_flattened(), None);
        let tlas = Tlas::build(&blas.bounds(), repeated(&places, 6));
        let object = matrix(&dice.affine(1e3));
        for _ in 0..40 {
            let target = places[dice.below(5) as usize];
            let corner = once[dice.below(9) as usize][0].map(f64::from);
            let target = (object * matrix(&target)).transform_point3(DVec3::from(corner) * 0.7);
            let direction = dice.direction();
            let size = [0.5, 50.0, 1e5][dice.below(3) as usize];
            let ahead = Ray::new(target - direction * size, direction);
            let behind = Ray {
                origin: target + direction * size,
                t_min: -1e6,
                ..ahead
            };
            let ray = [ahead, ahead, behind][dice.below(3) as usize];
            let query = Query::new(&object);
            let mut all = Vec::new();
            visit_instanced(&blas, &tlas, &ray, &query, |hit, _| all.push(*hit));
            let nearest = cast_instanced(&blas, &tlas, &ray, &query, |_| true);
            assert_eq!(nearest, first(&all));
            if let Some(hit) = nearest {
                assert!(hit.instance < 5 && hit.triangle < 9, "{hit:?}");
                assert_eq!(all.len() % 42, 0, "a copy was lost");
                hits += 1;
            }
        }
    }
    assert!(hits > count * 5, "{hits}");
}

#[test]
fn where_faces_meet_the_lower_number_wins() {
    // A flat sheet of squares, each cut in two: its box is flat, all of it is equally far, every edge is a tie.
    let corner = |k: u32| [(k % 9) as f32, (k / 9) as f32, 3.0];
    let square = |k: u32| [k, k + 1, k + 10, k, k + 10, k + 9];
    let indices: Vec<u32> = (0..80)
        .filter(|k| k % 9 < 8 && *k < 71)
        .flat_map(square)
        .collect();
    let positions: Vec<_> = (0..90).map(corner).collect();
    let triangles = indices.len() as u32 / 3;
    // The same sheet with its triangles numbered backward.
    let mut backward: Vec<[u32; 3]> = indices.as_chunks::<3>().0.to_vec();
    backward.reverse();
    let sheets = [indices.as_slice(), backward.as_flattened()];
    let sheets = sheets.map(|indices| Blas::build(&positions, Some(indices)));
    let still = matrix(&[
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
    ]);
    let query = Query::new(&still);
    for k in 0..200 {
        let at = DVec3::new(
            f64::from(k % 13) * 0.5 + 0.5,
            f64::from(k / 13) * 0.5 + 0.25,
            9.0,
        );
        let ray = Ray::new(at, DVec3::NEG_Z);
        let mut touched = Vec::new();
        visit_mesh(&sheets[0], &ray, &query, |hit, _| {
            touched.push(hit.triangle)
        });
        let nearest = |blas| cast_mesh(blas, &ray, &query, |_| true);
        let [low, high] = [nearest(&sheets[0]), nearest(&sheets[1])].map(|hit| {
            let hit = hit.expect("the sheet has no hole");
            assert_eq!(hit.t, 6.0);
            hit.triangle
        });
        assert_eq!(Some(low), touched.iter().min().copied());
        assert_eq!(Some(triangles - 1 - high), touched.iter().max().copied());
    }
}

#[test]
fn a_hit_at_an_end_of_the_ray_counts() {
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0f32]];
    let blas = Blas::build(&triangle, None);
    let query = Query::new(&DMat4::IDENTITY);
    let ray = Ray::new(DVec3::new(0.25, 0.25, 4.0), DVec3::NEG_Z);
    let hit = |t_min, t_max| {
        cast_mesh(
            &blas,
            &Ray {
                t_min,
                t_max,
                ..ray
            },
            &query,
            |_| true,
        )
        .is_some()
    };
    assert!(hit(4.0, 4.0) && hit(-1.0, 4.0) && hit(4.0, f64::INFINITY) && hit(0.0, 1e30));
    assert!(!hit(0.0, 4.0f64.next_down()) && !hit(4.0f64.next_up(), 9.0) && !hit(5.0, 3.0));
    let behind = Ray {
        origin: DVec3::new(0.25, 0.25, -4.0),
        t_min: -9.0,
        t_max: 0.0,
        ..ray
    };
    assert!(cast_mesh(&blas, &behind, &query, |_| true).is_some());
}

#[test]
fn what_is_no_ray_hits_nothing() {
    let triangle = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0f32]];
    let blas = Blas::build(&triangle, None);
    let query = Query::new(&DMat4::IDENTITY);
    let hit = |blas: &Blas, ray: &Ray, query: &Query| cast_mesh(blas, ray, query, |_| true);
    let good = Ray::new(DVec3::Z, DVec3::NEG_Z);
    assert!(hit(&blas, &good, &query).is_some());
    for bad in [
        Ray {
            origin: DVec3::NAN,
            ..good
        },
        Ray {
            direction: DVec3::ZERO,
            ..good
        },
        Ray {
            direction: DVec3::INFINITY,
            ..good
        },
        Ray {
            t_min: f64::NAN,
            ..good
        },
        Ray {
            t_max: f64::NAN,
            ..good
        },
    ] {
        assert_eq!(hit(&blas, &bad, &query), None, "{bad:?}");
    }
    assert_eq!(hit(&blas, &good, &Query::new(&DMat4::ZERO)), None);
    assert_eq!(hit(&blas, &good, &Query::new(&DMat4::NAN)), None);
    assert_eq!(hit(&Blas::build(&[], None), &good, &query), None);

    // Two stretches that each have an inverse, and together leave nothing of the direction.
    let long = [
        [1e30, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0f32],
    ];
    let wall = Blas::build(
        &[[0.0, -9.0, -9.0], [0.0, 9.0, -9.0], [0.0, 0.0, 9.0]],
        None,
    );
    let query = Query::new(&DMat4::from_scale(DVec3::new(1e300, 1.0, 1.0)));
    let tlas = Tlas::build(&wall.bounds(), [long]);
    let along = Ray::new(DVec3::NEG_X, DVec3::X);
    assert_eq!(cast_instanced(&wall, &tlas, &along, &query, |_| true), None);
}
