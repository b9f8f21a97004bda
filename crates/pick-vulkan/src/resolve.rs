//! Making a plan's words into things of the device before anything is recorded, so that whatever can
//! fail has failed by then.

use pick_core::kit::{KernelKey, Scratches};
use pick_core::{
    Aspect, BufferIndex, Capability, ComputeBinding, ComputeStep, CopySource, CopyStep, Draw,
    InstancesId, Item, Keeps, MeshId, PassStep, PickError, Plan, Registry, Scratch, ScratchRole,
    Step, TargetFormat,
};
use pick_shaders::{GeometryUse, VertexAttributes};

use crate::bind::{Binds, GroupKey};
use crate::device::Gpu;
use crate::kernels::{Held, Kernels, Written};
use crate::mask::Masks;
use crate::mesh::{Instances, Mesh};
use crate::pipelines::{DrawShape, PassFormats, Pipelines};
use crate::targets::Targets;

/// A plan, resolved. Keeps its memory from pick to pick.
#[derive(Default)]
pub(crate) struct Job {
    /// Where each of the plan's targets is.
    pub(crate) targets: Vec<usize>,
    /// One for each item of each pass, in the order they are drawn; nothing for foreign ones.
    pub(crate) calls: Vec<Option<Call>>,
    /// The set of each kernel, in the order they run.
    pub(crate) kernels: Vec<KernelKey>,
    /// Which kernel wrote each of the plan's buffers last.
    written: Written,
}

/// What a draw is recorded with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) pipeline: usize,
    pub(crate) group: usize,
    pub(crate) attributes: VertexAttributes,
}

/// What resolving looks things up in.
pub(crate) struct Resolver<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) meshes: &'a mut Registry<MeshId, Mesh>,
    pub(crate) instances: &'a mut Registry<InstancesId, Instances>,
    pub(crate) pipelines: &'a mut Pipelines,
    pub(crate) binds: &'a mut Binds,
    pub(crate) targets: &'a mut Targets,
    pub(crate) kernels: &'a mut Kernels,
    pub(crate) masks: &'a mut Masks,
    pub(crate) scratches: &'a mut Scratches<Gpu>,
}

