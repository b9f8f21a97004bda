//! Where a trial runs: a backend, a mode, a driver's tolerances, and what is counted.

use pick_core::{
    Answer, Backend, Capability, CullPolicy, Culling, ErrorKind, Hit, IdImage, InputError,
    MeshSource, PickError, PickOptions, PickPoint, Picker, PixelRect, Reduce, Request, Scene, View,
};

use crate::case::{Asking, CaseScene, Cull, Stage};
use crate::driver::Driver;
use crate::mode::Mode;
use crate::oracle::given::Gives;
use crate::same::Same;

/// Why a trial does not pass.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The library or the backend refused.
    Refused(PickError),
    /// An answer is wrong.
    Wrong(String),
}

impl Fault {
    /// What is lacking, if that is all.
    pub fn lacking(&self) -> Option<Capability> {
        match self {
            Self::Refused(error) => match error.kind() {
                ErrorKind::Unsupported { capability, .. } => Some(*capability),
                _ => None,
            },
            Self::Wrong(_) => None,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(error) => write!(f, "refused: {error}"),
            Self::Wrong(what) => f.write_str(what),
        }
    }
}

impl From<PickError> for Fault {
    fn from(error: PickError) -> Self {
        Self::Refused(error)
    }
}

/// How a trial ends.
pub type Outcome = Result<(), Fault>;

/// A wrong answer.
pub fn wrong<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(what.into()))
}

/// Checks that two things are equal.
///
/// # Errors
/// Names both.
pub fn expect<T: PartialEq + std::fmt::Debug>(what: &str, told: T, right: T) -> Outcome {
    if told == right {
        return Ok(());
    }
    wrong(format!("{what}: {told:?}, not {right:?}"))
}

/// What trials counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Pixels compared with the oracle.
    pub pixels: u64,
    /// Of these, pixels with several right answers.
    pub ambiguous: u64,
    /// Answers that came back.
    pub answers: u64,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.pixels += other.pixels;
        self.ambiguous += other.ambiguous;
        self.answers += other.answers;
    }
}

/// Where a trial runs.
pub struct Bench<'b, B: Backend> {
    /// The device.
    pub backend: &'b mut B,
    /// The way of picking.
    pub mode: Mode,
    /// How exact the driver is.
    pub driver: Driver,
    /// Full sizes.
    pub full: bool,
    /// What is counted.
    pub tally: Tally,
    /// One picker for all of a trial's picks.
    pub picker: Picker,
    /// Draws everything, to compare with.
    brute: Picker,
    pulls: bool,
}

impl<'b, B: Backend> Bench<'b, B> {
    /// A bench over a backend.
    ///
    /// # Errors
    /// Whatever the backend refuses of a one-triangle mesh.
    pub fn new(
        backend: &'b mut B,
        mode: Mode,
        driver: Driver,
        full: bool,
    ) -> Result<Self, PickError> {
        let probe = MeshSource::from(crate::case::quad(0.0..=1.0, 0.0..=1.0, 0.0).data()?);
        let created = backend.create_mesh(&probe)?;
        backend.destroy_mesh(created.id)?;
        Ok(Self {
            backend,
            mode,
            driver,
            full,
            tally: Tally::default(),
            picker: Picker::new(),
            brute: Picker::new(),
            pulls: created.pulled,
        })
    }

    /// The side of a square frame.
    pub fn side(&self) -> u32 {
        if self.full { 64 } else { 16 }
    }

    /// Builds a scene on the backend.
    ///
    /// # Errors
    /// Whatever is refused.
    pub fn stage(&mut self, scene: &CaseScene) -> Result<Stage, Fault> {
        Ok(Stage::build(self.backend, scene)?)
    }

    /// Takes a scene back.
    ///
    /// # Errors
    /// Whatever is refused.
    pub fn strike(&mut self, stage: Stage) -> Outcome {
        Ok(stage.strike(self.backend)?)
    }

    /// Options of the trial's mode.
    pub fn options(&self, asking: &Asking) -> PickOptions {
        let mut options = self.mode.options();
        options.layers = asking.layers;
        options.cull = match asking.cull {
            Cull::None => CullPolicy::None,
            Cull::Back => CullPolicy::Back,
            Cull::Front => CullPolicy::Front,
            Cull::Material => CullPolicy::Material,
        };
        options
    }

    /// A request for a target pixel by the trial's mode.
    ///
    /// # Errors
    /// Input errors.
    pub fn point(&self, view: &View, x: u32, y: u32) -> Result<Request<Option<Hit>>, Fault> {
        let at = PickPoint::target_pixels(f64::from(x), f64::from(y));
        Ok(Request::point(view, at)?.with(self.mode.options()))
    }

    /// Asks and waits. The same question without culling, and reduced of all pixels on the CPU, must have the same
    /// answer, bit by bit.
    ///
    /// # Errors
    /// Whatever is refused.
    pub fn ask<A: Same>(
        &mut self,
        scene: &mut Scene,
        request: Request<A>,
    ) -> Result<Answer<A>, Fault> {
        let brute = request.clone().culling(Culling::Off).reduce(Reduce::Cpu);
        let answer = self.picker.pick(self.backend, scene, request)?;
        self.tally.answers += 1;
        match self.brute.pick(self.backend, scene, brute) {
            Ok(brute) => answer.result.same(&brute.result)?,
            // Culling may save the ids that drawing everything runs out of.
            Err(error) if is_out_of_ids(&error) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(answer)
    }

    /// Picks a target pixel with the default options and waits.
    ///
    /// # Errors
    /// Whatever is refused.
    pub fn pick(
        &mut self,
        scene: &mut Scene,
        view: &View,
        x: u32,
        y: u32,
    ) -> Result<Option<Hit>, Fault> {
        let request = self.point(view, x, y)?;
        Ok(self.ask(scene, request)?.result)
    }

    /// The id image of a whole viewport.
    ///
    /// # Errors
    /// Whatever is refused.
    pub fn image(
        &mut self,
        scene: &mut Scene,
        view: &View,
        region: PixelRect,
        asking: &Asking,
    ) -> Result<IdImage, Fault> {
        let request = Request::id_image(view, region)?.with(self.options(asking));
        Ok(self.ask(scene, request)?.result)
    }

    /// What the mode gives on this device.
    pub fn gives(&self) -> Gives {
        Gives::of(&self.mode, self.backend.caps(), self.pulls)
    }
}

fn is_out_of_ids(error: &PickError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Input(InputError::IdsExhausted { .. })
    )
}
