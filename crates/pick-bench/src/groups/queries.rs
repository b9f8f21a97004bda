//! Questions about more pixels than one, or about what is hidden, each beside single picks in the same scene.

use std::sync::Arc;

use glam::DVec3;
use pick_core::{
    BuiltinStrategy, Detailed, InstanceSource, IntegerId, Object, Outcome, PickError, PickPoint,
    Request, Scene, Through, View,
};

use crate::floor::Floored;
use crate::groups::timed;
use crate::names::{DRILL, EMPTY, IMAGE, NEAR, PICK, POINT_OF_BATCH, RECT, TOUCH};
use crate::results::{Group, Run};
use crate::rig::{HostBuffers, Point, Rig};
use crate::sample::{Samples, in_turns};
use crate::scenes::{self, Cubes, Layout};
use crate::session::Session;

/// Pixels of a batch.
const BATCH: u32 = 4096;
/// Sheets behind each other.
const LAYERS: u32 = 64;
/// Pixels around the cursor.
const RADIUS_PX: f64 = 16.0;

/// What is asked of a scene beside single picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// A batch and a disc.
    Points,
    /// All of the view, whole and reduced.
    Area,
    /// What is under a pixel.
    Drill,
}

impl<B: Floored, H: HostBuffers<B>> Rig<'_, B, H> {
    /// Of the CPU too, where it is what casting so many rays costs, but for two million of them.
    pub(super) fn queries(&mut self) {
        let [copies, objects] = self.sizes.queried();
        let layout = match self.has_floor() {
            true => Layout::PositionScale,
            false => Layout::Rows,
        };
        let staged = Cubes::new(copies, layout, false).and_then(|cubes| {
            let source = self.source(&cubes, false)?;
            let (scene, _) = cubes.stage(self.backend, source)?;
            Ok((scene, cubes.view()?))
        });
        self.asked(&batch_point(copies), staged, Asked::Points);
        if self.has_floor() {
            let staged = scenes::builtin(&format!("builtin:grid?count={objects}&seed=1"));
            let staged = staged.and_then(|data| {
                let view = scenes::view(scenes::radius(&data))?;
                Ok((data.build(self.backend)?, view))
            });
            self.asked(&area_point(objects), staged, Asked::Area);
        }
        let staged = self.layers();
        self.asked(&drill_point(), staged, Asked::Drill);
    }

    /// Sheets that fill the view, one behind the other.
    fn layers(&mut self) -> Result<(Scene, View), PickError> {
        let data = scenes::builtin("builtin:mesh?triangles=8&seed=1")?;
        let view = scenes::view(scenes::radius(&data))?;
        let mut scene = Scene::new();
        let mesh = scene.meshes.add_mesh(self.backend, scenes::mesh(&data)?)?;
        let away = -view.forward() * 1e-3;
        let row = |axis: usize, layer: u32| {
            let mut row = [0.0; 4];
            row[axis] = 1.0;
            row[3] = (DVec3::to_array(&away)[axis] * f64::from(layer)) as f32;
            row
        };
        let place = |layer| [0, 1, 2].map(|axis| row(axis, layer));
        let copies = InstanceSource::Cpu(Arc::from_iter((0..LAYERS).map(place)));
        let copies = scene.meshes.add_instances(self.backend, copies)?;
        scene.meshes.insert(Object::new(mesh).instanced(copies))?;
        Ok((scene, view))
    }

    fn asked(&mut self, point: &Point, staged: Result<(Scene, View), PickError>, asked: Asked) {
        let mut run = point.run(&self.label);
        let measured = staged.and_then(|(scene, view)| self.ask(&mut run, scene, &view, asked));
        self.finish(run, measured);
    }

    fn ask(
        &mut self,
        run: &mut Run,
        scene: Scene,
        view: &View,
        asked: Asked,
    ) -> Result<(), PickError> {
        let singles = scenes::requests(view)?;
        let batch = Request::points(view, spread(BATCH))?.timeout_ms(120_000);
        let middle = PickPoint::normalized(0.5, 0.5);
        let near = Request::near(view, middle, RADIUS_PX)?.timeout_ms(120_000);
        let rect = Request::rect(view, view.viewport())?.timeout_ms(120_000);
        let touch = rect.clone().through(Through::Touched);
        let image = Request::id_image(view, view.viewport())?;
        let image = image.strategy(IntegerId).timeout_ms(120_000);
        let drill = Request::drill(view, middle, LAYERS)?.timeout_ms(120_000);
        let mut session = Session::of(self.backend, scene);
        session.warm(&singles[0])?;
        let mut bytes = [0, 0];
        let mut next = 0;
        let things = 4 + usize::from(asked == Asked::Area);
        let once = |thing: usize, samples: &mut Samples| {
            next = (next + 1) % singles.len();
            match (thing, asked) {
                (0, _) => {
                    let single = singles[next].clone();
                    session.emptied(|empty| time(empty, samples, EMPTY, single).map(drop))
                }
                (1, _) => time(&mut session, samples, PICK, singles[next].clone()).map(drop),
                (2, Asked::Points) => {
                    let (_, took) = timed(|| session.pick(batch.clone()))?;
                    samples.push(POINT_OF_BATCH, took / f64::from(BATCH));
                    Ok(())
                }
                (3, Asked::Points) => time(&mut session, samples, NEAR, near.clone()).map(drop),
                (2, Asked::Area) => {
                    bytes[0] = time(&mut session, samples, RECT, rect.clone())?;
                    Ok(())
                }
                (3, Asked::Area) => time(&mut session, samples, TOUCH, touch.clone()).map(drop),
                (_, Asked::Area) => {
                    bytes[1] = time(&mut session, samples, IMAGE, image.clone())?;
                    Ok(())
                }
                (2, Asked::Drill) => time(&mut session, samples, DRILL, drill.clone()).map(drop),
                _ => Ok(()),
            }
        };
        let times = in_turns(things, &self.sizes.budget(), once);
        if asked == Asked::Area {
            run.told.insert("answer_bytes".to_owned(), bytes[0] as f64);
            run.told.insert("image_bytes".to_owned(), bytes[1] as f64);
        }
        let cleared = session.clear();
        run.times = times?;
        cleared
    }
}

