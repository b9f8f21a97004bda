//! Lassos: which pixels they enclose, and what is there.

use glam::DVec2;
use pick_core::{Backend, InputError, PixelRect, Request};

use crate::bench::{Bench, Outcome, expect};
use crate::case::{Camera, CaseScene, quad};
use crate::cases::queries::{in_scene, scenes};
use crate::cases::sight::{Sight, flat, scattered};
use crate::cases::{Case, Dice, Modes, case, random};
use crate::probe::refused;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("query/lasso_shapes", Modes::All, shapes),
        case("query/lasso_by_chance", Modes::All, by_chance),
        case("query/lasso_of_random_scenes", Modes::All, random_lassos),
        case("query/lasso_of_many_points", Modes::Once, many),
        case("query/lasso_of_a_rectangle", Modes::Strategies, as_rect),
        case("query/lasso_refused", Modes::Once, refusals),
    ]
}

/// A polygon on quarters of pixels.
type Quarters = Vec<[i64; 2]>;

fn points_of(polygon: &Quarters) -> Vec<DVec2> {
    let point = |[x, y]: &[i64; 2]| DVec2::new(*x as f64 / 4.0, *y as f64 / 4.0);
    polygon.iter().map(point).collect()
}

/// Whether a polygon winds an odd number of times around a pixel's centre: the crossings of the ray to
/// the right of it, each with its sense, in whole numbers.
fn encloses(polygon: &Quarters, [x, y]: [u32; 2]) -> bool {
    let [cx, cy] = [x, y].map(|side| i128::from(side) * 4 + 2);
    let corner = |k: usize| polygon[k % polygon.len()].map(i128::from);
    let winding: i128 = (0..polygon.len())
        .map(|k| {
            let ([ax, ay], [bx, by]) = (corner(k), corner(k + 1));
            let turn = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
            match (ay <= cy, by <= cy) {
                (true, false) if turn > 0 => 1,
                (false, true) if turn < 0 => -1,
                _ => 0,
            }
        })
        .sum();
    winding % 2 != 0
}

/// Asks what a polygon encloses; its pixels and what is found there must be right.
fn check<B: Backend>(
    bench: &mut Bench<'_, B>,
    sight: &mut Sight,
    polygon: &Quarters,
) -> Result<usize, crate::bench::Fault> {
    let request = Request::lasso(&sight.view, &points_of(polygon));
    let things = sight.check_area(bench, request, |pixel| encloses(polygon, pixel))?;
    Ok(things.map_or(0, |things| things.len()))
}

/// Concave, crossing themselves, pointed, overhanging, flat: drawn by hand over a full viewport.
fn shapes<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(81);
    let viewport = [6, 5, 80, 50];
    let scene = scattered(&mut dice, viewport, 60);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    let turned = |count: i64, step: i64, radius: f64| -> Quarters {
        let corner = |k: i64| {
            let turn = (k * step) as f64 / count as f64 * std::f64::consts::TAU;
            let at = [46.0 + radius * turn.sin(), 30.0 - radius * turn.cos()];
            at.map(|side| (side * 4.0).round() as i64)
        };
        (0..count).map(corner).collect()
    };
    let whole = |corners: &[[i64; 2]]| -> Quarters {
        corners
            .iter()
            .map(|corner| corner.map(|side| side * 4))
            .collect()
    };
    // The arms of a spiral are a pixel and a half apart.
    let spiral = (0..200).map(|k| {
        let (turn, radius) = (f64::from(k) * 0.3, 1.0 + f64::from(k) * 0.07);
        [46.0 + radius * turn.sin(), 30.0 + radius * turn.cos()].map(|s| (s * 4.0) as i64)
    });
    let polygons = [
        // An arrow head, concave.
        whole(&[[20, 10], [60, 30], [20, 50], [35, 30]]),
        // A comb whose teeth reach over the border.
        whole(&[
            [0, 60],
            [0, 0],
            [10, 40],
            [20, 0],
            [30, 40],
            [40, 0],
            [50, 40],
            [95, 0],
            [95, 60],
        ]),
        // A bow tie, and a star of five points: their middles are outside or twice inside.
        whole(&[[15, 10], [70, 45], [70, 10], [15, 45]]),
        turned(5, 2, 22.0),
        turned(7, 3, 24.0),
        turned(16, 1, 18.25),
        spiral.collect(),
        // All of the viewport and much more.
        whole(&[[-5000, -9000], [9000, -7000], [8000, 9000], [-7000, 8000]]),
        // A corner of the viewport.
        whole(&[[-20, -20], [30, -20], [-20, 30]]),
        // Twice around: nothing is inside.
        whole(&[
            [20, 10],
            [60, 10],
            [60, 40],
            [20, 40],
            [20, 10],
            [60, 10],
            [60, 40],
            [20, 40],
        ]),
        // Slivers: no centre, and a diagonal of centres.
        whole(&[[20, 20], [60, 20], [40, 20]]),
        vec![[80, 80], [200, 200], [202, 200]],
        // One pixel, and a half of one.
        vec![[160, 100], [164, 100], [164, 104], [160, 104]],
        vec![[163, 100], [164, 100], [164, 104], [163, 104]],
        // Edges through centres, to the left, the right, the top and the bottom.
        vec![[82, 82], [162, 82], [162, 122], [82, 122]],
        vec![[122, 82], [162, 122], [122, 162], [82, 122]],
    ];
    let mut most = 0;
    for polygon in &polygons {
        most = most.max(check(bench, &mut sight, polygon)?);
    }
    expect("some lasso encloses much", most > 20, true)?;
    // Neither its sense nor where it starts matters.
    for polygon in &polygons[..4] {
        let view = sight.view;
        let mut ask = |polygon: &Quarters, bench: &mut Bench<'_, B>| {
            let request = Request::lasso(&view, &points_of(polygon))?;
            Ok::<_, crate::bench::Fault>(sight.ask(bench, request)?.result)
        };
        let right = ask(polygon, bench)?;
        let mut other = polygon.clone();
        other.reverse();
        expect("backwards", &ask(&other, bench)?, &right)?;
        other.rotate_left(2);
        expect("from another corner", &ask(&other, bench)?, &right)?;
    }
    bench.strike(sight.stage)
}

