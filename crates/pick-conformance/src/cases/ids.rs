//! Which id? Encoding, limits, clears.

use pick_core::{Backend, BuiltinStrategy, Culling, IdImage, InputError, PixelRect, Request, View};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{Camera, CaseMesh, CaseObject, CaseScene, Depths, Stage, quad, shifted};
use crate::cases::{Case, Modes, case};
use crate::probe::{named, refused};

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("id/boundaries", Modes::All, boundaries),
        case("id/past_24_bits_and_at_the_end", Modes::All, limits),
        case("id/bytes_that_srgb_would_change", Modes::All, srgb),
        case("id/neighbours", Modes::All, neighbours),
        case("id/more_than_255_draws", Modes::Strategies, many),
        case("id/background", Modes::All, background),
        case("id/empty_scene", Modes::All, empty),
        case("id/sky", Modes::Strategies, sky),
        case("id/faces_in_ids", Modes::Strategies, faces),
    ]
}

/// Four quads in a row, each of which covers pixel 9 + 13 k of row 31.
fn four() -> CaseScene {
    let at = |x: f64| quad(x - 0.5..=x + 0.5, -0.5..=0.5, 0.0);
    CaseScene::of([at(-3.0), at(-1.0), at(1.0), at(3.0)])
}

const FOUR_PIXELS: [[u32; 2]; 4] = [[12, 31], [25, 31], [38, 31], [51, 31]];

/// The raw ids at a pixel when ids start at `first`, and who is named. Everything is drawn, so that
/// the ids are known.
fn raw<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    view: &View,
    [x, y]: [u32; 2],
    first: u32,
) -> Result<IdImage, Fault> {
    let region = PixelRect::new(x, y, 1, 1);
    let request = Request::id_image(view, region)?
        .with(bench.mode.options())
        .culling(Culling::Off)
        .first_id(first);
    Ok(bench.ask(&mut stage.scene, request)?.result)
}

/// The quad at position `k` must have id `first + k` (of draw numbers: `k + 1`) and be named.
fn exact<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    view: &View,
    first: u32,
    count: usize,
) -> Outcome {
    for (k, pixel) in FOUR_PIXELS.iter().enumerate().take(count) {
        let image = raw(bench, stage, view, *pixel, first)?;
        let right = match bench.mode.is_stencil() {
            true => k as u32 + 1,
            false => first + k as u32,
        };
        expect("the raw id", image.samples().ids.as_slice(), &[right])?;
        named(stage, &image.hit(0, 0)?, Some(k)).map_err(Fault::Wrong)?;
    }
    Ok(())
}

/// Field case 22, and 25 on GL.
fn boundaries<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    const IDS: [u32; 14] = [
        1, 2, 127, 128, 254, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 16_777_215,
    ];
    let mut stage = bench.stage(&four())?;
    let view = Camera::cam_p().build()?;
    for first in IDS {
        exact(bench, &mut stage, &view, first, 1)?;
    }
    bench.strike(stage)
}

/// Field cases 20 and 28.
fn limits<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&four())?;
    let view = Camera::cam_p().build()?;
    exact(bench, &mut stage, &view, 16_777_215, 4)?;
    exact(bench, &mut stage, &view, u32::MAX - 3, 4)?;
    let request = bench.point(&view, 12, 31)?.first_id(u32::MAX - 2);
    let request = request.culling(Culling::Off);
    let asked = bench.picker.pick(bench.backend, &mut stage.scene, request);
    refused("one id too many", asked, |input| {
        matches!(input, InputError::IdsExhausted { asked: 1, left: 0 })
    })?;
    // The id of nothing is never handed out.
    exact(bench, &mut stage, &view, 1, 4)?;
    let image = raw(bench, &mut stage, &view, [12, 31], 0)?;
    expect("the id after a base of 0", image.samples().ids[0], 1)?;
    bench.strike(stage)
}

/// Field case 32
fn srgb<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&four())?;
    let view = Camera::cam_p().build()?;
    for first in [0x00BC_7F21, 0xDFBB_6521, 0x21BC_7F80] {
        exact(bench, &mut stage, &view, first, 1)?;
    }
    bench.strike(stage)
}

/// Field case 23
fn neighbours<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = four();
    for (object, tag) in scene.objects.iter_mut().zip(11_257_038..) {
        object.tag = tag;
    }
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    exact(bench, &mut stage, &view, 11_257_038, 4)?;
    for (k, (pixel, tag)) in FOUR_PIXELS.into_iter().zip(11_257_038..).enumerate() {
        let hit = bench.hits(&mut stage, &view, pixel, k)?;
        expect("the tag", hit.tag, tag)?;
    }
    bench.strike(stage)
}

/// 256 objects, each 4x4 pixels of a 64x64 frame.
fn checkers() -> (CaseScene, crate::case::CaseView) {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(0.0..=4.0, -4.0..=0.0, 0.0));
    for k in 0..256_u32 {
        let corner = [
            f64::from(k % 16 * 4) - 32.0,
            32.0 - f64::from(k / 16 * 4),
            0.0,
        ];
        scene.add(CaseObject::new(0).at(shifted(corner)));
    }
    let camera = Camera {
        depths: Depths::FIELD,
        ..Camera::field(64)
    };
    (scene, camera.orthographic(32.0))
}

