//! Nothing slips between the triangles of a closed mesh, nor past a box.

mod common;

use common::{Dice, matrix};
use glam::{DMat4, DVec3, Vec3Swizzles};
use pick_cpu::blas::Blas;
use pick_cpu::cast::{Query, cast_instanced, cast_mesh, visit_instanced};
use pick_cpu::ray::Ray;
use pick_cpu::tlas::Tlas;

/// An octahedron whose sides are cut into `cuts` rows, blown up to a ball.
fn ball(cuts: usize) -> Vec<[[f32; 3]; 3]> {
    let mut triangles = Vec::new();
    for octant in 0..8 {
        let sign = |axis: usize| if octant >> axis & 1 == 1 { -1.0 } else { 1.0 };
        let point = |i: usize, j: usize| {
            let weights = DVec3::new(i as f64, j as f64, (cuts - i - j) as f64);
            let point = weights * DVec3::new(sign(0), sign(1), sign(2));
            point.normalize().as_vec3().to_array()
        };
        for i in 0..cuts {
            for j in 0..cuts - i {
                triangles.push([point(i, j), point(i + 1, j), point(i, j + 1)]);
                if i + j + 1 < cuts {
                    triangles.push([point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)]);
                }
            }
        }
    }
    triangles
}

/// A corner, or a point of an edge, of a random triangle.
fn seam(triangles: &[[[f32; 3]; 3]], dice: &mut Dice) -> DVec3 {
    let corners = triangles[dice.below(triangles.len() as u64) as usize];
    let start = dice.below(3) as usize;
    let [a, b] = [corners[start], corners[(start + 1) % 3]].map(|p| DVec3::from(p.map(f64::from)));
    let share = [0.0, 0.5, 0.25, dice.signed().abs()][dice.below(4) as usize];
    a + (b - a) * share
}

#[test]
fn no_ray_leaves_a_ball_through_a_seam() {
    let triangles = ball(9);
    let blas = Blas::build(triangles.as_flattened(), None);
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let far = [0.0, 10.0, 1e6][dice.below(3) as usize];
        let place = dice.affine(far);
        let tlas = Tlas::build(&blas.bounds(), [place]);
        let object = DMat4::from_translation(dice.vector() * far) * matrix(&dice.affine(1.0));
        let whole = object * matrix(&place);
        for _ in 0..40 {
            let inside = whole.transform_point3(dice.vector() * 0.4);
            let target = whole.transform_point3(seam(&triangles, &mut dice));
            let ray = Ray::new(inside, (target - inside).normalize());
            let hit = cast_instanced(&blas, &tlas, &ray, &Query::new(&object), |_| true);
            assert!(hit.is_some(), "seed {seed}: out through {target}");
        }
    }
}

#[test]
fn rays_along_the_axes_meet_seams_on_box_sides() {
    // All coordinates are exact, so rays run exactly in the sides of boxes and through corners, with zeros in the direction.
    let triangles = ball(1);
    let blas = Blas::build(triangles.as_flattened(), None);
    let query = Query::new(&DMat4::IDENTITY);
    for axis in DVec3::AXES {
        for direction in [axis, -axis] {
            for shift in [
                DVec3::ZERO,
                axis.yzx() * 0.5,
                axis.zxy() * -0.25,
                axis.yzx(),
            ] {
                let ray = Ray::new(shift - direction * 8.0, direction);
                let hit = cast_mesh(&blas, &ray, &query, |_| true);
                let hit = hit.unwrap_or_else(|| panic!("{direction} at {shift} slipped through"));
                assert!((hit.t - 7.0 - shift.length()).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn scale_loses_nothing() {
    // One mesh with specks at 1e6, at 1 and at 1e-6 of its size, seen from near and from far.
    let sizes = [1e6f32, 1.0, 1e-6];
    let speck = |size: f32, k: usize| {
        let mut at = [0.0; 3];
        at[k] = size;
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            .map(|corner: [f32; 3]| [0, 1, 2].map(|axis| at[axis] + corner[axis] * size * 0.25))
    };
    let triangles: Vec<_> = sizes
        .iter()
        .flat_map(|&size| (0..3).map(move |k| speck(size, k)))
        .collect();
    let blas = Blas::build(triangles.as_flattened(), None);
    let query = Query::new(&DMat4::IDENTITY);
    let mut dice = Dice::new(7);
    for _ in 0..2000 {
        let wanted = dice.below(9) as u32;
        let corners = triangles[wanted as usize].map(|p| DVec3::from(p.map(f64::from)));
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let direction = (DVec3::NEG_ONE + dice.vector() * 0.5).normalize();
        let back = [1e-3, 1.0, 1e4][dice.below(3) as usize] * (corners[1] - corners[0]).length();
        let mut seen = false;
        let ray = Ray::new(middle - direction * back, direction);
        cast_mesh(&blas, &ray, &query, |hit| {
            seen |= hit.triangle == wanted;
            false
        });
        assert!(seen, "{wanted} from {}", ray.origin);
    }
}

#[test]
fn a_scaled_instance_keeps_the_parameter() {
    let blas = Blas::build(ball(3).as_flattened(), None);
    for size in [1e-30f32, 1e-12, 1.0, 1e12, 1e30] {
        let place = [
            [size, 0.0, 0.0, 0.0],
            [0.0, -size, 0.0, 0.0],
            [0.0, 0.0, size, 0.0],
        ];
        let tlas = Tlas::build(&blas.bounds(), [place]);
        let wide = f64::from(size);
        let ray = Ray::new(DVec3::new(0.1, 0.2, 3.0) * wide, DVec3::NEG_Z);
        let hit = cast_instanced(&blas, &tlas, &ray, &Query::new(&DMat4::IDENTITY), |_| true);
        let hit = hit.unwrap_or_else(|| panic!("lost at {size}"));
        assert!(
            hit.t > 2.0 * wide && hit.t < 2.2 * wide,
            "{size}: {}",
            hit.t
        );
    }
}

#[test]
fn equal_boxes_cast_as_well() {
    let blas = Blas::build(ball(2).as_flattened(), None);
    let row = |k: u32| {
        [
            [1.0, 0.0, 0.0, (k / 2) as f32 * 3.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ]
    };
    let rows: Vec<_> = (0..5000).map(row).collect();
    let tlas = Tlas::build(&blas.bounds(), rows);
    let query = Query::new(&DMat4::IDENTITY);
    for k in 0..2500 {
        let ray = Ray::new(DVec3::new(f64::from(k) * 3.0 + 0.1, 5.0, 0.2), DVec3::NEG_Y);
        let hit = cast_instanced(&blas, &tlas, &ray, &query, |_| true);
        assert_eq!(hit.map(|hit| hit.instance), Some(k * 2));
    }
    let mut count = 0;
    let along = Ray::new(DVec3::new(-9.0, 0.1, 0.2), DVec3::X);
    visit_instanced(&blas, &tlas, &along, &query, |_, _| count += 1);
    assert_eq!(count, 10_000);
}
