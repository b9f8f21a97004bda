//! The depth convention, as data.

use std::fmt;

/// Which way depth runs. Compare function and clear value follow from it and cannot be mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthConvention {
    /// 0 at the near plane, 1 at the far plane; cleared to 1, nearer is less.
    Standard,
    /// 1 at the near plane, 0 at the far plane or at infinity; cleared to 0, nearer is greater.
    Reversed,
}

impl DepthConvention {
    /// What a target is cleared to, so that anything drawn is nearer.
    pub fn clear_depth(self) -> f32 {
        self.far_depth() as f32
    }

    /// True when depth `a` is strictly nearer to the eye than `b`.
    pub fn is_nearer(self, a: f32, b: f32) -> bool {
        match self {
            Self::Standard => a < b,
            Self::Reversed => a > b,
        }
    }

    /// What a target is cleared to so that nothing drawn is nearer.
    pub fn closed_depth(self) -> f32 {
        self.near_depth() as f32
    }

    pub(crate) fn near_depth(self) -> f64 {
        match self {
            Self::Standard => 0.0,
            Self::Reversed => 1.0,
        }
    }

    pub(crate) fn far_depth(self) -> f64 {
        1.0 - self.near_depth()
    }
}

impl fmt::Display for DepthConvention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Standard => "standard",
            Self::Reversed => "reversed",
        })
    }
}
