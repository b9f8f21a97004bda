//! What culling leaves out must not be missed, and what it leaves must come in the caller's order. Every
//! question is asked culled and brute (see [`Bench::ask`]); these scenes are large enough to be culled.

use pick_core::{Backend, Culling, InstanceSource, Request};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{
    Camera, CaseMesh, CaseObject, CaseScene, Depths, Rows, boxed, grid, quad, rows_at, scaled,
    shifted, sphere, with_flat_triangles,
};
use crate::cases::{Case, Dice, Modes, Shot, case, frame};
use crate::oracle::math::{M4, product};
use crate::probe::named;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        frame("cull/instances", instances),
        case("cull/objects", Modes::Strategies, |bench| {
            objects(bench.side()).run(bench)
        }),
        case("cull/instances_reversed", Modes::Strategies, |bench| {
            let mut shot = instances(bench.side());
            shot.view = field(bench.side(), Depths::FIELD.reversed()).perspective(75.0);
            shot.run(bench)
        }),
        case("cull/instances_far_away", Modes::Strategies, |bench| {
            far_away(bench.side()).run(bench)
        }),
        case("cull/large_mesh", Modes::Strategies, |bench| {
            large_mesh(bench.side()).run(bench)
        }),
        case("cull/many_parts", Modes::Strategies, |bench| {
            many_parts(bench.side()).run(bench)
        }),
        case("cull/more_than_fit", Modes::Strategies, more_than_fit),
        case("cull/edge_of_an_object", Modes::Strategies, |bench| {
            edges(bench, &flat(), reach(), 0)
        }),
        case("cull/edge_of_a_large_mesh", Modes::Strategies, |bench| {
            // 10,368 triangles.
            let blown_up = product(&reach(), &scaled([12.5, 12.5, 1.0], [0.0; 3]));
            edges(bench, &grid(72), blown_up, 0)
        }),
        case("cull/edge_of_a_copy", Modes::Strategies, |bench| {
            // So thin that a sphere around it is hardly longer.
            let strip = culled_copies_of(quad(-50.0..=50.0, -1.0..=1.0, 0.0));
            edges(bench, &strip, reach(), 1100)
        }),
        case("cull/moving", Modes::Strategies, moving),
        case("cull/told", Modes::Once, told),
        case("cull/crowds", Modes::Once, crowds),
    ]
}

/// Enough elements for a thousand copies to be culled on the device.
pub(super) fn culled_copies_of(mesh: CaseMesh) -> CaseMesh {
    with_flat_triangles(mesh, 36)
}

fn field(side: u32, depths: Depths) -> Camera {
    Camera {
        depths,
        ..Camera::field(side)
    }
}

/// A turned, stretched and sometimes mirrored copy somewhere in a block of space.
fn scattered(dice: &mut Dice, size: f64) -> Rows {
    let mirror = if dice.once_in(3) { -1.0 } else { 1.0 };
    let [sx, sy, sz] = [0; 3].map(|_| size * dice.between(0.4, 1.6));
    let turned = product(&dice.rotation(), &scaled([sx * mirror, sy, sz], [0.0; 3]));
    let [x, y] = [0; 2].map(|_| dice.between(-9.0, 9.0));
    let at = [x, y, dice.between(-12.0, 2.0)];
    [0, 1, 2].map(|row| {
        let entry = |column: usize| turned[column][row] as f32;
        [entry(0), entry(1), entry(2), at[row] as f32]
    })
}

fn objects(side: u32) -> Shot {
    let mut dice = Dice::new(11);
    let mut scene = CaseScene::default();
    scene.meshes.push(boxed(0.12));
    for _ in 0..300 {
        let place = scaled([0.5, -1.5, 1.0], dice.point(7.0));
        let turned = product(&place, &dice.rotation());
        let index = scene.add(CaseObject::new(0).at(turned));
        scene.objects[index].pickable = !dice.once_in(5);
    }
    Shot::new(scene, Camera::field(side).perspective(60.0)).ambiguous(0.6)
}

