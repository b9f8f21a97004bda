//! Recording a resolved plan into a command buffer.

use pick_core::kit::{KernelKey, Scratches};
use pick_core::{
    Aspect, BufferIndex, ComputeStep, CopySource, CopyStep, Draw, ForeignContext, ForeignDraw,
    ForeignId, ForeignItem, Item, Keeps, MeshId, PassStep, PickError, Plan, Registry, Step,
    TargetIndex, VertexFetch,
};

use crate::VulkanBackend;
use crate::bind::Binds;
use crate::conv;
use crate::device::Gpu;
use crate::kernels::{Kernels, meets};
use crate::mask::Masks;
use crate::mesh::{Mesh, Stream};
use crate::pipelines::{PassFormats, Pipelines};
use crate::records::Records;
use crate::resolve::{Call, Job};
use crate::slots::Slot;
use crate::targets::Targets;
use crate::vk::{
    ColorAttachment, DepthAttachment, Image, ImageUse, KernelBarrier, Pass, Recording,
};

/// A foreign drawer, as the backend keeps it.
pub(crate) type Drawer = Box<dyn ForeignDraw<VulkanBackend>>;

/// What recording looks things up in.
pub(crate) struct Recorder<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) job: &'a Job,
    /// What each target was used for last.
    pub(crate) uses: &'a mut Vec<ImageUse>,
    pub(crate) slot: &'a Slot,
    pub(crate) meshes: &'a Registry<MeshId, Mesh>,
    pub(crate) foreign: &'a mut Registry<ForeignId, Drawer>,
    pub(crate) pipelines: &'a Pipelines,
    pub(crate) binds: &'a Binds,
    pub(crate) targets: &'a Targets,
    pub(crate) kernels: &'a Kernels,
    pub(crate) masks: &'a Masks,
    pub(crate) scratches: &'a Scratches<Gpu>,
    pub(crate) records: &'a Records,
}

/// What is bound, so that nothing is bound twice.
#[derive(Default)]
struct Bound {
    pick: bool,
    pipeline: Option<usize>,
    group: Option<usize>,
    buffers: Option<(MeshId, VertexFetch, u32)>,
    attributes: pick_shaders::VertexAttributes,
}

pub(crate) fn as_kernel(step: &Step) -> Option<&ComputeStep> {
    match step {
        Step::Compute(step) => Some(step),
        _ => None,
    }
}

fn gone() -> PickError {
    PickError::broken("what was resolved is gone") // cannot happen: nothing is removed in between
}

