//! What may be under a pick: boxes against the pick volume, so that a pick costs what is under the
//! cursor and not the scene.
//!
//! Culling never changes an answer: a box is left out only where nothing in it can cover a picked
//! pixel, whatever a driver rounds; survivors keep the caller's order, so ties fall as they would
//! without. What cannot be bounded is always drawn.

mod beam;
mod clusters;
mod instances;
mod objects;
mod report;
mod spread;
mod tree;
mod volume;

pub(crate) use clusters::{BoxTree, Clusters};
pub(crate) use instances::{InstanceCull, PairCull, is_worth_it, overflowed, read_back_totals};
pub(crate) use objects::ObjectBoxes;
pub use report::CullReport;
pub(crate) use spread::Spread;
pub use tree::Tree;
pub(crate) use volume::Seen;
pub use volume::{PickVolume, PlacedBox};

use std::ops::Range;
use std::sync::Arc;

use crate::scene::InstanceAsset;

/// What culling keeps from pick to pick for its memory.
#[derive(Debug, Default)]
pub(crate) struct CullScratch {
    pub(crate) stack: Vec<u32>,
    numbers: Vec<u32>,
    /// The parts of a mesh that the pick may see.
    pub(crate) parts: Vec<u32>,
    /// The runs of elements of a part that the pick may see.
    pub(crate) runs: Vec<Range<u32>>,
    /// Sets whose blocks the plan bounds.
    pub(crate) blocks_built: Vec<Arc<InstanceAsset>>,
}
