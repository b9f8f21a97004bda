//! Which parts of an answer a strategy gives, by the contract; the rest must say why not.

use pick_core::{BuiltinStrategy, Caps, SurfaceSource, Withheld};

use crate::mode::Mode;

/// What a strategy on a device gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gives {
    /// The copy of an instanced object.
    pub instance: bool,
    /// The triangle, and with it facing and surface.
    pub primitive: bool,
    /// The face beside the object in an id.
    pub faces_in_id: bool,
    /// The depth, and with it the point; or why not.
    pub depth: Result<(), Withheld>,
    /// The surface comes from the GPU even where the CPU has the geometry.
    pub surface_from_gpu: bool,
}

impl Gives {
    /// By the strategy's table.
    pub fn of(mode: &Mode, caps: &Caps, pulls: bool) -> Self {
        let detailed = matches!(mode.strategy, BuiltinStrategy::Detailed(_));
        let stencil = matches!(mode.strategy, BuiltinStrategy::StencilId(_));
        let integer = matches!(mode.strategy, BuiltinStrategy::IntegerId(_));
        let readable = !stencil || (caps.stencil_depth_read && caps.depth32_stencil8);
        Self {
            instance: !stencil,
            primitive: detailed,
            faces_in_id: integer && pulls,
            depth: if readable {
                Ok(())
            } else {
                Err(Withheld::DepthUnreadable)
            },
            surface_from_gpu: mode.surface == SurfaceSource::Gpu,
        }
    }
}
