//! Front and back: facing, culling, mirrors.

use pick_core::{Backend, CullPolicy};

use crate::bench::{Bench, Outcome, expect};
use crate::case::{
    Asking, Camera, CaseMesh, CaseObject, CasePart, CaseScene, Cull, Depths, Rows, boxed, quad,
    rows_at, scaled, shifted, sphere,
};
use crate::cases::{Case, Dice, Modes, Shot, case, frame};
use crate::oracle::math::product;
use crate::probe::named;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    let culled = |name: &str, cull: Cull| {
        frame(name, move |side| {
            let asking = Asking {
                cull,
                ..Asking::default()
            };
            Shot::new(both_sides(), camera(side))
                .asking(asking)
                .ambiguous(0.5)
        })
    };
    vec![
        case("side/inside_a_box", Modes::All, inside),
        culled("side/cull_none", Cull::None),
        culled("side/cull_back", Cull::Back),
        culled("side/cull_front", Cull::Front),
        culled("side/cull_material", Cull::Material),
        frame("side/cull_back_left_handed", |side| {
            let mut view = camera(side);
            for column in &mut view.view_from_world {
                column[2] = -column[2];
            }
            view.clip_from_view[2] = view.clip_from_view[2].map(|c| -c);
            let asking = Asking {
                cull: Cull::Back,
                ..Asking::default()
            };
            Shot::new(both_sides(), view).asking(asking).ambiguous(0.5)
        }),
        frame("side/cull_back_mirrored_projection", |side| {
            let mut view = camera(side);
            for column in &mut view.clip_from_view {
                column[0] = -column[0];
            }
            let asking = Asking {
                cull: Cull::Back,
                ..Asking::default()
            };
            Shot::new(both_sides(), view).asking(asking).ambiguous(0.5)
        }),
    ]
}

fn camera(side: u32) -> crate::case::CaseView {
    Camera {
        eye: [0.4, 0.7, 4.2],
        depths: Depths::FIELD,
        ..Camera::field(side)
    }
    .perspective(75.0)
}

/// Boxes and spheres plain, mirrored by their object, by their copy, and by both; parts that show one
/// side and parts that show both.
fn both_sides() -> CaseScene {
    let mut scene = CaseScene::default();
    let mut halves: CaseMesh = boxed(0.8);
    halves.parts = vec![CasePart::new(0..18).single_sided(), CasePart::new(18..36)];
    scene.meshes.push(halves);
    let mut shell = sphere(0.9, 4);
    let end = shell.element_count();
    shell.parts = vec![CasePart::new(0..end).single_sided()];
    scene.meshes.push(shell);
    let mirrored: Rows = [
        [-1.0, 0.0, 0.0, 1.6],
        [0.0, 1.0, 0.0, 1.4],
        [0.0, 0.0, 1.0, 0.0],
    ];
    scene
        .instances
        .push(vec![rows_at([-1.7, 1.5, 0.0]), mirrored]);
    let turn = Dice::new(44).rotation();
    scene.add(CaseObject::new(0).at(product(&shifted([-1.8, -1.4, 0.0]), &turn)));
    let flip = scaled([1.0, -1.0, 1.0], [1.6, -1.5, 0.2]);
    scene.add(CaseObject::new(0).at(product(&flip, &turn)));
    scene.add(CaseObject::new(1).instanced(0));
    // Seen from behind, with nothing but the rest behind it.
    let half_turn = scaled([-1.0, 1.0, -1.0], [0.1, 0.15, 1.1]);
    scene.meshes.push(quad(-0.9..=0.8, -0.7..=0.9, 0.0));
    scene.add(CaseObject::new(2).at(half_turn));
    let flip = scaled([1.0, 0.9, -1.0], [0.1, -1.4, 0.1]);
    scene.add(CaseObject::new(0).instanced(0).at(flip));
    scene
}

/// Field case 55
fn inside<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([boxed(3.0)]))?;
    let mut camera = Camera::field(64);
    camera.eye = [0.0; 3];
    camera.target = [0.0, 0.0, -1.0];
    for view in [camera.perspective(90.0)] {
        let view = view.build()?;
        let hit = bench.hits(&mut stage, &view, [40, 20], 0)?;
        bench.stands_at(&hit, [0.796_875, 1.078_125, -3.0], bench.slack(0.1))?;
        if bench.mode.is_detailed() {
            expect("front", hit.front_facing, Ok(false))?;
        }
        for (cull, right) in [
            (CullPolicy::Back, None),
            (CullPolicy::Front, Some(0)),
            (CullPolicy::Material, Some(0)),
        ] {
            let request = bench.point(&view, 40, 20)?.cull(cull);
            let hit = bench.ask(&mut stage.scene, request)?.result;
            named(&stage, &hit, right).map_err(crate::bench::Fault::Wrong)?;
        }
    }
    bench.strike(stage)?;
    // What lies behind the eye is not hit, under either projection.
    let mut stage = bench.stage(&CaseScene::of([quad(-9.0..=9.0, -9.0..=9.0, 6.0)]))?;
    for view in [Camera::cam_p(), Camera::cam_o()] {
        let view = view.build()?;
        bench.names(&mut stage, &view, [32, 32], None)?;
    }
    bench.strike(stage)
}
