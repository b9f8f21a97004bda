//! When? Batches, discs and areas under way, one after the other, and for the first time.

use glam::DVec2;
use pick_core::{
    AreaHits, Backend, Hit, NearHit, ObjectKey, PickRect, Picker, PixelRect, Request, Scene, View,
};

use crate::bench::{Bench, Fault, Outcome, expect};
use crate::case::{Camera, CaseScene, grid, quad, scaled};
use crate::cases::queries::at;
use crate::cases::{Case, Modes, case};
use crate::mode::Mode;

pub(super) fn cases<B: Backend + 'static>() -> Vec<Case<B>> {
    vec![
        case("query/first_is_the_second", Modes::All, first_is_second),
        case(
            "query/scene_changes_in_flight",
            Modes::Strategies,
            in_flight,
        ),
        case("query/state_does_not_leak", Modes::Once, no_leaks),
    ]
}

/// One question of each kind.
struct Asked {
    points: Request<Vec<Option<Hit>>>,
    near: Request<Option<NearHit>>,
    rect: Request<AreaHits>,
    lasso: Request<AreaHits>,
}

/// What each said.
type Told = (Vec<Option<Hit>>, Option<NearHit>, AreaHits, AreaHits);

impl Asked {
    /// About the surroundings of a pixel.
    fn new(view: &View, pixel: [u32; 2], mode: &Mode) -> Result<Self, Fault> {
        let [x, y] = pixel;
        let corner = DVec2::new(f64::from(x), f64::from(y));
        let triangle = [[-9.0, 6.5], [8.0, 5.0], [1.5, -7.0]].map(|by| corner + DVec2::from(by));
        let rect = PickRect::between(corner - 6.0, corner + 4.0);
        let beside = [x + 2, y];
        Ok(Self {
            points: Request::points(view, [beside, pixel, beside].map(at))?.with(mode.options()),
            near: Request::near(view, at(pixel), 9.0)?.with(mode.options()),
            rect: Request::rect(view, rect)?.with(mode.options()),
            lasso: Request::lasso(view, &triangle)?.with(mode.options()),
        })
    }

    fn told<B: Backend>(
        &self,
        bench: &mut Bench<'_, B>,
        scene: &mut Scene,
        picker: &mut Picker,
    ) -> Result<Told, Fault> {
        bench.tally.answers += 4;
        let backend = &mut *bench.backend;
        Ok((
            picker.pick(backend, scene, self.points.clone())?.result,
            picker.pick(backend, scene, self.near.clone())?.result,
            picker.pick(backend, scene, self.rect.clone())?.result,
            picker.pick(backend, scene, self.lasso.clone())?.result,
        ))
    }
}

/// Field case 82: the very first answer of a picker, and of a new kind of query, is the second's too.
fn first_is_second<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::of([quad(-3.0..=2.0, 1.0..=2.0, 0.0)]);
    scene.show_at(grid(3), scaled([0.6, 0.8, 1.0], [-1.5, 0.2, -0.5]));
    let view = Camera::cam_p().build()?;
    let asked = Asked::new(&view, [30, 24], &bench.mode)?;
    let mut stage = bench.stage(&scene)?;
    let mut picker = Picker::new();
    let first = asked.told(bench, &mut stage.scene, &mut picker)?;
    let second = asked.told(bench, &mut stage.scene, &mut picker)?;
    expect("the first and the second", &first, &second)?;
    let (points, near, rect, lasso) = first;
    expect("hits", points.iter().flatten().count(), 3)?;
    let near = near.is_some();
    expect(
        "all find",
        (near, rect.found.len(), lasso.found.len()),
        (true, 2, 2),
    )?;
    bench.strike(stage)
}

