//! What is hidden: drills against every triangle that the ray meets, and areas against drills.

use std::collections::BTreeMap;

use pick_core::{
    AreaHits, Backend, Culling, DrillHits, Hit, InputError, PickPoint, PixelRect, Request, Through,
    View,
};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{
    Asking, Camera, CaseObject, CaseScene, CaseView, Rows, Stage, boxed, quad, rows_at, sphere,
};
use crate::cases::{Case, Dice, Modes, case};
use crate::oracle::Oracle;
use crate::oracle::math::{IDENTITY, M4};
use crate::probe::refused;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("hidden/drill", Modes::All, drill),
        case("hidden/drill_stack", Modes::All, stack),
        case("hidden/drill_overflow", Modes::Strategies, overflow),
        case("hidden/drill_refused", Modes::Once, refusals),
        case("hidden/touched", Modes::All, touched),
        case("hidden/touched_lasso", Modes::Strategies, lasso),
        case("hidden/touched_capacity", Modes::Strategies, capacity),
    ]
}

/// What tells one layer from another; the triangle only where the mode gives it.
type Key = (usize, u32, Option<u32>, Option<u32>);

fn at([x, y]: [u32; 2]) -> PickPoint {
    PickPoint::target_pixels(f64::from(x), f64::from(y))
}

/// A drill, culled and not, whose answers are the same.
fn ask<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    view: &View,
    pixel: [u32; 2],
    most: u32,
) -> Result<DrillHits, Fault> {
    let request = Request::drill(view, at(pixel), most)?.with(bench.mode.options());
    let brute = request.clone().culling(Culling::Off);
    let told = bench.ask(&mut stage.scene, request)?.result;
    let all = bench.ask(&mut stage.scene, brute)?.result;
    expect("culled and brute", &told, &all)?;
    Ok(told)
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

fn key(stage: &Stage, hit: &Hit) -> Result<Key, Fault> {
    let object = stage.objects.iter().position(|&k| Some(k) == hit.object);
    let Some(object) = object else {
        return wrong(format!("an unknown object: {hit:?}"));
    };
    Ok((object, hit.part, hit.instance.ok(), hit.primitive.ok()))
}

/// Boxes, spheres and sheets through each other, some in copies.
fn jumble(seed: u64) -> CaseScene {
    let mut dice = Dice::new(seed);
    let mut scene = CaseScene::default();
    scene.meshes.push(boxed(0.7));
    scene.meshes.push(sphere(1.1, 5));
    scene.meshes.push(quad(-1.5..=1.5, -1.0..=1.0, 0.0));
    let mut parts = quad(-1.0..=1.0, -1.5..=1.5, 0.3);
    parts.parts = [0..3, 3..6].map(crate::case::CasePart::new).to_vec();
    scene.meshes.push(parts);
    let copies: Vec<Rows> = (0..9)
        .map(|_| rows_at(dice.point(1.5).map(|c| c as f32)))
        .collect();
    scene.instances.push(copies);
    for _ in 0..7 {
        let mut object = CaseObject::new(dice.below(4) as usize).at(placed(&mut dice));
        if dice.once_in(3) {
            object = object.instanced(0);
        }
        scene.add(object);
    }
    scene
}

fn placed(dice: &mut Dice) -> M4 {
    let mut place = dice.rotation();
    let [x, y, z] = dice.point(1.5);
    place[3] = [x, y, z, 1.0];
    place
}

fn views(bench: &Bench<'_, impl Backend>) -> [CaseView; 2] {
    let mut reversed = Camera::field(bench.side());
    reversed.depths = reversed.depths.reversed();
    [
        Camera::field(bench.side()).perspective(50.0),
        reversed.perspective(50.0),
    ]
}

/// Pixels all over a frame.
fn spread(view: &View, count: u64) -> impl Iterator<Item = [u32; 2]> + use<> {
    let region = view.viewport();
    (0..count).map(move |k| {
        let place = (k * 2_654_435_761 % region.pixel_count()) as u32;
        [
            region.x + place % region.width,
            region.y + place / region.width,
        ]
    })
}

/// Every triangle that the ray surely meets is there, nothing that it cannot meet, in the order of sight, and
/// the first is what a pick gives.
fn drill<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scenes = if bench.full { 100 } else { 4 };
    for seed in 0..scenes {
        let scene = jumble(seed + 1);
        let mut stage = bench.stage(&scene)?;
        let seen = &views(bench)[seed as usize % 2];
        let view = seen.build()?;
        let oracle = Oracle::new(&scene, seen, &Asking::default(), &bench.driver.tolerance);
        for pixel in spread(&view, 24) {
            let told = layers(bench, &mut stage, &view, &oracle, pixel);
            told.map_err(|fault| match fault {
                Fault::Wrong(why) => Fault::Wrong(format!("seed {seed}, pixel {pixel:?}: {why}")),
                refused => refused,
            })?;
        }
        bench.strike(stage)?;
    }
    Ok(())
}

