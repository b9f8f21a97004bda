//! `pick latency`: what a pick costs beside what no pick can be faster than.

use std::io::{self, Write as _};
use std::time::Instant;

use pick_bench::device::{AnyBackend, Device};
use pick_bench::floor::Floored;
use pick_bench::quantile::median;
use pick_bench::session::{Session, micros};
use pick_core::{Backend, Hit, PickError, PickPoint, Request, View};
use pick_scenes::{SceneData, SceneSpec};
use serde::Serialize;

use crate::args::{CameraArgs, CullName, Format, LatencyArgs, StrategyName};
use crate::backends;
use crate::camera;
use crate::exit::{Failure, Status};
use crate::progress;
use crate::table::{Table, brief};

/// One draw of 1,000 triangles.
const SCENE: &str = "builtin:mesh?triangles=1000&seed=1";
/// All cells are measured in turn, so many times: what disturbs the machine for a while disturbs all.
const TURNS: u32 = 20;

const LEGEND: &str = "\
floor  microseconds of a submission that fills 256 bytes, waited for and read
empty  of the same pick with nothing to draw: the strategy's own targets and copies
pick   of one pixel of one draw of 1,000 triangles, from the call to the answer
       (medians, pipelines warm)";

/// Software drivers are measured where they are named: a reader would else take them for a GPU.
const NO_GPU: &str =
    "no GPU to measure (of a software driver add its name, as in --driver llvmpipe)";

/// One strategy by one way to wait.
#[derive(Clone, Debug, Serialize)]
struct Row {
    backend: String,
    device: String,
    driver: String,
    api: String,
    wait: &'static str,
    strategy: &'static str,
    picks: usize,
    floor_micros: f64,
    empty_micros: f64,
    pick_micros: f64,
    empty_floor_multiple: f64,
    pick_floor_multiple: f64,
    pick_empty_multiple: f64,
}

/// Runs the command.
pub fn run(args: &LatencyArgs) -> Result<Status, Failure> {
    let spec = SceneSpec::parse(SCENE)?;
    let data = spec.load()?;
    let view = camera::view(&CameraArgs::default(), &spec, &data)?;
    let mut devices = backends::all(&args.device)?;
    let named = args.device.driver.is_some();
    devices.retain(|device| match device {
        Device::Cpu => false,
        Device::Gpu(gpu) => named || !gpu.is_software(),
    });
    if devices.is_empty() {
        return Err(backends::none_fits(&args.device).about(NO_GPU));
    }
    let mut rows = Vec::new();
    for device in &devices {
        let spinner = progress::spinner(format!("measuring {}", device.names()[1]));
        let measured = measure(device, &data, &view, args.picks);
        drop(spinner);
        let measured = measured.map_err(|failure| failure.about(device.names()[1].as_str()))?;
        for row in &measured {
            if args.format == Format::Jsonl {
                let text = serde_json::to_string(row).map_err(io::Error::from)?;
                writeln!(io::stdout(), "{text}")?;
            }
        }
        rows.extend(measured);
    }
    if args.format == Format::Text {
        print(&rows)?;
    }
    Ok(Status::Answered)
}

fn measure(
    device: &Device,
    data: &SceneData,
    view: &View,
    picks: u32,
) -> Result<Vec<Row>, Failure> {
    match device.open()? {
        AnyBackend::Cpu(_) => Ok(Vec::new()), // left out above
        AnyBackend::Wgpu(mut backend) => rows(device, backend.as_mut(), data, view, picks),
        AnyBackend::Vulkan(mut backend) => rows(device, backend.as_mut(), data, view, picks),
    }
}

/// The times of one strategy, or of the floor.
#[derive(Default)]
struct Times {
    empty: Vec<f64>,
    pick: Vec<f64>,
}

