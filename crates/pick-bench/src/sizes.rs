//! How much is measured: little to see that all works, what a software driver can do in minutes, or
//! everything.

use std::time::Duration;

use crate::sample::Budget;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// In half a minute, on every driver.
    Quick,
    /// On software drivers.
    Medium,
    /// On a GPU.
    Full,
}

impl Sizes {
    /// As the command line and the results spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Medium => "medium",
            Self::Full => "full",
        }
    }

    /// Copies of the instance curves.
    pub fn instances(self) -> &'static [u32] {
        match self {
            Self::Quick => &[1_000, 10_000, 100_000],
            Self::Medium => &[1_000, 10_000, 100_000, 1_000_000],
            Self::Full => &[1_000, 10_000, 100_000, 1_000_000, 10_000_000],
        }
    }

    /// Copies that all change.
    pub fn changed(self) -> &'static [u32] {
        match self {
            Self::Quick => &[10_000, 100_000],
            Self::Medium => &[100_000, 1_000_000],
            Self::Full => &[1_000_000, 10_000_000],
        }
    }

    /// Separate objects.
    pub fn objects(self) -> &'static [u32] {
        match self {
            Self::Quick => &[1_000, 10_000],
            Self::Medium | Self::Full => &[1_000, 10_000, 100_000],
        }
    }

    /// Triangles of one mesh.
    pub fn triangles(self) -> &'static [u32] {
        match self {
            Self::Quick => &[10_000, 100_000],
            Self::Medium => &[10_000, 100_000, 1_000_000, 2_000_000],
            Self::Full => &[10_000, 100_000, 1_000_000, 2_000_000, 10_000_000],
        }
    }

    /// Copies that batches are asked of, and objects that areas are.
    pub fn queried(self) -> [u32; 2] {
        match self {
            Self::Quick => [10_000, 1_000],
            Self::Medium | Self::Full => [100_000, 10_000],
        }
    }

    /// Picks sent while frames are in flight.
    pub fn hovers(self) -> usize {
        match self {
            Self::Quick => 48,
            Self::Medium | Self::Full => 1_000,
        }
    }

    /// Brute force that would take longer than this a pick is not asked for.
    pub fn brute_limit(self) -> Duration {
        match self {
            Self::Quick => Duration::from_millis(250),
            Self::Medium => Duration::from_secs(15),
            Self::Full => Duration::from_secs(1),
        }
    }

    /// How long a run may take.
    pub fn budget(self) -> Budget {
        let (total, most_rounds) = match self {
            Self::Quick => (300, 12),
            Self::Medium => (1_500, 40),
            Self::Full => (2_000, 60),
        };
        Budget {
            total: Duration::from_millis(total),
            slice: Duration::from_millis(4),
            least_rounds: 4,
            most_rounds,
            slow: Duration::from_millis(200),
            slow_rounds: 3,
        }
    }
}
