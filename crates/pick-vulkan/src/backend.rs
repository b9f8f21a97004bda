//! The backend: what it holds, and the contract of `pick-core` over it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pick_core::kit::{Lost, Scratches, SelfTestState};
use pick_core::{
    Backend, BufferId, Caps, CreatedMesh, ErrorKind, ForeignDraw, ForeignId, InstanceSource,
    InstancesId, MemoryReport, MeshId, MeshSource, OwnerId, PickError, Plan, PrimitiveIndex,
    Registry, SlotId, SlotState, TargetFormat,
};

use crate::bind::Binds;
use crate::device::Gpu;
use crate::floor::Floor;
use crate::kernels::Kernels;
use crate::mask::Masks;
use crate::mesh::{Instances, Mesh};
use crate::pipelines::Pipelines;
use crate::record::{Drawer, Recorder};
use crate::records::Records;
use crate::resolve::{Job, Resolver};
use crate::slots::Slots;
use crate::targets::Targets;
use crate::vk::{Buffer, Device, ImageUse, Recording};
use crate::{HostCommands, Messages, Pass, WaitPolicy};

/// Picks on a Vulkan device.
///
/// The crate's front page tells what each choice costs.
pub struct VulkanBackend {
    pub(crate) caps: Caps,
    pub(crate) lost: Lost,
    pub(crate) buffers: Registry<BufferId, Arc<Buffer>>,
    meshes: Registry<MeshId, Mesh>,
    instances: Registry<InstancesId, Instances>,
    foreign: Registry<ForeignId, Drawer>,
    pub(crate) pipelines: Pipelines,
    binds: Binds,
    targets: Targets,
    kernels: Kernels,
    masks: Masks,
    scratches: Scratches<Gpu>,
    records: Records,
    pub(crate) slots: Slots,
    pub(crate) self_test: SelfTestState,
    job: Job,
    uses: Vec<ImageUse>,
    pub(crate) wait_policy: WaitPolicy,
    pub(crate) floor: Option<Floor>,
    pub(crate) gpu: Arc<Gpu>,
}

impl std::fmt::Debug for VulkanBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VulkanBackend")
            .field("caps", &self.caps)
            .field("lost", &self.lost.reason())
            .finish_non_exhaustive()
    }
}

impl VulkanBackend {
    /// On a device that is open.
    pub(crate) fn on(device: Arc<Device>) -> Result<Self, PickError> {
        let gpu = Gpu::new(device);
        let owner = OwnerId::unique();
        Ok(Self {
            caps: gpu.caps(),
            lost: Lost::default(),
            buffers: Registry::new(owner),
            meshes: Registry::new(owner),
            instances: Registry::new(owner),
            foreign: Registry::new(owner),
            pipelines: Pipelines::new(&gpu)?,
            binds: Binds::new(&gpu)?,
            targets: Targets::default(),
            kernels: Kernels::default(),
            masks: Masks::default(),
            scratches: Scratches::default(),
            records: Records::new(&gpu),
            slots: Slots::new(),
            self_test: SelfTestState::default(),
            job: Job::default(),
            uses: Vec::new(),
            wait_policy: WaitPolicy::default(),
            floor: None,
            gpu: Arc::new(gpu),
        })
    }

    /// How [`Backend::wait`] waits from now on.
    pub fn set_wait_policy(&mut self, policy: WaitPolicy) {
        self.wait_policy = policy;
    }

    /// What the validation layer has said, where it was asked for
    /// ([`crate::Selector::validated`]).
    pub fn messages(&self) -> Option<&Messages> {
        self.gpu.device.messages()
    }

    /// The device's format for a plan's, for the pipelines of foreign draws. `UNDEFINED` where the device
    /// does not draw into it.
    pub fn vk_format(&self, format: TargetFormat) -> ash::vk::Format {
        self.gpu.device.physical.format(format)
    }

    /// The host tells that the device is lost. Whatever is under way ends as `DeviceLost`, and so does
    /// everything asked for later.
    pub fn device_lost(&mut self, reason: impl Into<Cow<'static, str>>) {
        self.lost.set(reason);
    }

    /// Why the device is lost, once it is.
    pub fn lost_reason(&self) -> Option<&str> {
        self.lost.reason()
    }

    /// Lets go of readback and upload buffers that no pick in flight uses, and of the lists of culling;
    /// they are made anew when needed. They grow with the largest region and set asked for, and never
    /// shrink otherwise.
    pub fn trim(&mut self) {
        self.slots.trim();
        // With the lists go the sets that name them.
        self.scratches.clear();
        self.binds.trim();
        self.kernels.trim();
        self.masks.trim();
        self.instances.values_mut().for_each(Instances::trim);
        self.take_in();
    }

    /// Lets go of what holds an instance set that is gone or has other contents now.
    fn forget_instances(&mut self, set: InstancesId) {
        self.binds.forget_instances(set);
        self.kernels.forget_instances(set);
    }

    /// Finds or makes whatever a plan needs.
    fn resolve(&mut self, plan: &Plan) -> Result<(), PickError> {
        let mut resolver = Resolver {
            gpu: &self.gpu,
            meshes: &mut self.meshes,
            instances: &mut self.instances,
            pipelines: &mut self.pipelines,
            binds: &mut self.binds,
            targets: &mut self.targets,
            kernels: &mut self.kernels,
            masks: &mut self.masks,
            scratches: &mut self.scratches,
        };
        resolver.resolve(plan, &mut self.job)
    }

