//! Which pixel? Coordinates, scale, viewport, size.

use pick_core::{Backend, PickPoint, PixelRect, Request, View};

use crate::bench::{Bench, Fault, Outcome, expect};
use crate::case::{Asking, Camera, CaseScene, Stage, quad};
use crate::cases::{Case, Modes, case};
use crate::probe::{named, refused};

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("pixel/scale", Modes::Strategies, scale),
        case("pixel/entry_points_agree", Modes::Strategies, entry_points),
        case("pixel/render_to_image", Modes::Strategies, image_camera),
        case("pixel/viewport_offset", Modes::Strategies, offset),
        case("pixel/first_and_last_row", Modes::Strategies, rows),
        case("pixel/region_at_the_border", Modes::Strategies, border),
        case("pixel/row_of_a_quad", Modes::All, quad_row),
        case("pixel/first_pick_is_the_second", Modes::All, first_pick),
        case("pixel/large_target", Modes::Once, large),
    ]
}

/// Q(1..2, 1..2, 0) of the field cases.
fn small_quad() -> CaseScene {
    CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)])
}

fn place<B: Backend>(
    bench: &mut Bench<'_, B>,
    stage: &mut Stage,
    view: &View,
    at: PickPoint,
    right: Option<usize>,
) -> Outcome {
    let request = Request::point(view, at)?.with(bench.mode.options());
    let hit = bench.ask(&mut stage.scene, request)?.result;
    named(stage, &hit, right).map_err(|why| Fault::Wrong(format!("{at:?}: {why}")))
}

/// Field case 1
fn scale<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let view = Camera::cam_p().build()?;
    bench.hits(&mut stage, &view, [41, 22], 0)?;
    let logical = PickPoint::logical_pixels;
    place(bench, &mut stage, &view, logical(20.8, 11.2, 2.0)?, Some(0))?;
    place(bench, &mut stage, &view, logical(20.0, 11.0, 1.0)?, None)?;
    let larger = Camera::field(96).perspective(90.0).build()?;
    place(
        bench,
        &mut stage,
        &larger,
        logical(41.6, 22.4, 1.5)?,
        Some(0),
    )?;
    place(
        bench,
        &mut stage,
        &larger,
        PickPoint::target_pixels(41.0, 22.0),
        None,
    )?;
    for scale in [0.0, -2.0, f64::NAN, f64::INFINITY] {
        refused("scale", logical(20.0, 11.0, scale), |input| {
            matches!(input, pick_core::InputError::BadScale { .. })
        })?;
    }
    bench.strike(stage)
}

/// Field case 2
fn entry_points<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let view = Camera::cam_p().build()?;
    bench.hits(&mut stage, &view, [41, 22], 0)?;
    let normalized = PickPoint::normalized(41.5 / 64.0, 22.5 / 64.0);
    place(bench, &mut stage, &view, normalized, Some(0))?;
    for region in [
        PixelRect::new(41, 22, 1, 1),
        PixelRect::new(40, 20, 5, 4),
        PixelRect::new(0, 0, 64, 64),
    ] {
        let image = bench.image(&mut stage.scene, &view, region, &Asking::default())?;
        let hit = image.hit(41 - region.x, 22 - region.y)?;
        named(&stage, &hit, Some(0)).map_err(Fault::Wrong)?;
    }
    bench.strike(stage)
}

/// Field case 3
fn image_camera<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let view = Camera::field(128).perspective(90.0).build()?;
    bench.hits(&mut stage, &view, [83, 45], 0)?;
    bench.names(&mut stage, &view, [55, 30], None)?;
    bench.strike(stage)
}

/// Field case 4
fn offset<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let mut camera = Camera::field(64);
    camera.viewport = [64, 0, 64, 64];
    let view = camera.perspective(90.0).build()?;
    bench.hits(&mut stage, &view, [105, 22], 0)?;
    let outside = PickPoint::target_pixels(41.0, 22.0);
    refused("left of the viewport", outside.pixel(&view), |input| {
        matches!(input, pick_core::InputError::PointOutside { .. })
    })?;
    bench.strike(stage)
}

