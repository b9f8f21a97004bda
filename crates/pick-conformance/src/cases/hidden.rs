//! What is hidden under a pixel: drills against every triangle that the ray meets.

use std::collections::BTreeMap;

use pick_core::{Backend, Culling, DrillHits, Hit, InputError, PickPoint, Request, View};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{
    Asking, Camera, CaseObject, CaseScene, CaseView, Rows, Stage, boxed, quad, rows_at, sphere,
};
use crate::cases::{Case, Dice, Modes, case};
use crate::oracle::Oracle;
use crate::oracle::math::M4;
use crate::probe::refused;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("hidden/drill", Modes::All, drill),
        case("hidden/drill_stack", Modes::All, stack),
        case("hidden/drill_overflow", Modes::Strategies, overflow),
        case("hidden/points_far_apart", Modes::All, far_apart),
        case("hidden/drill_refused", Modes::Once, refusals),
    ]
}

/// What tells one layer from another; the triangle only where the mode gives it.
type Key = (usize, u32, Option<u32>, Option<u32>);

fn at([x, y]: [u32; 2]) -> PickPoint {
    PickPoint::target_pixels(f64::from(x), f64::from(y))
}

/// A drill, culled and not, whose answers are the same.
pub(super) fn ask<B: Backend>(
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

pub(super) fn key(stage: &Stage, hit: &Hit) -> Result<Key, Fault> {
    let object = stage.objects.iter().position(|&k| Some(k) == hit.object);
    let Some(object) = object else {
        return wrong(format!("an unknown object: {hit:?}"));
    };
    Ok((object, hit.part, hit.instance.ok(), hit.primitive.ok()))
}

/// Boxes, spheres and sheets through each other, some in copies.
pub(super) fn jumble(seed: u64) -> CaseScene {
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

pub(super) fn views(bench: &Bench<'_, impl Backend>) -> [CaseView; 2] {
    views_of(bench.side())
}

fn views_of(side: u32) -> [CaseView; 2] {
    let mut reversed = Camera::field(side);
    reversed.depths = reversed.depths.reversed();
    [
        Camera::field(side).perspective(50.0),
        reversed.perspective(50.0),
    ]
}

/// Pixels all over a frame.
pub(super) fn spread(view: &View, count: u64) -> impl Iterator<Item = [u32; 2]> + use<> {
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

/// Few pixels of a large frame, of which nothing else is drawn: each says what the whole frame says of it.
fn far_apart<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    for (seed, seen) in (500..).zip(views_of(64)) {
        // Stencils under reversed depth are not to be had everywhere.
        if seen.reversed && bench.mode.is_stencil() {
            continue;
        }
        let mut stage = bench.stage(&jumble(seed))?;
        let view = seen.build()?;
        let mut pixels: Vec<_> = spread(&view, 60).collect();
        // The corners, so that the frame is the same, and pixels side by side.
        pixels.extend([
            [0, 0],
            [63, 63],
            [0, 63],
            [63, 0],
            [30, 30],
            [31, 30],
            [30, 31],
        ]);
        let places = pixels.iter().map(|&pixel| at(pixel));
        let request = Request::points(&view, places)?.with(bench.mode.options());
        let told = bench.ask(&mut stage.scene, request)?.result;
        let asking = Asking::default();
        let frame = bench.image(&mut stage.scene, &view, view.viewport(), &asking)?;
        let mut hits = 0;
        for (pixel, hit) in pixels.iter().zip(&told) {
            expect("a pixel", hit, &frame.hit(pixel[0], pixel[1])?)
                .map_err(|fault| Fault::Wrong(format!("{pixel:?}: {fault}")))?;
            hits += usize::from(hit.is_some());
        }
        expect("hits and misses", (5..60).contains(&hits), true)?;
        bench.strike(stage)?;
    }
    Ok(())
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