fn layers<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    view: &View,
    oracle: &Oracle,
    pixel: [u32; 2],
) -> Outcome {
    let whole = ask(bench, stage, view, pixel, 64)?;
    expect("beyond", whole.beyond, 0)?;
    let gives_primitive = bench.gives().primitive;
    let mut range: BTreeMap<Key, [usize; 2]> = BTreeMap::new();
    for (triangle, surely) in oracle.layers(pixel) {
        let primitive = gives_primitive.then_some(triangle.primitive);
        let key = (
            triangle.object,
            triangle.part as u32,
            triangle.instance,
            primitive,
        );
        let [least, most] = range.entry(key).or_default();
        *least += usize::from(surely);
        *most += 1;
    }
    let mut found: BTreeMap<Key, usize> = BTreeMap::new();
    for hit in &whole.hits {
        *found.entry(key(stage, hit)?).or_default() += 1;
    }
    for (key, [least, most]) in &range {
        let count = found.get(key).copied().unwrap_or(0);
        if !(*least..=*most).contains(&count) {
            return wrong(format!(
                "{key:?} is there {count} times, not {least} to {most}"
            ));
        }
    }
    if let Some(key) = found.keys().find(|key| !range.contains_key(key)) {
        return wrong(format!("{key:?} is there, but the ray does not meet it"));
    }
    let nearer = |pair: &[Hit]| match (pair[0].depth, pair[1].depth) {
        (Ok(first), Ok(second)) => !view.depth().is_nearer(second, first),
        _ => false,
    };
    expect(
        "in the order of sight",
        whole.hits.windows(2).all(nearer),
        true,
    )?;
    // Stencils tell no copies, and less of depths.
    if !bench.mode.is_stencil() {
        let point = bench.pick(&mut stage.scene, view, pixel[0], pixel[1])?;
        let same = |hit: &Hit| {
            (
                hit.object,
                hit.part,
                hit.instance,
                hit.primitive,
                hit.depth,
                hit.point,
            )
        };
        expect(
            "the first",
            whole.hits.first().map(same),
            point.as_ref().map(same),
        )?;
    }
    let most = whole.hits.len() as u32 / 2;
    if most > 0 {
        let half = ask(bench, stage, view, pixel, most)?;
        expect("the nearest", &half.hits[..], &whole.hits[..most as usize])?;
        expect(
            "those behind",
            half.beyond,
            whole.hits.len() as u64 - u64::from(most),
        )?;
    }
    Ok(())
}

/// Field case 71: 64 layers, offered in no order; the nearest few, and how many are behind.
fn stack<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let depth_of = |k: usize| -3.0 + 0.05 * ((k * 37) % 64) as f32;
    let copies = (0..64).map(|k| rows_at([0.0, 0.0, depth_of(k)])).collect();
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(-4.0..=4.0, -4.0..=4.0, 0.0));
    scene.instances.push(copies);
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let mut order: Vec<usize> = (0..64).collect();
    order.sort_by(|&a, &b| depth_of(b).total_cmp(&depth_of(a)));
    for most in [1, 5, 63, 64, 65] {
        let told = ask(bench, &mut stage, &view, [30, 29], most)?;
        let copies: Vec<_> = told.hits.iter().map(|hit| hit.instance).collect();
        let right: Vec<_> = order
            .iter()
            .take(most as usize)
            .map(|&k| Ok(k as u32))
            .collect();
        expect("copies", copies, right)?;
        expect("beyond", told.beyond, 64 - u64::from(most.min(64)))?;
    }
    bench.strike(stage)
}

/// More layers than the list has room for at first: the answer takes a second run, and is whole. Equal depths keep
/// the order offered.
fn overflow<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let count = 3000;
    let depth_of = |k: u32| -3.0 + 0.001 * ((k * 7) % 1000) as f32;
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(-4.0..=4.0, -4.0..=4.0, 0.0));
    scene.instances.push(
        (0..count)
            .map(|k| rows_at([0.0, 0.0, depth_of(k)]))
            .collect(),
    );
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by(|&a, &b| depth_of(b).total_cmp(&depth_of(a)).then(a.cmp(&b)));
    for most in [3, 2999, 4000] {
        let told = ask(bench, &mut stage, &view, [30, 29], most)?;
        let copies: Vec<_> = told.hits.iter().map(|hit| hit.instance).collect();
        let right: Vec<_> = order.iter().take(most as usize).map(|&k| Ok(k)).collect();
        expect("copies", copies == right, true)?;
        expect("beyond", told.beyond, u64::from(count - most.min(count)))?;
    }
    // The next pick has no list.
    bench.hits(&mut stage, &view, [30, 29], 0)?;
    bench.strike(stage)
}

fn refusals<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let view = Camera::cam_p().build()?;
    for count in [0, 65_537, u32::MAX] {
        refused(
            "a count",
            Request::drill(&view, at([3, 4]), count),
            |input| matches!(input, InputError::DrillCount { count: told, .. } if *told == count),
        )?;
    }
    refused("outside", Request::drill(&view, at([64, 4]), 1), |input| {
        matches!(input, InputError::PointOutside { .. })
    })?;
    let nothing = bench.stage(&CaseScene::default())?;
    let mut nothing = nothing;
    let told = ask(bench, &mut nothing, &view, [3, 4], 64)?;
    expect("nothing", told.hits.len(), 0)?;
    bench.strike(nothing)
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
