//! When? Frozen requests, streams, state that must not leak.

use pick_core::{
    Backend, BuiltinStrategy, Hit, IdImage, PickPoint, Picker, PixelRect, Request, View,
};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{Camera, CaseScene, Stage, grid, quad, scaled};
use crate::cases::{Case, Modes, case};
use crate::mode::Mode;
use crate::probe::named;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("request/resized_in_flight", Modes::Strategies, resized),
        case(
            "request/scene_changes_in_flight",
            Modes::Strategies,
            scene_changes,
        ),
        case("request/state_does_not_leak", Modes::Once, no_leaks),
        case(
            "request/small_and_large_in_turn",
            Modes::Strategies,
            alternating,
        ),
        case("request/answers_in_order", Modes::Strategies, in_order),
        case("request/hover_and_click", Modes::Once, streams),
        case("request/comes_back_with_its_answer", Modes::All, comes_back),
        case("request/prepared", Modes::All, prepared),
    ]
}

fn small_quad() -> CaseScene {
    CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)])
}

/// Field case 12
fn resized<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let view = Camera::cam_p().build()?;
    let ticket = bench.send(&mut stage, &view, [41, 22])?;
    let small = view.with_viewport(PixelRect::new(0, 0, 16, 16))?;
    bench.hits(&mut stage, &small, [10, 5], 0)?;
    let answer = bench.receive(&mut stage, ticket)?;
    named(&stage, &answer.result, Some(0)).map_err(Fault::Wrong)?;
    expect("the view that comes back", answer.request.view, view)?;
    bench.strike(stage)
}

/// What happens to the scene while the device works changes no answer; what was removed is marked.
fn scene_changes<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([
        quad(1.0..=2.0, 1.0..=2.0, 0.0),
        quad(-4.0..=4.0, -4.0..=4.0, -1.0),
    ]);
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let moved = bench.send(&mut stage, &view, [41, 22])?;
    let away = glam::DMat4::from_translation(glam::DVec3::splat(50.0));
    stage.scene.meshes.set_transform(stage.objects[0], away)?;
    stage.scene.meshes.set_tag(stage.objects[0], 99)?;
    let answer = bench.receive(&mut stage, moved)?;
    named(&stage, &answer.result, Some(0)).map_err(Fault::Wrong)?;
    match &answer.result {
        Some(hit) => {
            expect("the tag of then", hit.tag, 0)?;
            expect("removed", hit.removed, false)?;
            bench.stands_at(hit, [1.484_375, 1.484_375, 0.0], bench.slack(0.16))?;
        }
        None => return wrong("a miss"),
    }
    stage
        .scene
        .meshes
        .set_transform(stage.objects[0], glam::DMat4::IDENTITY)?;
    let removed = bench.send(&mut stage, &view, [41, 22])?;
    stage.scene.meshes.remove(stage.objects[0])?;
    let mesh = stage.meshes[0];
    stage.scene.meshes.remove_mesh(bench.backend, mesh)?;
    let answer = bench.receive(&mut stage, removed)?;
    named(&stage, &answer.result, Some(0)).map_err(Fault::Wrong)?;
    let marked = answer.result.map(|hit| hit.removed);
    expect("removed", marked, Some(true))?;
    bench.hits(&mut stage, &view, [41, 22], 1)?;
    stage.meshes.remove(0);
    bench.strike(stage)
}

/// Field case 63
fn no_leaks<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = small_quad();
    scene.show_at(grid(3), scaled([0.6, 0.8, 1.0], [-1.5, 0.2, -0.5]));
    let mut stage = bench.stage(&scene)?;
    let mut reversed = Camera::field(64);
    reversed.depths = reversed.depths.reversed();
    let views = [
        Camera::cam_p().build()?,
        reversed.perspective(90.0).build()?,
        Camera::cam_o().build()?,
    ];
    let mut shared = Picker::new();
    for round in 0..24 {
        let view = &views[round % views.len()];
        let mode = Mode::ALL[round % 4];
        // GL reads no stencil beside 32-bit depth; under reversed depth that says so, by type.
        let (x, y) = ((round * 7 % 64) as u32, (20 + round % 9) as u32);
        if round % 5 == 4 {
            let region = PixelRect::new(x.min(56), y, 8, 3);
            let ask = |bench: &mut Bench<'_, B>, stage: &mut Stage, picker: &mut Picker| {
                let request = Request::id_image(view, region)?.with(mode.options());
                let answer = picker.pick(bench.backend, &mut stage.scene, request)?;
                let image: IdImage = answer.result;
                let hits = (0..24).map(|k| image.hit(k % 8, k / 8));
                hits.collect::<Result<Vec<_>, _>>()
            };
            let told = ask(bench, &mut stage, &mut shared);
            let fresh = ask(bench, &mut stage, &mut Picker::new());
            expect("an image", told, fresh)?;
        } else {
            let ask = |bench: &mut Bench<'_, B>, stage: &mut Stage, picker: &mut Picker| {
                let at = PickPoint::target_pixels(f64::from(x), f64::from(y));
                let request = Request::point(view, at)?.with(mode.options());
                let answer = picker.pick(bench.backend, &mut stage.scene, request)?;
                let hit: Option<Hit> = answer.result;
                Ok::<_, pick_core::PickError>(hit)
            };
            let told = ask(bench, &mut stage, &mut shared);
            let fresh = ask(bench, &mut stage, &mut Picker::new());
            expect("a pick", told, fresh)?;
        }
        bench.tally.answers += 2;
    }
    bench.strike(stage)
}

