//! Where in space? Depth, projection, precision.

use pick_core::{Backend, PixelRect};

use crate::bench::{Bench, Outcome, expect, wrong};
use crate::case::{Asking, Camera, CaseScene, Depths, quad, shifted};
use crate::cases::{Case, Dice, Modes, case};
use crate::frame::Frame;
use crate::oracle::math::product;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("space/pixel_centre", Modes::All, pixel_centre),
        case("space/off_centre", Modes::All, off_centre),
        case(
            "space/projection_changes_in_flight",
            Modes::All,
            projections,
        ),
        case("space/reversed_depth", Modes::All, reversed),
        case("space/infinite_far_plane", Modes::All, infinite),
        case("space/miss_has_no_point", Modes::All, miss),
        case(
            "space/id_and_depth_of_one_fragment",
            Modes::All,
            one_fragment,
        ),
        case("space/far_from_the_origin", Modes::All, far_out),
        case("space/large_floor", Modes::All, large_floor),
        case("space/far_off_centre_map", Modes::All, far_off_centre_map),
    ]
}

/// Field case 8
fn pixel_centre<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([quad(-40.0..=40.0, -40.0..=40.0, 0.0)]))?;
    let hit = bench.hits(&mut stage, &Camera::cam_p().build()?, [40, 20], 0)?;
    bench.stands_at(&hit, [1.328_125, 1.796_875, 0.0], bench.slack(0.16))?;
    if let Ok(depth) = hit.depth {
        let off = (f64::from(depth) - 0.980_981).abs();
        expect("the depth is that of z = 0", off < 2e-6, true)?;
    }
    bench.strike(stage)
}

/// Field case 15
fn off_centre<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([quad(-40.0..=40.0, -40.0..=40.0, 0.0)]))?;
    let view = Camera::field(64).frustum([-0.05, 0.15, -0.1, 0.1]);
    let hit = bench.hits(&mut stage, &view.build()?, [16, 32], 0)?;
    bench.stands_at(&hit, [0.078_125, -0.078_125, 0.0], bench.slack(0.16))?;
    bench.strike(stage)
}

/// Field case 56
fn projections<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([quad(-40.0..=40.0, -40.0..=40.0, -5.0)]))?;
    let (p, o) = (Camera::cam_p().build()?, Camera::cam_o().build()?);
    let ticket = bench.send(&mut stage, &p, [40, 20])?;
    let hit = bench.hits(&mut stage, &o, [40, 20], 0)?;
    bench.stands_at(&hit, [1.328_125, 1.796_875, -5.0], bench.slack(0.16))?;
    let answer = bench.receive(&mut stage, ticket)?;
    expect("the view that comes back", answer.request.view, p)?;
    match &answer.result {
        Some(hit) => bench.stands_at(hit, [2.656_25, 3.593_75, -5.0], bench.slack(0.32))?,
        None => return wrong("a miss"),
    }
    bench.strike(stage)
}

/// Field case 58
fn reversed<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([
        quad(-4.0..=4.0, -4.0..=4.0, 0.0),
        quad(-8.0..=8.0, -8.0..=8.0, -5.0),
    ]);
    let mut stage = bench.stage(&scene)?;
    let mut camera = Camera::field(64);
    camera.depths = Depths::FIELD.reversed();
    let view = camera.perspective(90.0).build()?;
    let near = |told: f32, right: f64| (f64::from(told) - right).abs() < 2e-6;
    let hit = bench.hits(&mut stage, &view, [20, 40], 0)?;
    bench.stands_at(&hit, [-1.796_875, -1.328_125, 0.0], bench.slack(0.16))?;
    expect(
        "depth",
        hit.depth.map_or(true, |d| near(d, 0.019_019)),
        true,
    )?;
    stage.scene.meshes.set_visible(stage.objects[0], false)?;
    let hit = bench.hits(&mut stage, &view, [20, 40], 1)?;
    bench.stands_at(&hit, [-3.593_75, -2.656_25, -5.0], bench.slack(0.32))?;
    expect(
        "depth",
        hit.depth.map_or(true, |d| near(d, 0.009_009)),
        true,
    )?;
    bench.strike(stage)
}

/// Field case 59
fn infinite<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let half = 12_000.0;
    let scene = CaseScene::of([quad(-half..=half, -half..=0.0, -9995.0)]);
    let mut stage = bench.stage(&scene)?;
    let mut camera = Camera::field(64);
    camera.depths = Depths {
        near: 0.1,
        far: f64::INFINITY,
        reversed: true,
    };
    let view = camera.perspective(90.0).build()?;
    let hit = bench.hits(&mut stage, &view, [20, 40], 0)?;
    if let Ok(depth) = hit.depth {
        let off = (f64::from(depth) / 1e-5 - 1.0).abs();
        expect("depth 1e-5", off < 2e-3, true)?;
    }
    if let Ok(point) = hit.point {
        expect("finite", point.is_finite(), true)?;
        let off = (point.z / -9995.0 - 1.0).abs();
        expect("z within 0.2 %", off < 2e-3, true)?;
    }
    bench.names(&mut stage, &view, [20, 20], None)?;
    bench.strike(stage)
}