impl Resolver<'_> {
    /// Finds or makes whatever the plan needs.
    ///
    /// # Errors
    /// Input errors for ids that are foreign or removed; `Unsupported` for what the device lacks;
    /// `Broken` when the driver refuses something.
    pub(crate) fn resolve(&mut self, plan: &Plan, job: &mut Job) -> Result<(), PickError> {
        self.pipelines.begin();
        self.binds.begin();
        job.calls.clear();
        job.kernels.clear();
        job.written.begin(plan);
        // First, so that no pipeline is asked for formats that the device does not draw into.
        self.targets.find(self.gpu, plan, &mut job.targets)?;
        self.kernels.begin(self.targets);
        self.scratches.fit(self.gpu, plan)?;
        for step in &plan.steps {
            match step {
                Step::Pass(pass) => self.pass(plan, pass, job)?,
                Step::StencilBits { from, to } => {
                    let from = format(plan, from.0).filter(|f| f.has_stencil());
                    let to = format(plan, to.0).filter(|f| *f == TargetFormat::R8Unorm);
                    let (Some(from), Some(_)) = (from, to) else {
                        return Err(PickError::broken("a stencil read-out names other targets"));
                    };
                    self.pipelines.prepare_stencil_bits(self.gpu, from)?;
                }
                Step::Compute(step) => {
                    job.written.check(self.gpu, plan, step, self.meshes)?;
                    let key = self.kernel(step, &job.targets)?;
                    job.kernels.push(key);
                }
                Step::Upload(to) => check_upload(plan, *to)?,
                Step::Copy(copy) => self.copy(plan, copy)?,
            }
        }
        Ok(())
    }

    fn pass(&mut self, plan: &Plan, pass: &PassStep, job: &mut Job) -> Result<(), PickError> {
        let formats = PassFormats::of(plan, pass)?;
        if let Keeps::All(buffer) = pass.keeps {
            let told_to = self.scratches.key(buffer).zip(self.scratches.at(buffer));
            let told_to = told_to.filter(|_| is_for_words(plan, buffer));
            let missing = || PickError::broken("a pass keeps fragments in no buffer");
            let (key, buffer) = told_to.ok_or_else(missing)?;
            self.binds.prepare_fragments(self.gpu, key, buffer)?;
        }
        if let Some(mask) = pass.mask {
            let places = self
                .scratches
                .key(mask.buffer)
                .zip(self.scratches.at(mask.buffer));
            let missing = || PickError::broken("a pass is masked by no buffer");
            let (key, places) = places.ok_or_else(missing)?;
            let cache = &self.pipelines.driver_cache;
            self.masks
                .prepare(self.gpu, self.binds, cache, formats, (key, places))?;
        }
        let items = plan.items.get(pass.items.clone());
        let items = items.ok_or_else(|| PickError::broken("a pass draws items that are not"))?;
        let mut last_shape: Option<(DrawShape, usize)> = None;
        let mut last_group: Option<(GroupKey, usize)> = None;
        for item in items {
            let Item::Draw(draw) = item else {
                job.calls.push(None);
                continue;
            };
            job.written.check_draw(draw)?;
            let shape = self.shape(plan, draw)?;
            let pipeline = match last_shape {
                Some((last, at)) if last == shape => at,
                _ => self
                    .pipelines
                    .find(self.gpu, self.binds, plan, formats, shape)?,
            };
            last_shape = Some((shape, pipeline));
            let key = self.group_key(plan, draw);
            let group = match last_group {
                Some((last, at)) if last == key => at,
                _ => self.group(key, draw)?,
            };
            last_group = Some((key, group));
            job.calls.push(Some(Call {
                pipeline,
                group,
                attributes: shape.attributes,
            }));
        }
        Ok(())
    }

    fn kernel(&mut self, step: &ComputeStep, positions: &[usize]) -> Result<KernelKey, PickError> {
        for binding in step.bindings {
            match binding {
                ComputeBinding::Instances(run) => self.instances.get(run.set)?.check(run)?,
                ComputeBinding::Blocks(set) => {
                    self.instances
                        .get_mut(set)?
                        .bind_blocks(self.gpu, step.kernel)?;
                }
                ComputeBinding::None
                | ComputeBinding::Clusters(_)
                | ComputeBinding::Scratch(_)
                | ComputeBinding::Target(_) => {}
            }
        }
        let held = Held {
            meshes: self.meshes,
            instances: self.instances,
            scratches: self.scratches,
            targets: self.targets,
            positions,
        };
        let cache = &self.pipelines.driver_cache;
        self.kernels
            .resolve(self.gpu, self.binds, cache, step, &held)
    }

    /// Checks a draw and finds out what makes it differ from others.
    fn shape(&mut self, plan: &Plan, draw: &Draw) -> Result<DrawShape, PickError> {
        if let Some(run) = draw.instances {
            self.instances.get(run.set)?.check(run)?;
        }
        let mesh = self.meshes.get_mut(draw.mesh)?;
        let inputs = mesh.inputs(self.gpu, plan, draw)?;
        Ok(DrawShape {
            fetch: draw.fetch,
            attributes: VertexAttributes {
                normals: inputs.normals,
                uvs: inputs.uvs,
            },
            strides: inputs.strides,
            survivors: draw.survivors.is_some(),
        })
    }

    fn group(&mut self, key: GroupKey, draw: &Draw) -> Result<usize, PickError> {
        let mesh = self.meshes.get(draw.mesh)?;
        let instances = match key.instances {
            Some(run) => Some(self.instances.get(run.set)?),
            None => None,
        };
        let survivors = draw.survivors.and_then(|buffer| self.scratches.at(buffer));
        let survivors = survivors.map(|buffer| &**buffer);
        self.binds.group(self.gpu, key, mesh, instances, survivors)
    }

    fn group_key(&self, plan: &Plan, draw: &Draw) -> GroupKey {
        let used = GeometryUse::of(draw.fetch, &plan.shader, draw.survivors.is_some());
        GroupKey {
            used,
            mesh: used.needs_mesh().then_some(draw.mesh),
            instances: draw.instances,
            survivors: draw.survivors.and_then(|buffer| self.scratches.key(buffer)),
        }
    }

    fn copy(&self, plan: &Plan, copy: &CopyStep) -> Result<(), PickError> {
        let misses = || Err(PickError::broken("a copy names what is not there"));
        let Some(readback) = plan.readbacks.get(copy.readback) else {
            return misses();
        };
        let (target, aspect) = match copy.from {
            CopySource::Target { target, aspect } => (target, aspect),
            CopySource::Scratch { buffer, offset } => {
                let end = offset.saturating_add(readback.bytes(0));
                let inside = |scratch: &Scratch| end <= scratch.bytes && offset % 4 == 0;
                return match plan.scratch.get(buffer.0).is_some_and(inside) {
                    true => Ok(()),
                    false => misses(),
                };
            }
        };
        let Some(format) = format(plan, target.0) else {
            return misses();
        };
        let (fits, lacking) = match aspect {
            Aspect::Color => (!format.is_depth(), Capability::TargetFormat),
            Aspect::Depth => (format.is_depth(), Capability::TargetFormat),
            Aspect::Stencil => (format.has_stencil(), Capability::StencilRead),
        };
        let depth24 = aspect == Aspect::Depth && format == TargetFormat::Depth24PlusStencil8;
        match (fits, self.gpu.device.physical.copies(format) && !depth24) {
            (true, true) => Ok(()),
            (true, false) => Err(PickError::unsupported(
                lacking,
                format!("this device does not copy {aspect:?} out of {format:?}"),
            )),
            (false, _) => Err(PickError::broken("a copy of what its target does not have")),
        }
    }
}

/// No draw takes counts from it.
fn is_for_words(plan: &Plan, buffer: BufferIndex) -> bool {
    let scratch = plan.scratch.get(buffer.0);
    scratch.is_some_and(|scratch| scratch.role == ScratchRole::Reduction)
}

/// Nor may an upload write counts that a draw takes.
fn check_upload(plan: &Plan, to: BufferIndex) -> Result<(), PickError> {
    let bytes = 4 * plan.words.len() as u64;
    let fits = |scratch: &Scratch| {
        bytes > 0 && bytes <= scratch.bytes && scratch.role == ScratchRole::Reduction
    };
    match plan.scratch.get(to.0).is_some_and(fits) {
        true => Ok(()),
        false => Err(PickError::broken("an upload goes where there is no room")),
    }
}

fn format(plan: &Plan, target: usize) -> Option<TargetFormat> {
    plan.targets.get(target).map(|target| target.format)
}
