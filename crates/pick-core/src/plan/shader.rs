//! Which fragment stage a plan has.

use std::sync::Arc;

/// The fragment stage of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StrategyShader {
    /// shaders/wgsl/strategy/color_id.wgsl
    ColorId,
    /// shaders/wgsl/strategy/integer_id.wgsl
    IntegerId {
        /// The face is packed beside the object where a draw has faces of its own vertices.
        faces: bool,
    },
    /// shaders/wgsl/strategy/stencil_id.wgsl
    StencilId,
    /// shaders/wgsl/strategy/detailed.wgsl
    Detailed {
        /// The second texel is written.
        surface: bool,
    },
    /// shaders/wgsl/fragments/list.wgsl: every fragment goes into a list.
    ListFragments {
        /// With its triangle.
        primitive: bool,
    },
    /// shaders/wgsl/fragments/tally.wgsl: every fragment goes into a table of ids.
    TallyFragments,
    /// shaders/wgsl/contain: every triangle goes into a table of ids, wherever on the screen it is.
    TallyTriangles,
    /// A user's own strategy.
    Custom(CustomShader),
}

/// The WGSL of a user's own strategy.
#[derive(Clone, Debug)]
pub struct CustomShader {
    /// Names the source in pipeline caches: change it when the source changes.
    pub key: Arc<str>,
    /// Defines `PickOutput` and `fn pick_output(in: PickFragment) -> PickOutput`.
    pub wgsl: Arc<str>,
    /// The source reads `in.primitive`, so draws need a primitive source.
    pub needs_primitive: bool,
}

impl PartialEq for CustomShader {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for CustomShader {}

impl std::hash::Hash for CustomShader {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl StrategyShader {
    /// True when the fragment stage needs to know its triangle.
    pub fn needs_primitive(&self) -> bool {
        match self {
            Self::Detailed { .. } => true,
            Self::ListFragments { primitive } => *primitive,
            Self::Custom(custom) => custom.needs_primitive,
            _ => false,
        }
    }

    /// True when the vertex stage forwards normals and texture coordinates.
    pub fn needs_surface(&self) -> bool {
        matches!(self, Self::Detailed { surface: true })
    }

    /// True when the fragment stage writes targets of colour.
    pub fn has_output(&self) -> bool {
        !matches!(self, Self::StencilId) && !self.keeps_fragments()
    }

    /// True when the fragment stage tells every fragment to a buffer ([`Keeps::All`](super::Keeps::All)).
    pub fn keeps_fragments(&self) -> bool {
        matches!(
            self,
            Self::ListFragments { .. } | Self::TallyFragments | Self::TallyTriangles
        )
    }

    /// True when the vertex stage forwards the vertex's face.
    pub fn needs_faces(&self) -> bool {
        matches!(self, Self::IntegerId { faces: true })
    }
}
