//! Strategies: how a draw is told apart from another in a texel, and back.
//!
//! A strategy is a value: the four built-in ones are [`BuiltinStrategy`], a user's own is a trait
//! object. It plans its targets and decodes its texels; drawing is the same for all.

mod color_id;
mod detailed;
mod integer_id;
mod stencil_id;

pub use color_id::ColorId;
pub use detailed::Detailed;
pub use integer_id::IntegerId;
pub use stencil_id::StencilId;

use std::fmt;
use std::sync::Arc;

use enum_dispatch::enum_dispatch;

use crate::backend::Caps;
use crate::error::PickError;
use crate::plan::{Keeps, PassStep, Plan, Step, StrategyShader, TargetIndex};
use crate::samples::{Samples, Texels};

/// How ids get into texels and out again.
#[enum_dispatch]
pub trait Strategy {
    /// Its stem: the name of its shader, of its trials and of its benchmarks, such as `integer_id`.
    fn name(&self) -> &str;

    /// The fragment stage. `surface` asks for the GPU's own surface texel.
    fn shader(&self, surface: bool) -> StrategyShader;

    /// True when decoded ids are draw numbers (from 1, in the order offered) and not ids.
    fn ids_are_draw_numbers(&self) -> bool {
        false
    }

    /// The largest id that a texel can carry.
    fn last_id(&self) -> u32 {
        u32::MAX
    }

    /// Adds targets, passes and copies for the items already in the plan, behind its kernels.
    ///
    /// # Errors
    /// `Unsupported` for what `caps` lacks.
    fn plan(&self, caps: &Caps, plan: &mut Plan) -> Result<(), PickError>;

    /// Decodes texels into `samples`, which are empty.
    fn decode(&self, texels: &Texels<'_>, samples: &mut Samples);
}

/// The four strategies that come with the library.
#[enum_dispatch(Strategy)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltinStrategy {
    /// The id in four bytes of colour.
    ColorId,
    /// The id as an integer.
    IntegerId,
    /// The draw's number in the stencil, byte by byte.
    StencilId,
    /// Id, triangle and surface.
    Detailed,
}

impl BuiltinStrategy {
    /// All four, the plainest first.
    pub const ALL: [Self; 4] = [
        Self::ColorId(ColorId),
        Self::IntegerId(IntegerId),
        Self::StencilId(StencilId),
        Self::Detailed(Detailed),
    ];

    /// Where in [`BuiltinStrategy::ALL`] a stem stands; `-` counts as `_`.
    pub fn from_name(name: &str) -> Option<Self> {
        let stem = name.replace('-', "_");
        Self::ALL.into_iter().find(|s| s.name() == stem)
    }
}

/// A built-in strategy or a user's own.
#[derive(Clone)]
pub enum AnyStrategy {
    /// One of the four.
    Builtin(BuiltinStrategy),
    /// A user's own.
    Custom(Arc<dyn Strategy + Send + Sync>),
}

impl AnyStrategy {
    /// The strategy behind the choice.
    pub fn get(&self) -> &dyn Strategy {
        match self {
            Self::Builtin(builtin) => builtin,
            Self::Custom(custom) => custom.as_ref(),
        }
    }
}

impl fmt::Debug for AnyStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get().name())
    }
}

impl From<BuiltinStrategy> for AnyStrategy {
    fn from(builtin: BuiltinStrategy) -> Self {
        Self::Builtin(builtin)
    }
}

macro_rules! into_any {
    ($($name:ident),*) => {$(
        impl From<$name> for AnyStrategy {
            fn from(strategy: $name) -> Self {
                Self::Builtin(strategy.into())
            }
        }
    )*};
}

into_any!(ColorId, IntegerId, StencilId, Detailed);

/// Adds the passes that draw every item: one a band, each above what the bands before it drew.
pub fn draw_all(
    plan: &mut Plan,
    colors: [Option<TargetIndex>; 2],
    depth: TargetIndex,
    stencil_plane: Option<u8>,
) {
    let passes = plan.bands.len().max(1);
    for index in 0..passes {
        let items = plan.bands.get(index).cloned().unwrap_or(0..0);
        plan.steps.push(Step::Pass(PassStep {
            items,
            colors,
            depth,
            clear_ids: index == 0,
            stencil_plane,
            keeps: Keeps::Nearest,
            mask: None,
        }));
    }
}
