//! Running the self-test of the primitive-index builtin: in `prepare`, when a picker asks, or with the
//! first plan that needs triangle numbers.

use pick_core::{
    Backend, ErrorKind, InstancesId, MeshId, PickError, Plan, PrimitiveIndex, SelfTest, SlotId,
    SlotState,
};

use crate::WgpuBackend;

/// A self-test under way.
pub(crate) struct SelfTestRun {
    test: SelfTest,
    slot: SlotId,
    /// It was submitted by us alone. What else may be wrong with a host's encoder says nothing of the
    /// builtin.
    alone: bool,
}

impl WgpuBackend {
    fn is_self_test_due(&self) -> bool {
        self.caps.primitive_index == PrimitiveIndex::Untested && self.self_test.is_none()
    }

    /// Submits the test by itself where it is due. A test that cannot be drawn has failed: then the
    /// builtin is of no use either.
    ///
    /// # Errors
    /// `DeviceLost`.
    pub(crate) fn start_self_test_alone(&mut self) -> Result<(), PickError> {
        if !self.is_self_test_due() {
            return Ok(());
        }
        let created = SelfTest::create(self);
        let started = created.and_then(|test| {
            let label = test.plan().label.clone();
            let slot = self.submit(label.as_deref(), |this, encoder| {
                this.record(test.plan(), encoder)
            })?;
            let alone = true;
            self.self_test = Some(SelfTestRun { test, slot, alone });
            Ok(())
        });
        let judged = self.judged(started);
        self.fail_unless_lost(judged)
    }

    /// Records a plan, and before it, in the same encoder, the test where the plan makes it due.
    ///
    /// # Errors
    /// Those of the plan.
    pub(crate) fn record_with_self_test(
        &mut self,
        plan: &Plan,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<SlotId, PickError> {
        if plan.shader.needs_primitive() && self.is_self_test_due() {
            let created = SelfTest::create(self);
            let started = created.and_then(|test| {
                let slot = self.record(test.plan(), encoder)?;
                let alone = false;
                self.self_test = Some(SelfTestRun { test, slot, alone });
                Ok(())
            });
            let judged = self.judged(started);
            self.fail_unless_lost(judged)?;
        }
        self.record(plan, encoder)
    }

    /// Takes the verdict in once it has arrived. A test whose encoder was dropped, or that was late, is
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
