//! The backend: executes plans by casting the exact pixel-centre rays.

use std::convert::Infallible;
use std::sync::Arc;

use pick_core::{
    Backend, Capability, Caps, CreatedMesh, ForeignDraw, ForeignId, InputError, InstanceSource,
    InstancesId, MemoryReport, MeshId, MeshSource, OwnerId, PickError, Plan, PrimitiveIndex,
    Registry, SlotId, SlotState, StencilRead,
};

use crate::execute::{Casts, execute};
use crate::scene::{CpuInstances, CpuMesh};

/// A backend that needs no GPU.
///
/// A plan is done when `execute` returns: rays are cast there, on the caller's thread. Geometry must be
/// on the CPU; a custom strategy's shader, a foreign draw and a host's command stream are `Unsupported`.
pub struct CpuBackend {
    caps: Caps,
    meshes: Registry<MeshId, CpuMesh>,
    instances: Registry<InstancesId, CpuInstances>,
    slots: Vec<Slot>,
    casts: Casts,
}

/// A plan's read-back, until its lease is given up.
struct Slot {
    bytes: Vec<u8>,
    generation: u64,
    lease: Arc<()>,
}

impl Default for CpuBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl CpuBackend {
    /// A backend that holds nothing yet.
    pub fn new() -> Self {
        let owner = OwnerId::unique();
        Self {
            caps: caps(),
            meshes: Registry::new(owner),
            instances: Registry::new(owner),
            slots: Vec::new(),
            casts: Casts::default(),
        }
    }

    fn free_slot(&mut self) -> usize {
        let free = |slot: &Slot| Arc::strong_count(&slot.lease) == 1;
        match self.slots.iter().position(free) {
            Some(index) => index,
            None => {
                self.slots.push(Slot {
                    bytes: Vec::new(),
                    generation: 0,
                    lease: Arc::new(()),
                });
                self.slots.len() - 1
            }
        }
    }
}

fn caps() -> Caps {
    Caps {
        backend: "cpu",
        device: "CPU".to_owned(),
        driver: concat!("pick-cpu ", env!("CARGO_PKG_VERSION")).to_owned(),
        api: "CPU".to_owned(),
        primitive_index: PrimitiveIndex::Trusted,
        stencil_read: StencilRead::Copy,
        stencil_depth_read: true,
        depth32_stencil8: true,
        reversed_depth_in_fragment: false,
        max_target_side: 1 << 15,
        max_storage_binding_bytes: u64::MAX,
    }
}

fn gpu_only(what: &'static str) -> PickError {
    PickError::unsupported(Capability::CpuGeometry, what)
}

impl Backend for CpuBackend {
    type Pass<'p> = Infallible;
    type Host<'h> = Infallible;

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn create_mesh(&mut self, source: &MeshSource) -> Result<CreatedMesh, PickError> {
        let mesh = CpuMesh::of(source)
            .ok_or_else(|| gpu_only("the CPU backend cannot read a host's GPU buffers"))?;
        Ok(CreatedMesh {
            id: self.meshes.insert(mesh),
            pulled: true,
            expanded: true,
        })
    }

    fn destroy_mesh(&mut self, mesh: MeshId) -> Result<(), PickError> {
        self.meshes.remove(mesh)?;
        for set in self.instances.values_mut() {
            set.forget(mesh);
        }
        Ok(())
    }

    fn create_instances(&mut self, source: &InstanceSource) -> Result<InstancesId, PickError> {
        let set = CpuInstances::of(source)
            .ok_or_else(|| gpu_only("the CPU backend cannot read a host's GPU buffers"))?;
        Ok(self.instances.insert(set))
    }

    fn update_instances(
        &mut self,
        set: InstancesId,
        source: &InstanceSource,
    ) -> Result<(), PickError> {
        let held = self.instances.get_mut(set)?;
        *held = CpuInstances::of(source)
            .ok_or_else(|| gpu_only("the CPU backend cannot read a host's GPU buffers"))?;
        Ok(())
    }

    fn destroy_instances(&mut self, set: InstancesId) -> Result<(), PickError> {
        self.instances.remove(set).map(drop)
    }

    fn register_foreign(
        &mut self,
        _drawer: Box<dyn ForeignDraw<Self>>,
    ) -> Result<ForeignId, PickError> {
        Err(PickError::unsupported(
            Capability::ForeignDraw,
            "the CPU backend has no passes to record into",
        ))
    }

    fn start_self_test(&mut self) -> Result<(), PickError> {
        Ok(())
    }

    /// Builds the trees over the instances that `plan` draws.
    fn prepare(&mut self, plan: &Plan) -> Result<(), PickError> {
        self.casts.gather(plan, &self.meshes, &mut self.instances)
    }

    fn execute(&mut self, plan: &Plan, host: Option<Self::Host<'_>>) -> Result<SlotId, PickError> {
        if let Some(never) = host {
            match never {}
        }
        self.casts.gather(plan, &self.meshes, &mut self.instances)?;
        let index = self.free_slot();
        let slot = &mut self.slots[index];
        execute(plan, &mut self.casts, &mut slot.bytes)?;
        slot.generation += 1;
        Ok(SlotId {
            index,
            generation: slot.generation,
            lease: slot.lease.clone(),
        })
    }

    fn drive(&mut self) {}

    fn poll(&mut self, slot: &SlotId) -> SlotState<'_> {
        let held = self.slots.get(slot.index);
        let same = |held: &&Slot| {
            Arc::ptr_eq(&held.lease, &slot.lease) && held.generation == slot.generation
        };
        match held.filter(same) {
            Some(held) => SlotState::Ready(&held.bytes),
            None => SlotState::Failed(InputError::ForeignKey { what: "slot" }.into()),
        }
    }

    fn wait(&mut self, _slot: Option<&SlotId>, _timeout_ms: u64) -> Result<(), PickError> {
        Ok(())
    }

    fn memory(&self) -> MemoryReport {
        let meshes: usize = self.meshes.values().map(CpuMesh::bytes).sum();
        let instances: usize = self.instances.values().map(CpuInstances::bytes).sum();
        let slots: usize = self.slots.iter().map(|slot| slot.bytes.capacity()).sum();
        MemoryReport {
            geometry_bytes: (meshes + instances) as u64,
            target_bytes: 0,
            slot_bytes: slots as u64,
        }
    }
}
