//! Batches and discs, and that every way of asking about a pixel means the same one.

use std::sync::Arc;

use glam::DVec2;
use pick_core::{
    Backend, Band, Hit, InputError, MOST_POINTS, MeshAsset, MeshSource, OfferBounds, PickPoint,
    PixelRect, Request,
};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{Camera, CaseScene, quad};
use crate::cases::handles::Own;
use crate::cases::sight::{Sight, flat, scattered};
use crate::cases::{Case, Dice, Modes, case, random};
use crate::probe::{named, refused};

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("query/entry_points_agree", Modes::All, entry_points),
        case("query/points", Modes::All, points),
        case("query/points_of_random_scenes", Modes::All, random_points),
        case("query/near_disc", Modes::All, disc),
        case("query/near_in_random_scenes", Modes::All, random_discs),
        case("query/near_at_the_border", Modes::All, border),
        case("query/near_band", Modes::Strategies, band),
        case("query/near_equally_far", Modes::All, equally_far),
        case("query/near_on_both_sides", Modes::All, both_sides),
        case("query/near_corners_of_a_large_frame", Modes::All, large),
        case("query/places_refused", Modes::Once, refusals),
    ]
}

pub(super) fn at([x, y]: [u32; 2]) -> PickPoint {
    PickPoint::target_pixels(f64::from(x), f64::from(y))
}

fn ordinary(_: &Hit) -> u32 {
    0
}

/// A square lasso around one pixel.
fn around([x, y]: [u32; 2]) -> [DVec2; 4] {
    let corner = DVec2::new(f64::from(x), f64::from(y));
    [
        corner,
        corner + DVec2::X,
        corner + DVec2::ONE,
        corner + DVec2::Y,
    ]
}

/// Field case 2: every way of asking about one pixel means that pixel.
fn entry_points<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)]);
    let mut sight = Sight::new(bench, &scene, &Camera::cam_p())?;
    let view = sight.view;
    for (pixel, right) in [([41, 22], Some(0)), ([20, 11], None), ([45, 22], None)] {
        let [x, y] = pixel.map(|side: u32| f64::from(side) + 0.5);
        let places = [
            at(pixel),
            PickPoint::logical_pixels(x / 2.0, y / 2.0, 2.0)?,
            PickPoint::logical_pixels(x / 1.5, y / 1.5, 1.5)?,
            PickPoint::normalized(x / 64.0, y / 64.0),
        ];
        let batch = sight.ask(bench, Request::points(&view, places)?)?.result;
        expect("answers", batch.len(), places.len())?;
        let is = |hit: &Option<Hit>| named(&sight.stage, hit, right).map_err(Fault::Wrong);
        batch.iter().try_for_each(is)?;
        for place in places {
            let alone = sight.ask(bench, Request::points(&view, [place])?)?.result;
            expect("a batch of one", &alone, &batch[..1].to_vec())?;
            let near = sight.ask(bench, Request::near(&view, place, 0.0)?)?.result;
            let told = near.as_ref().map(|near| (near.pixel, near.pixel_distance));
            expect("the pixel", told, right.map(|_| (pixel, 0.0)))?;
            expect("near", &near.map(|near| near.hit), &batch[0])?;
        }
        let [x, y] = pixel;
        let rect = Request::rect(&view, PixelRect::new(x, y, 1, 1))?;
        let lasso = Request::lasso(&view, &around(pixel))?;
        for area in [rect, lasso] {
            let found = sight.ask(bench, area)?.result.found;
            let told: Vec<_> = found.iter().map(|f| (f.object, f.pixel_count)).collect();
            let right = right.map(|k| (Some(sight.stage.objects[k]), 1));
            expect("an area of a pixel", told, right.into_iter().collect())?;
        }
    }
    bench.strike(sight.stage)
}

