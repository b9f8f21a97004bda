//! The backend without a device.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use pick_core::kit::SlotRing;
use pick_core::{
    Backend, Caps, CreatedMesh, ErrorKind, ForeignDraw, ForeignId, InstanceSource, InstancesId,
    MemoryReport, MeshId, MeshSource, OwnerId, PickError, Plan, PrimitiveIndex, Registry, SlotId,
    SlotState, StencilRead,
};

/// What becomes of an executed plan.
#[derive(Clone, Debug)]
pub enum Fate {
    /// These bytes, after so many calls of `drive`. Short ones are repeated up to the plan's size.
    Ready {
        /// The bytes.
        bytes: Vec<u8>,
        /// Calls of `drive` before.
        after: u32,
    },
    /// These bytes and no more, whatever the plan's size.
    Cut {
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// An error, after so many calls of `drive`.
    Failed {
        /// Which.
        kind: ErrorKind,
        /// Calls of `drive` before.
        after: u32,
    },
    /// Never.
    Never,
}

/// A backend that answers by a list of fates, the first for the first plan; without one, with zeros.
pub struct Fake {
    /// What it claims to be able to do.
    pub caps: Caps,
    /// What becomes of the plans to come.
    pub fates: VecDeque<Fate>,
    /// Plans that were executed.
    pub executed: usize,
    /// Its meshes can be pulled and expanded. Else only the builtin names their triangles.
    pub fetches: bool,
    meshes: Registry<MeshId, ()>,
    instances: Registry<InstancesId, ()>,
    slots: SlotRing<Plot>,
    /// What [`Fake::wait`] has waited in all.
    clock: Duration,
}

/// What is to become of a plan.
#[derive(Default)]
struct Plot {
    bytes: Vec<u8>,
    error: Option<PickError>,
    /// `None`: never.
    drives_left: Option<u32>,
}

impl Default for Fake {
    fn default() -> Self {
        let owner = OwnerId::unique();
        let mut caps = Caps::least("fake");
        caps.primitive_index = PrimitiveIndex::Trusted;
        caps.stencil_read = StencilRead::Copy;
        caps.stencil_depth_read = true;
        caps.depth32_stencil8 = true;
        caps.max_target_side = 4096;
        Self {
            caps,
            fates: VecDeque::new(),
            executed: 0,
            fetches: true,
            meshes: Registry::new(owner),
            instances: Registry::new(owner),
            slots: SlotRing::default(),
            clock: Duration::ZERO,
        }
    }
}

impl Fake {
    /// A backend with these fates.
    pub fn with(fates: impl IntoIterator<Item = Fate>) -> Self {
        Self {
            fates: fates.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Slots that would serve the next plan.
    pub fn idle_slots(&self) -> usize {
        self.slots.free_count()
    }

    /// Says of the builtin what a self-test would.
    pub fn tell_verdict(&mut self, verdict: PrimitiveIndex) {
        self.caps.primitive_index = verdict;
        self.slots.verdict_is_read();
    }

    fn take_in(&mut self) {
        self.slots.take_in(|flying| {
            if flying.kept.drives_left != Some(0) {
                return None;
            }
            flying.bytes.clone_from(&flying.kept.bytes);
            Some(flying.kept.error.take().map_or(Ok(()), Err))
        });
    }
}

fn filled(mut bytes: Vec<u8>, size: usize) -> Vec<u8> {
    if bytes.is_empty() {
        bytes.push(0);
    }
    bytes.into_iter().cycle().take(size).collect()
}

impl Backend for Fake {
    type Pass<'p> = Infallible;
    type Host<'h> = Infallible;

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn create_mesh(&mut self, _source: &MeshSource) -> Result<CreatedMesh, PickError> {
        Ok(CreatedMesh {
            id: self.meshes.insert(()),
            pulled: self.fetches,
            expanded: self.fetches,
        })
    }

    fn bound_clusters(&mut self, _: MeshId, _: &[[f32; 4]]) -> Result<(), PickError> {
        Ok(())
    }

    fn destroy_mesh(&mut self, mesh: MeshId) -> Result<(), PickError> {
        self.meshes.remove(mesh)
    }

    fn create_instances(&mut self, _source: &InstanceSource) -> Result<InstancesId, PickError> {
        Ok(self.instances.insert(()))
    }

    fn update_instances(
        &mut self,
        set: InstancesId,
        _source: &InstanceSource,
    ) -> Result<(), PickError> {
        self.instances.get(set).copied()
    }

    fn destroy_instances(&mut self, set: InstancesId) -> Result<(), PickError> {
        self.instances.remove(set)
    }

    fn register_foreign(
        &mut self,
        _drawer: Box<dyn ForeignDraw<Self>>,
    ) -> Result<ForeignId, PickError> {
        Err(PickError::broken("a fake records nothing"))
    }

    /// The verdict comes with [`Fake::tell_verdict`], or never.
    fn start_self_test(&mut self, timeout_ms: u64) -> Result<SlotId, PickError> {
        Ok(self.slots.await_verdict(timeout_ms, self.clock))
    }

    fn prepare(&mut self, _plan: &Plan) -> Result<(), PickError> {
        Ok(())
    }

    fn execute(&mut self, plan: &Plan, _host: Option<Self::Host<'_>>) -> Result<SlotId, PickError> {
        self.executed += 1;
        let size = plan.total_readback_bytes() as usize;
        let fate = self.fates.pop_front().unwrap_or(Fate::Ready {
            bytes: Vec::new(),
            after: 0,
        });
        let (bytes, error, drives_left) = match fate {
            Fate::Ready { bytes, after } => (filled(bytes, size), None, Some(after)),
            Fate::Cut { bytes } => (bytes, None, Some(0)),
            Fate::Failed { kind, after } => (Vec::new(), Some(PickError::new(kind)), Some(after)),
            Fate::Never => (Vec::new(), None, None),
        };
        let slot = self.slots.take(size as u64);
        if let Some(plot) = self.slots.get_mut(&slot) {
            *plot = Plot {
                bytes,
                error,
                drives_left,
            };
        }
        self.slots.fly(&slot, plan.timeout_ms, self.clock);
        self.take_in();
        Ok(slot)
    }

    fn drive(&mut self) {
        self.slots.take_in(|flying| {
            if let Some(left) = &mut flying.kept.drives_left {
                *left = left.saturating_sub(1);
            }
            None
        });
        self.take_in();
    }

    fn poll(&mut self, id: &SlotId) -> SlotState<'_> {
        self.slots.state(id, self.clock, None)
    }

    /// Time passes at once: all of it where the slot (or, without one, any) never ends.
    fn wait(&mut self, slot: Option<&SlotId>, timeout_ms: u64) -> Result<(), PickError> {
        let asked = slot.map(SlotId::stamp);
        self.slots.take_in(|flying| {
            let asked = asked.is_none_or(|stamp| stamp == flying.stamp);
            if let (true, Some(left)) = (asked, &mut flying.kept.drives_left) {
                *left = 0;
            }
            None
        });
        self.take_in();
        let pending = match slot {
            Some(slot) => self.slots.is_pending(slot),
            None => self.slots.flying().next().is_some(),
        };
        if pending {
            self.clock += Duration::from_millis(timeout_ms + 1);
            return Err(PickError::new(ErrorKind::TimedOut { timeout_ms }));
        }
        Ok(())
    }

    fn memory(&self) -> MemoryReport {
        MemoryReport::default()
    }
}
