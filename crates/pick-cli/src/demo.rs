//! `pick demo`: a scene that comes with the command, a few picks, and two pictures.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use glam::DVec3;
use pick_bench::session::Session;
use pick_bench::with_backend;
use pick_core::{Backend, PickOptions, PickPoint, Request, View};
use pick_cpu::CpuBackend;
use pick_scenes::SceneData;

use crate::answer::Line;
use crate::args::{CullName, DemoArgs, StrategyName};
use crate::backends;
use crate::camera;
use crate::exit::{Failure, Status};
use crate::picture::{ids, marks, png, shade};
use crate::pixels::Asked;
use crate::progress;
use crate::query;
use crate::table::Table;

/// Made by `examples/make_demo_scene`.
const SCENE: &[u8] = include_bytes!("../assets/demo.glb");

const EYE: DVec3 = DVec3::new(1.4, 4.6, 10.3);
const TARGET: DVec3 = DVec3::new(0.0, 0.6, 0.0);

/// Places in the world that are picked where they appear; the last lies in the sky.
const PLACES: [DVec3; 9] = [
    DVec3::new(0.525, 2.66, 0.71),
    DVec3::new(2.55, 1.05, 2.05),
    DVec3::new(-2.45, 0.6, 1.75),
    DVec3::new(-2.7, 1.4, 0.9),
    DVec3::new(2.3, 0.8, -2.6),
    DVec3::new(-0.2, 0.5, 3.2),
    DVec3::new(-1.669, 0.5, 5.135),
    DVec3::new(1.2, 0.0, 3.4),
    DVec3::new(-3.6, 3.9, 0.0),
];

/// Rays along a pixel's side of the shaded view.
const SMOOTH: u32 = 2;

/// Runs the command.
pub fn run(args: &DemoArgs) -> Result<Status, Failure> {
    let data = pick_scenes::gltf::load_bytes("the scene of the demo", SCENE, None)?;
    let view = camera::frame(&data, args.size, EYE, TARGET)?;
    let mut backend = backends::open(&args.device)?;
    let (name, table) = with_backend!(&mut backend, b => pick(b.as_mut(), &data, &view))?;
    let folder = Folder::make(args.out.as_deref())?;
    let shaded = folder.file("shaded.png");
    let id_view = folder.file("ids.png");
    let scene = folder.file("demo.glb");
    let spinner = progress::spinner("drawing two pictures");
    draw(&data, &view, &shaded, &id_view)?;
    drop(spinner);
    std::fs::write(&scene, SCENE).map_err(|error| unwritable(&scene, &error))?;
    let camera = folder.file("camera.json");
    std::fs::write(&camera, camera::text(&view)).map_err(|error| unwritable(&camera, &error))?;
    let mut out = io::stdout().lock();
    writeln!(out, "picked by {name}\n\n{table}")?;
    writeln!(out, "shaded view, hits marked: {}", shaded.display())?;
    writeln!(out, "id view:                  {}", id_view.display())?;
    writeln!(out, "the scene itself:         {}", scene.display())?;
    writeln!(out, "its camera:               {}", camera.display())?;
    let [x, y] = pixels(&view).next().unwrap_or_default();
    writeln!(
        out,
        "\nask it yourself: pick query {} --camera {} --at {x},{y}",
        scene.display(),
        camera.display()
    )?;
    Ok(Status::Answered)
}

/// The answers as a table, and who gave them.
fn pick<B: Backend>(
    backend: &mut B,
    data: &SceneData,
    view: &View,
) -> Result<(String, Table), Failure> {
    let mut session = Session::new(backend, data)?;
    let mut table = Table::new(&[
        "mark",
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
    ]);
    for (number, pixel) in (1..).zip(pixels(view)) {
        let asked = Asked::at(pixel.map(f64::from));
        let [x, y] = pixel.map(f64::from);
        let request = Request::point(view, PickPoint::target_pixels(x, y))?.with(options());
        if number == 1 {
            session.warm(&request)?;
        }
        let (answer, micros) = session.timed(request)?;
        let mut cells = vec![number.to_string()];
        match Line::of(&asked.given, answer.result.as_ref(), micros, data) {
            Line::Hit(hit) => cells.extend(query::cells(&hit)),
            _ => cells.extend([asked.given.to_string(), "(nothing)".to_owned()]),
        }
        table.row(cells);
    }
    let caps = session.backend.caps();
    Ok((backends::title(caps), table))
}

fn options() -> PickOptions {
    StrategyName::Detailed.options(CullName::None)
}

/// Where the places appear.
fn pixels(view: &View) -> impl Iterator<Item = [u32; 2]> {
    PLACES.into_iter().filter_map(|place| {
        let (at, _) = view.target_from_world(place)?;
        PickPoint::target_pixels(at.x, at.y).pixel(view).ok()
    })
}

/// Both pictures, by the CPU backend: they need no GPU.
fn draw(data: &SceneData, view: &View, shaded: &Path, id_view: &Path) -> Result<(), Failure> {
    let mut cpu = CpuBackend::new();
    let mut session = Session::new(&mut cpu, data)?;
    let mut image = |view: &View| {
        let request = Request::id_image(view, view.viewport())?.with(options());
        session.image(request)
    };
    png::write(id_view, &ids::draw(&image(view)?)?)?;
    let mut fine = view.viewport();
    (fine.width, fine.height) = (fine.width * SMOOTH, fine.height * SMOOTH);
    let fine = view.with_viewport(fine)?;
    let mut picture = shade::draw(&image(&fine)?, &fine, data, SMOOTH)?;
    for (number, pixel) in (1..).zip(pixels(view)) {
        marks::mark(&mut picture, pixel, number);
    }
    png::write(shaded, &picture)
}

/// Where pictures go.
struct Folder(PathBuf);

impl Folder {
    fn make(asked: Option<&Path>) -> Result<Self, Failure> {
        let folder = match asked {
            Some(folder) => folder.to_owned(),
            None => std::env::temp_dir().join("pick-demo"),
        };
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        Ok(Self(folder))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::input(
        path.display(),
        "file",
        format!("it cannot be written ({error})"),
        "name a folder that can be written to: --out FOLDER",
    )
}
