//! Sending the self-test of the primitive-index builtin: in `prepare`, when a picker asks, or with the
//! first plan that needs triangle numbers. When it is due and what it means, the core decides.

use pick_core::kit::Carrier;
use pick_core::{PickError, Plan, PrimitiveIndex, SelfTest};

use crate::{HostCommands, VulkanBackend};

impl VulkanBackend {
    /// Submits the test by itself where it is due.
    ///
    /// # Errors
    /// `DeviceLost`.
    pub(crate) fn start_self_test_alone(&mut self) -> Result<(), PickError> {
        match self.self_test.is_due(&self.caps, Carrier::Alone) {
            true => self.send_self_test(Carrier::Alone, None),
            false => Ok(()),
        }
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
        if !self.self_test.is_due_before(&self.caps, plan) {
            return Ok(());
        }
        let carrier = match host {
            Some(_) => Carrier::Host,
            None => Carrier::Alone,
        };
        self.send_self_test(carrier, host)
    }

    fn send_self_test(
        &mut self,
        carrier: Carrier,
        host: Option<&HostCommands<'_>>,
    ) -> Result<(), PickError> {
        let sent = SelfTest::create(self).and_then(|test| match self.send(test.plan(), host) {
            Ok(slot) => match self.self_test.sent(test, slot, carrier) {
                Some(before) => before.forget(self),
                None => Ok(()),
            },
            Err(error) => test.forget(self).and(Err(error)),
        });
        if let Err(error) = self.judged(sent) {
            self.self_test.refused(&mut self.caps);
            return self.lost.check().map_err(|_| error);
        }
        Ok(())
    }

    /// Takes the verdict in once it has arrived, and tells whoever waits for it. A test that ended without
    /// one is sent again while somebody waits.
    pub(crate) fn read_self_test(&mut self) {
        if let Some(slot) = self.self_test.slot() {
            let state = self.slots.state(slot, &self.lost);
            if let Some(over) = self.self_test.read(&mut self.caps, state) {
                // It is ours and was not removed: there is nothing to report.
                let _ = over.forget(self);
            }
        }
        if self.caps.primitive_index == PrimitiveIndex::Untested
            && self.slots.ring.is_verdict_awaited()
        {
            // A lost device shows in the waiting slots.
            let _ = self.start_self_test_alone();
        }
        if self.caps.primitive_index != PrimitiveIndex::Untested {
            self.slots.ring.verdict_is_read();
        }
    }
}
