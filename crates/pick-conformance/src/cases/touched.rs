//! What is hidden in an area: against every triangle that the pixels' rays meet, and against drills.

use std::collections::BTreeMap;

use pick_core::{AreaHits, Backend, Culling, PixelRect, Request, Through, View};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{Asking, Camera, CaseObject, CaseScene, Stage, quad};
use crate::cases::hidden::{ask, jumble, key, spread, views};
use crate::cases::{Case, Modes, case};
use crate::oracle::Oracle;
use crate::oracle::math::IDENTITY;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("hidden/touched", Modes::All, touched),
        case("hidden/touched_lasso", Modes::Strategies, lasso),
        case("hidden/touched_capacity", Modes::Strategies, capacity),
    ]
}

fn touch<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    request: Request<AreaHits>,
) -> Result<AreaHits, Fault> {
    let request = request.with(bench.mode.options()).through(Through::Touched);
    let brute = request.clone().culling(Culling::Off);
    let told = bench.ask(&mut stage.scene, request)?.result;
    let all = bench.ask(&mut stage.scene, brute)?.result;
    expect("culled and brute", &told, &all)?;
    Ok(told)
}

/// What is known of a thing in an area.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    least: u32,
    most: u32,
}

/// An object or a copy is found where a drill of some pixel meets it, hidden or not; at single pixels the numbers
/// are those of the drill.
fn touched<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scenes = if bench.full { 60 } else { 3 };
    for seed in 0..scenes {
        let scene = jumble(100 + seed);
        let mut stage = bench.stage(&scene)?;
        let seen = &views(bench)[seed as usize % 2];
        let view = seen.build()?;
        let oracle = Oracle::new(&scene, seen, &Asking::default(), &bench.driver.tolerance);
        for pixel in spread(&view, 8) {
            one_pixel(bench, &mut stage, &view, pixel)?;
        }
        for region in [
            view.viewport(),
            PixelRect::new(3, 2, 7, 9),
            PixelRect::new(9, 9, 40, 3),
        ] {
            let inside = region.intersection(view.viewport()).unwrap_or(region);
            let told = touch(bench, &mut stage, Request::rect(&view, region)?)?;
            held(&stage, &oracle, &told, inside, |_, _| true)?;
            let visible = Request::rect(&view, region)?.with(bench.mode.options());
            let visible = bench.ask(&mut stage.scene, visible)?.result;
            for hit in &visible.found {
                let found = told.found.iter().find(|other| {
                    let copy = hit.instance.is_err() || other.instance == hit.instance;
                    other.object == hit.object && copy
                });
                if found.is_none() {
                    return wrong(format!("seed {seed}: seen, but not touched: {hit:?}"));
                }
            }
        }
        bench.strike(stage)?;
    }
    Ok(())
}

fn one_pixel<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    view: &View,
    pixel: [u32; 2],
) -> Outcome {
    let drilled = ask(bench, stage, view, pixel, 64)?;
    let mut sums: BTreeMap<(usize, Option<u32>), (u32, f32)> = BTreeMap::new();
    for hit in &drilled.hits {
        let (object, _, instance, _) = key(stage, hit)?;
        let Ok(depth) = hit.depth else {
            return wrong("a fragment without a depth");
        };
        // The first to be seen is the nearest.
        sums.entry((object, instance)).or_insert((0, depth)).0 += 1;
    }
    let region = PixelRect::new(pixel[0], pixel[1], 1, 1);
    let told = touch(bench, stage, Request::rect(view, region)?)?;
    expect("things", told.found.len(), sums.len())?;
    for hit in &told.found {
        let object = stage.objects.iter().position(|&k| Some(k) == hit.object);
        let right = object.and_then(|object| sums.get(&(object, hit.instance.ok())));
        let found = hit.depth.ok().map(|depth| (hit.pixel_count, depth));
        expect("count and depth", found.as_ref(), right)?;
        expect("pixel", hit.near_pixel, pixel)?;
    }
    Ok(())
}