/// Asks and waits; gives the bytes that were read back.
fn time<B: Floored, A: Outcome>(
    session: &mut Session<'_, B>,
    samples: &mut Samples,
    name: &'static str,
    request: Request<A>,
) -> Result<u64, PickError> {
    let answer = samples.time(name, || session.pick(request))?;
    Ok(answer.report.bytes_read_back)
}

/// Places all over a view, in no order.
fn spread(count: u32) -> impl Iterator<Item = PickPoint> {
    // The plastic number's powers: any run of these points is spread evenly.
    let along = |k: u32, step: f64| ((f64::from(k) + 1.0) * step).fract();
    (0..count).map(move |k| PickPoint::normalized(along(k, 0.754_877_666), along(k, 0.569_840_291)))
}

fn point(series: &str, size: u32, scene: String) -> Point {
    Point {
        group: Group::Queries,
        series: series.to_owned(),
        size: size.into(),
        scene,
        strategy: BuiltinStrategy::Detailed(Detailed),
        wait: "block",
    }
}

pub(super) fn batch_point(copies: u32) -> Point {
    let scene = format!("batch-of-{BATCH}-over-{copies}-copies");
    point("batch and disc over copies", copies, scene)
}

pub(super) fn area_point(objects: u32) -> Point {
    let scene = format!("all-of-1920x1080-over-{objects}-objects");
    point("rectangle over objects", objects, scene)
}

pub(super) fn drill_point() -> Point {
    let scene = format!("drill-through-{LAYERS}-layers");
    point("drill through layers", LAYERS, scene)
}
