//! Rectangles: what they show, each object or copy once.

use std::sync::Arc;

use glam::{DMat4, DVec2, DVec3};
use pick_core::{
    Backend, Contributor, ContributorId, DrawOffer, InputError, MeshAsset, MeshSource, ObjectKey,
    Offers, PickError, PickRect, PixelRect, Request,
};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{Camera, CaseObject, CaseScene, quad, rows_at, scaled, shifted};
use crate::cases::queries::{in_scene, scenes};
use crate::cases::sight::{Sight, far_parts, flat, same_things, scattered};
use crate::cases::{Case, Dice, Modes, case, random};
use crate::probe::refused;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("query/rect_visible", Modes::All, visible),
        case("query/rect_of_random_scenes", Modes::All, random_rects),
        case("query/rect_parts_and_copies", Modes::All, parts_and_copies),
        case("query/rect_far_parts", Modes::Strategies, far_offers),
        case("query/rect_capacity", Modes::Strategies, capacity),
        case("query/rect_who_takes_part", Modes::Strategies, who),
        case("query/rect_moved_copy", Modes::Strategies, moved_copy),
        case("query/rect_columns", Modes::All, columns),
        case("query/rect_refused", Modes::Once, refusals),
    ]
}

/// Whether a rectangle between two places encloses a pixel's centre: on the left and on the top edge it
/// does.
fn encloses(a: DVec2, b: DVec2, [x, y]: [u32; 2]) -> bool {
    let center = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
    let (low, high) = (a.min(b), a.max(b));
    center.cmpge(low).all() && center.cmplt(high).all()
}

/// A place in and around a viewport, on quarters of pixels.
fn place(dice: &mut Dice, viewport: PixelRect) -> DVec2 {
    let mut side = |start: u32, size: u32| {
        let at = dice.below(u64::from(size + 16) * 4) as f64 / 4.0;
        f64::from(start) - 8.0 + at
    };
    DVec2::new(
        side(viewport.x, viewport.width),
        side(viewport.y, viewport.height),
    )
}

/// Rectangles between two places in any order, on fractions of pixels, overhanging or not.
fn check_rects<B: Backend>(
    bench: &mut Bench<'_, B>,
    sight: &mut Sight,
    dice: &mut Dice,
    count: u32,
) -> Result<usize, Fault> {
    let viewport = sight.view.viewport();
    let mut most = 0;
    for _ in 0..count {
        let (a, b) = (place(dice, viewport), place(dice, viewport));
        let request = Request::rect(&sight.view, PickRect::between(a, b));
        let things = sight.check_area(bench, request, |pixel| encloses(a, b, pixel))?;
        most = most.max(things.map_or(0, |things| things.len()));
    }
    Ok(most)
}

fn visible<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(71);
    let viewport = [9, 4, 101, 66];
    let scene = scattered(&mut dice, viewport, 80);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    let most = check_rects(bench, &mut sight, &mut dice, 12)?;
    expect("some rectangle shows much", most > 20, true)?;
    // From a corner and a size: whole numbers are whole pixels, and what overhangs is cut off.
    let view = sight.view;
    let whole = Request::rect(&view, PickRect::target_pixels(-1e9, -5.0, 2e9, 500.0));
    let all = sight.check_area(bench, whole, |_| true)?;
    let region = Request::rect(&view, view.viewport());
    let again = sight.check_area(bench, region, |_| true)?;
    expect("all of the viewport", all, again)?;
    let some = Request::rect(&view, PixelRect::new(20, 10, 33, 7));
    let is = |[x, y]: [u32; 2]| (20..53).contains(&x) && (10..17).contains(&y);
    sight.check_area(bench, some, is)?;
    bench.strike(sight.stage)
}

/// The same under every camera, transform, side and layer.
fn random_rects<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    for seed in scenes(bench, 540..548) {
        let mut dice = Dice::new(seed);
        let shot = random::shot(&bench.mode, seed, 24);
        let mut sight = Sight::of_shot(bench, &shot)?;
        in_scene(seed, check_rects(bench, &mut sight, &mut dice, 2))?;
        bench.strike(sight.stage)?;
    }
    Ok(())
}