/// Several blocks' worth, the last one not full.
fn instances(side: u32) -> Shot {
    let mut dice = Dice::new(12);
    let mut scene = CaseScene::default();
    scene
        .meshes
        .push(culled_copies_of(quad(-0.3..=0.3, -0.2..=0.3, 0.1)));
    let copies = (0..1100).map(|_| scattered(&mut dice, 1.0));
    scene.instances.push(copies.collect());
    let base = scaled([1.0, -0.8, 1.2], [0.3, 0.1, -0.4]);
    scene.add(CaseObject::new(0).instanced(0).at(base));
    scene.add(CaseObject::new(0));
    Shot::new(scene, Camera::field(side).perspective(75.0)).ambiguous(0.8)
}

/// Large coordinates on the device are measured from an anchor.
fn far_away(side: u32) -> Shot {
    let mut scene = CaseScene::default();
    scene
        .meshes
        .push(culled_copies_of(quad(-0.3..=0.3, -0.3..=0.3, 0.0)));
    let copies = (0..1100).map(|k| {
        let (column, row) = (k % 40, k / 40);
        // Fractions whose sums f32 rounds.
        let x = 600_000.0 + column as f32 * 1.0625 - 21.0;
        rows_at([x, row as f32 * 1.37 - 18.0, 2.0])
    });
    scene.instances.push(copies.collect());
    scene.add(CaseObject::new(0).instanced(0));
    let mut camera = Camera::field(side);
    camera.eye = [600_000.3, 0.2, 9.0];
    camera.target = [600_000.0, 0.0, 0.0];
    Shot::new(scene, camera.perspective(70.0)).ambiguous(0.6)
}

/// Enough triangles for runs of them to be left out, and a part that starts in the middle.
fn large_mesh(side: u32) -> Shot {
    let mut mesh = sphere(2.5, 48);
    let half = mesh.element_count() / 6 * 3 / 2 / 3 * 3;
    let parts = [0..half, half..mesh.element_count()];
    mesh.parts = parts.map(crate::case::CasePart::new).to_vec();
    alone(mesh, side)
}

/// Enough parts for those out of sight not to be looked at; the first is large.
fn many_parts(side: u32) -> Shot {
    alone(in_parts(sphere(2.5, 60), 4500, 100), side)
}

/// A part of `first` triangles, and so many parts of the others.
fn in_parts(mut mesh: CaseMesh, first: u32, others: u32) -> CaseMesh {
    let triangles = mesh.element_count() / 3;
    let cut = |k: u32| (first + (triangles - first) * k / others) * 3;
    let parts = std::iter::once(0..cut(0)).chain((0..others).map(|k| cut(k)..cut(k + 1)));
    mesh.parts = parts.map(crate::case::CasePart::new).collect();
    mesh
}

fn alone(mesh: CaseMesh, side: u32) -> Shot {
    let mut scene = CaseScene::default();
    scene.meshes.push(mesh);
    let turned = product(
        &scaled([1.0, 0.7, -1.0], [0.2, 0.1, 0.0]),
        &Dice::new(3).rotation(),
    );
    scene.add(CaseObject::new(0).at(turned));
    Shot::new(scene, Camera::field(side).perspective(60.0)).ambiguous(0.9)
}

/// More survivors than the list has room for: everything is drawn, and nothing is lost.
fn more_than_fit<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(-0.4..=0.4, -0.4..=0.4, 0.0));
    let last = 17_000;
    let behind = (0..last).map(|k| rows_at([0.0, 0.0, -0.001 * k as f32 - 1.0]));
    scene
        .instances
        .push(behind.chain([rows_at([0.0, 0.0, 0.0])]).collect());
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let hit = bench.hits(&mut stage, &view, [32, 32], 0)?;
    if bench.gives_instances() {
        expect("the copy", hit.instance, Ok(last))?;
    }
    bench.names(&mut stage, &view, [60, 31], None)?;
    // It is told, by backends that cull instances.
    let overflows = u64::from(bench.backend.caps().instance_culling);
    for (pixel, right) in [([32, 32], overflows), ([60, 31], 0)] {
        let request = bench.point(&view, pixel[0], pixel[1])?;
        let told = bench.ask(&mut stage.scene, request)?.report.culling;
        expect("overflowed", told.overflowed, right)?;
    }
    bench.strike(stage)
}