/// Field case 21
fn many<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let (scene, view) = checkers();
    let mut stage = bench.stage(&scene)?;
    let view = view.build()?;
    let request = Request::id_image(&view, view.viewport())?.with(bench.mode.options());
    let answer = bench.ask(&mut stage.scene, request)?;
    for y in 0..64 {
        for x in 0..64 {
            let right = (y / 4 * 16 + x / 4) as usize;
            let hit = answer.result.hit(x, y)?;
            named(&stage, &hit, Some(right))
                .map_err(|why| Fault::Wrong(format!("({x}, {y}): {why}")))?;
        }
    }
    let planes = |count: u32| if bench.mode.is_stencil() { count } else { 0 };
    let (two, one) = (planes(2), planes(1));
    expect("stencil planes", answer.report.stencil_planes, two)?;
    // Who takes no part uses no id.
    stage.scene.meshes.set_pickable(stage.objects[0], false)?;
    stage.scene.meshes.set_visible(stage.objects[1], false)?;
    let request = bench.point(&view, 9, 1)?.culling(Culling::Off);
    let answer = bench.ask(&mut stage.scene, request)?;
    expect("stencil planes", answer.report.stencil_planes, one)?;
    expect("items", answer.report.items, 254)?;
    named(&stage, &answer.result, Some(2)).map_err(Fault::Wrong)?;
    bench.names(&mut stage, &view, [1, 1], None)?;
    bench.names(&mut stage, &view, [5, 1], None)?;
    bench.strike(stage)
}

/// Field case 29
fn background<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([quad(0.0..=5.0, -5.0..=5.0, 0.0)]))?;
    let view = Camera::cam_p().build()?;
    for first in [1, 0x0100_0000, u32::MAX] {
        let request = bench.point(&view, 5, 5)?.first_id(first);
        let hit = bench.ask(&mut stage.scene, request)?.result;
        named(&stage, &hit, None).map_err(Fault::Wrong)?;
    }
    bench.names(&mut stage, &view, [5, 5], None)?;
    bench.hits(&mut stage, &view, [50, 5], 0)?;
    bench.strike(stage)
}

/// Field cases 28 and 60
fn empty<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::default())?;
    let view = Camera::cam_p().build()?;
    for corner in [[0, 0], [63, 63]] {
        bench.names(&mut stage, &view, corner, None)?;
        for first in [1, 77, u32::MAX] {
            let image = raw(bench, &mut stage, &view, corner, first)?;
            expect("the raw id", image.samples().ids.as_slice(), &[0])?;
        }
    }
    bench.strike(stage)
}

/// Field case 31
fn sky<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::of([
        quad(-50.0..=50.0, -50.0..=50.0, -20.0),
        quad(1.0..=2.0, 1.0..=2.0, 0.0),
    ]);
    scene.objects[0].pickable = false;
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let request = Request::id_image(&view, view.viewport())?.with(bench.mode.options());
    let image = bench.ask(&mut stage.scene, request)?.result;
    let covered = |x: u32, y: u32| (38..=44).contains(&x) && (19..=25).contains(&y);
    for y in 0..64 {
        for x in 0..64 {
            let right = covered(x, y).then_some(1);
            named(&stage, &image.hit(x, y)?, right)
                .map_err(|why| Fault::Wrong(format!("({x}, {y}): {why}")))?;
        }
    }
    bench.strike(stage)
}

/// Object and face in one id, also for copies, also at the limits.
fn faces<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut mesh: CaseMesh = crate::case::boxed(1.0);
    // Numbers with gaps: face 5 twice, none is 0.
    mesh.faces = Some([1, 1, 2, 2, 3, 3, 5, 5, 5, 5, 7, 7].to_vec());
    let mut scene = CaseScene::default();
    scene.instances.push(vec![
        crate::case::rows_at([-2.0, 0.0, 0.0]),
        crate::case::rows_at([2.0, 0.1, 0.0]),
    ]);
    scene.meshes.push(mesh);
    scene.add(CaseObject::new(0).instanced(0));
    scene.add(CaseObject::new(0));
    let view = Camera::field(bench.side()).perspective(90.0);
    bench.frame(&crate::frame::Frame::new(&scene, &view).ambiguous(0.4))?;
    if !matches!(bench.mode.strategy, BuiltinStrategy::IntegerId(_)) {
        return Ok(());
    }
    // 3 boxes of 8 faces take 24 ids.
    let mut stage = bench.stage(&scene)?;
    let view = view.build()?;
    let point = bench.point(&view, 0, 0)?.culling(Culling::Off);
    let fits = point.clone().first_id(u32::MAX - 23);
    bench.ask(&mut stage.scene, fits)?;
    let request = point.first_id(u32::MAX - 22);
    let asked = bench.picker.pick(bench.backend, &mut stage.scene, request);
    match asked {
        Err(error) if error.is_input() => bench.strike(stage),
        other => wrong(format!("24 ids fit into 23: {other:?}")),
    }
}
