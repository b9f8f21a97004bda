//! `pick query`: what is drawn at these pixels?

mod kinds;

use std::io::{self, Write};

use pick_bench::session::Session;
use pick_bench::with_backend;
use pick_core::{Backend, Hit, PickOptions, Request, View};
use pick_cpu::CpuBackend;
use pick_scenes::SceneData;

use crate::answer::{Found, HitLine, Line};
use crate::args::{BackendName, Format, QueryArgs, StrategyName};
use crate::backends;
use crate::camera;
use crate::exit::{Failure, Status};
use crate::picture::canvas::Canvas;
use crate::picture::{ids, png};
use crate::pixels::{self, Asked};
use crate::progress;
use crate::scene;
use crate::table::{Table, number, numbers, or_dash};
use kinds::Kind;

/// Everything that is asked.
struct Questions<'a> {
    args: &'a QueryArgs,
    data: &'a SceneData,
    view: View,
    asked: Vec<Asked>,
}

/// Runs the command.
pub fn run(args: &QueryArgs) -> Result<Status, Failure> {
    let (spec, data) = scene::load(&args.scene)?;
    let view = camera::view(&args.camera, &spec, &data)?;
    let questions = Questions {
        asked: pixels::asked(args, &view)?,
        args,
        data: &data,
        view,
    };
    let mut backend = backends::open(&args.device)?;
    let may_fall_back = args.device.backend == BackendName::Auto
        && args.device.driver.is_none()
        && !backend.is_cpu();
    match with_backend!(&mut backend, backend => questions.ask(backend.as_mut())) {
        Err(failure) if may_fall_back && failure.status == Status::NotHere => {
            backends::say_fallback(&failure.to_string());
            questions.ask(&mut CpuBackend::new())
        }
        done => done,
    }
}

impl Questions<'_> {
    /// Nothing is printed before the first pick has run and the picture is drawn, so that what a device
    /// lacks can still be had elsewhere.
    fn ask<B: Backend>(&self, backend: &mut B) -> Result<Status, Failure> {
        let kind = self.kind()?;
        let spinner = progress::spinner("preparing");
        let mut session = Session::new(backend, self.data)?;
        let first = self.asked.iter().find_map(|asked| self.request(asked).ok());
        if let Some(request) = &first {
            session.warm(request)?;
        }
        let picture = match self.args.id_image {
            Some(_) => Some(self.picture(&mut session)?),
            None => None,
        };
        drop(spinner);
        let status = match self.args.format {
            Format::Jsonl => self.print_lines(&mut session, &kind)?,
            Format::Text => self.print_text(&mut session, &kind)?,
        };
        if let (Some(path), Some(picture)) = (&self.args.id_image, picture) {
            png::write(path, &picture)?;
            eprintln!("wrote {}", path.display());
        }
        Ok(status)
    }

    /// The id view.
    fn picture<B: Backend>(&self, session: &mut Session<'_, B>) -> Result<Canvas, Failure> {
        let request = Request::id_image(&self.view, self.view.viewport())?.with(self.options());
        let image = session.image(request).map_err(|error| {
            let failure = Failure::from(error);
            failure.about("--id-image")
        })?;
        Ok(ids::draw(&image)?)
    }

    fn options(&self) -> PickOptions {
        let area = self.args.kind.rect.is_some() || self.args.kind.lasso.is_some();
        let strategy = self.args.strategy.unwrap_or(match area {
            true => StrategyName::IntegerId,
            false => StrategyName::Detailed,
        });
        let mut options = strategy.options(self.args.cull);
        options.primitive_source = self.args.primitive_source.into();
        options
    }

    fn request(&self, asked: &Asked) -> Result<Request<Option<Hit>>, String> {
        let place = asked.place.clone()?;
        let request = Request::point(&self.view, place).map_err(|error| error.to_string())?;
        Ok(request.with(self.options()))
    }

    /// Calls `each` with the lines of one question after the other.
    fn each<B: Backend>(
        &self,
        session: &mut Session<'_, B>,
        kind: &Kind,
        mut each: impl FnMut(Vec<Line>) -> Result<(), Failure>,
    ) -> Result<Status, Failure> {
        let told = match kind {
            Kind::Batch => Some(self.batch(session)),
            Kind::Area(request) => Some(self.area(session, request)),
            Kind::Point | Kind::Near { .. } | Kind::Drill { .. } => None,
        };
        if let Some((lines, status)) = told {
            each(lines)?;
            return Ok(status);
        }
        let mut status = Status::Answered;
        for asked in &self.asked {
            let (lines, this) = self.answer(session, kind, asked);
            status = status.and(this);
            each(lines)?;
        }
        Ok(status)
    }

    fn print_lines<B: Backend>(
        &self,
        session: &mut Session<'_, B>,
        kind: &Kind,
    ) -> Result<Status, Failure> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let bar = progress::bar(self.asked.len(), "picking", true);
        let status = self.each(session, kind, |lines| {
            for line in lines {
                serde_json::to_writer(&mut out, &line).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
            }
            bar.inc(1);
            Ok(())
        })?;
        bar.finish_and_clear();
        out.flush()?;
        Ok(status)
    }

    fn print_text<B: Backend>(
        &self,
        session: &mut Session<'_, B>,
        kind: &Kind,
    ) -> Result<Status, Failure> {
        let bar = progress::bar(self.asked.len(), "picking", false);
        let mut lines = Vec::with_capacity(self.asked.len());
        let status = self.each(session, kind, |more| {
            lines.extend(more);
            bar.inc(1);
            Ok(())
        })?;
        bar.finish_and_clear();
        let mut out = io::stdout().lock();
        writeln!(out, "{}", backends::title(session.backend.caps()))?;
        match (&lines[..], kind) {
            ([Line::Hit(hit)], Kind::Point) => write_whole(&mut out, hit)?,
            (lines, _) => write!(out, "{}", table(lines, kind))?,
        }
        if let Some(beyond) = lines
            .iter()
            .find_map(Line::beyond)
            .filter(|beyond| *beyond > 0)
        {
            writeln!(out, "{beyond} more are not listed")?;
        }
        Ok(status)
    }
}

