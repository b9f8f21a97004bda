//! A backend with what measuring it takes, and the run that most tables are made of.

use std::collections::BTreeMap;
use std::time::Instant;

use pick_core::{
    Backend, BufferId, BuiltinStrategy, Culling, Hit, PickError, Report, Request, Scene, Strategy,
};
use pick_wgpu::WgpuBackend;

use crate::floor::Floored;
use crate::names::{BRUTE, EMPTY, FLOOR, PICK, SEND};
use crate::results::{Group, Results, Run};
use crate::sample::{Samples, in_turns};
use crate::session::{Session, micros};
use crate::sizes::Sizes;

/// Makes buffers as a host of this backend has them.
pub trait HostBuffers<B: Backend> {
    /// A buffer on the device that instance sets can lie in; `None` where the backend knows no buffers.
    ///
    /// # Errors
    /// `Unsupported` for more than the device can have.
    fn make(&mut self, backend: &mut B, contents: &[u8]) -> Result<Option<BufferId>, PickError>;

    /// Forgets and frees them all. Nothing uses them any more.
    ///
    /// # Errors
    /// What the backend meets.
    fn clear(&mut self, backend: &mut B) -> Result<(), PickError>;
}

/// Of the CPU backend.
pub struct NoBuffers;

impl<B: Backend> HostBuffers<B> for NoBuffers {
    fn make(&mut self, _: &mut B, _: &[u8]) -> Result<Option<BufferId>, PickError> {
        Ok(None)
    }

    fn clear(&mut self, _: &mut B) -> Result<(), PickError> {
        Ok(())
    }
}

/// Buffers of wgpu.
#[derive(Default)]
pub struct WgpuBuffers(Vec<BufferId>);

impl HostBuffers<WgpuBackend> for WgpuBuffers {
    fn make(
        &mut self,
        backend: &mut WgpuBackend,
        contents: &[u8],
    ) -> Result<Option<BufferId>, PickError> {
        let (size, limits) = (contents.len() as u64, backend.device().limits());
        if size > limits.max_buffer_size {
            let why = format!("buffers end at {} bytes", limits.max_buffer_size);
            return Err(PickError::unsupported(
                pick_core::Capability::BufferSize,
                why,
            ));
        }
        let buffer = backend.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("a host's instances"),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        // In pieces: each goes through a staging buffer of its own size.
        const PIECE: usize = 64 << 20;
        for (at, piece) in (0_u64..).zip(contents.chunks(PIECE)) {
            backend
                .queue()
                .write_buffer(&buffer, at * PIECE as u64, piece);
            backend.queue().submit([]);
            let waited = backend.device().poll(wgpu::PollType::wait_indefinitely());
            waited.map_err(|error| PickError::broken(error.to_string()))?;
        }
        let id = backend.adopt_buffer(&buffer);
        self.0.push(id);
        Ok(Some(id))
    }

    fn clear(&mut self, backend: &mut WgpuBackend) -> Result<(), PickError> {
        self.0
            .drain(..)
            .try_for_each(|buffer| backend.forget_buffer(buffer))
    }
}

/// A backend with what measuring it takes.
pub struct Rig<'r, B: Floored, H: HostBuffers<B>> {
    /// The backend.
    pub backend: &'r mut B,
    /// The host's side.
    pub buffers: H,
    /// The device's label.
    pub label: String,
    /// How much is measured.
    pub sizes: Sizes,
    /// Where it goes.
    pub results: &'r mut Results,
}

/// Where on which curve a run stands.
#[derive(Clone, Debug)]
pub struct Point {
    /// Which table.
    pub group: Group,
    /// Which curve.
    pub series: String,
    /// Where on it.
    pub size: u64,
    /// The last part of the id.
    pub scene: String,
    /// How it is picked.
    pub strategy: BuiltinStrategy,
    /// How answers are waited for.
    pub wait: &'static str,
}

impl Point {
    /// A run without anything in it yet.
    pub fn run(&self, device: &str) -> Run {
        let strategy = self.strategy.name();
        // Two tables may have the same scene.
        let query = match self.group {
            Group::Versus | Group::Hover | Group::Queries => self.group.name(),
            _ => "point",
        };
        Run {
            id: format!("{query}/{device}/{strategy}/{}", self.scene),
            group: self.group,
            device: device.to_owned(),
            strategy: strategy.to_owned(),
            series: self.series.clone(),
            size: self.size,
            wait: self.wait.to_owned(),
            times: Vec::new(),
            told: BTreeMap::new(),
            notes: Vec::new(),
        }
    }
}

