//! What stands between a plan's steps, so that each finds its targets as it uses them.

use pick_core::{ComputeBinding, CopySource, Step, TargetIndex};

use crate::record::{Recorder, as_kernel};
use crate::vk::{ImageUse, Recording};

impl Recorder<'_> {
    /// One barrier for all targets that kernels which stand together read.
    pub(crate) fn before_kernels(&mut self, recording: &Recording, steps: &[Step]) {
        let (job, targets, uses) = (self.job, self.targets, &mut *self.uses);
        let bindings = steps
            .iter()
            .filter_map(as_kernel)
            .flat_map(|step| step.bindings);
        recording.barrier(bindings.filter_map(|binding| {
            let ComputeBinding::Target(TargetIndex(target)) = binding else {
                return None;
            };
            let image = targets.image(*job.targets.get(target)?)?;
            let from = std::mem::replace(uses.get_mut(target)?, ImageUse::Read);
            (from != ImageUse::Read).then_some((image, from, ImageUse::Read))
        }));
    }

    /// One barrier for all the copies that stand together.
    pub(crate) fn before_copies(&mut self, recording: &Recording, steps: &[Step]) {
        let (job, targets, uses) = (self.job, self.targets, &mut *self.uses);
        let copies = steps.iter().map_while(|step| match step {
            Step::Copy(copy) => Some(copy.from),
            _ => None,
        });
        recording.barrier(copies.filter_map(|from| {
            let CopySource::Target {
                target: TargetIndex(target),
                ..
            } = from
            else {
                return None; // kernels' last barrier made it ready
            };
            let image = targets.image(*job.targets.get(target)?)?;
            let from = std::mem::replace(uses.get_mut(target)?, ImageUse::CopySource);
            (from != ImageUse::CopySource).then_some((image, from, ImageUse::CopySource))
        }));
    }

    /// One barrier for all that a pass draws into; tells which targets hold nothing yet.
    pub(crate) fn before_pass(
        &mut self,
        recording: &Recording,
        attachments: [Option<TargetIndex>; 3],
    ) -> [bool; 3] {
        let (job, targets, uses) = (self.job, self.targets, &mut *self.uses);
        let fresh = attachments.map(|index| {
            let used = index.and_then(|index| uses.get(index.0));
            used == Some(&ImageUse::Fresh)
        });
        recording.barrier(attachments.into_iter().flatten().filter_map(|index| {
            let image = targets.image(*job.targets.get(index.0)?)?;
            let from = std::mem::replace(uses.get_mut(index.0)?, ImageUse::Attachment);
            Some((image, from, ImageUse::Attachment))
        }));
        fresh
    }
}