/// Field case 60
fn miss<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut stage = bench.stage(&CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)]))?;
    for depths in [Depths::FIELD, Depths::FIELD.reversed()] {
        let mut camera = Camera::field(64);
        camera.depths = depths;
        let view = camera.perspective(90.0).build()?;
        bench.names(&mut stage, &view, [5, 5], None)?;
        let region = PixelRect::new(0, 0, 8, 8);
        let image = bench.image(&mut stage.scene, &view, region, &Asking::default())?;
        for k in 0..64 {
            expect("a miss", image.hit(k % 8, k / 8)?, None)?;
        }
        for depth in &image.samples().depths {
            expect("a number as background", depth.is_finite(), true)?;
        }
    }
    bench.strike(stage)
}

/// Field case 62
fn one_fragment<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(62);
    let mut scene = CaseScene::default();
    for _ in 0..20 {
        let half = dice.between(0.4, 1.6);
        let place = product(&shifted(dice.point(3.0)), &dice.rotation());
        scene.show_at(quad(-half..=half, -half..=half, 0.0), place);
    }
    let view = Camera::field(bench.side()).perspective(90.0);
    bench.frame(&Frame::new(&scene, &view).ambiguous(0.5))
}

/// Field case 65
fn far_out<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    for (x, step) in [(300_000.0, 1.0 / 16.0), (1_200_000.0, 1.0 / 4.0)] {
        let local = quad(x - 40.0..=x + 40.0, -40.0..=40.0, 0.0);
        let mut moved = CaseScene::default();
        moved.show_at(
            quad(-40.0..=40.0, -40.0..=40.0, 0.0),
            shifted([x, 0.0, 0.0]),
        );
        for scene in [CaseScene::of([local]), moved] {
            let mut stage = bench.stage(&scene)?;
            let mut camera = Camera::field(64);
            camera.eye[0] = x;
            camera.target[0] = x;
            let hit = bench.hits(&mut stage, &camera.perspective(90.0).build()?, [40, 20], 0)?;
            if let Ok(point) = hit.point {
                let off = [point.x - x - 1.328_125, point.y - 1.796_875];
                let right = off[0].abs() < step && off[1].abs() < bench.slack(0.16).max(1e-2);
                expect("the point", (right, point), (true, point))?;
            }
            bench.strike(stage)?;
        }
    }
    Ok(())
}

/// A triangle may be far larger than the view: clipping it must not move what is seen of it.
fn large_floor<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    const REACH: f64 = 3e4;
    let mut floor = quad(-REACH..=REACH, -REACH..=REACH, 0.0);
    for position in &mut floor.positions {
        *position = [position[0], 0.0, -position[1]];
    }
    let mut stage = bench.stage(&CaseScene::of([floor]))?;
    let mut camera = Camera::field(64);
    camera.viewport = [0, 0, 1920, 1080];
    (camera.eye, camera.target) = ([0.3, 2.0, 0.2], [1.0, 1.5, -1.0]);
    camera.depths = Depths {
        near: 0.1,
        far: f64::INFINITY,
        reversed: true,
    };
    let view = camera.perspective(60.0).build()?;
    for pixel in 0..24 {
        let at = [80 * pixel + 7, 1000 - 17 * (pixel % 12)];
        bench.hits(&mut stage, &view, at, 0)?;
    }
    bench.strike(stage)
}

/// A map: the orthographic camera stands at the origin and looks at a place a million units aside.
fn far_off_centre_map<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    const ASIDE: f64 = 1_000_000.0;
    let mut scene = CaseScene::of([quad(-1.5 + ASIDE..=1.5 + ASIDE, -1.0..=1.0, 0.0)]);
    // Makes the bounds span the origin too.
    (scene.meshes[0].normals, scene.meshes[0].uvs) = (None, None);
    scene.meshes[0]
        .positions
        .extend([[-ASIDE as f32, 0.0, 0.0]; 3]);
    if let Some(indices) = &mut scene.meshes[0].indices {
        indices.extend([4, 5, 6]);
    }
    let mut stage = bench.stage(&scene)?;
    // 8 units on 64 pixels; the middle of clip space is ASIDE units to the right of the axis.
    let mut view = Camera::field(64).orthographic(4.0);
    view.clip_from_view[3][0] = -ASIDE / 4.0;
    bench.names(&mut stage, &view.build()?, [19, 32], None)?;
    bench.hits(&mut stage, &view.build()?, [20, 32], 0)?;
    bench.hits(&mut stage, &view.build()?, [43, 32], 0)?;
    bench.names(&mut stage, &view.build()?, [44, 32], None)?;
    bench.strike(stage)
}
