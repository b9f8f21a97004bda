//! The ways of picking that every case runs by: a strategy, where triangle numbers come from, where
//! the surface comes from.

use pick_core::{
    BuiltinStrategy, ColorId, Culling, Detailed, IntegerId, PickOptions, PrimitiveSource,
    StencilId, SurfaceSource,
};

/// One way of picking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Its part of a trial's name.
    pub name: &'static str,
    /// How ids get into texels.
    pub strategy: BuiltinStrategy,
    /// Where triangle numbers come from.
    pub primitive: PrimitiveSource,
    /// Where the surface comes from.
    pub surface: SurfaceSource,
    /// How culled picks cull.
    pub culling: Culling,
}

impl Mode {
    /// All of them; the first four are the strategies as they come.
    pub const ALL: [Self; 8] = [
        Self::plain("color_id", BuiltinStrategy::ColorId(ColorId)),
        Self::plain("integer_id", BuiltinStrategy::IntegerId(IntegerId)),
        Self::plain("stencil_id", BuiltinStrategy::StencilId(StencilId)),
        Self::DETAILED,
        Self::detailed(
            "detailed+builtin",
            PrimitiveSource::Builtin,
            SurfaceSource::Auto,
        ),
        Self::detailed(
            "detailed+pulled",
            PrimitiveSource::Pulled,
            SurfaceSource::Auto,
        ),
        Self::detailed(
            "detailed+expanded",
            PrimitiveSource::Expanded,
            SurfaceSource::Auto,
        ),
        Self::detailed("detailed+gpu", PrimitiveSource::Auto, SurfaceSource::Gpu),
    ];

    /// The default.
    pub const DETAILED: Self = Self::plain("detailed", BuiltinStrategy::Detailed(Detailed));

    const fn plain(name: &'static str, strategy: BuiltinStrategy) -> Self {
        Self {
            name,
            strategy,
            primitive: PrimitiveSource::Auto,
            surface: SurfaceSource::Auto,
            culling: Culling::On,
        }
    }

    const fn detailed(
        name: &'static str,
        primitive: PrimitiveSource,
        surface: SurfaceSource,
    ) -> Self {
        Self {
            name,
            strategy: BuiltinStrategy::Detailed(Detailed),
            primitive,
            surface,
            culling: Culling::On,
        }
    }

    /// True for all forms of detailed.
    pub fn is_detailed(&self) -> bool {
        matches!(self.strategy, BuiltinStrategy::Detailed(_))
    }

    /// True for stencil-ID.
    pub fn is_stencil(&self) -> bool {
        matches!(self.strategy, BuiltinStrategy::StencilId(_))
    }

    /// The options of a request by this mode.
    pub fn options(&self) -> PickOptions {
        let mut options = PickOptions::default();
        options.strategy = self.strategy.into();
        options.primitive_source = self.primitive;
        options.surface = self.surface;
        options.culling = self.culling;
        options.timeout_ms = 60_000;
        options
    }
}
