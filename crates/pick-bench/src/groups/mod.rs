//! The tables: what is measured on every device.

mod hover;
mod instances;
mod meshes;
mod moving;
mod queries;
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
        let groups: [(Group, Measured<'_, B, H>); 9] = [
            (Group::Strategies, Rig::strategies),
            (Group::Instances, Rig::instances),
            (Group::Changed, Rig::changed),
            (Group::Objects, Rig::objects),
            (Group::Triangles, Rig::triangles),
            (Group::Triangles, Rig::large_copies),
            (Group::Moving, Rig::moving),
            (Group::Hover, Rig::hover),
            (Group::Queries, Rig::queries),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{VULKAN, WGPU};
    use crate::report::targets::TARGETS;
    use crate::rig::Point;
    use crate::scenes::Layout;
    use crate::sizes::Sizes;

    /// The runs of the full sizes, by table and scene.
    fn made() -> Vec<(Group, String)> {
        let narrow = Layout::PositionScale;
        let sizes = Sizes::Full;
        let [copies, objects] = sizes.queried();
        let mut points: Vec<Point> = vec![
            hover::point(0),
            queries::batch_point(copies),
            queries::area_point(objects),
            queries::drill_point(),
        ];
        for &count in sizes.instances() {
            points.push(versus::point([WGPU, VULKAN], count));
            let copies = |shuffled| instances::point(Group::Instances, narrow, shuffled, count);
            points.extend([false, true].map(copies));
        }
        let changed = |&count| instances::point(Group::Changed, narrow, false, count);
        points.extend(sizes.changed().iter().map(changed));
        for &count in sizes.objects() {
            points.push(meshes::point(Group::Objects, "objects", count));
            points.push(moving::point(count));
        }
        let triangles = |&count| meshes::point(Group::Triangles, "triangles", count);
        points.extend(sizes.triangles().iter().map(triangles));
        points
            .into_iter()
            .map(|point| (point.group, point.scene))
            .collect()
    }

    #[test]
    fn every_target_is_of_a_run_that_is_made() {
        let made = made();
        for target in TARGETS {
            let run = (target.group, target.scene.to_owned());
            assert!(made.contains(&run), "{}: no {}", target.what, target.scene);
        }
    }
}
