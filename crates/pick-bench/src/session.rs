//! A scene on a backend, ready to be asked.

use std::time::{Duration, Instant};

use pick_core::{
    Answer, Backend, IdImage, Outcome, PickError, Picker, PrimitiveIndex, Request, Scene, Ticket,
};
use pick_scenes::SceneData;

/// How long the self-test of the primitive-index builtin is waited for.
const SELF_TEST_PATIENCE: Duration = Duration::from_secs(5);

/// How long an answer is waited for that was sent before.
const RECEIVE_PATIENCE_MS: u64 = 120_000;

/// A scene on a backend.
pub struct Session<'b, B: Backend> {
    /// The device.
    pub backend: &'b mut B,
    /// What is picked from.
    pub scene: Scene,
    picker: Picker,
}

impl<'b, B: Backend> Session<'b, B> {
    /// Gives a scene to a backend.
    ///
    /// # Errors
    /// Whatever the backend refuses.
    pub fn new(backend: &'b mut B, data: &SceneData) -> Result<Self, PickError> {
        let scene = data.build(backend)?;
        Ok(Self::of(backend, scene))
    }

    /// A scene that the backend holds already.
    pub fn of(backend: &'b mut B, scene: Scene) -> Self {
        Self {
            backend,
            scene,
            picker: Picker::new(),
        }
    }

    /// Reads the self-test, compiles what `request` needs and runs it once, so that what comes after is
    /// warm.
    ///
    /// # Errors
    /// As a pick.
    pub fn warm<A: Outcome + Clone>(&mut self, request: &Request<A>) -> Result<(), PickError> {
        settle(self.backend)?;
        self.prepare(request)?;
        self.pick(request.clone()).map(drop)
    }

    /// Compiles what `request` needs.
    ///
    /// # Errors
    /// As a pick.
    pub fn prepare<A: Outcome>(&mut self, request: &Request<A>) -> Result<(), PickError> {
        self.picker.prepare(self.backend, &mut self.scene, request)
    }

    /// Asks and waits.
    ///
    /// # Errors
    /// As [`Picker::pick`].
    pub fn pick<A: Outcome>(&mut self, request: Request<A>) -> Result<Answer<A>, PickError> {
        self.picker.pick(self.backend, &mut self.scene, request)
    }

    /// Asks and waits; with the time from submission to answer, in microseconds.
    ///
    /// # Errors
    /// As [`Picker::pick`].
    pub fn timed<A: Outcome>(
        &mut self,
        request: Request<A>,
    ) -> Result<(Answer<A>, f64), PickError> {
        let start = Instant::now();
        let answer = self.pick(request)?;
        Ok((answer, micros(start)))
    }

    /// Sends without waiting.
    ///
    /// # Errors
    /// As [`Picker::click`].
    pub fn send<A: Outcome>(&mut self, request: Request<A>) -> Result<Ticket<A>, PickError> {
        self.picker.click(self.backend, &mut self.scene, request)
    }

    /// Waits for what was sent.
    ///
    /// # Errors
    /// How the ticket ends.
    pub fn receive<A: Outcome>(&mut self, mut ticket: Ticket<A>) -> Result<Answer<A>, PickError> {
        loop {
            self.backend.wait(None, RECEIVE_PATIENCE_MS)?;
            self.poll();
            if let Some(answer) = ticket.try_take() {
                return answer;
            }
        }
    }

    /// Takes in what has arrived.
    pub fn poll(&mut self) {
        self.picker.poll(self.backend, &mut self.scene);
    }

    /// Waits for everything, and takes the scene back from the backend.
    ///
    /// # Errors
    /// What the backend meets.
    pub fn clear(&mut self) -> Result<(), PickError> {
        self.backend.wait(None, 60_000)?;
        self.poll();
        self.scene.meshes.clear(self.backend)
    }

    /// Does something with nothing to draw.
    pub fn emptied<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let scene = std::mem::take(&mut self.scene);
        let done = work(self);
        self.scene = scene;
        done
    }

    /// The id image of a request.
    ///
    /// # Errors
    /// As [`Picker::pick`].
    pub fn image(&mut self, request: Request<IdImage>) -> Result<IdImage, PickError> {
        Ok(self.pick(request)?.result)
    }
}

/// Microseconds since then.
pub fn micros(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// Runs the self-test of the primitive-index builtin, and waits until it is read.
///
/// # Errors
/// `DeviceLost`, `TimedOut`.
pub fn settle<B: Backend>(backend: &mut B) -> Result<(), PickError> {
    let start = Instant::now();
    backend.start_self_test(SELF_TEST_PATIENCE.as_millis() as u64)?;
    while backend.caps().primitive_index == PrimitiveIndex::Untested
        && start.elapsed() < SELF_TEST_PATIENCE
    {
        backend.wait(None, SELF_TEST_PATIENCE.as_millis() as u64)?;
        backend.drive();
    }
    Ok(())
}
