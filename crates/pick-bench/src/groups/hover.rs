//! Picks sent while the device is busy with frames of the host's: whether sending waits for them, and how
//! many frames later the answer is there.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use pick_core::{
    Backend, BuiltinStrategy, Culling, Detailed, Hit, PickError, Picker, Request, Scene, Ticket,
};

use crate::floor::Floored;
use crate::names::{EMPTY_SEND, FRAME, SEND, SYNC};
use crate::results::{Group, Run};
use crate::rig::{HostBuffers, Point, Rig};
use crate::sample::{Budget, Samples, in_turns};
use crate::scenes::{Cubes, Layout, requests};
use crate::session::{micros, settle};

/// What a frame is to take.
const FRAME_MICROS: f64 = 16_000.0;
/// Frames that a host sends ahead.
const AHEAD: usize = 2;
/// Frames of one turn.
const BURST: usize = 8;
/// Two tickets for each frame that is ahead, for the one that is awaited, and for one that is late.
const FLIGHTS: usize = 2 * (AHEAD + 2);
/// A host looks for a finished frame so often.
const LOOK: Duration = Duration::from_micros(100);
/// Copies that are tried first, and the most.
const FIRST_COPIES: u32 = 10_000;
const MOST_COPIES: u32 = 2_000_000;

impl<B: Floored, H: HostBuffers<B>> Rig<'_, B, H> {
    /// Nothing is in flight on the CPU: there, sending is picking.
    pub(super) fn hover(&mut self) {
        if !self.has_floor() {
            return;
        }
        let mut run = point(0).run(&self.label);
        let measured = self.measure_hover(&mut run);
        self.finish(run, measured);
    }

    fn measure_hover(&mut self, run: &mut Run) -> Result<(), PickError> {
        let copies = self.copies_of_a_frame()?;
        run.size = copies.into();
        let rounds = self.sizes.hovers() / BURST;
        let mut host = self.host(copies)?;
        let times = in_turns(4, &budget(rounds), |thing, samples| match thing {
            0 => host.send_nothing(samples),
            1 => host.frame(samples),
            2 => host.sync(samples),
            _ => host.frames_with_picks(samples),
        });
        let mut tell = |name: &str, value: u64| run.told.insert(name.to_owned(), value as f64);
        tell("sends", host.sends);
        tell("long_sends", host.long_sends);
        tell("most_frames_later", host.most_frames_later);
        tell("target_bytes", host.backend.memory().target_bytes);
        host.scene.meshes.clear(host.backend)?;
        run.times = times?;
        Ok(())
    }

    /// As many copies as take a frame's time to draw.
    fn copies_of_a_frame(&mut self) -> Result<u32, PickError> {
        let mut copies = FIRST_COPIES;
        // Small draws take longer a copy than large ones, so the first guess is too low on a GPU.
        for _ in 0..3 {
            let mut host = self.host(copies)?;
            let mut samples = Samples::default();
            host.frame(&mut samples)?;
            let start = Instant::now();
            host.frame(&mut samples)?;
            let took = micros(start);
            host.scene.meshes.clear(host.backend)?;
            self.buffers.clear(self.backend)?;
            let fitting = f64::from(copies) * FRAME_MICROS / took;
            copies = (fitting as u32).clamp(1, MOST_COPIES);
        }
        Ok(copies)
    }

    fn host(&mut self, copies: u32) -> Result<Host<'_, B>, PickError> {
        let cubes = Cubes::new(copies, Layout::PositionScale, false)?;
        let source = self.source(&cubes, false)?;
        let (scene, _) = cubes.stage(self.backend, source)?;
        let mut host = Host {
            backend: self.backend,
            scene,
            empty: Scene::new(),
            picker: Picker::with_capacity(FLIGHTS),
            requests: requests(&cubes.view()?)?,
            next: 0,
            sends: 0,
            long_sends: 0,
            most_frames_later: 0,
        };
        settle(host.backend)?;
        let request = host.request();
        host.picker
            .prepare(host.backend, &mut host.scene, &request)?;
        Ok(host)
    }
}

pub(super) fn point(copies: u32) -> Point {
    Point {
        group: Group::Hover,
        series: "frames with picks".to_owned(),
        size: copies.into(),
        scene: "cubes-hover".to_owned(),
        strategy: BuiltinStrategy::Detailed(Detailed),
        wait: "block",
    }
}