/// Each thing that is surely met somewhere is there, and as often as it may be.
fn held(
    stage: &Stage,
    oracle: &Oracle,
    told: &AreaHits,
    region: PixelRect,
    inside: impl Fn(u32, u32) -> bool,
) -> Outcome {
    let mut sums: BTreeMap<(usize, Option<u32>), Sum> = BTreeMap::new();
    for row in 0..region.height {
        for column in (0..region.width).filter(|&column| inside(column, row)) {
            for (triangle, surely) in oracle.layers([region.x + column, region.y + row]) {
                let sum = sums
                    .entry((triangle.object, triangle.instance))
                    .or_default();
                sum.least += u32::from(surely);
                sum.most += 1;
            }
        }
    }
    for (thing, sum) in &sums {
        let found = told.found.iter().find(|hit| {
            stage.objects.get(thing.0).copied() == hit.object && hit.instance.ok() == thing.1
        });
        let count = found.map_or(0, |hit| hit.pixel_count);
        if !(sum.least..=sum.most).contains(&count) {
            return wrong(format!(
                "{thing:?} in {region}: {count} fragments, not {sum:?}"
            ));
        }
    }
    let known = |hit: &pick_core::AreaHit| {
        let object = stage.objects.iter().position(|&k| Some(k) == hit.object);
        object.is_some_and(|object| sums.contains_key(&(object, hit.instance.ok())))
    };
    match told.found.iter().find(|hit| !known(hit)) {
        None => Ok(()),
        Some(hit) => wrong(format!("found, but not there: {hit:?}")),
    }
}

/// Only what is inside the lasso counts.
fn lasso<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = jumble(7);
    let mut stage = bench.stage(&scene)?;
    let seen = &views(bench)[0];
    let view = seen.build()?;
    let oracle = Oracle::new(&scene, seen, &Asking::default(), &bench.driver.tolerance);
    let side = f64::from(bench.side());
    let corners = [[0.1, 0.2], [0.9, 0.3], [0.4, 0.5], [0.8, 0.9], [0.2, 0.8]];
    let points = corners.map(|[x, y]| glam::DVec2::new(x * side, y * side));
    let request = Request::lasso(&view, &points)?;
    let told = touch(bench, &mut stage, request)?;
    // Every centre by its own: how often a ray to the right crosses an edge.
    let crossed = |column: u32, row: u32| {
        let center = glam::DVec2::new(f64::from(column) + 0.5, f64::from(row) + 0.5);
        let edges = (0..points.len()).map(|k| (points[k], points[(k + 1) % points.len()]));
        let crosses = edges.filter(|(a, b)| {
            let over = (a.y <= center.y) != (b.y <= center.y);
            over && a.x + (center.y - a.y) / (b.y - a.y) * (b.x - a.x) > center.x
        });
        crosses.count() % 2 == 1
    };
    held(&stage, &oracle, &told, view.viewport(), crossed)?;
    bench.strike(stage)
}

/// Of more than there is room for the first are named and the others counted.
fn capacity<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(-4.0..=4.0, -4.0..=4.0, 0.0));
    for k in 0..20 {
        let mut place = IDENTITY;
        place[3][2] = -0.1 * f64::from(k * 7 % 20);
        scene.add(CaseObject::new(0).at(place));
    }
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    for (capacity, named) in [(1, 1), (6, 6), (20, 20), (21, 20), (u32::MAX, 20)] {
        let request = Request::rect(&view, PixelRect::new(20, 20, 9, 5))?.capacity(capacity);
        let told = touch(bench, &mut stage, request)?;
        let objects: Vec<_> = told.found.iter().map(|hit| hit.object).collect();
        let right: Vec<_> = stage.objects.iter().take(named).map(|&k| Some(k)).collect();
        expect("the first", objects, right)?;
        expect("beyond", told.beyond, 20 - named as u64)?;
    }
    bench.strike(stage)
}
