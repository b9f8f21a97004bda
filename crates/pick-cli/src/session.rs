//! A scene on a backend, ready to be asked.

use std::time::{Duration, Instant};

use pick_core::{
    Answer, Backend, Hit, IdImage, Outcome, PickError, Picker, PrimitiveIndex, Request, Scene,
};
use pick_scenes::SceneData;

/// How long the self-test of the primitive-index builtin is waited for.
const SELF_TEST_PATIENCE: Duration = Duration::from_secs(5);

/// A scene on a backend.
pub struct Session<'b, B: Backend> {
    /// The device.
    pub backend: &'b mut B,
    scene: Scene,
    picker: Picker,
}

impl<'b, B: Backend> Session<'b, B> {
    /// Gives a scene to a backend.
    pub fn new(backend: &'b mut B, data: &SceneData) -> Result<Self, PickError> {
        Ok(Self {
            scene: data.build(backend)?,
            picker: Picker::new(),
            backend,
        })
    }

    /// Reads the self-test, compiles what `request` needs and runs it once, so that what comes after is
    /// warm.
    pub fn warm<A: Outcome + Clone>(&mut self, request: &Request<A>) -> Result<(), PickError> {
        settle(self.backend)?;
        self.prepare(request)?;
        self.pick(request.clone()).map(drop)
    }

    /// Compiles what `request` needs.
    pub fn prepare<A: Outcome>(&mut self, request: &Request<A>) -> Result<(), PickError> {
        self.picker.prepare(self.backend, &mut self.scene, request)
    }

    /// Asks and waits.
    pub fn pick<A: Outcome>(&mut self, request: Request<A>) -> Result<Answer<A>, PickError> {
        self.picker.pick(self.backend, &mut self.scene, request)
    }

    /// Asks and waits; with the time from submission to answer, in microseconds.
    pub fn timed(
        &mut self,
        request: Request<Option<Hit>>,
    ) -> Result<(Answer<Option<Hit>>, f64), PickError> {
        let start = Instant::now();
        let answer = self.pick(request)?;
        Ok((answer, micros(start)))
    }

    /// Does something with nothing to draw.
    pub fn emptied<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let scene = std::mem::take(&mut self.scene);
        let done = work(self);
        self.scene = scene;
        done
    }

    /// The id image of a request.
    pub fn image(&mut self, request: Request<IdImage>) -> Result<IdImage, PickError> {
        Ok(self.pick(request)?.result)
    }
}

/// Microseconds since then.
pub fn micros(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// Runs the self-test of the primitive-index builtin, and waits until it is read.
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