/// Field case 77: sizes are smaller than the case's million in a quick run.
fn alternating<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let side = if bench.full { 200 } else { 16 };
    let mut one = bench.stage(&CaseScene::of([CaseThird::mesh()]))?;
    let mut many = bench.stage(&CaseScene::of([grid(side)]))?;
    let view = Camera::cam_p().build()?;
    for round in 0..100 {
        let column = 20 + round % 24;
        bench.hits(&mut one, &view, [column, 40], 0)?;
        bench.hits(&mut many, &view, [column, 40], 0)?;
        if round % 10 == 0 {
            let first = bench.send(&mut one, &view, [column, 40])?;
            let second = bench.send(&mut many, &view, [5, 5])?;
            let first = bench.receive(&mut one, first)?;
            let second = bench.receive(&mut many, second)?;
            named(&one, &first.result, Some(0)).map_err(Fault::Wrong)?;
            named(&many, &second.result, None).map_err(Fault::Wrong)?;
        }
    }
    bench.strike(one)?;
    bench.strike(many)
}

/// A single large triangle.
struct CaseThird;

impl CaseThird {
    fn mesh() -> crate::case::CaseMesh {
        let mut mesh = quad(-4.0..=4.0, -4.0..=4.0, 0.0);
        mesh.positions[3] = [-4.0, -4.0, 0.0];
        mesh.positions[2] = [0.0, 4.0, 0.0];
        mesh.indices = Some(vec![0, 1, 2]);
        mesh
    }
}

/// Field case 85: every answer carries its pixel and its number.
fn in_order<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let view = Camera::cam_p().build()?;
    bench.picker = Picker::with_capacity(4);
    let mut numbers = Vec::new();
    for first in (0..64).step_by(4) {
        let mut waiting = Vec::new();
        for column in first..first + 4 {
            waiting.push((column, bench.send(&mut stage, &view, [column, 22])?));
        }
        match bench.send(&mut stage, &view, [first, 22]) {
            Err(Fault::Refused(error))
                if matches!(error.kind(), pick_core::ErrorKind::Busy { in_flight: 4 }) => {}
            _ => return wrong("a fifth click of four flights"),
        }
        for (asked, ticket) in waiting {
            numbers.push(check_column(bench, &mut stage, asked, ticket)?);
        }
    }
    expect("in request order", numbers.is_sorted(), true)?;
    bench.strike(stage)
}

fn check_column<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    asked: u32,
    ticket: pick_core::Ticket<Option<Hit>>,
) -> Result<u64, Fault> {
    let answer = bench.receive(stage, ticket)?;
    let right = (38..=44).contains(&asked).then_some(0);
    named(stage, &answer.result, right)
        .map_err(|why| Fault::Wrong(format!("column {asked}: {why}")))?;
    let pixel = pick_core::Query::Point { pixel: [asked, 22] };
    expect("its own pixel", answer.request.query, pixel)?;
    Ok(answer.sequence)
}

/// Hovers never take the last flight; of waiting ones the newest counts.
fn streams<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let view = Camera::cam_p().build()?;
    bench.picker = Picker::with_capacity(2);
    let hover = |bench: &mut Bench<'_, B>, stage: &mut Stage, x: u32| {
        let request = bench.point(&view, x, 22)?;
        let picker = &mut bench.picker;
        Ok::<_, Fault>(picker.hover(bench.backend, &mut stage.scene, request)?)
    };
    let first = hover(bench, &mut stage, 37)?;
    let mut second = hover(bench, &mut stage, 38)?;
    let third = hover(bench, &mut stage, 44)?;
    match second.try_take() {
        Some(Err(error)) if matches!(error.kind(), pick_core::ErrorKind::Superseded) => {}
        other => return wrong(format!("the older waiting hover: {other:?}")),
    }
    let click = bench.send(&mut stage, &view, [45, 22])?;
    for (ticket, right) in [(first, None), (third, Some(0)), (click, None)] {
        let answer = bench.receive(&mut stage, ticket)?;
        named(&stage, &answer.result, right).map_err(Fault::Wrong)?;
    }
    bench.strike(stage)
}

fn comes_back<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let view: View = Camera::cam_p().build()?;
    let request = bench.point(&view, 41, 22)?.label("a pick").layers(0b101);
    let answer = bench.ask(&mut stage.scene, request)?;
    expect("view", answer.request.view, view)?;
    expect("layers", answer.request.options.layers, 0b101)?;
    expect(
        "label",
        answer.request.options.label.as_deref(),
        Some("a pick"),
    )?;
    expect("items", answer.report.items, 1)?;
    expect("passes", answer.report.passes, 1)?;
    let bytes = match bench.mode.strategy {
        BuiltinStrategy::ColorId(_) | BuiltinStrategy::IntegerId(_) => 8..=8,
        BuiltinStrategy::StencilId(_) => 1..=5,
        BuiltinStrategy::Detailed(_) => 16..=32,
    };
    let read = answer.report.bytes_read_back;
    expect("bytes read back", bytes.contains(&read), true)?;
    let again = bench.point(&view, 41, 22)?;
    let later = bench.ask(&mut stage.scene, again)?;
    expect("sequence", later.sequence, answer.sequence + 1)?;
    bench.strike(stage)
}

fn prepared<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let view = Camera::cam_p().build()?;
    let request = bench.point(&view, 41, 22)?;
    let picker = &mut bench.picker;
    picker.prepare(bench.backend, &mut stage.scene, &request)?;
    bench.hits(&mut stage, &view, [41, 22], 0)?;
    bench.strike(stage)
}