/// An object of parts is one thing, and so is a copy of such an object.
fn parts_and_copies<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(far_parts());
    let copies = [[10.0, -4.0], [10.0, -8.0], [50.0, -8.0]];
    let copies = copies.map(|[x, y]| rows_at([x, y, 0.0]));
    scene.instances.push(copies.to_vec());
    scene.add(CaseObject::new(0).at(scaled([2.0, 3.0, 1.0], [2.0, -4.0, 0.0])));
    scene.add(CaseObject::new(0).instanced(0));
    let mut sight = Sight::new(bench, &scene, &flat([0, 0, 32, 16]))?;
    let view = sight.view;
    let rect = Request::rect(&view, view.viewport());
    sight.check_area(bench, rect, |_| true)?;
    // Both parts of each; the third copy is beside the viewport. The object hides a part of the first copy.
    let rect = Request::rect(&view, view.viewport())?;
    let found = sight.ask(bench, rect)?.result.found;
    let told = found
        .iter()
        .map(|f| (f.object, f.instance.ok(), f.pixel_count));
    let keys = sight.stage.objects.clone();
    let copy = |index: u32, pixels: u32| (Some(keys[1]), Some(index), pixels);
    let right = match bench.mode.is_stencil() {
        true => vec![(Some(keys[0]), None, 12), (Some(keys[1]), None, 3)],
        false => vec![(Some(keys[0]), None, 12), copy(0, 1), copy(1, 2)],
    };
    expect("things", told.collect::<Vec<_>>(), right)?;
    bench.strike(sight.stage)
}

/// A contributor of a host's own that offers squares in any order, some of them parts of one object.
struct Squares {
    mesh: Arc<MeshAsset>,
    squares: Vec<([f64; 2], Option<ObjectKey>, u64)>,
}

impl Contributor for Squares {
    fn name(&self) -> &str {
        "squares"
    }

    fn offer(&mut self, offers: &mut Offers<'_>) -> Result<(), PickError> {
        for &([x, y], object, tag) in &self.squares {
            let place = DMat4::from_translation(DVec3::new(x, -y, 0.0));
            let mut offer = DrawOffer::new(&self.mesh).world_from_object(place).tag(tag);
            offer.object = object;
            offers.draw(offer)?;
        }
        Ok(())
    }
}

/// Parts of an object that others are offered between are one thing, wherever they are; draws that are
/// nobody's are things of their own.
fn far_offers<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut sight = Sight::new(bench, &CaseScene::default(), &flat([3, 2, 40, 20]))?;
    let source = MeshSource::from(quad(0.0..=2.0, -2.0..=0.0, 0.0).data()?);
    let mesh = Arc::new(MeshAsset::create(bench.backend, source)?);
    let id = mesh.id();
    // Keys of objects that the scene's own contributor does not show.
    let mut hidden = bench.stage(&CaseScene::of([
        quad(0.0..=1.0, 0.0..=1.0, 0.0),
        quad(0.0..=1.0, 0.0..=1.0, 0.0),
    ]))?;
    sight.stage.objects = std::mem::take(&mut hidden.objects);
    let [one, two] = [0, 1].map(|k| Some(sight.stage.objects[k]));
    let squares = vec![
        ([30.0, 12.0], one, 0),
        ([5.0, 7.0], two, 1),
        ([6.0, 3.0], one, 0),
        ([20.0, 3.0], None, 2),
        ([20.0, 9.0], None, 3),
        ([30.0, 3.0], one, 0),
    ];
    sight.stage.scene.add_contributor(Squares { mesh, squares });
    let view = sight.view;
    let rect = Request::rect(&view, view.viewport());
    sight.check_area(bench, rect, |_| true)?;
    let rect = Request::rect(&view, view.viewport())?;
    let found = sight.ask(bench, rect)?.result.found;
    let told = found
        .iter()
        .map(|f| (f.object, f.tag, f.pixel_count, f.near_pixel));
    // The camera sees all of it at one depth: the first pixel is the nearest.
    let right = [
        (one, 0, 12, [9, 5]),
        (two, 1, 4, [8, 9]),
        (None, 2, 4, [23, 5]),
        (None, 3, 4, [23, 11]),
    ];
    expect("things", told.collect::<Vec<_>>(), right.to_vec())?;
    let theirs = found.iter().all(|f| f.contributor == ContributorId(1));
    expect("whose", theirs, true)?;
    hidden.objects = std::mem::take(&mut sight.stage.objects);
    bench.strike(hidden)?;
    bench.strike(sight.stage)?;
    Ok(bench.backend.destroy_mesh(id)?)
}

