//! What is in an area as a whole: against the polygons that every triangle leaves between the near and the far plane.

use std::collections::BTreeMap;

use pick_core::{AreaHits, Backend, Culling, PixelRect, Request, Through, View};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{Asking, Camera, CaseObject, CasePart, CaseScene, Stage, quad, rows_at};
use crate::cases::hidden::{jumble, views};
use crate::cases::{Case, Modes, case};
use crate::oracle::Oracle;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("hidden/contained", Modes::Strategies, contained),
        case("hidden/contained_lasso", Modes::Strategies, lasso),
        case("hidden/contained_parts", Modes::Strategies, parts),
        case("hidden/contained_through_planes", Modes::Strategies, planes),
    ]
}

fn ask<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    request: Request<AreaHits>,
) -> Result<AreaHits, Fault> {
    let request = request
        .with(bench.mode.options())
        .through(Through::Contained);
    let brute = request.clone().culling(Culling::Off);
    let told = bench.ask(&mut stage.scene, request)?.result;
    let all = bench.ask(&mut stage.scene, brute)?.result;
    expect("culled and brute", &told, &all)?;
    Ok(told)
}

/// How near to an edge of an area, in pixels, a corner may fall either way.
const CLOSE: f64 = 0.01;

/// What must be found, and what may be, by object and copy: `inside` says of a place in the target whether it is in
/// the area, and whether that is sure.
fn held(
    stage: &Stage,
    oracle: &Oracle,
    told: &AreaHits,
    inside: impl Fn([f64; 2]) -> (bool, bool),
) -> Outcome {
    // In as a whole, and surely so or not.
    let mut things: BTreeMap<(usize, Option<u32>), (bool, bool)> = BTreeMap::new();
    for triangle in &oracle.triangles {
        for &corner in &triangle.polygon {
            let (within, sure) = inside(corner);
            let known = things
                .entry((triangle.object, triangle.instance))
                .or_insert((true, true));
            // Once surely outside, nothing brings it back.
            *known = match *known {
                (false, true) => (false, true),
                (whole, whole_sure) if within => (whole, whole_sure && sure),
                _ if sure => (false, true),
                _ => (false, false),
            };
        }
    }
    for (thing, (whole, sure)) in &things {
        let found = told.found.iter().any(|hit| {
            stage.objects.get(thing.0).copied() == hit.object && hit.instance.ok() == thing.1
        });
        if *sure && found != *whole {
            return wrong(format!("{thing:?} is found: {found}, and inside: {whole}"));
        }
    }
    let known = |hit: &pick_core::AreaHit| {
        let object = stage.objects.iter().position(|&k| Some(k) == hit.object);
        object.is_some_and(|object| things.contains_key(&(object, hit.instance.ok())))
    };
    match told.found.iter().find(|hit| !known(hit)) {
        None => Ok(()),
        Some(hit) => wrong(format!("found, but not there: {hit:?}")),
    }
}

fn in_rect(rect: PixelRect) -> impl Fn([f64; 2]) -> (bool, bool) {
    let low = [rect.x, rect.y].map(f64::from);
    let high = [rect.x + rect.width, rect.y + rect.height].map(f64::from);
    move |at| {
        let within = (0..2).all(|k| at[k] >= low[k] && at[k] < high[k]);
        let gap = |k: usize| (at[k] - low[k]).abs().min((at[k] - high[k]).abs());
        (within, gap(0) > CLOSE && gap(1) > CLOSE)
    }
}

fn contained<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scenes = if bench.full { 60 } else { 6 };
    let mut found = 0;
    for seed in 0..scenes {
        let scene = jumble(300 + seed);
        let mut stage = bench.stage(&scene)?;
        let mut lens = Camera::field(bench.side());
        // The near plane runs through what is there.
        lens.depths.near = 4.0;
        let [near, far] = views(bench);
        let seen = &[near, far, lens.perspective(50.0)][seed as usize % 3];
        let view = seen.build()?;
        let oracle = Oracle::new(&scene, seen, &Asking::default(), &bench.driver.tolerance);
        let side = bench.side();
        for region in [
            view.viewport(),
            PixelRect::new(side / 8, side / 8, side * 3 / 4, side * 3 / 4),
            PixelRect::new(side / 2, 0, side / 2, side),
        ] {
            let told = ask(bench, &mut stage, Request::rect(&view, region)?)?;
            held(&stage, &oracle, &told, in_rect(region))
                .map_err(|fault| Fault::Wrong(format!("seed {seed}, {region}: {fault}")))?;
            found += told.found.len();
        }
        bench.strike(stage)?;
    }
    expect("something is inside", found > 0, true)
}

/// Pixels of the mask, so that a corner is inside where its pixel is.
fn lasso<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = jumble(303);
    let mut stage = bench.stage(&scene)?;
    let seen = &views(bench)[0];
    let view = seen.build()?;
    let oracle = Oracle::new(&scene, seen, &Asking::default(), &bench.driver.tolerance);
    let side = f64::from(bench.side());
    let corners = [
        [0.02, 0.02],
        [0.98, 0.05],
        [0.9, 0.97],
        [0.5, 0.6],
        [0.06, 0.93],
    ];
    let points = corners.map(|[x, y]| glam::DVec2::new(x * side, y * side));
    let told = ask(bench, &mut stage, Request::lasso(&view, &points)?)?;
    let odd = |x: f64, y: f64| {
        let edges = (0..points.len()).map(|k| (points[k], points[(k + 1) % points.len()]));
        let crosses = edges.filter(|(a, b)| {
            (a.y <= y) != (b.y <= y) && a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x) > x
        });
        crosses.count() % 2 == 1
    };
    let viewport = in_rect(view.viewport());
    held(&stage, &oracle, &told, |at| {
        let close = |v: f64| (v - v.round()).abs() < CLOSE;
        let pixel = at.map(|v| v.floor() + 0.5);
        let within = viewport(at).0 && odd(pixel[0], pixel[1]);
        (within, !close(at[0]) && !close(at[1]))
    })?;
    bench.strike(stage)
}