impl Recorder<'_> {
    /// Records every step.
    ///
    /// # Errors
    /// What a foreign draw met. Passes may then be recorded already; they touch nothing but our own
    /// targets and the slot.
    pub(crate) fn record(&mut self, recording: &Recording) -> Result<(), PickError> {
        self.uses.clear();
        self.uses.resize(self.plan.targets.len(), ImageUse::Fresh);
        recording.begin_label(self.plan.label.as_deref());
        let recorded = self.steps(recording);
        recording.end_label();
        recorded
    }

    fn steps(&mut self, recording: &Recording) -> Result<(), PickError> {
        let (plan, job) = (self.plan, self.job);
        let mut calls = job.calls.as_slice();
        let mut keys = job.kernels.as_slice();
        let mut steps = plan.steps.as_slice();
        while let Some((step, later)) = steps.split_first() {
            match step {
                Step::Compute(_) => {
                    let kernels = steps.iter().map_while(as_kernel).count();
                    let (of_these, rest) = keys.split_at(kernels.min(keys.len()));
                    let first = job.kernels.len() - keys.len();
                    self.kernels(recording, &steps[..kernels], first, of_these)?;
                    keys = rest;
                    steps = &steps[kernels..];
                    continue;
                }
                Step::Pass(pass) => {
                    let (of_pass, rest) = calls.split_at(pass.items.len().min(calls.len()));
                    calls = rest;
                    self.pass(recording, pass, of_pass)?;
                }
                Step::StencilBits { from, to } => self.stencil_bits(recording, *from, *to)?,
                Step::Upload(to) => self.upload(recording, *to)?,
                Step::Copy(copy) => {
                    self.before_copies(recording, steps);
                    self.copy(recording, copy)?;
                }
            }
            steps = later;
        }
        Ok(())
    }

    fn upload(&self, recording: &Recording, to: BufferIndex) -> Result<(), PickError> {
        let records = self.slot.record_buffer().ok_or_else(gone)?;
        let to = self.scratches.at(to).ok_or_else(gone)?;
        let (from, bytes) = (
            self.records.words_offset(self.plan),
            4 * self.plan.words.len(),
        );
        recording.kernel_barrier(KernelBarrier::Upload);
        recording.copy_words(records, from, to, 0, bytes as u64)?;
        recording.kernel_barrier(KernelBarrier::Uploaded);
        Ok(())
    }

    /// Runs kernels that stand together; `first` is the number of the first among the plan's.
    fn kernels(
        &mut self,
        recording: &Recording,
        steps: &[Step],
        first: usize,
        keys: &[KernelKey],
    ) -> Result<(), PickError> {
        self.before_kernels(recording, steps);
        let sets = self.slot.record_sets().ok_or_else(gone)?;
        recording.kernel_barrier(KernelBarrier::First);
        let mut since = 0;
        let kernels = steps.iter().filter_map(as_kernel).zip(keys).enumerate();
        for (at, (step, key)) in kernels {
            let mut unseen = steps[since..at].iter().filter_map(as_kernel);
            if unseen.any(|earlier| meets(earlier, step)) {
                recording.kernel_barrier(KernelBarrier::Between);
                since = at;
            }
            let pipeline = self.kernels.pipeline(step.kernel).ok_or_else(gone)?;
            let offset = self.records.params_offset(self.plan, first + at);
            let bound = self.kernels.group(key).ok_or_else(gone)?;
            recording.kernel(pipeline, &sets.params, offset, bound);
            recording.dispatch(step.workgroups);
        }
        recording.kernel_barrier(KernelBarrier::Last);
        Ok(())
    }

    fn copy(&self, recording: &Recording, copy: &CopyStep) -> Result<(), PickError> {
        let block = self.slot.layout().blocks.get(copy.readback);
        let (block, readback) = (block.ok_or_else(gone)?, self.slot.readback());
        let readback = readback.ok_or_else(gone)?;
        match copy.from {
            CopySource::Target { target, aspect } => {
                let (image, aspect) = (self.image(target)?, conv::aspect(aspect));
                recording.copy_image(image, aspect, readback, block.offset, block.bytes)
            }
            CopySource::Scratch { buffer, offset } => {
                let buffer = self.scratches.at(buffer).ok_or_else(gone)?;
                recording.copy_words(buffer, offset, readback, block.offset, block.bytes)
            }
        }
    }

    fn image(&self, index: TargetIndex) -> Result<&Image, PickError> {
        let position = self.job.targets.get(index.0).ok_or_else(gone)?;
        self.targets.image(*position).ok_or_else(gone)
    }

    fn pass(
        &mut self,
        recording: &Recording,
        step: &PassStep,
        calls: &[Option<Call>],
    ) -> Result<(), PickError> {
        let plan = self.plan;
        let [first, second] = step.colors;
        let fresh = self.before_pass(recording, [first, second, Some(step.depth)]);
        let color = |index: Option<TargetIndex>, fresh: bool| match index {
            None => Ok(None),
            Some(index) => self.image(index).map(|image| {
                Some(ColorAttachment {
                    image,
                    clear: step.clear_ids || fresh,
                })
            }),
        };
        let colors = [color(first, fresh[0])?, color(second, fresh[1])?];
        let depth = DepthAttachment {
            image: self.image(step.depth)?,
            clear_depth: Some(match step.mask {
                None => plan.view.depth().clear_depth(),
                Some(_) => plan.view.depth().closed_depth(),
            }),
            store_depth: plan.copies(step.depth, Aspect::Depth),
            clear_stencil: step.clear_ids || fresh[2],
        };
        let mut pass = Pass::begin(recording, colors, &depth, plan.viewport());
        let opened = match step.mask {
            None => Ok(()),
            Some(mask) => PassFormats::of(plan, step)
                .and_then(|formats| self.masks.draw(&mut pass, formats, mask.count)),
        };
        let drawn = opened.and_then(|()| self.items(&mut pass, step, calls));
        pass.end();
        if step.keeps != Keeps::Nearest {
            recording.kernel_barrier(KernelBarrier::Kept);
        }
        drawn
    }

    fn items(
        &mut self,
        pass: &mut Pass<'_>,
        step: &PassStep,
        calls: &[Option<Call>],
    ) -> Result<(), PickError> {
        let plan = self.plan;
        let mut bound = Bound::default();
        for (index, call) in step.items.clone().zip(calls) {
            match (plan.items.get(index), call) {
                (Some(Item::Draw(draw)), Some(call)) => {
                    set_stencil(pass, step, draw.number);
                    self.draw(pass, step, index, draw, call, &mut bound)?;
                }
                (Some(Item::Foreign(item)), _) => {
                    set_stencil(pass, step, item.number);
                    self.foreign(pass, step, item)?;
                    bound = Bound::default();
                    pass.reset();
                }
                _ => return Err(gone()),
            }
        }
        Ok(())
    }

    fn draw(
        &self,
        pass: &mut Pass<'_>,
        step: &PassStep,
        index: usize,
        draw: &Draw,
        call: &Call,
        bound: &mut Bound,
    ) -> Result<(), PickError> {
        let copies = draw.instances.map_or(1, |run| run.count);
        if draw.elements.is_empty() || copies == 0 {
            return Ok(());
        }
        let mesh = self.meshes.get(draw.mesh)?;
        let pipeline = self.pipelines.at(call.pipeline).ok_or_else(gone)?;
        if bound.pipeline != Some(call.pipeline) {
            pass.pipeline(pipeline);
            bound.pipeline = Some(call.pipeline);
            // Another geometry's layout disturbs the sets behind it.
            if step.keeps != Keeps::Nearest {
                pass.set(pipeline, 3, self.binds.fragments().ok_or_else(gone)?, &[]);
            }
        }
        let sets = self.slot.record_sets().ok_or_else(gone)?;
        if !bound.pick {
            pass.set(pipeline, 0, &sets.pick, &[]);
            bound.pick = true;
        }
        let offset = self.records.offset(index);
        pass.set(pipeline, 1, &sets.draw, &[offset, offset]);
        if bound.group != Some(call.group) {
            pass.set(
                pipeline,
                2,
                self.binds.at(call.group).ok_or_else(gone)?,
                &[],
            );
            bound.group = Some(call.group);
        }
        // Expanded vertices are bound from the draw's first one on, so that the shader's count starts
        // at 0 on every driver.
        let first = match draw.fetch {
            VertexFetch::Expanded => draw.elements.start,
            VertexFetch::Indexed | VertexFetch::Pulled => 0,
        };
        let buffers = Some((draw.mesh, draw.fetch, first));
        if bound.buffers != buffers || bound.attributes != call.attributes {
            bind_vertices(pass, mesh, draw.fetch, call, first)?;
            bound.buffers = buffers;
            bound.attributes = call.attributes;
        }
        let count = draw.elements.end - draw.elements.start;
        if let Some(survivors) = draw.survivors {
            let counts = self.scratches.at(survivors).ok_or_else(gone)?;
            let elements = draw.elements.clone();
            return match (draw.fetch, &mesh.indices) {
                (VertexFetch::Indexed, Some(_)) => pass.draw_indexed_indirect(elements, counts),
                (VertexFetch::Indexed, None) => pass.draw_indirect(elements, counts),
                (VertexFetch::Pulled | VertexFetch::Expanded, _) => {
                    pass.draw_indirect(0..count, counts)
                }
            };
        }
        match (draw.fetch, &mesh.indices) {
            (VertexFetch::Indexed, Some(_)) => pass.draw_indexed(draw.elements.clone(), copies),
            (VertexFetch::Indexed, None) => pass.draw(draw.elements.clone(), copies),
            (VertexFetch::Pulled | VertexFetch::Expanded, _) => pass.draw(0..count, copies),
        }
    }

    fn foreign(
        &mut self,
        pass: &mut Pass<'_>,
        step: &PassStep,
        item: &ForeignItem,
    ) -> Result<(), PickError> {
        let context = ForeignContext {
            plan: self.plan,
            pass: step,
            item,
        };
        self.foreign.get_mut(item.drawer)?.record(pass, &context)
    }

    /// Adds the weight of each bit to the colour wherever the stencil has it.
    fn stencil_bits(
        &mut self,
        recording: &Recording,
        from: TargetIndex,
        to: TargetIndex,
    ) -> Result<(), PickError> {
        let format = self.plan.targets.get(from.0).map(|t| t.format);
        let pipelines = format.and_then(|format| self.pipelines.stencil_bits(format));
        let pipelines = pipelines.ok_or_else(gone)?;
        self.before_pass(recording, [Some(to), None, Some(from)]);
        let color = ColorAttachment {
            image: self.image(to)?,
            clear: true,
        };
        let depth = DepthAttachment {
            image: self.image(from)?,
            clear_depth: None,
            store_depth: true,
            clear_stencil: false,
        };
        let region = self.plan.region;
        let whole = [0.0, 0.0, region.width as f32, region.height as f32];
        let mut pass = Pass::begin(recording, [Some(color), None], &depth, whole);
        pass.stencil_reference(0xff);
        pass.begin_vertices();
        let mut drawn = Ok(());
        for (bit, pipeline) in pipelines.iter().enumerate() {
            pass.pipeline(pipeline);
            pass.blend_constant((1u32 << bit) as f32 / 255.0);
            drawn = drawn.and_then(|()| pass.draw(0..3, 1));
        }
        pass.end();
        drawn
    }
}