/// A batch must be, hit by hit, what an id image of the same pixels shows.
fn check_points<B: Backend>(
    bench: &mut Bench<'_, B>,
    sight: &mut Sight,
    pixels: &[[u32; 2]],
) -> Result<Vec<Option<Hit>>, Fault> {
    let request = Request::points(&sight.view, pixels.iter().copied().map(at))?;
    let answer = sight.ask(bench, request)?;
    let ends = |axis: usize| {
        let all = || pixels.iter().map(move |pixel| i64::from(pixel[axis]));
        Some((all().min()?, all().max()?))
    };
    let (Some((left, right)), Some((top, bottom))) = (ends(0), ends(1)) else {
        return wrong("a case asks about no pixel");
    };
    let region = sight.within([left, top], [right, bottom]);
    expect("the batch's pixels", answer.request.query.region(), region)?;
    let shown = sight.shown(bench, region)?;
    expect("answers", answer.result.len(), pixels.len())?;
    for (told, &pixel) in answer.result.iter().zip(pixels) {
        let what = format!("{pixel:?} of a batch");
        expect(&what, told.as_ref(), shown.at(pixel))?;
    }
    Ok(answer.result)
}

/// Pixels of the viewport in no order, some of them more than once.
fn shuffled(dice: &mut Dice, viewport: PixelRect, count: u64) -> Vec<[u32; 2]> {
    let mut pixels: Vec<[u32; 2]> = Vec::new();
    for _ in 0..count {
        let again = dice.once_in(4) && !pixels.is_empty();
        pixels.push(match again {
            true => pixels[dice.below(pixels.len() as u64) as usize],
            false => [
                viewport.x + dice.below(u64::from(viewport.width)) as u32,
                viewport.y + dice.below(u64::from(viewport.height)) as u32,
            ],
        });
    }
    pixels
}

/// The answers are in the order of the places; some are held against single picks.
fn points<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(61);
    let viewport = [7, 3, 75, 40];
    let scene = scattered(&mut dice, viewport, 180);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    let region = sight.view.viewport();
    let pixels = shuffled(&mut dice, region, 400);
    let hits = check_points(bench, &mut sight, &pixels)?;
    let owner = |hit: &Hit| (hit.contributor, hit.object, hit.part, hit.instance);
    for (&[x, y], told) in pixels.iter().zip(&hits).take(24) {
        let request = Request::point(&sight.view, at([x, y]))?;
        let alone = sight.ask(bench, request)?.result;
        let what = format!("({x}, {y}) alone and in a batch");
        let (told, alone) = (told.as_ref().map(owner), alone.as_ref().map(owner));
        expect(&what, told, alone)?;
    }
    // Backwards, and of a few pixels that are far from the viewport's corners.
    let backwards: Vec<_> = pixels.iter().rev().copied().collect();
    let answer = check_points(bench, &mut sight, &backwards)?;
    expect("backwards", answer.into_iter().rev().collect(), hits)?;
    check_points(bench, &mut sight, &[[30, 20], [22, 11], [30, 20]])?;
    // Every pixel, so that many are hit and many are not.
    let rows = region.y..region.y + region.height;
    let columns = region.x..region.x + region.width;
    let every = rows.flat_map(|y| columns.clone().map(move |x| [x, y]));
    let every = check_points(bench, &mut sight, &every.collect::<Vec<_>>())?;
    let hit = every.iter().flatten().count();
    let mixed = hit * 8 > every.len() && (every.len() - hit) * 8 > every.len();
    expect("much is hit and much is not", mixed, true)?;
    bench.strike(sight.stage)
}

/// How many random scenes a case looks at.
pub(super) fn scenes<B: Backend>(
    bench: &Bench<'_, B>,
    seeds: std::ops::Range<u64>,
) -> std::ops::Range<u64> {
    let most = if bench.full { 20 } else { 1 };
    seeds.start..seeds.start + (seeds.end - seeds.start) * most
}

/// Says in which scene.
pub(super) fn in_scene<T>(seed: u64, outcome: Result<T, Fault>) -> Result<T, Fault> {
    outcome.map_err(|fault| match fault {
        Fault::Wrong(why) => Fault::Wrong(format!("seed {seed}: {why}")),
        refused => refused,
    })
}