/// A part that is outside keeps its object out, and a copy's part the copy, whatever culling could leave out.
fn parts<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut two = quad(-3.0..=-2.0, -0.5..=0.5, 0.0);
    let far = quad(2.0..=3.0, -0.5..=0.5, 0.0);
    let first = two.positions.len() as u32;
    two.positions.extend(far.positions);
    let normals = far.normals.unwrap_or_default();
    two.normals.get_or_insert_default().extend(normals);
    two.uvs
        .get_or_insert_default()
        .extend(far.uvs.unwrap_or_default());
    let more = far.indices.unwrap_or_default();
    let indices = two.indices.get_or_insert_default();
    indices.extend(more.into_iter().map(|index| index + first));
    two.parts = vec![CasePart::new(0..6), CasePart::new(6..12)];
    let mut scene = CaseScene::default();
    scene.meshes.push(two);
    scene
        .instances
        .push(vec![rows_at([0.0, 2.0, 0.0]), rows_at([-1.5, -2.0, 0.0])]);
    scene.add(CaseObject::new(0));
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let names = |told: &AreaHits| -> Vec<_> {
        told.found
            .iter()
            .map(|hit| (hit.object, hit.instance.ok()))
            .collect()
    };
    let [plain, copied] = [stage.objects[0], stage.objects[1]].map(Some);
    // The left half has one part of each, whole.
    let left = ask(
        bench,
        &mut stage,
        Request::rect(&view, PixelRect::new(0, 0, 32, 64))?,
    )?;
    expect("in the left half", names(&left), vec![])?;
    let all = ask(bench, &mut stage, Request::rect(&view, view.viewport())?)?;
    let every = vec![(plain, None), (copied, Some(0)), (copied, Some(1))];
    expect("in all of the view", names(&all), every)?;
    let oracle = Oracle::new(
        &scene,
        &Camera::cam_p(),
        &Asking::default(),
        &bench.driver.tolerance,
    );
    for region in [PixelRect::new(8, 8, 46, 56), PixelRect::new(3, 3, 50, 58)] {
        let told = ask(bench, &mut stage, Request::rect(&view, region)?)?;
        held(&stage, &oracle, &told, in_rect(region))?;
    }
    bench.strike(stage)
}

/// What reaches through the near or the far plane ends there; what is beyond is not there.
fn planes<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut lens = Camera::field(64);
    lens.eye = [0.0, 0.0, 5.0];
    lens.depths.near = 1.0;
    lens.depths.far = 9.0;
    for reversed in [false, true] {
        let mut lens = lens;
        if reversed {
            lens.depths = lens.depths.reversed();
        }
        let seen = lens.perspective(60.0);
        let view: View = seen.build()?;
        // Long sheets along the view: to behind the eye, to beyond the far plane, both, and wholly beyond.
        let sheet = |near: f32, far: f32, x: f32| {
            let mut mesh = quad(0.0..=1.0, 0.0..=1.0, 0.0);
            mesh.positions = vec![
                [x, -0.2, near],
                [x, 0.2, near],
                [x, 0.2, far],
                [x, -0.2, far],
            ];
            (mesh.normals, mesh.uvs) = (None, None);
            mesh
        };
        // One corner behind the eye: the near plane cuts two edges, in different places.
        let corner = |positions: [[f32; 3]; 3]| {
            let mut mesh = quad(0.0..=1.0, 0.0..=1.0, 0.0);
            mesh.positions = positions.to_vec();
            mesh.indices = Some(vec![0, 1, 2]);
            (mesh.normals, mesh.uvs) = (None, None);
            mesh
        };
        let scene = CaseScene::of([
            sheet(6.0, 0.0, 0.1),
            sheet(2.0, -50.0, 0.2),
            sheet(7.0, -50.0, -0.1),
            sheet(-6.0, -9.0, -0.2),
            sheet(3.0, 0.0, 0.05),
            corner([[0.3, 0.0, 6.0], [0.0, 0.0, 0.0], [0.0, 0.3, 3.0]]),
        ]);
        let mut stage = bench.stage(&scene)?;
        let oracle = Oracle::new(&scene, &seen, &Asking::default(), &bench.driver.tolerance);
        for region in [
            view.viewport(),
            PixelRect::new(24, 20, 16, 24),
            PixelRect::new(30, 0, 34, 64),
            // All of the lone triangle but for where its last edge is cut.
            PixelRect::new(20, 22, 30, 20),
        ] {
            let told = ask(bench, &mut stage, Request::rect(&view, region)?)?;
            held(&stage, &oracle, &told, in_rect(region))
                .map_err(|fault| Fault::Wrong(format!("reversed {reversed}, {region}: {fault}")))?;
        }
        bench.strike(stage)?;
    }
    Ok(())
}
