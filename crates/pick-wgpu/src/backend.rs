//! The backend: what it holds, and how a plan goes through it.

use std::borrow::Cow;
use std::sync::Arc;

#[cfg(doc)]
use pick_core::Backend;
use pick_core::kit::{Lost, Scratches, SelfTestState};
use pick_core::{
    BufferId, Caps, CreatedMesh, ErrorKind, ForeignId, InstancesId, MeshId, MeshSource, OwnerId,
    PickError, Plan, PrimitiveIndex, Registry, SlotId,
};

use crate::bind::Binds;
use crate::device::Gpu;
use crate::kernels::Kernels;
use crate::mask::Masks;
use crate::mesh::{Instances, Mesh};
use crate::pipelines::Pipelines;
use crate::record::{Drawer, Recorder};
use crate::records::Records;
use crate::resolve::{Job, Resolver, may_be_loss};
use crate::scope::Catch;
use crate::slots::Slots;
use crate::targets::Targets;

/// Picks on a wgpu device.
///
/// The crate's front page tells what each choice costs.
pub struct WgpuBackend {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) caps: Caps,
    pub(crate) lost: Lost,
    pub(crate) buffers: Registry<BufferId, wgpu::Buffer>,
    pub(crate) meshes: Registry<MeshId, Mesh>,
    pub(crate) instances: Registry<InstancesId, Instances>,
    pub(crate) foreign: Registry<ForeignId, Drawer>,
    pub(crate) pipelines: Pipelines,
    pub(crate) binds: Binds,
    pub(crate) targets: Targets,
    pub(crate) kernels: Kernels,
    pub(crate) masks: Masks,
    pub(crate) scratches: Scratches<Gpu>,
    pub(crate) records: Records,
    pub(crate) slots: Slots,
    pub(crate) self_test: SelfTestState,
    pub(crate) job: Job,
}

impl std::fmt::Debug for WgpuBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WgpuBackend")
            .field("caps", &self.caps)
            .field("lost", &self.lost.reason())
            .finish_non_exhaustive()
    }
}

impl WgpuBackend {
    /// What this library can use of an adapter's features. None is needed: a host adds those it wants
    /// to its own when it asks for the device.
    ///
    /// With `PRIMITIVE_INDEX` detailed picks need no second way to their vertices; with
    /// `DEPTH32FLOAT_STENCIL8` stencil picks give depth, and work under reversed depth.
    pub fn wanted_features(adapter: &wgpu::Adapter) -> wgpu::Features {
        let wanted = wgpu::Features::PRIMITIVE_INDEX | wgpu::Features::DEPTH32FLOAT_STENCIL8;
        wanted & adapter.features()
    }

    /// Picks on a host's device. The adapter must be the one that the device was made from: only it
    /// can be asked for the limits of downlevel APIs.
    ///
    /// No callback of the device's is taken. `Device::poll`, which [`Backend::drive`] and
    /// [`Backend::wait`] call, runs the host's own callbacks too, and panics inside wgpu when the
    /// driver reports that the device is lost; a host that learns of it first tells
    /// [`WgpuBackend::device_lost`], and the device is not polled again.
    ///
    /// # Errors
    /// `Unsupported` (device) when the vertex stage has no storage buffers (WebGL2, OpenGL before 4.3),
    /// `Broken` when wgpu refuses what every pick needs.
    pub fn new(
        adapter: &wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self, PickError> {
        let gpu = Gpu::new(adapter, device, queue)?;
        let owner = OwnerId::unique();
        let (mut pipelines, mut binds) = (Pipelines::new(), Binds::new(&gpu)?);
        if adapter.get_info().backend == wgpu::Backend::Gl {
            pipelines.try_one(&gpu, &mut binds)?;
        }
        Ok(Self {
            caps: gpu.caps(),
            lost: Lost::default(),
            buffers: Registry::new(owner),
            meshes: Registry::new(owner),
            instances: Registry::new(owner),
            foreign: Registry::new(owner),
            pipelines,
            binds,
            targets: Targets::default(),
            kernels: Kernels::default(),
            masks: Masks::default(),
            scratches: Scratches::default(),
            records: Records::new(&gpu),
            slots: Slots::new(),
            self_test: SelfTestState::default(),
            job: Job::default(),
            gpu: Arc::new(gpu),
        })
    }

    /// The device, for foreign drawers and for the host's own use.
    pub fn device(&self) -> &wgpu::Device {
        &self.gpu.device
    }

    /// The device's queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.gpu.queue
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
        // With the lists go the groups that name them, which would keep them.
        self.scratches.clear();
        self.instances.values_mut().for_each(Instances::trim);
        self.binds.trim();
        self.kernels.trim();
        self.masks.trim();
    }