fn rows<B: Floored>(
    device: &Device,
    backend: &mut B,
    data: &SceneData,
    view: &View,
    picks: u32,
) -> Result<Vec<Row>, Failure> {
    let floor_of = backend.floor();
    let mut session = Session::new(backend, data)?;
    let mut rows = Vec::new();
    for &(wait, how) in B::WAITS {
        session.backend.wait_by(how);
        let mut floor = Vec::new();
        let mut cells = StrategyName::ALL.map(|strategy| (strategy, Times::default()));
        for (strategy, _) in &cells {
            session.warm(&request(view, *strategy)?)?;
        }
        let each = picks.div_ceil(TURNS);
        for _ in 0..picks.div_ceil(each) {
            for _ in 0..each {
                let start = Instant::now();
                session.backend.round_trip(&floor_of)?;
                floor.push(micros(start));
            }
            for (strategy, times) in &mut cells {
                turn(&mut session, view, *strategy, each, times)?;
            }
        }
        let [backend, name, driver, api] = device.names();
        let floor = median(&mut floor).unwrap_or(0.0);
        rows.extend(cells.into_iter().map(|(strategy, mut times)| {
            let empty = median(&mut times.empty).unwrap_or(0.0);
            let pick = median(&mut times.pick).unwrap_or(0.0);
            Row {
                backend: backend.clone(),
                device: name.clone(),
                driver: driver.clone(),
                api: api.clone(),
                wait,
                strategy: strategy.name(),
                picks: times.pick.len(),
                floor_micros: floor,
                empty_micros: empty,
                pick_micros: pick,
                empty_floor_multiple: empty / floor,
                pick_floor_multiple: pick / floor,
                pick_empty_multiple: pick / empty,
            }
        }));
    }
    Ok(rows)
}

/// One turn of one strategy: nothing to draw, then the scene.
fn turn<B: Backend>(
    session: &mut Session<'_, B>,
    view: &View,
    strategy: StrategyName,
    count: u32,
    times: &mut Times,
) -> Result<(), Failure> {
    let request = request(view, strategy)?;
    session.emptied(|session| {
        for _ in 0..count {
            times.empty.push(session.timed(request.clone())?.1);
        }
        Ok::<_, PickError>(())
    })?;
    for _ in 0..count {
        let (answer, micros) = session.timed(request.clone())?;
        if answer.result.is_none() {
            let what = format!("{}: the middle of the mesh is a miss", strategy.name());
            return Err(PickError::broken(what).into());
        }
        times.pick.push(micros);
    }
    Ok(())
}

/// The middle of the mesh.
fn request(view: &View, strategy: StrategyName) -> Result<Request<Option<Hit>>, PickError> {
    let request = Request::point(view, PickPoint::normalized(0.5, 0.5))?;
    Ok(request.with(strategy.options(CullName::None)))
}

fn print(rows: &[Row]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let of = |row: &Row| [&row.backend, &row.device, &row.api].map(String::clone);
    let of_a_device = |a: &Row, b: &Row| of(a) == of(b);
    for rows in rows.chunk_by(of_a_device) {
        let mut table = Table::new(&[
            "backend",
            "wait",
            "strategy",
            "floor",
            "empty",
            "pick",
            "empty / floor",
            "pick / floor",
            "pick / empty",
        ]);
        for row in rows {
            let names = [row.backend.as_str(), row.wait, row.strategy];
            let times = [row.floor_micros, row.empty_micros, row.pick_micros];
            let multiples = [
                row.empty_floor_multiple,
                row.pick_floor_multiple,
                row.pick_empty_multiple,
            ];
            let mut cells: Vec<String> = names.map(str::to_owned).into();
            cells.extend(times.map(brief));
            cells.extend(multiples.map(|multiple| format!("{multiple:.2}")));
            table.row(cells);
        }
        let first = &rows[0];
        writeln!(
            out,
            "{}, {} ({}), {} picks a cell\n{table}",
            first.device, first.driver, first.api, first.picks
        )?;
    }
    writeln!(out, "{LEGEND}")?;
    Ok(())
}