/// All of one answer, a field a line.
fn write_whole(out: &mut impl Write, hit: &HitLine) -> Result<(), Failure> {
    let xyz = |v: &Option<[f64; 3]>| or_dash(v.as_ref().map(|v| numbers(v)));
    let rows = [
        ("pixel", hit.pixel.to_string()),
        ("object", or_dash(hit.object.as_ref())),
        ("object_index", or_dash(hit.object_index)),
        ("instance", or_dash(hit.instance)),
        ("submesh", or_dash(hit.submesh)),
        ("material", or_dash(hit.material)),
        ("primitive", or_dash(hit.primitive)),
        ("face", or_dash(hit.face)),
        ("barycentric", xyz(&hit.barycentric)),
        ("point", xyz(&hit.point)),
        ("normal", xyz(&hit.normal)),
        ("face_normal", xyz(&hit.face_normal)),
        ("uv", or_dash(hit.uv.map(|uv| numbers(&uv)))),
        ("depth", or_dash(hit.depth)),
        ("distance", or_dash(hit.distance.map(number))),
        ("front_facing", or_dash(hit.front_facing)),
        ("micros", format!("{:.1}", hit.micros)),
    ];
    for (name, value) in rows {
        writeln!(out, "{name:<13}{value}")?;
    }
    Ok(())
}

const COLUMNS: [&str; 11] = [
    "pixel",
    "object",
    "index",
    "instance",
    "submesh",
    "primitive",
    "face",
    "point",
    "distance",
    "side",
    "micros",
];

/// Answers under each other; jsonl tells more of each.
fn table(lines: &[Line], kind: &Kind) -> Table {
    let more: &[&str] = match kind {
        Kind::Point | Kind::Batch => &[],
        Kind::Near { .. } => &["found at", "pixels away"],
        Kind::Drill { .. } => &["rank"],
        Kind::Area(_) => &["count"],
    };
    let mut table = Table::new(&[&COLUMNS, more].concat());
    for line in lines {
        table.row(match line {
            Line::Hit(hit) => {
                let Found {
                    count,
                    near_pixel,
                    pixel_distance,
                    rank,
                    ..
                } = hit.found;
                let mut cells = cells(hit);
                match kind {
                    Kind::Point | Kind::Batch => {}
                    Kind::Near { .. } => cells.extend([
                        or_dash(near_pixel.map(|[x, y]| format!("[{x},{y}]"))),
                        or_dash(pixel_distance.map(number)),
                    ]),
                    Kind::Drill { .. } => cells.push(or_dash(rank)),
                    Kind::Area(_) => cells.push(or_dash(count)),
                }
                cells
            }
            Line::Miss { pixel, .. } => vec![pixel.to_string(), "(nothing)".to_owned()],
            Line::Failed { pixel, error } => vec![pixel.to_string(), format!("error: {error}")],
        });
    }
    table
}

/// What a table says of a hit.
pub fn cells(hit: &HitLine) -> Vec<String> {
    vec![
        hit.pixel.to_string(),
        or_dash(hit.object.as_ref()),
        or_dash(hit.object_index),
        or_dash(hit.instance),
        or_dash(hit.submesh),
        or_dash(hit.primitive),
        or_dash(hit.face),
        or_dash(hit.point.as_ref().map(|point| numbers(point))),
        or_dash(hit.distance.map(number)),
        or_dash(
            hit.front_facing
                .map(|front| if front { "front" } else { "back" }),
        ),
        format!("{:.1}", hit.micros),
    ]
}
