//! When the self-test of the primitive-index builtin is due, and what its outcome means.

use crate::backend::{Caps, PrimitiveIndex, SlotState};
use crate::error::ErrorKind;
use crate::kit::ring::SlotId;
use crate::plan::Plan;
use crate::self_test::SelfTest;

/// The self-test of one backend. The backend sends its plan and hands in what became of it; the verdict
/// goes into the backend's [`Caps`].
///
/// A test that rides in a host's command stream may never be submitted, and what else is wrong with the
/// stream says nothing of the builtin. So whoever waits for a verdict has one sent alone, and only that
/// one can condemn the builtin without having been read.
#[derive(Debug, Default)]
pub struct SelfTestState {
    run: Option<Run>,
}

#[derive(Debug)]
struct Run {
    test: SelfTest,
    slot: SlotId,
    carrier: Carrier,
}

/// How a self-test reaches the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// By a submission of its own.
    Alone,
    /// In a host's command stream, before a plan that needs triangle numbers.
    Host,
}

impl SelfTestState {
    /// True when a test should be sent.
    pub fn is_due(&self, caps: &Caps, carrier: Carrier) -> bool {
        let surer = |run: &Run| carrier == Carrier::Alone && run.carrier == Carrier::Host;
        caps.primitive_index == PrimitiveIndex::Untested && self.run.as_ref().is_none_or(surer)
    }

    /// True when a test should go before `plan`, in the same command stream.
    pub fn is_due_before(&self, caps: &Caps, plan: &Plan) -> bool {
        plan.shader.needs_primitive() && self.is_due(caps, Carrier::Host)
    }

    /// The slot of the test that is under way.
    pub fn slot(&self) -> Option<&SlotId> {
        self.run.as_ref().map(|run| &run.slot)
    }

    /// A test was sent. Gives back the one whose place it takes, to forget.
    #[must_use = "its picture is still on the device"]
    pub fn sent(&mut self, test: SelfTest, slot: SlotId, carrier: Carrier) -> Option<SelfTest> {
        let run = Run {
            test,
            slot,
            carrier,
        };
        self.run.replace(run).map(|before| before.test)
    }

    /// A test could not be sent. The builtin is of no use then either.
    pub fn refused(&mut self, caps: &mut Caps) {
        caps.primitive_index = PrimitiveIndex::Failed;
    }

    /// Takes the verdict in, and gives a test that is over back, to forget. One whose recording was
    /// dropped, or that was late, is due again.
    #[must_use = "its picture is still on the device"]
    pub fn read(&mut self, caps: &mut Caps, state: SlotState<'_>) -> Option<SelfTest> {
        let run = self.run.as_ref()?;
        caps.primitive_index = match state {
            SlotState::Pending => return None,
            SlotState::Ready(bytes) => run.test.verdict(bytes),
            SlotState::Failed(error) => match (error.kind(), run.carrier) {
                (ErrorKind::Broken { .. }, Carrier::Alone) => PrimitiveIndex::Failed,
                _ => PrimitiveIndex::Untested,
            },
        };
        self.run.take().map(|run| run.test)
    }
}