/// What is offered first is named, the rest is counted.
fn capacity<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(73);
    let viewport = [9, 4, 70, 40];
    let scene = scattered(&mut dice, viewport, 60);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    let view = sight.view;
    let (low, high) = (DVec2::new(12.0, 6.0), DVec2::new(70.0, 41.0));
    let asked = || Request::rect(&view, PickRect::between(low, high));
    let inside = |pixel| encloses(low, high, pixel);
    let Some(things) = sight.check_area(bench, asked(), inside)? else {
        return wrong("no pixel inside");
    };
    let count = things.len() as u32;
    expect("enough things", count > 10, true)?;
    for capacity in [0, 1, 2, 7, count - 1, count, count + 1, u32::MAX] {
        let answer = sight.ask(bench, asked()?.capacity(capacity))?;
        let named = capacity.clamp(1, count) as usize;
        same_things(&answer.result.found, &things[..named])?;
        let beyond = u64::from(count) - named as u64;
        expect(
            "beyond",
            (capacity, answer.result.beyond),
            (capacity, beyond),
        )?;
    }
    bench.strike(sight.stage)
}

/// Field cases 31, 71 and 72: what takes no part is not found and hides nothing.
fn who<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::of([
        quad(-50.0..=50.0, -50.0..=50.0, -20.0),
        quad(-4.0..=4.0, -4.0..=4.0, 0.0),
        quad(1.0..=2.0, 1.0..=2.0, -0.5),
    ]);
    scene.objects[0].pickable = false;
    scene.objects[1].visible = false;
    scene.objects[2].layers = 0b10;
    let mut sight = Sight::new(bench, &scene, &Camera::cam_p())?;
    let view = sight.view;
    let objects = sight.stage.objects.clone();
    let found = |bench: &mut Bench<'_, B>, sight: &mut Sight| {
        let rect = Request::rect(&view, PixelRect::new(20, 10, 30, 20));
        let inside = |[x, y]: [u32; 2]| (20..50).contains(&x) && (10..30).contains(&y);
        sight.check_area(bench, rect, inside)?;
        let rect = Request::rect(&view, PixelRect::new(20, 10, 30, 20))?;
        let found = sight.ask(bench, rect)?.result.found;
        let position = |key| objects.iter().position(|&object| Some(object) == key);
        Ok::<_, Fault>(found.iter().map(|f| position(f.object)).collect::<Vec<_>>())
    };
    expect("alone", found(bench, &mut sight)?, vec![Some(2)])?;
    sight.options.layers = 0b01;
    expect("another layer", found(bench, &mut sight)?, vec![])?;
    sight.options.layers = u32::MAX;
    let key = sight.stage.objects[1];
    sight.stage.scene.meshes.set_visible(key, true)?;
    expect("hidden by it", found(bench, &mut sight)?, vec![Some(1)])?;
    sight.stage.scene.meshes.remove(key)?;
    expect("removed", found(bench, &mut sight)?, vec![Some(2)])?;
    let sky = sight.stage.objects[0];
    sight.stage.scene.meshes.set_pickable(sky, true)?;
    let both = vec![Some(0), Some(2)];
    expect("with the sky", found(bench, &mut sight)?, both)?;
    bench.strike(sight.stage)
}