/// The same under every camera, transform, side and layer.
fn random_points<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    for seed in scenes(bench, 500..506) {
        let mut dice = Dice::new(seed);
        let shot = random::shot(&bench.mode, seed, 24);
        let mut sight = Sight::of_shot(bench, &shot)?;
        let pixels = shuffled(&mut dice, sight.view.viewport(), 150);
        in_scene(seed, check_points(bench, &mut sight, &pixels))?;
        bench.strike(sight.stage)?;
    }
    Ok(())
}

const RADII: [f64; 7] = [0.0, 0.5, 1.0, 1.5, 5.0, 17.0, 64.0];

/// Equal distances, equal depths, and discs larger than the viewport.
fn disc<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut dice = Dice::new(62);
    let viewport = [7, 3, 90, 70];
    let scene = scattered(&mut dice, viewport, 24);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    let (mut found, mut missed) = (0, 0);
    for radius in RADII {
        let count = if radius > 20.0 { 2 } else { 6 };
        for center in shuffled(&mut dice, sight.view.viewport(), count) {
            match sight.check_near(bench, center, radius, ordinary)? {
                Some(near) => found += u32::from(near.pixel_distance > 0.0),
                None => missed += 1,
            }
        }
    }
    expect("found and missed", found > 6 && missed > 6, true)?;
    bench.strike(sight.stage)
}

/// The same under every camera, transform, side and layer.
fn random_discs<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    for seed in scenes(bench, 520..528) {
        let mut dice = Dice::new(seed);
        let shot = random::shot(&bench.mode, seed, 24);
        let mut sight = Sight::of_shot(bench, &shot)?;
        for center in shuffled(&mut dice, sight.view.viewport(), 3) {
            let radius = RADII[dice.below(6) as usize];
            in_scene(seed, sight.check_near(bench, center, radius, ordinary))?;
        }
        bench.strike(sight.stage)?;
    }
    Ok(())
}

/// Field case 9: what overhangs is cut off, not wrapped around.
fn border<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    // The top right 2x2 pixels.
    let scene = CaseScene::of([quad(4.6875..=5.0, 4.6875..=5.0, 0.0)]);
    let mut sight = Sight::new(bench, &scene, &Camera::cam_p())?;
    let told = sight.check_near(bench, [0, 1], 3.0, ordinary)?;
    expect("a wrap of a row", told, None)?;
    let told = sight.check_near(bench, [61, 0], 3.0, ordinary)?;
    let told = told.map(|near| (near.hit.object, near.pixel, near.pixel_distance));
    let right = (Some(sight.stage.objects[0]), [62, 0], 1.0);
    expect("beside it", told, Some(right))?;
    bench.strike(sight.stage)?;
    // Something in every corner of a viewport with an offset: each disc sees its own corner's alone.
    let viewport = [11, 5, 40, 33];
    let at = |x: f64, y: f64| quad(x..=x + 1.0, -y - 1.0..=-y, 0.0);
    let scene = CaseScene::of([at(0.0, 0.0), at(39.0, 0.0), at(0.0, 32.0), at(39.0, 32.0)]);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    let corners = [[11, 5], [50, 5], [11, 37], [50, 37]];
    for (k, corner) in corners.into_iter().enumerate() {
        for radius in [0.0, 0.5, 1.5, 5.0, 17.0] {
            let near = sight.check_near(bench, corner, radius, ordinary)?;
            named(&sight.stage, &near.map(|near| near.hit), Some(k)).map_err(Fault::Wrong)?;
        }
        let inwards = |side: u32, end: u32| if side == end { side + 3 } else { side - 3 };
        for center in [
            [inwards(corner[0], 11), corner[1]],
            [corner[0], inwards(corner[1], 5)],
        ] {
            let near = sight.check_near(bench, center, 3.0, ordinary)?;
            let told = near.map(|near| (near.pixel, near.pixel_distance));
            expect("three pixels away", told, Some((corner, 3.0)))?;
            let near = sight.check_near(bench, center, 2.999, ordinary)?;
            expect("less than three pixels away", near, None)?;
        }
    }
    // The middle of each border, in the largest disc.
    for center in [[30, 5], [30, 37], [11, 20], [50, 20]] {
        let near = sight.check_near(bench, center, 64.0, ordinary)?;
        expect("in the largest disc", near.is_some(), true)?;
    }
    bench.strike(sight.stage)
}