/// A polygon by chance in and around a viewport.
fn polygon(dice: &mut Dice, viewport: PixelRect, corners: u64) -> Quarters {
    let mut side = |start: u32, size: u32| {
        let at = dice.below(u64::from(size + 20) * 4) as i64;
        i64::from(start) * 4 - 40 + at
    };
    let mut corner = || {
        [
            side(viewport.x, viewport.width),
            side(viewport.y, viewport.height),
        ]
    };
    (0..corners).map(|_| corner()).collect()
}

/// Polygons by chance: most of them cross themselves, and many edges go through centres.
fn by_chance<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(82);
    // Rows of more than one word, and of a few pixels.
    for (viewport, count) in [([6, 5, 75, 30], 6), ([0, 0, 9, 8], 24)] {
        let scene = scattered(&mut dice, viewport, 30);
        let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
        for _ in 0..if bench.full { count * 20 } else { count } {
            let corners = 3 + dice.below(9);
            let polygon = polygon(&mut dice, sight.view.viewport(), corners);
            check(bench, &mut sight, &polygon)?;
        }
        bench.strike(sight.stage)?;
    }
    Ok(())
}

/// The same under every camera, transform, side and layer.
fn random_lassos<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    for seed in scenes(bench, 560..568) {
        let mut dice = Dice::new(seed);
        let shot = random::shot(&bench.mode, seed, 24);
        let mut sight = Sight::of_shot(bench, &shot)?;
        let corners = 3 + dice.below(5);
        let polygon = polygon(&mut dice, sight.view.viewport(), corners);
        in_scene(seed, check(bench, &mut sight, &polygon))?;
        bench.strike(sight.stage)?;
    }
    Ok(())
}

/// Ten thousand points: a walk by chance, and a circle of tiny steps.
fn many<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(83);
    let viewport = [6, 5, 75, 30];
    let scene = scattered(&mut dice, viewport, 40);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    let mut at = [160, 80];
    let walk = (0..10_000).map(|_| {
        let step = [0; 2].map(|_| dice.below(25) as i64 - 12);
        at = [0, 1].map(|k| (at[k] + step[k]).clamp(-60, 400));
        at
    });
    let walk: Quarters = walk.collect();
    check(bench, &mut sight, &walk)?;
    let circle = (0..10_000).map(|k| {
        let turn = f64::from(k) / 10_000.0 * std::f64::consts::TAU;
        [170.0 + 90.0 * turn.cos(), 80.0 + 55.0 * turn.sin()].map(|side| side as i64)
    });
    check(bench, &mut sight, &circle.collect())?;
    bench.strike(sight.stage)
}

/// A lasso around a rectangle finds what the rectangle finds, bit by bit.
fn as_rect<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(84);
    let viewport = [6, 5, 80, 50];
    let scene = scattered(&mut dice, viewport, 60);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    let view = sight.view;
    for [left, top, right, bottom] in [[10.0, 8.0, 60.0, 40.0], [-3.0, 20.25, 44.5, 90.0]] {
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        let lasso = Request::lasso(&view, &corners.map(DVec2::from))?;
        let [low, high] = [[left, top], [right, bottom]].map(DVec2::from);
        let rect = Request::rect(&view, pick_core::PickRect::between(high, low))?;
        let lasso = sight.ask(bench, lasso)?.result;
        let rect = sight.ask(bench, rect)?.result;
        expect("a lasso and a rectangle", lasso, rect)?;
    }
    bench.strike(sight.stage)
}

/// What is no polygon is told by type, and the next one is answered.
fn refusals<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)]);
    let mut sight = Sight::new(bench, &scene, &Camera::cam_p())?;
    let view = sight.view;
    let triangle = [[40.0, 21.0], [43.0, 21.0], [41.0, 25.0]].map(DVec2::from);
    for count in 0..3 {
        let lasso = Request::lasso(&view, &triangle[..count]);
        refused("too few points", lasso, |input| {
            *input == InputError::LassoPoints { count }
        })?;
    }
    let too_far = f64::from(1 << 30) + 1.0;
    for odd in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        too_far,
        -too_far,
    ] {
        for at in 0..3 {
            for axis in 0..2 {
                let mut points = triangle;
                points[at][axis] = odd;
                let lasso = Request::lasso(&view, &points);
                refused(
                    "no place",
                    lasso,
                    |input| matches!(input, InputError::LassoPoint { index, .. } if *index == at),
                )?;
            }
        }
    }
    let is_empty = |input: &InputError| *input == InputError::EmptyRegion;
    for moved in [[-60.0, 0.0], [60.0, 0.0], [0.0, -60.0], [0.0, 60.0]] {
        let points = triangle.map(|point| point + DVec2::from(moved));
        refused(
            "beside the viewport",
            Request::lasso(&view, &points),
            is_empty,
        )?;
    }
    let request = Request::lasso(&view, &triangle)?;
    let found = sight.ask(bench, request)?.result.found;
    expect("the next one", found.len(), 1)?;
    bench.strike(sight.stage)
}
