//! The backend without a device.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

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
    meshes: Registry<MeshId, ()>,
    instances: Registry<InstancesId, ()>,
    slots: Vec<Slot>,
}

struct Slot {
    generation: u64,
    lease: Arc<()>,
    bytes: Vec<u8>,
    error: Option<PickError>,
    /// `None`: never.
    drives_left: Option<u32>,
    timeout_ms: u64,
}

impl Default for Fake {
    fn default() -> Self {
        let owner = OwnerId::unique();
        Self {
            caps: Caps {
                backend: "fake",
                device: "none".to_owned(),
                driver: "none".to_owned(),
                api: "none".to_owned(),
                primitive_index: PrimitiveIndex::Trusted,
                stencil_read: StencilRead::Copy,
                stencil_depth_read: true,
                depth32_stencil8: true,
                reversed_depth_in_fragment: false,
                max_target_side: 4096,
                max_storage_binding_bytes: 1 << 27,
            },
            fates: VecDeque::new(),
            executed: 0,
            meshes: Registry::new(owner),
            instances: Registry::new(owner),
            slots: Vec::new(),
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

    /// Slots whose ticket nobody holds any more.
    pub fn idle_slots(&self) -> usize {
        let idle = |slot: &&Slot| Arc::strong_count(&slot.lease) == 1;
        self.slots.iter().filter(idle).count()
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
            pulled: true,
            expanded: true,
        })
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

    fn start_self_test(&mut self) -> Result<(), PickError> {
        Ok(())
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
        let lease = Arc::new(());
        self.slots.push(Slot {
            generation: self.executed as u64,
            lease: lease.clone(),
            bytes,
            error,
            drives_left,
            timeout_ms: plan.timeout_ms,
        });
        Ok(SlotId {
            index: self.slots.len() - 1,
            generation: self.executed as u64,
            lease,
        })
    }

    fn drive(&mut self) {
        for slot in &mut self.slots {
            if let Some(left) = &mut slot.drives_left {
                *left = left.saturating_sub(1);
            }
        }
    }

    fn poll(&mut self, id: &SlotId) -> SlotState<'_> {
        let held = self.slots.get(id.index);
        match held.filter(|slot| slot.generation == id.generation) {
            None => SlotState::Failed(PickError::broken("no such slot")),
            Some(slot) if slot.drives_left != Some(0) => SlotState::Pending,
            Some(slot) => match &slot.error {
                Some(error) => SlotState::Failed(error.clone()),
                None => SlotState::Ready(&slot.bytes),
            },
        }
    }

    /// Time passes at once: what is not done when its time is over has timed out.
    fn wait(&mut self, slot: Option<&SlotId>, timeout_ms: u64) -> Result<(), PickError> {
        for (index, held) in self.slots.iter_mut().enumerate() {
            if slot.is_some_and(|slot| slot.index != index) {
                continue;
            }
            if held.drives_left.is_none() {
                let timeout_ms = held.timeout_ms.min(timeout_ms);
                let late = PickError::new(ErrorKind::TimedOut { timeout_ms });
                held.error = Some(late);
            }
            held.drives_left = Some(0);
        }
        Ok(())
    }

    fn memory(&self) -> MemoryReport {
        MemoryReport::default()
    }
}