/// The byte of the item's number that this pass writes.
fn set_stencil(pass: &Pass<'_>, step: &PassStep, number: u32) {
    if let Some(plane) = step.stencil_plane {
        let byte = number.checked_shr(8 * u32::from(plane)).unwrap_or(0) & 0xff;
        pass.stencil_reference(byte);
    }
}

/// Bytes that the vertex stage reads of each attribute.
const ATTRIBUTE_BYTES: [u64; 3] = [12, 12, 8];

fn bind_vertices(
    pass: &mut Pass<'_>,
    mesh: &Mesh,
    fetch: VertexFetch,
    call: &Call,
    first: u32,
) -> Result<(), PickError> {
    pass.begin_vertices();
    if fetch == VertexFetch::Pulled {
        return Ok(());
    }
    let vertices = mesh.vertices(fetch).ok_or_else(gone)?;
    let used = [true, call.attributes.normals, call.attributes.uvs];
    let slots = (0u32..).zip(vertices.slots()).zip(ATTRIBUTE_BYTES);
    for (((slot, stream), bytes), used) in slots.zip(used) {
        if let Some(stream) = stream.filter(|_| used) {
            let offset = from_vertex(stream, first);
            pass.vertices(slot, &stream.buffer, offset, stream.stride, bytes);
        }
    }
    if let (VertexFetch::Indexed, Some(indices)) = (fetch, &mesh.indices) {
        pass.indices(&indices.buffer, indices.offset, indices.format);
    }
    Ok(())
}

fn from_vertex(stream: &Stream, first: u32) -> u64 {
    stream.offset + u64::from(first) * u64::from(stream.stride)
}
