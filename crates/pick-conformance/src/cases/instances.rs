//! Copies: their index, their transform, and the transform of their object.

use pick_core::{Backend, InstanceSource};

use crate::bench::{Bench, Outcome, expect};
use crate::case::{
    Camera, CaseObject, CaseScene, Depths, Rows, boxed, identity_rows, quad, rows_at, scaled,
    sphere,
};
use crate::cases::culling::culled_copies_of;
use crate::cases::{Case, Modes, Shot, case, frame};
use crate::oracle::math::product;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case(
            "instance/index_after_a_hundred",
            Modes::All,
            after_a_hundred,
        ),
        case("instance/base_transform", Modes::All, base_transform),
        case("instance/moved", Modes::All, moved),
        case(
            "instance/swap_removed_in_flight",
            Modes::Strategies,
            |bench| swapped(bench, 0),
        ),
        case("cull/swap_removed_in_flight", Modes::Strategies, |bench| {
            swapped(bench, 1100)
        }),
        frame("instance/turned_and_mirrored", turned),
        frame("instance/not_finite_and_flat", odd),
        frame("instance/forgotten_mesh", forgotten),
        frame("instance/empty_set", |side| {
            let mut scene = CaseScene::of([quad(-1.0..=1.0, -1.0..=1.0, 0.0)]);
            scene.instances.push(Vec::new());
            scene.add(CaseObject::new(0).instanced(0));
            Shot::new(scene, Camera::field(side).perspective(90.0))
        }),
        frame("instance/far_from_the_origin", |side| {
            let mut scene = CaseScene::default();
            scene.meshes.push(boxed(1.0));
            let far = |x: f32, y: f32| rows_at([600_000.0 + x, y, 2.0]);
            scene
                .instances
                .push(vec![far(-2.0, 0.0), far(0.5, 1.0), far(3.0, -1.0)]);
            scene.add(CaseObject::new(0).instanced(0));
            let mut camera = Camera::field(side);
            camera.eye = [600_000.3, 0.2, 9.0];
            camera.target = [600_000.0, 0.0, 0.0];
            Shot::new(scene, camera.perspective(60.0)).ambiguous(0.4)
        }),
    ]
}

/// Field case 35, as far as this interface names copies: the set's first hundred are elsewhere.
fn after_a_hundred<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(-0.5..=0.5, -0.5..=0.5, 0.0));
    let mut rows: Vec<Rows> = vec![rows_at([0.0, 0.0, 500.0]); 100];
    rows.extend([-3.0, -1.0, 1.0, 3.0].map(|x| rows_at([x, 0.0, 0.0])));
    scene.instances.push(rows);
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    for (column, right) in [(12, 100), (25, 101), (38, 102), (51, 103)] {
        let hit = bench.hits(&mut stage, &view, [column, 31], 0)?;
        if bench.gives_instances() {
            expect("the copy", hit.instance, Ok(right))?;
        }
    }
    bench.strike(stage)
}

/// Field case 36
fn base_transform<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(-0.5..=0.5, -0.5..=0.5, 0.0));
    let copies = (0..5).map(|k| rows_at([2.0 * k as f32 - 4.0, 0.0, 0.0]));
    scene.instances.push(copies.collect());
    let at = crate::case::shifted;
    scene.add(CaseObject::new(0).at(at([-3.0, -2.0, 0.0])));
    // After the base: centres x = -2, -1, 0, 1, 2 at y = 1, sides 0.5.
    let base = scaled([0.5; 3], [0.0, 1.0, 0.0]);
    scene.add(CaseObject::new(0).instanced(0).at(base));
    scene.add(CaseObject::new(0).at(at([3.0, -2.0, 0.0])));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    // x = -2..2 are columns 19, 25.6, 32, 38.4, 44.8; y = 1 is row 25.6.
    for (index, column) in [19, 25, 32, 38, 44].into_iter().enumerate() {
        let hit = bench.hits(&mut stage, &view, [column, 25], 1)?;
        if bench.gives_instances() {
            expect("the copy", hit.instance, Ok(index as u32))?;
        }
    }
    bench.hits(&mut stage, &view, [12, 44], 0)?;
    bench.hits(&mut stage, &view, [51, 44], 2)?;
    bench.names(&mut stage, &view, [6, 31], None)?;
    bench.strike(stage)
}

/// Field case 38
fn moved<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(-0.5..=0.5, -0.5..=0.5, 0.0));
    let mut rows = [-3.0, -1.0, 1.0, 3.0].map(|x| rows_at([x, 0.0, 0.0]));
    scene.instances.push(rows.to_vec());
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    bench.hits(&mut stage, &view, [38, 31], 0)?;
    rows[2][1][3] = 3.0;
    let source = InstanceSource::Cpu(rows.to_vec().into());
    let key = stage.instances[0];
    let meshes = &mut stage.scene.meshes;
    meshes.update_instances(bench.backend, key, source)?;
    bench.names(&mut stage, &view, [38, 31], None)?;
    // y = 3 is row 12.8.
    let hit = bench.hits(&mut stage, &view, [38, 12], 0)?;
    if bench.gives_instances() {
        expect("the copy", hit.instance, Ok(2))?;
    }
    bench.strike(stage)
}

