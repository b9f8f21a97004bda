//! Where things coincide, the first offered wins, also of what culling leaves.

use pick_core::Backend;

use crate::bench::{Bench, Outcome, expect};
use crate::case::{Camera, CaseObject, CaseScene, quad, rows_at};
use crate::cases::culling::culled_copies_of;
use crate::cases::{Case, Modes, case};

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("cull/ties_of_objects", Modes::Strategies, ties_of_objects),
        case(
            "cull/ties_of_instances",
            Modes::Strategies,
            ties_of_instances,
        ),
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
