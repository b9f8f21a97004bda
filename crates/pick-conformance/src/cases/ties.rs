//! Where things coincide, the first offered wins, also of what culling leaves.

use pick_core::Backend;

use crate::bench::{Bench, Outcome, expect, wrong};
use crate::case::{Camera, CaseMesh, CaseObject, CaseScene, Rows, quad, rows_at};
use crate::cases::culling::culled_copies_of;
use crate::cases::{Case, Dice, Modes, case};

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("cull/ties_of_objects", Modes::Strategies, ties_of_objects),
        case(
            "cull/ties_of_instances",
            Modes::Strategies,
            ties_of_instances,
        ),
        case("cull/scattered_ties", Modes::Strategies, scattered_ties),
    ]
}

/// The first inserted wins, also after others were removed and inserted again.
fn ties_of_objects<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(-4.0..=4.0, -4.0..=4.0, 0.0));
    (0..40).for_each(|_| {
        scene.add(CaseObject::new(0));
    });
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    bench.hits(&mut stage, &view, [30, 30], 0)?;
    // What is inserted anew comes last, whatever slot it gets.
    for _ in 0..10 {
        let object = stage.scene.meshes.remove(stage.objects[0])?;
        stage.objects.remove(0);
        stage.objects.push(stage.scene.meshes.insert(object)?);
        bench.hits(&mut stage, &view, [30, 30], 0)?;
    }
    bench.strike(stage)
}

/// Of copies at one place the first wins, in whichever blocks they are.
fn ties_of_instances<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    let square = quad(-0.4..=0.4, -0.4..=0.4, 0.0);
    scene.meshes.push(culled_copies_of(square));
    let columns = [-3.0, -1.0, 1.0, 3.0];
    let copies = (0..2000).map(|k: usize| rows_at([columns[(k / 7) % 4], 0.0, 0.0]));
    scene.instances.push(copies.collect());
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    for (column, right) in [(12, 0), (25, 7), (38, 14), (51, 21)] {
        let hit = bench.hits(&mut stage, &view, [column, 31], 0)?;
        if bench.gives_instances() {
            expect("the copy", hit.instance, Ok(right))?;
        }
    }
    bench.strike(stage)
}

/// Copies in no order, several at each place and hundreds at some: what is left of them comes from every
/// chunk and from blocks all over.
fn scattered_ties<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(41);
    let mut places: Vec<Rows> = (0..1500)
        .map(|_| {
            let [x, y, z] = dice.point(1.0);
            rows_at([x * 5.0, y * 5.0, z - 2.0].map(|c| c as f32))
        })
        .collect();
    let crowded = [[0.7, 0.2], [-0.8, 0.2], [0.7, -1.3], [-2.3, 1.7]];
    places.extend(crowded.map(|[x, y]| rows_at([x, y, 1.0])));
    // So many are culled, and need a second chunk.
    let count = if bench.full { 20_000 } else { 11_000 };
    let copies: Vec<usize> = (0..count)
        .map(|_| match dice.once_in(3) {
            true => places.len() - 1 - dice.below(4) as usize,
            false => dice.below(places.len() as u64) as usize,
        })
        .collect();
    let mut scene = CaseScene::default();
    scene.meshes.push(CaseMesh {
        positions: vec![[-0.5, -0.4, 0.0], [0.5, -0.4, 0.0], [0.0, 0.5, 0.0]],
        ..CaseMesh::default()
    });
    let rows = copies.iter().map(|&place| places[place]);
    scene.instances.push(rows.collect());
    scene.add(CaseObject::new(0).instanced(0));
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let mut crowded = 0;
    for pixel in (0..12_u32).step_by(if bench.full { 1 } else { 3 }) {
        let [x, y] = [pixel % 4 * 12 + 13, pixel / 4 * 12 + 18];
        let hit = bench.hits(&mut stage, &view, [x, y], 0)?;
        if bench.gives_instances() {
            let told = hit.instance.map_or(usize::MAX, |copy| copy as usize);
            let Some(place) = copies.get(told) else {
                return wrong(format!("({x}, {y}): {:?}", hit.instance));
            };
            crowded += u32::from(place + 4 >= places.len());
            let first = copies.iter().position(|at| at == place);
            expect("the copy", Some(told), first)?;
        }
    }
    if bench.gives_instances() && crowded == 0 {
        return wrong("no pixel is crowded");
    }
    bench.strike(stage)
}
