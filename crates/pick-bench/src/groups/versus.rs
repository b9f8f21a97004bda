//! Two backends on one device, in turns: whole pick against whole pick.

use pick_core::{BuiltinStrategy, Detailed, PickError, Scene};

use crate::floor::Floored;
use crate::results::{Group, Results, Run};
use crate::rig::{HostBuffers, Point};
use crate::sample::{Samples, in_turns};
use crate::scenes::{Cubes, Layout, requests};
use crate::session::Session;
use crate::sizes::Sizes;

/// One side: its backend, its buffers, and the name that its times get.
pub struct Side<'s, B: Floored, H: HostBuffers<B>> {
    /// The backend.
    pub backend: &'s mut B,
    /// The host's side.
    pub buffers: H,
    /// Such as `wgpu`.
    pub name: &'static str,
}

/// Measures the most copies of the instance curves, but for those beyond a million, in grid order.
pub fn versus<A: Floored, B: Floored>(
    mut a: Side<'_, A, impl HostBuffers<A>>,
    mut b: Side<'_, B, impl HostBuffers<B>>,
    device: &str,
    sizes: Sizes,
    results: &mut Results,
) {
    let counts = sizes
        .instances()
        .iter()
        .filter(|count| **count <= 1_000_000);
    let Some(&count) = counts.max() else {
        return;
    };
    let mut run = point([a.name, b.name], count).run(device);
    if let Err(error) = measure(&mut run, count, &mut a, &mut b, sizes) {
        run.notes.push(format!("refused: {error}"));
    }
    results.runs.push(run);
}

pub(super) fn point([a, b]: [&str; 2], count: u32) -> Point {
    Point {
        group: Group::Versus,
        series: format!("{a} and {b}, 16 bytes, grid order"),
        size: count.into(),
        scene: format!("cubes-grid-16-bytes-{count}"),
        strategy: BuiltinStrategy::Detailed(Detailed),
        wait: "block",
    }
}

fn measure<A: Floored, B: Floored>(
    run: &mut Run,
    count: u32,
    a: &mut Side<'_, A, impl HostBuffers<A>>,
    b: &mut Side<'_, B, impl HostBuffers<B>>,
    sizes: Sizes,
) -> Result<(), PickError> {
    let cubes = Cubes::new(count, Layout::PositionScale, false)?;
    let requests = requests(&cubes.view()?)?;
    let contents = cubes.contents(false);
    let (scene_a, scene_b) = (stage(a, &cubes, &contents)?, stage(b, &cubes, &contents)?);
    let (name_a, name_b) = (a.name, b.name);
    let mut on_a = Session::of(a.backend, scene_a);
    let mut on_b = Session::of(b.backend, scene_b);
    on_a.warm(&requests[0])?;
    on_b.warm(&requests[0])?;
    let mut next = 0;
    let once = |thing: usize, samples: &mut Samples| {
        next = (next + 1) % requests.len();
        let request = requests[next].clone();
        match thing {
            0 => samples.time(name_a, || on_a.pick(request)).map(drop),
            _ => samples.time(name_b, || on_b.pick(request)).map(drop),
        }
    };
    run.times = in_turns(2, &sizes.budget(), once)?;
    on_a.clear()?;
    on_b.clear()?;
    a.buffers.clear(a.backend)?;
    b.buffers.clear(b.backend)
}

fn stage<B: Floored>(
    side: &mut Side<'_, B, impl HostBuffers<B>>,
    cubes: &Cubes,
    contents: &[u8],
) -> Result<Scene, PickError> {
    let source = match side.buffers.make(side.backend, contents)? {
        Some(buffer) => cubes.in_buffer(buffer),
        None => cubes.on_cpu(false),
    };
    cubes.stage(side.backend, source).map(|(scene, _)| scene)
}
