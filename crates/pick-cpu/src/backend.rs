//! The backend: executes plans by casting the exact pixel-centre rays.

use std::convert::Infallible;
use std::time::Duration;

use pick_core::kit::SlotRing;
use pick_core::{
    Backend, Capability, Caps, CreatedMesh, ForeignDraw, ForeignId, InstanceSource, InstancesId,
    MemoryReport, MeshId, MeshSource, OwnerId, PickError, Plan, PrimitiveIndex, Registry, SlotId,
    SlotState, StencilRead,
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
    slots: SlotRing<()>,
    casts: Casts,
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
            slots: SlotRing::default(),
            casts: Casts::default(),
        }
    }
}

/// Nothing is ever under way, and so never late.
const NO_CLOCK: Duration = Duration::ZERO;

fn caps() -> Caps {
    let mut caps = Caps::least("cpu");
    caps.device = "CPU".to_owned();
    caps.driver = concat!("pick-cpu ", env!("CARGO_PKG_VERSION")).to_owned();
    caps.api = "CPU".to_owned();
    caps.primitive_index = PrimitiveIndex::Trusted;
    caps.stencil_read = StencilRead::Copy;
    caps.stencil_depth_read = true;
    caps.depth32_stencil8 = true;
    caps.casts_rays = true;
    caps.fragment_lists = true;
    caps.max_target_side = 1 << 15;
    caps.max_storage_binding_bytes = u64::MAX;
    caps
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

    /// No kernel here asks for them.
    fn bound_clusters(&mut self, mesh: MeshId, _boxes: &[[f32; 4]]) -> Result<(), PickError> {
        self.meshes.get(mesh).map(drop)
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

    /// There is nothing to test.
    fn start_self_test(&mut self, timeout_ms: u64) -> Result<SlotId, PickError> {
        let slot = self.slots.await_verdict(timeout_ms, NO_CLOCK);
        self.slots.verdict_is_read();
        Ok(slot)
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
        let slot = self.slots.take(plan.total_readback_bytes());
        let casts = &mut self.casts;
        self.slots
            .fill(&slot, |bytes| execute(plan, casts, bytes))?;
        Ok(slot)
    }

    fn drive(&mut self) {}

    fn poll(&mut self, slot: &SlotId) -> SlotState<'_> {
        self.slots.state(slot, NO_CLOCK, None)
    }

    fn wait(&mut self, _slot: Option<&SlotId>, _timeout_ms: u64) -> Result<(), PickError> {
        Ok(())
    }

    fn memory(&self) -> MemoryReport {
        let meshes: usize = self.meshes.values().map(CpuMesh::bytes).sum();
        let instances: usize = self.instances.values().map(CpuInstances::bytes).sum();
        let mut memory = MemoryReport::default();
        memory.geometry_bytes = (meshes + instances) as u64;
        memory.slot_bytes = self.slots.bytes();
        memory
    }
}