    /// Resolves a plan, records it and, without a host, submits it. An error before anything of it was
    /// recorded leaves nothing behind; one that a foreign draw met in a host's command buffer leaves its
    /// slot busy until that has run.
    pub(crate) fn send(
        &mut self,
        plan: &Plan,
        host: Option<&HostCommands<'_>>,
    ) -> Result<SlotId, PickError> {
        self.resolve(plan)?;
        let slot = self
            .slots
            .take(&self.gpu, &mut self.binds, plan, &self.records)?;
        let device = self.gpu.device.clone();
        match host {
            None => {
                let recording = self.slots.commands(&slot)?.begin()?;
                self.record(plan, &slot, &recording)?;
                let commands = self.slots.commands(&slot)?;
                let completion = device.submit(recording, commands)?;
                self.slots.fly(&slot, completion, plan.timeout_ms);
                Ok(slot)
            }
            Some(host) => {
                self.slots.mark(&slot);
                let completion = host.completion(&device);
                let recording = host.begin(&device);
                let recorded = self.record(plan, &slot, &recording);
                self.slots.fly(&slot, completion, plan.timeout_ms);
                recorded.map(|()| slot)
            }
        }
    }

    fn record(
        &mut self,
        plan: &Plan,
        slot: &SlotId,
        recording: &Recording,
    ) -> Result<(), PickError> {
        let held = self.slots.at(slot)?;
        let mut recorder = Recorder {
            plan,
            job: &self.job,
            uses: &mut self.uses,
            slot: held,
            meshes: &self.meshes,
            foreign: &mut self.foreign,
            pipelines: &self.pipelines,
            binds: &self.binds,
            targets: &self.targets,
            kernels: &self.kernels,
            masks: &self.masks,
            scratches: &self.scratches,
            records: &self.records,
        };
        recorder.record(recording)?;
        if let (Some(stamp), Some(readback)) = (held.stamp(), held.readback()) {
            let offset = held.layout().stamp_offset;
            recording.stamp(readback, offset, bytemuck::bytes_of(&stamp))?;
        }
        recording.to_host();
        Ok(())
    }

    /// Takes in what has arrived.
    fn take_in(&mut self) {
        if self.lost.reason().is_none() {
            let asked = self.gpu.device.progress();
            let taken = asked.and_then(|()| self.slots.take_in(&self.gpu));
            if let Err(error) = taken {
                // Anything but a loss shows in the slots that it concerns, or goes by.
                self.lost.learn(&error);
            }
        }
        self.read_self_test();
    }

    /// Takes a loss in that an error tells of.
    pub(crate) fn judged<T>(&mut self, result: Result<T, PickError>) -> Result<T, PickError> {
        if let Err(error) = &result {
            self.lost.learn(error);
        }
        result
    }

    fn create(&mut self, source: &MeshSource) -> Result<CreatedMesh, PickError> {
        let builtin = self.caps.primitive_index;
        let missing = matches!(builtin, PrimitiveIndex::Missing | PrimitiveIndex::Failed);
        let mesh = Mesh::create(&self.gpu, &self.buffers, source, missing)?;
        let (pulled, expanded) = (mesh.can_pull(), mesh.can_expand());
        Ok(CreatedMesh {
            id: self.meshes.insert(mesh),
            pulled,
            expanded,
        })
    }

    fn wait_for(
        &mut self,
        slot: Option<&SlotId>,
        timeout: Duration,
        start: Instant,
    ) -> Result<bool, PickError> {
        loop {
            let next = match slot {
                Some(slot) if self.slots.ring.is_awaiting_verdict(slot) => {
                    let test = self.self_test.slot();
                    test.and_then(|test| self.slots.completion(test))
                }
                Some(slot) => self.slots.completion(slot),
                None => self.slots.next_completion(),
            };
            let Some(completion) = next else {
                return Ok(true);
            };
            let left = timeout.saturating_sub(start.elapsed());
            let device = &self.gpu.device;
            if !device.wait(&completion, left, self.wait_policy)? {
                return Ok(false);
            }
            self.take_in();
            self.lost.check()?;
        }
    }
}

impl Backend for VulkanBackend {
    type Pass<'p> = Pass<'p>;
    type Host<'h> = HostCommands<'h>;

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

    /// Makes a new buffer, since a plan that lies in a command buffer of the host's may still need the
    /// old one.
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
        let prepared = self.resolve(plan);
        self.judged(prepared)?;
        self.start_self_test_alone()
    }

    fn execute(&mut self, plan: &Plan, host: Option<Self::Host<'_>>) -> Result<SlotId, PickError> {
        self.lost.check()?;
        self.start_self_test_for(plan, host.as_ref())?;
        let sent = self.send(plan, host.as_ref());
        self.judged(sent)
    }

    fn drive(&mut self) {
        self.take_in();
    }

    fn poll(&mut self, slot: &SlotId) -> SlotState<'_> {
        self.slots.state(slot, &self.lost)
    }

    /// Without a slot, recordings in hosts' command buffers are waited for too: whether they were
    /// submitted cannot be known.
    fn wait(&mut self, slot: Option<&SlotId>, timeout_ms: u64) -> Result<(), PickError> {
        let start = Instant::now();
        self.take_in();
        let pending = match slot {
            Some(slot) => self.slots.ring.is_pending(slot),
            None => self.slots.next_completion().is_some(),
        };
        if !pending {
            return Ok(());
        }
        self.lost.check()?;
        let waited = self.wait_for(slot, Duration::from_millis(timeout_ms), start);
        match self.judged(waited)? {
            true => Ok(()),
            false => Err(PickError::new(ErrorKind::TimedOut { timeout_ms })),
        }
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