/// Field case 73: a handle at the far edge of the disc beats an object in its middle, also one that is
/// nearer to the eye.
fn band<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    // A pixel is 10/64 wide; the handle fills the pixel (42, 32) and lies behind the object.
    let scene = CaseScene::of([quad(-4.0..=1.0, -4.0..=4.0, 0.0)]);
    let mut sight = Sight::new(bench, &scene, &Camera::cam_o())?;
    let pixel = 10.0 / 64.0;
    let source = MeshSource::from(quad(0.0..=pixel, -pixel..=0.0, -3.0).data()?);
    let mesh = Arc::new(MeshAsset::create(bench.backend, source)?);
    let id = mesh.id();
    sight.stage.scene.add_contributor(Own {
        mesh,
        place: glam::DMat4::from_translation(glam::DVec3::X * (10.0 * pixel)),
        band: Band(1),
        bounds: OfferBounds::OfMesh,
    });
    let handles_first = |hit: &Hit| hit.contributor.0;
    for (center, radius, handle) in [
        ([32, 32], 10.0, Some([42, 32])),
        ([32, 32], 9.999, None),
        ([36, 24], 10.0, Some([42, 32])),
        ([36, 24], 9.9, None),
        ([42, 32], 0.0, Some([42, 32])),
        ([32, 32], 64.0, Some([42, 32])),
    ] {
        let near = sight.check_near(bench, center, radius, handles_first)?;
        let Some(near) = near else {
            return wrong("a miss");
        };
        let told = (near.hit.contributor.0, near.pixel);
        let right = handle.map_or((0, center), |pixel| (1, pixel));
        expect("who is grabbed", told, right)?;
    }
    bench.strike(sight.stage)?;
    Ok(bench.backend.destroy_mesh(id)?)
}

/// Of two things whose nearest pixels are equally far from the cursor, the nearer to the eye answers, whichever was
/// offered first and whichever way depth runs; of equally near ones the first.
fn equally_far<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    // Not every device has f32 depths beside a stencil, which reversed ones need, or reads them.
    let stencil = bench.mode.is_stencil();
    for reversed in [false, true]
        .into_iter()
        .filter(|reversed| !(stencil && *reversed))
    {
        for (left, right, first) in [(0.0, 0.5, 1), (0.5, 0.0, 0), (0.25, 0.25, 0)] {
            // Columns up to 20, and from 42 on: 11 pixels from column 31 both.
            let scene = CaseScene::of([
                quad(-4.0..=-11.0 / 6.4, -4.0..=4.0, left),
                quad(10.0 / 6.4..=4.0, -4.0..=4.0, right),
            ]);
            let mut lens = Camera::field(64);
            if reversed {
                lens.depths = lens.depths.reversed();
            }
            let mut sight = Sight::new(bench, &scene, &lens.orthographic(5.0))?;
            for (radius, found) in [(11.0, Some(first)), (10.9, None), (30.0, Some(first))] {
                let near = sight.check_near(bench, [31, 31], radius, ordinary)?;
                let hit = near.map(|near| near.hit);
                if bench.gives().depth.is_ok() {
                    named(&sight.stage, &hit, found).map_err(Fault::Wrong)?;
                }
            }
            bench.strike(sight.stage)?;
        }
    }
    Ok(())
}

/// Where one thing is equally far and equally deep on two sides of the cursor, the first pixel answers, row by row.
fn both_sides<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let (before, behind) = (-4.0..=-11.0 / 6.4, 10.0 / 6.4..=4.0);
    let beside = [quad(before, -4.0..=4.0, 0.0), quad(behind, -4.0..=4.0, 0.0)];
    // Rows run down: up to 20 from the top, and from 42 on.
    let (above, below) = (11.0 / 6.4..=4.0, -4.0..=-10.0 / 6.4);
    let over = [quad(-4.0..=4.0, below, 0.0), quad(-4.0..=4.0, above, 0.0)];
    for ([mut one, other], pixel) in [(beside, [20, 31]), (over, [31, 20])] {
        let first = one.positions.len() as u32;
        one.positions.extend(other.positions);
        let more = other.indices.unwrap_or_default();
        let indices = one.indices.get_or_insert_default();
        indices.extend(more.into_iter().map(|index| index + first));
        (one.normals, one.uvs) = (None, None);
        let mut sight = Sight::new(bench, &CaseScene::of([one]), &Camera::cam_o())?;
        let near = sight.check_near(bench, [31, 31], 11.0, ordinary)?;
        expect("the first", near.map(|near| near.pixel), Some(pixel))?;
        bench.strike(sight.stage)?;
    }
    Ok(())
}