    /// Lets go of what holds an instance set that is gone or has other contents now.
    pub(crate) fn forget_instances(&mut self, set: InstancesId) {
        self.binds.forget_instances(set);
        self.kernels.forget_instances(set);
    }

    /// Finds or makes whatever a plan needs.
    fn resolve(&mut self, plan: &Plan, job: &mut Job) -> Result<(), PickError> {
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
        resolver.resolve(plan, job)
    }

    /// Resolves a plan and records it.
    pub(crate) fn record(
        &mut self,
        plan: &Plan,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<SlotId, PickError> {
        let mut job = std::mem::take(&mut self.job);
        let resolved = self.resolve(plan, &mut job);
        let recorded = resolved.and_then(|()| self.record_resolved(plan, &job, encoder));
        self.job = job;
        recorded
    }

    fn record_resolved(
        &mut self,
        plan: &Plan,
        job: &Job,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<SlotId, PickError> {
        let slot = self
            .slots
            .take(&self.gpu, &self.binds, plan, &mut self.records)?;
        let mut recorder = Recorder {
            plan,
            job,
            slot: self.slots.at(&slot)?,
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
        let recorded = recorder.record(encoder);
        // Also after a failure: the encoder may hold copies into the slot, and may be submitted.
        self.slots.tie(&slot, encoder);
        recorded.map(|()| slot)
    }

    /// Records on an encoder of our own and submits it. An error leaves nothing that would run, and
    /// the slot free once the callback of its map was run or dropped.
    pub(crate) fn submit(
        &mut self,
        label: Option<&str>,
        record: impl FnOnce(&mut Self, &mut wgpu::CommandEncoder) -> Result<SlotId, PickError>,
    ) -> Result<SlotId, PickError> {
        let gpu = self.gpu.clone();
        let sent = gpu.checked(Catch::All, "a pick", |device| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
            let slot = record(self, &mut encoder)?;
            let submission = gpu.queue.submit([encoder.finish()]);
            Ok::<_, PickError>((slot, submission))
        });
        let (slot, submission) = sent??;
        self.slots.submitted(&slot, &submission);
        Ok(slot)
    }

    /// Takes in what has arrived, without asking the device.
    pub(crate) fn take_in(&mut self) {
        if let Some(error) = self.gpu.late.take() {
            self.slots.ring.doom(&error);
        }
        self.slots.take_in(&self.gpu, &mut self.lost);
        self.read_self_test();
    }

    /// wgpu calls what was made on a lost device invalid; that is told as what it is.
    pub(crate) fn judged<T>(&mut self, result: Result<T, PickError>) -> Result<T, PickError> {
        let Err(error) = result else {
            return result;
        };
        match error.kind() {
            ErrorKind::DeviceLost { reason } => self.lost.set(reason.clone()),
            _ if may_be_loss(&error) && self.gpu.is_lost() => {
                self.lost.set(format!("after an error: {error}"));
            }
            _ => {}
        }
        Err(self.lost.error().unwrap_or(error))
    }

    pub(crate) fn create(&mut self, source: &MeshSource) -> Result<CreatedMesh, PickError> {
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

    pub(crate) fn prepare_plan(&mut self, plan: &Plan) -> Result<(), PickError> {
        let mut job = std::mem::take(&mut self.job);
        let resolved = self.resolve(plan, &mut job);
        self.job = job;
        resolved
    }

    pub(crate) fn execute_plan(
        &mut self,
        plan: &Plan,
        host: Option<&mut wgpu::CommandEncoder>,
    ) -> Result<SlotId, PickError> {
        match host {
            None => self.submit(plan.label.as_deref(), |this, encoder| {
                this.record_with_self_test(plan, encoder)
            }),
            Some(encoder) => {
                let gpu = self.gpu.clone();
                gpu.checked(Catch::All, "a pick", |_| {
                    self.record_with_self_test(plan, encoder)
                })?
            }
        }
    }
}
