//! The body of cases: each a function of a bench, run for every backend, driver and mode.

mod areas;
mod builtin;
mod contained;
mod culling;
mod frames;
mod handles;
mod hidden;
mod ids;
mod inputs;
mod instances;
mod lassos;
mod moments;
mod pairs;
mod pixels;
mod queries;
mod random;
mod requests;
mod sides;
mod sight;
mod space;
mod surfaces;
mod ties;
mod touched;

pub use random::Dice;

use std::sync::Arc;

use pick_core::Backend;

use crate::bench::{Bench, Outcome};
use crate::case::{Asking, CaseScene, CaseView};
use crate::frame::Frame;
use crate::mode::Mode;

/// What runs a case.
pub type Run<B> = Arc<dyn Fn(&mut Bench<'_, B>) -> Outcome + Send + Sync>;

/// A named case.
pub struct Case<B: Backend> {
    /// Its part of a trial's name.
    pub name: String,
    /// Which modes it is for.
    pub modes: Modes,
    /// Runs it.
    pub run: Run<B>,
}

/// Which modes a case is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modes {
    /// Every one.
    All,
    /// The four strategies as they come.
    Strategies,
    /// All forms of detailed.
    Detailed,
    /// The default only: nothing in the case depends on it.
    Once,
}

impl Modes {
    /// True for a mode that the case is for.
    pub fn contain(self, mode: &Mode) -> bool {
        match self {
            Self::All => true,
            Self::Strategies => !mode.name.contains('+'),
            Self::Detailed => mode.is_detailed(),
            Self::Once => mode.name == Mode::DETAILED.name,
        }
    }
}

/// A frame that a case compares.
pub struct Shot {
    /// What is shown.
    pub scene: CaseScene,
    /// By which camera.
    pub view: CaseView,
    /// What is asked.
    pub asking: Asking,
    /// The largest share of ambiguous pixels.
    pub share: f64,
}

impl Shot {
    /// With the default options.
    pub fn new(scene: CaseScene, view: CaseView) -> Self {
        Self {
            scene,
            view,
            asking: Asking::default(),
            share: 0.25,
        }
    }

    /// Asked this way instead.
    pub fn asking(mut self, asking: Asking) -> Self {
        self.asking = asking;
        self
    }

    /// With this bound on ambiguous pixels instead.
    pub fn ambiguous(mut self, share: f64) -> Self {
        self.share = share;
        self
    }

    /// Compares it.
    ///
    /// # Errors
    /// Whatever is refused or wrong.
    pub fn run<B: Backend>(&self, bench: &mut Bench<'_, B>) -> Outcome {
        let frame = Frame {
            scene: &self.scene,
            view: &self.view,
            asking: self.asking,
            ambiguous_share: self.share,
        };
        bench.frame(&frame)
    }
}

/// A case that is a function.
fn case<B: Backend>(
    name: &str,
    modes: Modes,
    run: impl Fn(&mut Bench<'_, B>) -> Outcome + Send + Sync + 'static,
) -> Case<B> {
    Case {
        name: name.to_owned(),
        modes,
        run: Arc::new(run),
    }
}

/// A case that compares one frame, made for a side in pixels.
fn frame<B: Backend>(name: &str, shot: impl Fn(u32) -> Shot + Send + Sync + 'static) -> Case<B> {
    case(name, Modes::All, move |bench| shot(bench.side()).run(bench))
}

/// Every case.
pub fn all<B: Backend + 'static>() -> Vec<Case<B>> {
    let groups = [
        areas::cases(),
        builtin::cases(),
        contained::cases(),
        culling::cases(),
        pairs::cases(),
        frames::cases(),
        handles::cases(),
        hidden::cases(),
        ids::cases(),
        inputs::cases(),
        instances::cases(),
        lassos::cases(),
        moments::cases(),
        pixels::cases(),
        queries::cases(),
        random::cases(),
        requests::cases(),
        sides::cases(),
        space::cases(),
        surfaces::cases(),
        ties::cases(),
        touched::cases(),
    ];
    groups.into_iter().flatten().collect()
}
