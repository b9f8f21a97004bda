//! Running the self-test of the primitive-index builtin: in `prepare`, when a picker asks, or with the
//! first plan that needs triangle numbers.

use pick_core::{
    Backend, ErrorKind, InstancesId, MeshId, PickError, Plan, PrimitiveIndex, SelfTest, SlotId,
    SlotState,
};

use crate::{HostCommands, VulkanBackend};

/// A self-test under way.
pub(crate) struct SelfTestRun {
    test: SelfTest,
    slot: SlotId,
    /// It was submitted by us alone. What else may be wrong with a host's command buffer says nothing of
    /// the builtin.
    alone: bool,
}

impl VulkanBackend {
    fn is_self_test_due(&self) -> bool {
        self.caps.primitive_index == PrimitiveIndex::Untested && self.self_test.is_none()
    }

    /// Submits the test by itself where it is due. A test that cannot be drawn has failed: then the
    /// builtin is of no use either.
    ///
    /// # Errors
    /// `DeviceLost`.
    pub(crate) fn start_self_test_alone(&mut self) -> Result<(), PickError> {
        self.start(None)
    }

    /// Starts the test where a plan makes it due: by itself, or before the plan in the host's command
    /// buffer.
    ///
    /// # Errors
    /// `DeviceLost`.
    pub(crate) fn start_self_test_for(
        &mut self,
        plan: &Plan,
        host: Option<&HostCommands<'_>>,
    ) -> Result<(), PickError> {
        match plan.shader.needs_primitive() {
            true => self.start(host),
            false => Ok(()),
        }
    }

    fn start(&mut self, host: Option<&HostCommands<'_>>) -> Result<(), PickError> {
        if !self.is_self_test_due() {
            return Ok(());
        }
        let created = SelfTest::create(self);
        let started = created.and_then(|test| {
            let slot = self.send(test.plan(), host);
            match slot {
                Ok(slot) => {
                    let alone = host.is_none();
                    self.self_test = Some(SelfTestRun { test, slot, alone });
                }
                Err(error) => {
                    self.forget_picture(test.plan());
                    return Err(error);
                }
            }
            Ok(())
        });
        let judged = self.judged(started);
        self.fail_unless_lost(judged)
    }

    /// Takes the verdict in once it has arrived. A test whose recording was dropped, or that was late, is
    /// due again.
    pub(crate) fn read_self_test(&mut self) {
        let Some(run) = &self.self_test else {
            return;
        };
        let verdict = match self.slots.state(&run.slot, &self.lost) {
            SlotState::Pending => return,
            SlotState::Ready(bytes) => run.test.verdict(bytes),
            SlotState::Failed(error) => match error.kind() {
                ErrorKind::Broken { .. } if run.alone => PrimitiveIndex::Failed,
                _ => PrimitiveIndex::Untested,
            },
        };
        self.caps.primitive_index = verdict;
        if let Some(run) = self.self_test.take() {
            self.forget_picture(run.test.plan());
        }
    }

    fn forget_picture(&mut self, plan: &Plan) {
        let mut meshes: Vec<MeshId> = plan.draws().map(|draw| draw.mesh).collect();
        let sets = plan.draws().filter_map(|draw| draw.instances);
        let mut sets: Vec<InstancesId> = sets.map(|run| run.set).collect();
        meshes.dedup();
        sets.dedup();
        // Both are ours and were not removed: there is nothing to report.
        meshes.into_iter().for_each(|mesh| {
            let _ = self.destroy_mesh(mesh);
        });
        sets.into_iter().for_each(|set| {
            let _ = self.destroy_instances(set);
        });
    }

    fn fail_unless_lost(&mut self, started: Result<(), PickError>) -> Result<(), PickError> {
        match started {
            Ok(()) => Ok(()),
            Err(error) => {
                self.caps.primitive_index = PrimitiveIndex::Failed;
                self.lost.check().map_err(|_| error)
            }
        }
    }
}
