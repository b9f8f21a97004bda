//! `pick devices`: what is here, and what each strategy needs and gets.

use std::io::{self, Write as _};

use pick_bench::device::Device;
use pick_bench::session::Session;
use pick_bench::with_backend;
use pick_core::{
    Backend, Caps, ErrorKind, PickError, PickPoint, PrimitiveIndex, PrimitiveSource, Request,
    StencilRead, View,
};
use pick_scenes::{SceneData, SceneSpec};

use crate::args::{CameraArgs, CullName, DeviceArgs, StrategyName};
use crate::backends;
use crate::camera;
use crate::exit::{Failure, Status};
use crate::progress;
use crate::table::Table;

/// A strategy is tried on this.
const TRIAL: &str = "builtin:grid?count=1&seed=1";

const SOURCES: [(&str, PrimitiveSource); 3] = [
    ("detailed, builtin", PrimitiveSource::Builtin),
    ("detailed, pulled", PrimitiveSource::Pulled),
    ("detailed, expanded", PrimitiveSource::Expanded),
];

/// Runs the command.
pub fn run(args: &DeviceArgs) -> Result<Status, Failure> {
    let spec = SceneSpec::parse(TRIAL)?;
    let data = spec.load()?;
    let view = camera::view(&CameraArgs::default(), &spec, &data)?;
    let mut status = Status::Answered;
    for device in backends::all(args)? {
        let [backend, name, driver, api] = device.names();
        let kind = match &device {
            Device::Cpu => "",
            Device::Gpu(gpu) => gpu.kind,
        };
        let spinner = progress::spinner(format!("opening {name}"));
        let described = describe(&device, &data, &view);
        drop(spinner);
        let mut out = io::stdout().lock();
        writeln!(out, "{backend}: {name} ({api})")?;
        writeln!(out, "  driver {driver} {kind}")?;
        match described {
            Ok((lines, this)) => {
                status = status.and(this);
                writeln!(out, "{lines}")?;
            }
            Err(failure) => writeln!(out, "  it cannot be opened: {failure}\n")?,
        }
    }
    Ok(status)
}

fn describe(device: &Device, data: &SceneData, view: &View) -> Result<(String, Status), Failure> {
    let mut backend = device.open()?;
    with_backend!(&mut backend, backend => table(backend.as_mut(), data, view))
}

fn table<B: Backend>(
    backend: &mut B,
    data: &SceneData,
    view: &View,
) -> Result<(String, Status), Failure> {
    let mut session = Session::new(backend, data)?;
    let mut status = Status::Answered;
    let mut table = Table::new(&["  strategy", "needs", "here", "gets"]);
    let plain = StrategyName::ALL.map(|s| (s.name(), s, PrimitiveSource::Auto));
    let sources = SOURCES.map(|(name, source)| (name, StrategyName::Detailed, source));
    for (name, strategy, source) in plain.into_iter().chain(sources) {
        let tried = attempt(&mut session, view, strategy, source);
        let here = match &tried {
            Ok(()) => "yes".to_owned(),
            Err(error) => match error.kind() {
                ErrorKind::Unsupported { capability, .. } => format!("unsupported: {capability}"),
                _ => {
                    status = Status::Wrong;
                    format!("broken: {error}")
                }
            },
        };
        let caps = session.backend.caps();
        let gets = if tried.is_ok() {
            gets(strategy, caps)
        } else {
            ""
        };
        table.row(vec![
            format!("  {name}"),
            needs(strategy, source).to_owned(),
            here,
            gets.to_owned(),
        ]);
    }
    let facts = facts(session.backend.caps());
    Ok((format!("  {facts}\n{table}"), status))
}

/// Picks the middle of the trial scene.
fn attempt<B: Backend>(
    session: &mut Session<'_, B>,
    view: &View,
    strategy: StrategyName,
    source: PrimitiveSource,
) -> Result<(), PickError> {
    let middle = PickPoint::normalized(0.5, 0.5);
    let request = Request::point(view, middle)?
        .with(strategy.options(CullName::None))
        .primitive_source(source);
    session.warm(&request)
}

fn needs(strategy: StrategyName, source: PrimitiveSource) -> &'static str {
    match (strategy, source) {
        (StrategyName::ColorId | StrategyName::IntegerId, _) => "nothing",
        (StrategyName::StencilId, _) => "a stencil that is copied, or read by eight draws",
        (_, PrimitiveSource::Auto) => "one of the three below",
        (_, PrimitiveSource::Builtin) => "the primitive-index builtin, proved by a self-test",
        (_, PrimitiveSource::Pulled) => "storage buffers in the vertex stage",
        (_, PrimitiveSource::Expanded) => "geometry on the CPU; a de-indexed copy is made",
    }
}

fn gets(strategy: StrategyName, caps: &Caps) -> &'static str {
    match strategy {
        StrategyName::ColorId => "object, instance, depth, point",
        StrategyName::IntegerId => "object, instance, face, depth, point",
        StrategyName::StencilId if caps.stencil_depth_read => "object, sub-mesh, depth, point",
        StrategyName::StencilId => "object, sub-mesh (no depth: this device cannot read it back)",
        StrategyName::Detailed => "everything",
    }
}

fn facts(caps: &Caps) -> String {
    let index = match caps.primitive_index {
        PrimitiveIndex::Missing => "missing",
        PrimitiveIndex::Untested => "untested",
        PrimitiveIndex::Trusted => "trusted",
        PrimitiveIndex::Failed => "there, but it failed its self-test",
    };
    let stencil = match caps.stencil_read {
        StencilRead::Copy => "copied",
        StencilRead::BitDraws => "read by eight draws",
    };
    let side = caps.max_target_side;
    format!(
        "primitive-index builtin {index}; stencil {stencil}; targets up to {side} pixels a side"
    )
}