/// Field cases 38 and 39: a copy is found where it is now, and keeps its index while a pick is under way.
fn moved_copy<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(0.0..=2.0, -2.0..=0.0, 0.0));
    let mut rows: Vec<_> = (0..5)
        .map(|k| rows_at([k as f32 * 6.0, -20.0, 0.0]))
        .collect();
    scene.instances.push(rows.clone());
    scene.add(CaseObject::new(0).at(shifted([2.0, 0.0, 0.0])).instanced(0));
    let mut sight = Sight::new(bench, &scene, &flat([0, 0, 40, 32]))?;
    let view = sight.view;
    let set = sight.stage.instances[0];
    rows[2] = rows_at([12.0, -5.0, 0.0]);
    let meshes = &mut sight.stage.scene.meshes;
    meshes.update_instances(
        bench.backend,
        set,
        pick_core::InstanceSource::Cpu(rows.clone().into()),
    )?;
    for (rect, right) in [
        (PixelRect::new(12, 3, 6, 5), vec![2]),
        (PixelRect::new(12, 18, 6, 5), vec![]),
        (PixelRect::new(0, 18, 40, 5), vec![0, 1, 3, 4]),
    ] {
        let request = Request::rect(&view, rect)?;
        let found = sight.ask(bench, request)?.result.found;
        let told: Vec<_> = found.iter().map(|f| f.instance.ok()).collect();
        let copies = || right.iter().map(|&copy| Some(copy)).collect::<Vec<_>>();
        let one = || vec![None; right.len().min(1)];
        let right = if bench.gives_instances() {
            copies()
        } else {
            one()
        };
        expect("copies", told, right)?;
    }
    // Copy 1 goes, and the last one takes its place, while copy 4 is asked about.
    let request = Request::rect(&view, PixelRect::new(26, 18, 4, 5))?.with(bench.mode.options());
    let scene = &mut sight.stage.scene;
    let ticket = bench.picker.click(bench.backend, scene, request)?;
    rows.swap_remove(1);
    let source = pick_core::InstanceSource::Cpu(rows.into());
    scene.meshes.update_instances(bench.backend, set, source)?;
    let found = bench.receive(&mut sight.stage, ticket)?.result.found;
    let told: Vec<_> = found
        .iter()
        .map(|f| (f.instance.ok(), f.pixel_count))
        .collect();
    let right = Some(4).filter(|_| bench.gives_instances());
    expect("the copy of then", told, vec![(right, 4)])?;
    bench.strike(sight.stage)
}

/// Field case 94: four columns of one pixel each, read from the second on.
fn columns<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let column = |k: u32| quad(f64::from(30 + k)..=f64::from(31 + k), -64.0..=0.0, 0.0);
    let scene = CaseScene::of([column(0), column(1), column(2), column(3)]);
    let mut sight = Sight::new(bench, &scene, &flat([0, 0, 64, 64]))?;
    let view = sight.view;
    for (x, width, right) in [(31, 3, 1..4), (29, 2, 0..1), (33, 9, 3..4), (34, 3, 4..4)] {
        let rect = Request::rect(&view, PixelRect::new(x, 31, width, 3));
        let inside = |[px, py]: [u32; 2]| (x..x + width).contains(&px) && (31..34).contains(&py);
        let things = sight.check_area(bench, rect, inside)?.unwrap_or_default();
        let told: Vec<_> = things.iter().map(|thing| thing.pixel_count).collect();
        expect("columns of three pixels", told, vec![3; right.len()])?;
    }
    bench.strike(sight.stage)
}

/// What is no rectangle is told by type, and the next one is answered.
fn refusals<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)]);
    let mut sight = Sight::new(bench, &scene, &Camera::cam_p())?;
    let view = sight.view;
    let rect = |x: f64, y: f64, width: f64, height: f64| {
        Request::rect(&view, PickRect::target_pixels(x, y, width, height))
    };
    for (width, height) in [(-1.0, 4.0), (4.0, -1.0), (-3.0, -3.0)] {
        refused("inside out", rect(10.0, 10.0, width, height), |input| {
            *input == InputError::InvertedRect { width, height }
        })?;
    }
    let is_empty = |input: &InputError| *input == InputError::EmptyRegion;
    for [x, y, width, height] in [
        [10.0, 10.0, 0.0, 5.0],
        [10.0, 10.0, 5.0, 0.0],
        [10.6, 10.0, 0.8, 5.0],
        [-9.0, 10.0, 9.0, 5.0],
        [64.0, 10.0, 9.0, 5.0],
        [10.0, -9.0, 9.0, 9.4],
        [10.0, 63.6, 9.0, 9.0],
        [f64::from(u32::MAX), 0.0, 9.0, 9.0],
    ] {
        refused("no centre inside", rect(x, y, width, height), is_empty)?;
    }
    let is_no_place = |input: &InputError| matches!(input, InputError::PointNotFinite { .. });
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for k in 0..4 {
            let mut sides = [10.0, 10.0, 5.0, 5.0];
            sides[k] = odd;
            let [x, y, width, height] = sides;
            refused("no number", rect(x, y, width, height), is_no_place)?;
            let (a, b) = (DVec2::new(x, y), DVec2::new(width, height));
            let between = Request::rect(&view, PickRect::between(a, b));
            refused("no place", between, is_no_place)?;
        }
    }
    let request = Request::rect(&view, PixelRect::new(41, 22, 1, 1));
    let things = sight.check_area(bench, request, |pixel| pixel == [41, 22])?;
    expect("the next one", things.map(|things| things.len()), Some(1))?;
    bench.strike(sight.stage)
}