fn flat() -> CaseMesh {
    quad(-50.0..=50.0, -50.0..=50.0, 0.0)
}

/// From one side of the view to just over its middle.
fn reach() -> M4 {
    shifted([-49.9, 0.0, 0.0])
}

/// The last pixel before the edge of something a hundred units long, whose box ends there, at each of
/// its four sides. Bounds a hundredth too small would miss it by three pixels.
fn edges<B: Backend>(
    bench: &mut Bench<'_, B>,
    mesh: &CaseMesh,
    place: M4,
    copies: usize,
) -> Outcome {
    // Without perspective, boxes as deep as they are long are no looser than flat ones.
    let views = [Camera::cam_p().build()?, Camera::cam_o().build()?];
    let mut turn = shifted([0.0; 3]);
    let quarter = [
        [0.0, 1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    for (inside, outside) in [
        ([32, 32], [33, 32]),
        ([32, 31], [32, 30]),
        ([31, 32], [30, 32]),
        ([32, 32], [32, 33]),
    ] {
        let mut scene = CaseScene::default();
        scene.meshes.push(mesh.clone());
        let mut object = CaseObject::new(0).at(product(&turn, &place));
        if copies > 0 {
            // One whole block of them is there.
            let here = 768..1024;
            let copy = |k| rows_at([if here.contains(&k) { 0.0 } else { 5000.0 }, 0.0, 0.0]);
            scene.instances.push((0..copies).map(copy).collect());
            object = object.instanced(0);
        }
        scene.add(object);
        let mut stage = bench.stage(&scene)?;
        for view in &views {
            bench.hits(&mut stage, view, inside, 0)?;
            bench.names(&mut stage, view, outside, None)?;
        }
        bench.strike(stage)?;
        turn = product(&turn, &quarter);
    }
    Ok(())
}

/// What moves, comes and goes between picks is found where it is.
fn moving<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene
        .meshes
        .push(culled_copies_of(quad(-0.5..=0.5, -0.5..=0.5, 0.0)));
    let set = |shift: f32| -> Vec<Rows> {
        (0..1200)
            .map(|k| rows_at([(k % 8) as f32 * 2.0 - 7.0 + shift, -2.0, 0.0]))
            .collect()
    };
    scene.instances.push(set(0.0));
    (0..300).for_each(|_| {
        scene.add(CaseObject::new(0).at(shifted([100.0, 0.0, 0.0])));
    });
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let key = stage.instances[0];
    for round in 0..12_usize {
        let at = |x: f64| glam::DMat4::from_translation(glam::DVec3::new(x, 0.0, 0.0));
        let (now, before) = (stage.objects[round], stage.objects[round.saturating_sub(1)]);
        stage.scene.meshes.set_transform(before, at(100.0))?;
        stage.scene.meshes.set_transform(now, at(1.0))?;
        named_at(bench, &mut stage, &view, [38, 31], Some(round))?;
        let shift = (round % 2) as f32;
        let source = InstanceSource::Cpu(set(shift).into());
        stage
            .scene
            .meshes
            .update_instances(bench.backend, key, source)?;
        // Columns at odd places, or at even ones.
        let [odd, even] = [[38, 44], [31, 44]];
        let (hit, miss) = if round % 2 == 0 {
            (odd, even)
        } else {
            (even, odd)
        };
        named_at(bench, &mut stage, &view, hit, Some(300))?;
        named_at(bench, &mut stage, &view, miss, None)?;
    }
    bench.strike(stage)
}

fn named_at<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut crate::case::Stage,
    view: &pick_core::View,
    [x, y]: [u32; 2],
    right: Option<usize>,
) -> Outcome {
    let hit = bench.pick(&mut stage.scene, view, x, y)?;
    named(stage, &hit, right).map_err(Fault::Wrong)
}