/// A scene under measurement.
pub struct Bench<'b, B: Floored> {
    /// The scene on its backend.
    pub session: Session<'b, B>,
    floor: B::Floor,
    empty: Scene,
    requests: Vec<Request<Option<Hit>>>,
    next: usize,
    hits: [u64; 2],
    report: Report,
}

impl<'b, B: Floored> Bench<'b, B> {
    /// Takes a scene that the backend holds.
    ///
    /// # Errors
    /// What preparing it meets.
    pub fn new(
        backend: &'b mut B,
        scene: Scene,
        requests: Vec<Request<Option<Hit>>>,
    ) -> Result<Self, PickError> {
        let floor = backend.floor();
        let mut session = Session::of(backend, scene);
        if let Some(first) = requests.first() {
            session.warm(first)?;
        }
        Ok(Self {
            session,
            floor,
            empty: Scene::new(),
            requests,
            next: 0,
            hits: [0, 0],
            report: Report::default(),
        })
    }

    /// The next pixel's request.
    pub fn request(&mut self) -> Request<Option<Hit>> {
        self.next = (self.next + 1) % self.requests.len();
        self.requests[self.next].clone()
    }

    /// To the device and back.
    ///
    /// # Errors
    /// What the device meets.
    pub fn time_floor(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let (backend, floor) = (&mut *self.session.backend, &self.floor);
        samples.time(FLOOR, || backend.round_trip(floor))
    }

    /// A pick of nothing.
    ///
    /// # Errors
    /// As a pick.
    pub fn time_empty(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let request = self.request();
        std::mem::swap(&mut self.session.scene, &mut self.empty);
        let timed = samples.time(EMPTY, || self.session.pick(request));
        std::mem::swap(&mut self.session.scene, &mut self.empty);
        timed.map(drop)
    }

    /// A pick of the scene.
    ///
    /// # Errors
    /// As a pick.
    pub fn time_pick(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let request = self.request();
        let answer = samples.time(PICK, || self.session.pick(request))?;
        self.hits[usize::from(answer.result.is_some())] += 1;
        self.report = answer.report;
        Ok(())
    }

    /// A pick with everything drawn.
    ///
    /// # Errors
    /// As a pick.
    pub fn time_brute(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let request = self.request().culling(Culling::Off);
        samples.time(BRUTE, || self.session.pick(request)).map(drop)
    }

    /// Sends a pick, and then waits for it untimed.
    ///
    /// # Errors
    /// As a pick.
    pub fn time_send(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let request = self.request();
        let start = Instant::now();
        let ticket = self.session.send(request)?;
        samples.push(SEND, micros(start));
        self.session.receive(ticket).map(drop)
    }

    /// Adds what the picks reported and what is held.
    pub fn tell(&mut self, told: &mut BTreeMap<String, f64>) {
        let mut tell = |name: &str, value: u64| told.insert(name.to_owned(), value as f64);
        let culling = self.report.culling;
        tell("items", self.report.items as u64);
        tell("objects", culling.objects);
        tell("tested_singly", culling.tested_singly);
        tell("surviving_objects", culling.survivors);
        tell("instances", culling.instances);
        tell("instances_untested", culling.instances_untested);
        let memory = self.session.backend.memory();
        tell("geometry_bytes", memory.geometry_bytes);
        tell("bounds_bytes", memory.bounds_bytes);
        tell("list_bytes", memory.culling_bytes);
        tell("target_bytes", memory.target_bytes);
        tell("slot_bytes", memory.slot_bytes);
        let tree = self.session.scene.meshes.culling_bytes();
        tell("cpu_culling_bytes", tree as u64);
        let picks = self.hits[0] + self.hits[1];
        let share = self.hits[1] as f64 / picks.max(1) as f64;
        told.insert("hits".to_owned(), share);
    }
}