/// So many rounds, however long they take.
fn budget(rounds: usize) -> Budget {
    Budget {
        total: Duration::MAX,
        slice: Duration::from_millis(2),
        least_rounds: rounds,
        most_rounds: rounds,
        slow: Duration::MAX,
        slow_rounds: 0,
    }
}

/// A program with frames. What it draws is the lattice, whole; what it picks from is the same, culled.
struct Host<'b, B: Backend> {
    backend: &'b mut B,
    scene: Scene,
    empty: Scene,
    picker: Picker,
    requests: Vec<Request<Option<Hit>>>,
    next: usize,
    sends: u64,
    /// Sends that took longer than half a frame: they can only have waited.
    long_sends: u64,
    most_frames_later: u64,
}

/// A pick that was sent, and in which frame.
struct Sent {
    ticket: Ticket<Option<Hit>>,
    frame: u64,
}

impl<B: Backend> Host<'_, B> {
    fn request(&mut self) -> Request<Option<Hit>> {
        self.next = (self.next + 1) % self.requests.len();
        self.requests[self.next].clone()
    }

    /// Everything drawn.
    fn draw(&mut self) -> Result<Ticket<Option<Hit>>, PickError> {
        let whole = self.request().culling(Culling::Off);
        self.picker.click(self.backend, &mut self.scene, whole)
    }

    fn send_nothing(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let request = self.request();
        let start = Instant::now();
        let mut ticket = self.picker.click(self.backend, &mut self.empty, request)?;
        samples.push(EMPTY_SEND, micros(start));
        self.until(&mut ticket)
    }

    fn frame(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let whole = self.request().culling(Culling::Off);
        let (picker, scene) = (&mut self.picker, &mut self.scene);
        let timed = samples.time(FRAME, || picker.pick(self.backend, scene, whole));
        timed.map(drop)
    }

    fn sync(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let mut frame = self.draw()?;
        let request = self.request();
        let (picker, scene) = (&mut self.picker, &mut self.scene);
        let timed = samples.time(SYNC, || picker.pick(self.backend, scene, request));
        timed?;
        self.until(&mut frame)
    }

    /// In each frame the host draws, asks what is under the cursor, and waits until no more frames are
    /// ahead than it allows; answers are looked for once a frame.
    fn frames_with_picks(&mut self, samples: &mut Samples) -> Result<(), PickError> {
        let mut frames = VecDeque::new();
        let mut picks = VecDeque::new();
        for frame in 0..BURST as u64 {
            frames.push_back(self.draw()?);
            let ticket = self.send(samples)?;
            picks.push_back(Sent { ticket, frame });
            if frames.len() > AHEAD - 1
                && let Some(mut oldest) = frames.pop_front()
            {
                self.until(&mut oldest)?;
            }
            self.take(&mut picks, frame)?;
        }
        for (later, mut rest) in (0..).zip(frames) {
            self.until(&mut rest)?;
            self.take(&mut picks, BURST as u64 + later)?;
        }
        picks
            .into_iter()
            .try_for_each(|mut sent| self.until(&mut sent.ticket))
    }

    fn send(&mut self, samples: &mut Samples) -> Result<Ticket<Option<Hit>>, PickError> {
        let request = self.request();
        let start = Instant::now();
        let ticket = self.picker.click(self.backend, &mut self.scene, request)?;
        let took = micros(start);
        samples.push(SEND, took);
        self.sends += 1;
        self.long_sends += u64::from(took > FRAME_MICROS / 2.0);
        Ok(ticket)
    }

    /// Takes the answers that are there in this frame.
    fn take(&mut self, picks: &mut VecDeque<Sent>, frame: u64) -> Result<(), PickError> {
        self.picker.poll(self.backend, &mut self.scene);
        while let Some(sent) = picks.front_mut() {
            let Some(answer) = sent.ticket.try_take() else {
                break;
            };
            answer?;
            self.most_frames_later = self.most_frames_later.max(frame - sent.frame);
            picks.pop_front();
        }
        Ok(())
    }

    fn until(&mut self, ticket: &mut Ticket<Option<Hit>>) -> Result<(), PickError> {
        loop {
            self.picker.poll(self.backend, &mut self.scene);
            if let Some(answer) = ticket.try_take() {
                return answer.map(drop);
            }
            thread::sleep(LOOK);
        }
    }
}
