//! The tables: what is measured on every device.

mod hover;
mod instances;
mod meshes;
mod moving;
mod strategies;
mod versus;

use std::time::Instant;

use pick_core::PickError;

use crate::floor::Floored;
use crate::results::Group;
use crate::rig::{HostBuffers, Rig};
use crate::session::micros;
pub use versus::{Side, versus};

impl<B: Floored, H: HostBuffers<B>> Rig<'_, B, H> {
    /// Measures the groups that `wanted` takes.
    pub fn measure(&mut self, wanted: &dyn Fn(Group) -> bool) {
        type Measured<'r, B, H> = fn(&mut Rig<'r, B, H>);
        let groups: [(Group, Measured<'_, B, H>); 7] = [
            (Group::Strategies, Rig::strategies),
            (Group::Instances, Rig::instances),
            (Group::Changed, Rig::changed),
            (Group::Objects, Rig::objects),
            (Group::Triangles, Rig::triangles),
            (Group::Moving, Rig::moving),
            (Group::Hover, Rig::hover),
        ];
        for (group, measure) in groups {
            if wanted(group) {
                measure(self);
            }
        }
    }
}

/// Does something, with the microseconds that it took.
fn timed<R>(work: impl FnOnce() -> Result<R, PickError>) -> Result<(R, f64), PickError> {
    let start = Instant::now();
    let done = work()?;
    Ok((done, micros(start)))
}