impl<B: Floored, H: HostBuffers<B>> Rig<'_, B, H> {
    /// True where something is submitted to a device.
    pub fn has_floor(&self) -> bool {
        self.backend.caps().backend != "cpu"
    }

    /// Measures floor, empty pass, pick and, where it fits into the time, brute force of a scene. Gives
    /// the time of a brute pick, in microseconds, where there was one.
    pub fn picks(
        &mut self,
        point: &Point,
        scene: Scene,
        requests: &[Request<Option<Hit>>],
        brute: Brute,
        built_micros: f64,
    ) -> Option<f64> {
        let mut run = point.run(&self.label);
        run.told.insert("build_micros".to_owned(), built_micros);
        let measured = self.measure_picks(&mut run, point, scene, requests, brute);
        self.finish(run, measured)
            .and_then(|run| run.times(BRUTE).map(|brute| brute.median))
    }

    fn measure_picks(
        &mut self,
        run: &mut Run,
        point: &Point,
        scene: Scene,
        requests: &[Request<Option<Hit>>],
        brute: Brute,
    ) -> Result<(), PickError> {
        let has_floor = self.has_floor();
        let with_strategy = |r: &Request<Option<Hit>>| r.clone().strategy(point.strategy);
        let requests = requests.iter().map(with_strategy).collect();
        let start = Instant::now();
        let mut bench = Bench::new(self.backend, scene, requests)?;
        run.told.insert("prepare_micros".to_owned(), micros(start));
        let brute = match brute {
            Brute::No => false,
            Brute::Within { expected_micros } => {
                let limit = self.sizes.brute_limit();
                let fits = expected_micros <= limit.as_secs_f64() * 1e6;
                if !fits {
                    let seconds = expected_micros / 1e6;
                    run.notes.push(format!(
                        "brute: cut off, since a pick would take about {seconds:.1} s"
                    ));
                }
                fits
            }
        };
        let things = 4 + usize::from(brute);
        let once = |thing: usize, samples: &mut Samples| match thing {
            0 if !has_floor => Ok(()),
            0 => bench.time_floor(samples),
            1 => bench.time_empty(samples),
            2 => bench.time_pick(samples),
            3 => bench.time_send(samples),
            _ => bench.time_brute(samples),
        };
        let times = in_turns(things, &self.sizes.budget(), once);
        bench.tell(&mut run.told);
        let cleared = bench.session.clear();
        run.times = times?;
        cleared
    }

    /// Notes a run, and what it met.
    pub fn finish(&mut self, mut run: Run, measured: Result<(), PickError>) -> Option<&Run> {
        if let Err(error) = measured {
            run.notes.push(format!("refused: {error}"));
        }
        if let Err(error) = self.buffers.clear(self.backend) {
            run.notes.push(format!("host buffers: {error}"));
        }
        say(&run);
        self.results.runs.push(run);
        self.results.runs.last()
    }
}

/// Whether everything is drawn too, to compare with.
#[derive(Clone, Copy, Debug)]
pub enum Brute {
    /// No.
    No,
    /// Where a pick is expected to take no longer than the sizes allow.
    Within {
        /// What the smaller sizes suggest.
        expected_micros: f64,
    },
}

/// What brute force of a size is expected to take, by that of the size before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected {
    last: Option<(u64, f64)>,
}

impl Expected {
    /// Brute force of this size.
    pub fn at(&self, size: u64) -> Brute {
        let grown = |(last, micros): (u64, f64)| micros * size as f64 / last.max(1) as f64;
        Brute::Within {
            expected_micros: self.last.map_or(0.0, grown),
        }
    }

    /// What it took; where it was cut off, the last size that was not tells on.
    pub fn took(&mut self, size: u64, micros: Option<f64>) {
        if let Some(micros) = micros {
            self.last = Some((size, micros));
        }
    }
}

/// A line for whoever waits.
fn say(run: &Run) {
    let times: Vec<String> = run
        .times
        .iter()
        .map(|times| format!("{} {:.1}", times.name, times.median))
        .collect();
    let multiple = run.ratio(PICK, EMPTY).map(|r| format!("{:.2}x", r.median));
    eprintln!(
        "{} [{}] {}: {} {} {}",
        run.id,
        run.wait,
        run.series,
        times.join(", "),
        multiple.unwrap_or_default(),
        run.notes.join("; ")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brute_force_is_expected_to_grow_with_the_size() {
        let mut expected = Expected::default();
        let micros = |brute| match brute {
            Brute::No => f64::NAN,
            Brute::Within { expected_micros } => expected_micros,
        };
        assert_eq!(micros(expected.at(1000)), 0.0);
        expected.took(1000, Some(50.0));
        expected.took(10_000, None);
        assert_eq!(micros(expected.at(100_000)), 5000.0);
    }
}