/// Field case 90: the first and the last pixels of a frame of 576x708.
fn large<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let viewport = [0, 0, 576, 708];
    let at = |x: f64, y: f64| quad(x..=x + 1.0, -y - 1.0..=-y, 0.0);
    let scene = CaseScene::of([at(3.0, 5.0), at(575.0, 707.0)]);
    let mut sight = Sight::new(bench, &scene, &flat(viewport))?;
    for (k, pixel) in [[3, 5], [575, 707]].into_iter().enumerate() {
        let near = sight.check_near(bench, pixel, 4.0, ordinary)?;
        let told = near.as_ref().map(|near| near.pixel);
        expect("the pixel", told, Some(pixel))?;
        named(&sight.stage, &near.map(|near| near.hit), Some(k)).map_err(Fault::Wrong)?;
    }
    let hits = check_points(bench, &mut sight, &[[575, 707], [574, 707], [575, 706]])?;
    let hit: Vec<_> = hits.iter().map(Option::is_some).collect();
    expect("the last pixels", hit, vec![true, false, false])?;
    bench.strike(sight.stage)
}

/// Field cases 10 and 81: what is refused is told by type, and the next question is answered.
fn refusals<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)]);
    let mut sight = Sight::new(bench, &scene, &Camera::cam_p())?;
    let view = sight.view;
    let place = PickPoint::target_pixels;
    let inside = place(41.0, 22.0);
    let is_outside = |input: &InputError| matches!(input, InputError::PointOutside { .. });
    let is_no_place = |input: &InputError| matches!(input, InputError::PointNotFinite { .. });
    let far = f64::from(u32::MAX);
    for [x, y] in [[-1.0, 10.0], [64.0, 10.0], [10.0, 64.0], [far, 0.0]] {
        let batch = Request::points(&view, [inside, place(x, y), inside]);
        refused("a batch", batch, is_outside)?;
        refused("a disc", Request::near(&view, place(x, y), 3.0), is_outside)?;
    }
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for [x, y] in [[odd, 10.0], [10.0, odd]] {
            let batch = Request::points(&view, [inside, place(x, y)]);
            refused("a batch", batch, is_no_place)?;
            let near = Request::near(&view, place(x, y), 3.0);
            refused("a disc", near, is_no_place)?;
        }
    }
    for count in [0, MOST_POINTS + 1] {
        let batch = Request::points(&view, std::iter::repeat_n(inside, count));
        let is_count = |input: &InputError| {
            let right = InputError::PointCount {
                count,
                limit: MOST_POINTS,
            };
            *input == right
        };
        refused("so many points", batch, is_count)?;
    }
    Request::points(&view, std::iter::repeat_n(inside, MOST_POINTS))?;
    for radius in [f64::NAN, f64::INFINITY, -1e-300, -1.0, 64.000_001, 65.0] {
        let near = Request::near(&view, inside, radius);
        let is_radius = |input: &InputError| matches!(input, InputError::BadRadius { .. });
        refused("a radius", near, is_radius)?;
    }
    let late = Request::points(&view, [inside])?.timeout_ms(0);
    let asked = bench
        .picker
        .pick(bench.backend, &mut sight.stage.scene, late);
    refused("no time", asked, |input| *input == InputError::BadTimeout)?;
    let near = sight.check_near(bench, [41, 22], 64.0, ordinary)?;
    expect(
        "the next question",
        near.map(|near| near.pixel),
        Some([41, 22]),
    )?;
    bench.strike(sight.stage)
}