/// Field case 39, also with so many others elsewhere that the device looks for what is under the pick.
fn swapped<B: Backend>(bench: &mut Bench<'_, B>, others: u32) -> Outcome {
    let mut scene = CaseScene::default();
    let square = quad(-0.5..=0.5, -0.5..=0.5, 0.0);
    scene.meshes.push(culled_copies_of(square));
    let here = |k: u32| rows_at([2.0 * k as f32 - 4.0, 0.0, 0.0]);
    let elsewhere = (0..others).map(|k| rows_at([80.0, k as f32, 0.0]));
    let mut rows: Vec<_> = (0..4).map(here).chain(elsewhere).collect();
    rows.push(here(4));
    scene.instances.push(rows.clone());
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let ticket = bench.send(&mut stage, &view, [57, 31])?;
    rows.swap_remove(1);
    let source = InstanceSource::Cpu(rows.into());
    let key = stage.instances[0];
    let meshes = &mut stage.scene.meshes;
    meshes.update_instances(bench.backend, key, source)?;
    let answer = bench.receive(&mut stage, ticket)?;
    crate::probe::named(&stage, &answer.result, Some(0)).map_err(crate::bench::Fault::Wrong)?;
    if let Some(hit) = answer.result {
        if bench.gives_instances() {
            expect("the copy", hit.instance, Ok(4 + others))?;
        }
        bench.stands_at(&hit, [3.984_375, 0.078_125, 0.0], bench.slack(0.16))?;
    }
    // What was last is now at 1; where it was, nothing is left of its old number.
    let hit = bench.hits(&mut stage, &view, [57, 31], 0)?;
    if bench.gives_instances() {
        expect("the copy", hit.instance, Ok(1))?;
    }
    bench.strike(stage)
}

fn turned(side: u32) -> Shot {
    let mut scene = CaseScene::default();
    scene.meshes.push(boxed(0.7));
    scene.meshes.push(sphere(0.8, 4));
    let tilted: Rows = [
        [0.8, -0.6, 0.0, -1.6],
        [0.6, 0.8, 0.1, 0.4],
        [0.0, -0.1, 1.2, 0.0],
    ];
    let mirrored: Rows = [
        [-1.0, 0.2, 0.0, 1.5],
        [0.0, 0.7, 0.3, 0.8],
        [0.1, 0.0, 1.1, -0.4],
    ];
    scene.instances.push(vec![
        tilted,
        mirrored,
        identity_rows(),
        rows_at([0.3, -1.7, 0.6]),
    ]);
    let base = product(
        &scaled([1.1, -0.9, 1.0], [0.1, 0.2, -0.3]),
        &crate::cases::Dice::new(33).rotation(),
    );
    scene.add(CaseObject::new(0).instanced(0).at(base));
    scene.add(CaseObject::new(1).instanced(0));
    let camera = Camera {
        depths: Depths::FIELD.reversed(),
        ..Camera::field(side)
    };
    Shot::new(scene, camera.perspective(70.0)).ambiguous(0.45)
}

fn odd(side: u32) -> Shot {
    let mut scene = CaseScene::default();
    scene.meshes.push(boxed(0.9));
    let mut nan = rows_at([0.0, 0.0, 0.5]);
    nan[1][1] = f32::NAN;
    let mut infinite = rows_at([0.0, 0.0, 0.5]);
    infinite[2][3] = f32::INFINITY;
    let mut flat = rows_at([2.0, 0.3, 0.0]);
    flat[2][2] = 0.0;
    let vanishing: Rows = [[0.0, 0.0, 0.0, 0.2], [0.0; 4], [0.0; 4]];
    scene.instances.push(vec![
        nan,
        rows_at([-2.0, 0.0, 0.0]),
        infinite,
        flat,
        vanishing,
        rows_at([0.1, 1.8, 0.3]),
    ]);
    scene.add(CaseObject::new(0).instanced(0));
    Shot::new(scene, Camera::field(side).perspective(80.0)).ambiguous(0.6)
}

fn forgotten(side: u32) -> Shot {
    let mut scene = CaseScene::default();
    scene.meshes.push(sphere(0.9, 4).forgotten());
    let stretched: Rows = [
        [1.4, 0.0, 0.2, -1.5],
        [0.1, 0.6, 0.0, 0.3],
        [0.0, 0.0, 0.9, 0.2],
    ];
    scene
        .instances
        .push(vec![stretched, rows_at([1.4, -0.4, 0.0])]);
    scene.add(CaseObject::new(0).instanced(0));
    Shot::new(scene, Camera::field(side).perspective(70.0)).ambiguous(0.45)
}