/// Random crowds of objects and copies, in every convention and far from the origin too, culled against
/// brute: ten thousand of them at full size.
fn crowds<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let count = if bench.full { 10_000 } else { 10 };
    for seed in 0..count {
        let crowd = crowd(bench, seed);
        crowd.map_err(|fault| match fault {
            Fault::Wrong(why) => Fault::Wrong(format!("crowd {seed}: {why}")),
            refused => refused,
        })?;
    }
    Ok(())
}

fn crowd<B: Backend>(bench: &mut Bench<'_, B>, seed: u64) -> Outcome {
    let mut dice = Dice::new(seed + 77);
    let far = [0.0, 0.0, 1e3, 1e6, 8e6][dice.below(5) as usize];
    let place = dice.point(far);
    let mut scene = CaseScene::default();
    scene.meshes.push(boxed(0.3));
    for _ in 0..100 + dice.below(300) {
        let turned = product(&scaled([1.0, 0.5, -1.2], [0.0; 3]), &dice.rotation());
        let spot = dice.point(9.0);
        let at = [0, 1, 2].map(|axis| place[axis] + spot[axis]);
        scene.add(CaseObject::new(0).at(product(&shifted(at), &turned)));
    }
    let copies = (0..1024 + dice.below(600)).map(|_| {
        let mut rows = scattered(&mut dice, 0.5);
        for (row, place) in rows.iter_mut().zip(place) {
            row[3] += place as f32;
        }
        rows
    });
    scene.instances.push(copies.collect());
    scene.add(CaseObject::new(0).instanced(0));
    if dice.once_in(3) {
        scene.meshes.push(in_parts(sphere(2.0, 60), 4200, 70));
        let stretched = scaled([1.0, -0.6, 2.0], [0.0; 3]);
        let turned = product(&dice.rotation(), &product(&stretched, &dice.rotation()));
        scene.add(CaseObject::new(1).at(product(&shifted(place), &turned)));
    }
    let mut camera = field(64, Depths::FIELD);
    if dice.once_in(2) {
        camera.depths = camera.depths.reversed();
    }
    camera.target = place;
    let eye = dice.point(12.0);
    camera.eye = [0, 1, 2].map(|axis| place[axis] + eye[axis]);
    let view = match dice.below(3) {
        0 => camera.orthographic(6.0),
        1 => {
            let near = camera.depths.near;
            camera.frustum([-0.9, 0.3, -0.2, 0.8].map(|side| side * near))
        }
        _ => camera.perspective(55.0),
    };
    let mut stage = bench.stage(&scene)?;
    let view = view.build()?;
    for _ in 0..3 {
        let (x, y) = (dice.below(64) as u32, dice.below(64) as u32);
        bench.pick(&mut stage.scene, &view, x, y)?;
    }
    bench.strike(stage)
}

/// The report says what was looked at.
fn told<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&objects(16).scene)?;
    let view = Camera::field(16).perspective(60.0).build()?;
    let request: Request<_> = bench.point(&view, 8, 8)?;
    let brute = bench.ask(&mut stage.scene, request.clone().culling(Culling::Off))?;
    let culled = bench.ask(&mut stage.scene, request)?;
    let report = culled.report;
    expect("objects", report.culling.objects, 300)?;
    if report.culling.survivors > 40 || report.items >= brute.report.items / 4 {
        return wrong(format!("{report:?}, brute {:?}", brute.report));
    }
    bench.strike(stage)?;
    // Whether the device culls its instances is told too.
    let mut stage = bench.stage(&instances(16).scene)?;
    let culled = bench.point(&view, 8, 8)?;
    let report = bench.ask(&mut stage.scene, culled)?.report.culling;
    let untested = if bench.backend.caps().instance_culling {
        0
    } else {
        1100
    };
    let told = (report.instances, report.instances_untested);
    expect("instances and untested ones", told, (1100, untested))?;
    bench.strike(stage)
}