/// Field cases 12, 56, 72 and 85: what is under way keeps its view, its scene and its question; what was
/// removed meanwhile is marked.
fn in_flight<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let scene = CaseScene::of([
        quad(-1.0..=2.0, -1.0..=2.0, 0.0),
        quad(-4.0..=4.0, -4.0..=4.0, -1.0),
    ]);
    let mut stage = bench.stage(&scene)?;
    let view = Camera::cam_p().build()?;
    let asked = Asked::new(&view, [40, 22], &bench.mode)?;
    let right = asked.told(bench, &mut stage.scene, &mut Picker::new())?;
    for removes in [false, true] {
        bench.picker = Picker::with_capacity(4);
        let (picker, backend) = (&mut bench.picker, &mut *bench.backend);
        let scene = &mut stage.scene;
        let points = picker.click(backend, scene, asked.points.clone())?;
        let near = picker.click(backend, scene, asked.near.clone())?;
        let rect = picker.click(backend, scene, asked.rect.clone())?;
        let lasso = picker.click(backend, scene, asked.lasso.clone())?;
        if removes {
            scene.meshes.remove(stage.objects[0])?;
        } else {
            let away = glam::DMat4::from_translation(glam::DVec3::splat(50.0));
            scene.meshes.set_transform(stage.objects[0], away)?;
            scene.meshes.set_tag(stage.objects[0], 99)?;
        }
        // Another camera, and a smaller viewport, meanwhile.
        let small = Camera::cam_o()
            .build()?
            .with_viewport(PixelRect::new(0, 0, 16, 16))?;
        let now = Asked::new(&small, [8, 8], &bench.mode)?;
        let (points_now, ..) = now.told(bench, &mut stage.scene, &mut Picker::new())?;
        let object = points_now[0].as_ref().and_then(|hit| hit.object);
        expect("meanwhile", object, Some(stage.objects[1]))?;
        let points = bench.receive(&mut stage, points)?;
        let near = bench.receive(&mut stage, near)?;
        let rect = bench.receive(&mut stage, rect)?;
        let lasso = bench.receive(&mut stage, lasso)?;
        let sequences = [
            points.sequence,
            near.sequence,
            rect.sequence,
            lasso.sequence,
        ];
        expect("in request order", sequences.is_sorted(), true)?;
        let views = [&points.request, &rect.request].map(|request| request.view);
        expect("the views of then", views, [view; 2])?;
        let [x, y] = [40, 22];
        let region = PixelRect::new(x, y, 3, 1);
        expect("its own pixels", points.request.query.region(), region)?;
        let region = PixelRect::new(x - 6, y - 6, 10, 10);
        expect("its own rectangle", rect.request.query.region(), region)?;
        let told = (points.result, near.result, rect.result, lasso.result);
        let right = if removes {
            marked(right.clone(), &stage.objects[..1])
        } else {
            right.clone()
        };
        expect("what was asked then", told, right)?;
        if !removes {
            let home = glam::DMat4::IDENTITY;
            stage.scene.meshes.set_transform(stage.objects[0], home)?;
            stage.scene.meshes.set_tag(stage.objects[0], 0)?;
        }
    }
    let (points, _, rect, _) = asked.told(bench, &mut stage.scene, &mut Picker::new())?;
    let behind = points
        .iter()
        .flatten()
        .all(|hit| hit.object == Some(stage.objects[1]));
    expect("then what is behind", (behind, rect.found.len()), (true, 1))?;
    bench.strike(stage)
}

/// The same with some objects marked as removed.
fn marked(mut told: Told, removed: &[ObjectKey]) -> Told {
    let gone = |object: Option<ObjectKey>| object.is_some_and(|o| removed.contains(&o));
    let (points, near, rect, lasso) = &mut told;
    for hit in points.iter_mut().flatten() {
        hit.removed = gone(hit.object);
    }
    if let Some(near) = near {
        near.hit.removed = gone(near.hit.object);
    }
    for found in rect.found.iter_mut().chain(&mut lasso.found) {
        found.removed = gone(found.object);
    }
    told
}

/// Field case 63
fn no_leaks<B: Backend>(bench: &mut Bench<'_, B>) -> Outcome {
    let mut scene = CaseScene::of([quad(1.0..=2.0, 1.0..=2.0, 0.0)]);
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
    let lacks = |told: &Result<Told, Fault>| told.as_ref().err().and_then(Fault::lacking);
    for round in 0..24_u32 {
        let pixel = [12 + round * 7 % 44, 12 + round % 9];
        let view = &views[round as usize % views.len()];
        let mode = Mode::ALL[round as usize % 4];
        let asked = Asked::new(view, pixel, &mode)?;
        let told = asked.told(bench, &mut stage.scene, &mut shared);
        let fresh = asked.told(bench, &mut stage.scene, &mut Picker::new());
        // What the strategy lacks here is lacking in both.
        match (told, fresh) {
            (Ok(told), Ok(fresh)) => expect("on a shared picker", told, fresh)?,
            (told, fresh) => {
                let (told, fresh) = (lacks(&told), lacks(&fresh));
                expect("lacking", (told, told.is_some()), (fresh, true))?;
            }
        }
    }
    bench.strike(stage)
}
