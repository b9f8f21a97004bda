//! What may be under a pick: boxes against the pick volume, so that a pick costs what is under the
//! cursor and not the scene.
//!
//! Culling never changes an answer: a box is left out only where nothing in it can cover a picked
//! pixel, whatever a driver rounds; survivors keep the caller's order, so ties fall as they would
//! without. What cannot be bounded is always drawn.

mod clusters;
mod objects;
mod spread;
mod tree;
mod volume;

pub(crate) use clusters::{ClusterScratch, Clusters};
pub use objects::CullReport;
pub(crate) use objects::ObjectBoxes;
pub(crate) use spread::Spread;
pub use tree::Tree;
pub use volume::{PickVolume, PlacedBox};