/// Field case 6
fn rows<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([
        quad(-5.0..=5.0, 4.85..=5.0, 0.0),
        quad(-5.0..=5.0, -5.0..=-4.85, 0.0),
    ]);
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    for (row, right) in [(0, Some(0)), (1, None), (62, None), (63, Some(1))] {
        bench.names(&mut stage, &view, [10, row], right)?;
    }
    let below = PickPoint::target_pixels(10.0, 64.0);
    refused("below the last row", below.pixel(&view), |input| {
        matches!(input, pick_core::InputError::PointOutside { .. })
    })?;
    bench.strike(stage)
}

/// Field case 9
fn border<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    // The top right 2x2 pixels.
    let scene = CaseScene::of([quad(4.6875..=5.0, 4.6875..=5.0, 0.0)]);
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let asking = Asking::default();
    // Radius 3 around (0, 1), cut off at the border: a row wrap would find the quad.
    let left = PixelRect::new(0, 0, 4, 5);
    let image = bench.image(&mut stage.scene, &view, left, &asking)?;
    for k in 0..20 {
        named(&stage, &image.hit(k % 4, k / 4)?, None).map_err(Fault::Wrong)?;
    }
    let right = PixelRect::new(58, 0, 7, 4);
    let image = bench.image(&mut stage.scene, &view, right, &asking)?;
    expect(
        "the region inside the viewport",
        image.region(),
        PixelRect::new(58, 0, 6, 4),
    )?;
    for row in 0..4 {
        for column in 0..6 {
            let inside = row < 2 && column >= 4;
            let hit = image.hit(column, row)?;
            named(&stage, &hit, inside.then_some(0)).map_err(Fault::Wrong)?;
        }
    }
    expect("outside the image", image.hit(6, 0)?.is_none(), true)?;
    bench.strike(stage)
}

/// Field case 16
fn quad_row<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let near = Camera::cam_p();
    let mut far = Camera::field(64);
    far.eye = [0.0, 0.0, 500.0];
    far.depths.far = 10_000.0;
    let far = far.perspective(2.0 * (0.01_f64).atan().to_degrees());
    for view in [near, far] {
        let view = view.build()?;
        for (column, right) in [(37, None), (38, Some(0)), (44, Some(0)), (45, None)] {
            bench.names(&mut stage, &view, [column, 22], right)?;
        }
    }
    bench.strike(stage)
}

/// Field case 82
fn first_pick<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = small_quad();
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    bench.picker = pick_core::Picker::new();
    let first = bench.hits(&mut stage, &view, [41, 22], 0)?;
    let second = bench.hits(&mut stage, &view, [41, 22], 0)?;
    expect("the first pick", &first, &second)?;
    // A mesh of another kind: no indices, nothing but positions.
    let mut bare = quad(-2.0..=-1.0, 1.0..=2.0, 0.0);
    bare.positions = [0, 1, 2, 0, 2, 3]
        .map(|k: usize| bare.positions[k])
        .to_vec();
    (bare.indices, bare.normals, bare.uvs) = (None, None, None);
    scene.meshes.push(bare);
    let position = scene.add(crate::case::CaseObject::new(1));
    stage.add_mesh(bench.backend, &scene.meshes[1])?;
    stage.add_object(&scene.objects[position])?;
    let first = bench.hits(&mut stage, &view, [22, 22], 1)?;
    let second = bench.hits(&mut stage, &view, [22, 22], 1)?;
    expect("the first pick of a new kind of mesh", &first, &second)?;
    bench.strike(stage)
}

/// Field case 5
fn large<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&small_quad())?;
    let limit = bench.backend.caps().max_target_side;
    let mut camera = Camera::field(64);
    camera.viewport = [0, 0, limit.saturating_add(1), 1];
    let wide = camera.perspective(90.0).build()?;
    let region = wide.viewport();
    let request = Request::id_image(&wide, region)?.with(bench.mode.options());
    let asked = bench.picker.pick(bench.backend, &mut stage.scene, request);
    refused("a region beyond the limit", asked, |input| {
        matches!(input, pick_core::InputError::RegionTooLarge { .. })
    })?;
    // The picker still picks, also in a viewport that no target could hold.
    camera.viewport = [0, 0, limit.saturating_mul(2).min(1 << 24), 64];
    bench.names(&mut stage, &camera.perspective(90.0).build()?, [1, 1], None)?;
    bench.hits(&mut stage, &Camera::cam_p().build()?, [41, 22], 0)?;
    bench.strike(stage)
}
