//! The contract of `pick-core` over the backend.

#[cfg(not(target_arch = "wasm32"))]
use pick_core::ErrorKind;
use pick_core::{
    Backend, Caps, CreatedMesh, ForeignDraw, ForeignId, InstanceSource, InstancesId, MemoryReport,
    MeshId, MeshSource, PickError, Plan, SlotId, SlotState,
};

use crate::WgpuBackend;
use crate::mesh::{Instances, Mesh};

impl Backend for WgpuBackend {
    type Pass<'p> = wgpu::RenderPass<'p>;
    type Host<'h> = &'h mut wgpu::CommandEncoder;

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn create_mesh(&mut self, source: &MeshSource) -> Result<CreatedMesh, PickError> {
        self.lost.check()?;
        let created = self.create(source);
        self.judged(created)
    }

    fn bound_clusters(&mut self, mesh: MeshId, boxes: &[[f32; 4]]) -> Result<(), PickError> {
        self.lost.check()?;
        let bounded = self.meshes.get_mut(mesh)?.bound_clusters(&self.gpu, boxes);
        self.judged(bounded)
    }

    fn destroy_mesh(&mut self, mesh: MeshId) -> Result<(), PickError> {
        self.meshes.remove(mesh)?;
        self.binds.forget_mesh(mesh);
        self.kernels.forget_mesh(mesh);
        Ok(())
    }

    fn create_instances(&mut self, source: &InstanceSource) -> Result<InstancesId, PickError> {
        self.lost.check()?;
        let created = Instances::create(&self.gpu, &self.buffers, source);
        let instances = self.judged(created)?;
        Ok(self.instances.insert(instances))
    }

    /// Makes a new buffer, since a plan that lies in an encoder of the host's may still need the old
    /// one.
    fn update_instances(
        &mut self,
        set: InstancesId,
        source: &InstanceSource,
    ) -> Result<(), PickError> {
        self.lost.check()?;
        self.instances.get(set)?;
        let created = Instances::create(&self.gpu, &self.buffers, source);
        let created = self.judged(created)?;
        let held = self.instances.get_mut(set)?;
        let older = std::mem::replace(held, created);
        held.succeed(older);
        self.forget_instances(set);
        Ok(())
    }

    fn destroy_instances(&mut self, set: InstancesId) -> Result<(), PickError> {
        self.instances.remove(set)?;
        self.forget_instances(set);
        Ok(())
    }

    fn register_foreign(
        &mut self,
        drawer: Box<dyn ForeignDraw<Self>>,
    ) -> Result<ForeignId, PickError> {
        Ok(self.foreign.insert(drawer))
    }

    fn start_self_test(&mut self, timeout_ms: u64) -> Result<SlotId, PickError> {
        self.lost.check()?;
        let slot = self.slots.await_verdict(timeout_ms);
        self.start_self_test_alone()?;
        self.read_self_test();
        Ok(slot)
    }

    fn prepare(&mut self, plan: &Plan) -> Result<(), PickError> {
        self.lost.check()?;
        let prepared = self.prepare_plan(plan);
        self.judged(prepared)?;
        self.start_self_test_alone()
    }

    fn execute(&mut self, plan: &Plan, host: Option<Self::Host<'_>>) -> Result<SlotId, PickError> {
        self.lost.check()?;
        let executed = self.execute_plan(plan, host);
        self.judged(executed)
    }

    fn drive(&mut self) {
        if self.slots.ring.flying().next().is_some() && self.lost.reason().is_none() {
            // What it could report is a wait that ended early, and this one does not wait.
            let _ = self.gpu.device.poll(wgpu::PollType::Poll);
        }
        self.take_in();
    }

    fn poll(&mut self, slot: &SlotId) -> SlotState<'_> {
        self.slots.state(slot, &self.lost)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn wait(&mut self, slot: Option<&SlotId>, timeout_ms: u64) -> Result<(), PickError> {
        let start = web_time::Instant::now();
        let timeout = std::time::Duration::from_millis(timeout_ms);
        loop {
            self.take_in();
            let pending = match slot {
                Some(slot) => self.slots.ring.is_pending(slot),
                None => self.slots.ring.flying().next().is_some(),
            };
            if !pending {
                return Ok(());
            }
            self.lost.check()?;
            let left = timeout.saturating_sub(start.elapsed());
            let waited = self.gpu.device.poll(wgpu::PollType::Wait {
                submission_index: slot.and_then(|slot| self.slots.submission(slot)),
                timeout: Some(left.min(LONGEST_WAIT)),
            });
            self.take_in();
            match (slot, waited) {
                (None, Ok(_)) => return Ok(()),
                (Some(slot), _) if !self.slots.ring.is_pending(slot) => return Ok(()),
                _ if start.elapsed() >= timeout => {
                    return Err(PickError::new(ErrorKind::TimedOut { timeout_ms }));
                }
                // It lies in an encoder that another thread may still submit.
                (Some(_), Ok(_)) => std::thread::sleep(UNSUBMITTED_PAUSE),
                (_, Err(_)) => {}
            }
        }
    }

    #[cfg(target_arch = "wasm32")]
    fn wait(&mut self, slot: Option<&SlotId>, timeout_ms: u64) -> Result<(), PickError> {
        let _ = (slot, timeout_ms);
        Err(PickError::unsupported(
            pick_core::Capability::Waiting,
            "a browser cannot wait: poll from its event loop",
        ))
    }

    fn memory(&self) -> MemoryReport {
        let meshes = self.meshes.values().map(Mesh::bytes);
        let instances = self.instances.values().map(Instances::owned_bytes);
        let bounds = self.instances.values().map(Instances::bounds_bytes);
        let mut memory = MemoryReport::default();
        memory.geometry_bytes = meshes.chain(instances).sum();
        memory.target_bytes = self.targets.bytes();
        memory.bounds_bytes = bounds.sum();
        memory.culling_bytes = self.scratches.bytes();
        memory.slot_bytes = self.slots.bytes();
        memory
    }
}

/// Drivers count time-outs in nanoseconds of different widths.
#[cfg(not(target_arch = "wasm32"))]
const LONGEST_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

#[cfg(not(target_arch = "wasm32"))]
const UNSUBMITTED_PAUSE: std::time::Duration = std::time::Duration::from_millis(1);
