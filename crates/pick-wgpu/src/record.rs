//! Recording a resolved plan into a command encoder. Only foreign draws can fail here.

use pick_core::kit::Scratches;
use pick_core::{
    Aspect, BufferIndex, CopySource, CopyStep, Draw, ForeignContext, ForeignDraw, ForeignId,
    ForeignItem, Item, Keeps, MeshId, PassStep, PickError, Plan, Registry, Step, TargetIndex,
    VertexFetch,
};

use crate::WgpuBackend;
use crate::bind::Binds;
use crate::conv;
use crate::device::Gpu;
use crate::kernels::Kernels;
use crate::mask::Masks;
use crate::mesh::{Mesh, Stream};
use crate::pipelines::{PassFormats, Pipelines};
use crate::records::Records;
use crate::resolve::{Call, Job};
use crate::slots::Slot;
use crate::targets::{Targets, extent};

/// A foreign drawer, as the backend keeps it.
pub(crate) type Drawer = Box<dyn ForeignDraw<WgpuBackend>>;

/// What recording looks things up in.
pub(crate) struct Recorder<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) job: &'a Job,
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
    pipeline: Option<usize>,
    group: Option<usize>,
    buffers: Option<(MeshId, VertexFetch, u32)>,
    attributes: pick_shaders::VertexAttributes,
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
    pub(crate) fn record(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), PickError> {
        let (plan, job) = (self.plan, self.job);
        let mut calls = job.calls.as_slice();
        let mut kernels = 0;
        let mut steps = plan.steps.as_slice();
        while let Some((step, later)) = steps.split_first() {
            steps = later;
            match step {
                Step::Compute(_) => {
                    let is_kernel = |step: &Step| matches!(step, Step::Compute(_));
                    let more = later.iter().take_while(|step| is_kernel(step)).count();
                    self.kernels(encoder, kernels, more + 1)?;
                    kernels += more + 1;
                    steps = &later[more..];
                }
                Step::Pass(pass) => {
                    let (of_pass, rest) = calls.split_at(pass.items.len().min(calls.len()));
                    calls = rest;
                    self.pass(encoder, pass, of_pass)?;
                }
                Step::StencilBits { from, to } => self.stencil_bits(encoder, *from, *to)?,
                Step::Upload(to) => self.upload(encoder, *to)?,
                Step::Copy(copy) => self.copy(encoder, copy)?,
            }
        }
        Ok(())
    }

    /// Runs kernels one after the other in a pass of their own.
    fn kernels(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        first: usize,
        count: usize,
    ) -> Result<(), PickError> {
        let records = self.slot.records().ok_or_else(gone)?;
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: self.plan.label.as_deref(),
            timestamp_writes: None,
        });
        let steps = self.plan.kernels().enumerate().skip(first).take(count);
        for (index, step) in steps {
            let key = self.job.kernels.get(index).ok_or_else(gone)?;
            pass.set_pipeline(self.kernels.pipeline(step.kernel).ok_or_else(gone)?);
            let offset = self.records.params_offset(self.plan, index);
            pass.set_bind_group(0, &records.params, &[offset]);
            pass.set_bind_group(1, self.kernels.group(key).ok_or_else(gone)?, &[]);
            let [x, y] = step.workgroups;
            pass.dispatch_workgroups(x, y, 1);
        }
        Ok(())
    }

    fn pass(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        step: &PassStep,
        calls: &[Option<Call>],
    ) -> Result<(), PickError> {
        let (plan, records) = (self.plan, self.slot.records().ok_or_else(gone)?);
        let targets = self.targets;
        let view = |index: TargetIndex| {
            let position = self.job.targets.get(index.0)?;
            targets.view(*position)
        };
        let load = clear_or_load(step.clear_ids, wgpu::Color::TRANSPARENT);
        let color = |index: Option<TargetIndex>| {
            Some(wgpu::RenderPassColorAttachment {
                view: view(index?)?,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load,
                    store: wgpu::StoreOp::Store,
                },
            })
        };
        let colors = step.colors.map(color);
        let color_count = colors.iter().rposition(Option::is_some);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: plan.label.as_deref(),
            color_attachments: &colors[..color_count.map_or(0, |last| last + 1)],
            depth_stencil_attachment: Some(
                self.depth_attachment(step, view(step.depth).ok_or_else(gone)?),
            ),
            ..wgpu::RenderPassDescriptor::default()
        });
        set_viewport(&mut pass, plan);
        if let Some(mask) = step.mask {
            let formats = PassFormats::of(plan, step)?;
            self.masks
                .draw(&mut pass, formats, mask.count)
                .ok_or_else(gone)?;
        }
        pass.set_bind_group(0, &records.pick, &[]);
        if step.keeps != Keeps::Nearest {
            pass.set_bind_group(3, self.binds.fragments().ok_or_else(gone)?, &[]);
        }
        let mut bound = Bound::default();
        for (index, call) in step.items.clone().zip(calls) {
            match (plan.items.get(index), call) {
                (Some(Item::Draw(draw)), Some(call)) => {
                    set_stencil(&mut pass, step, draw.number);
                    let offset = self.records.offset(index);
                    pass.set_bind_group(1, &records.draw, &[offset, offset]);
                    self.draw(&mut pass, draw, call, &mut bound)?;
                }
                (Some(Item::Foreign(item)), _) => {
                    set_stencil(&mut pass, step, item.number);
                    self.foreign(&mut pass, step, item)?;
                    bound = Bound::default();
                    reset(&mut pass, plan);
                    pass.set_bind_group(0, &records.pick, &[]);
                }
                _ => return Err(gone()),
            }
        }
        Ok(())
    }

    fn depth_attachment<'v>(
        &self,
        step: &PassStep,
        view: &'v wgpu::TextureView,
    ) -> wgpu::RenderPassDepthStencilAttachment<'v> {
        let format = self.plan.targets.get(step.depth.0).map(|t| t.format);
        let stencil = format.is_some_and(|format| format.has_stencil());
        // wgpu clears an aspect in a pass of its own where only the other one is stored.
        let stored = stencil || self.plan.copies(step.depth, Aspect::Depth);
        wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(match step.mask {
                    None => self.plan.view.depth().clear_depth(),
                    Some(_) => self.plan.view.depth().closed_depth(),
                }),
                store: match stored {
                    true => wgpu::StoreOp::Store,
                    false => wgpu::StoreOp::Discard,
                },
            }),
            stencil_ops: stencil.then(|| wgpu::Operations {
                load: clear_or_load(step.clear_ids, 0),
                store: wgpu::StoreOp::Store,
            }),
        }
    }

    fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        draw: &Draw,
        call: &Call,
        bound: &mut Bound,
    ) -> Result<(), PickError> {
        let copies = draw.instances.map_or(1, |run| run.count);
        if draw.elements.is_empty() || copies == 0 {
            return Ok(());
        }
        let mesh = self.meshes.get(draw.mesh)?;
        if bound.pipeline != Some(call.pipeline) {
            pass.set_pipeline(self.pipelines.at(call.pipeline).ok_or_else(gone)?);
            bound.pipeline = Some(call.pipeline);
        }
        if bound.group != Some(call.group) {
            pass.set_bind_group(2, self.binds.at(call.group).ok_or_else(gone)?, &[]);
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
            match (draw.fetch, &mesh.indices) {
                (VertexFetch::Indexed, Some(_)) => pass.draw_indexed_indirect(counts, 0),
                _ => pass.draw_indirect(counts, 0),
            }
            return Ok(());
        }
        match (draw.fetch, &mesh.indices) {
            (VertexFetch::Indexed, Some(_)) => {
                pass.draw_indexed(draw.elements.clone(), 0, 0..copies);
            }
            (VertexFetch::Indexed, None) => pass.draw(draw.elements.clone(), 0..copies),
            (VertexFetch::Pulled | VertexFetch::Expanded, _) => pass.draw(0..count, 0..copies),
        }
        Ok(())
    }

    fn foreign(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
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
        &self,
        encoder: &mut wgpu::CommandEncoder,
        from: TargetIndex,
        to: TargetIndex,
    ) -> Result<(), PickError> {
        let view = |index: TargetIndex| {
            let position = self.job.targets.get(index.0)?;
            self.targets.view(*position)
        };
        let format = self.plan.targets.get(from.0).map(|t| t.format);
        let pipelines = format.and_then(|format| self.pipelines.stencil_bits(format));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: self.plan.label.as_deref(),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: view(to).ok_or_else(gone)?,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: view(from).ok_or_else(gone)?,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Store,
                }),
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_stencil_reference(0xff);
        for (bit, pipeline) in pipelines.ok_or_else(gone)?.iter().enumerate() {
            let weight = f64::from(1u32 << bit) / 255.0;
            pass.set_pipeline(pipeline);
            pass.set_blend_constant(wgpu::Color {
                r: weight,
                g: weight,
                b: weight,
                a: weight,
            });
            pass.draw(0..3, 0..1);
        }
        Ok(())
    }

    fn upload(&self, encoder: &mut wgpu::CommandEncoder, to: BufferIndex) -> Result<(), PickError> {
        let records = self.slot.records().ok_or_else(gone)?;
        let to = self.scratches.at(to).ok_or_else(gone)?;
        let (from, bytes) = (
            self.records.words_offset(self.plan),
            4 * self.plan.words.len(),
        );
        encoder.copy_buffer_to_buffer(&records.buffer, from, to, 0, bytes as u64);
        Ok(())
    }

    fn copy(&self, encoder: &mut wgpu::CommandEncoder, copy: &CopyStep) -> Result<(), PickError> {
        let block = self.slot.layout().blocks.get(copy.readback);
        let (block, readback) = (block.ok_or_else(gone)?, self.slot.readback());
        let readback = readback.ok_or_else(gone)?;
        match copy.from {
            CopySource::Target { target, aspect } => {
                let position = self.job.targets.get(target.0).ok_or_else(gone)?;
                encoder.copy_texture_to_buffer(
                    wgpu::TexelCopyTextureInfo {
                        texture: self.targets.texture(*position).ok_or_else(gone)?,
                        mip_level: 0,
                        origin: wgpu::Origin3d::ZERO,
                        aspect: conv::texture_aspect(aspect),
                    },
                    wgpu::TexelCopyBufferInfo {
                        buffer: readback,
                        layout: block.layout(),
                    },
                    extent(self.plan.region.width, self.plan.region.height),
                );
            }
            CopySource::Scratch { buffer, offset } => {
                let buffer = self.scratches.at(buffer).ok_or_else(gone)?;
                let bytes = block.row_bytes;
                encoder.copy_buffer_to_buffer(buffer, offset, readback, block.offset, bytes);
            }
        }
        Ok(())
    }
}

fn clear_or_load<V>(clear: bool, value: V) -> wgpu::LoadOp<V> {
    match clear {
        true => wgpu::LoadOp::Clear(value),
        false => wgpu::LoadOp::Load,
    }
}

/// The byte of the item's number that this pass writes.
fn set_stencil(pass: &mut wgpu::RenderPass<'_>, step: &PassStep, number: u32) {
    if let Some(plane) = step.stencil_plane {
        let byte = number.checked_shr(8 * u32::from(plane)).unwrap_or(0) & 0xff;
        pass.set_stencil_reference(byte);
    }
}

/// Puts back what a foreign draw may have moved.
fn reset(pass: &mut wgpu::RenderPass<'_>, plan: &Plan) {
    let (width, height) = (plan.region.width, plan.region.height);
    set_viewport(pass, plan);
    pass.set_scissor_rect(0, 0, width, height);
}

fn bind_vertices(
    pass: &mut wgpu::RenderPass<'_>,
    mesh: &Mesh,
    fetch: VertexFetch,
    call: &Call,
    first: u32,
) -> Result<(), PickError> {
    if fetch == VertexFetch::Pulled {
        return Ok(());
    }
    let vertices = mesh.vertices(fetch).ok_or_else(gone)?;
    let used = [true, call.attributes.normals, call.attributes.uvs];
    for ((slot, stream), used) in (0..).zip(vertices.slots()).zip(used) {
        if let Some(stream) = stream.filter(|_| used) {
            pass.set_vertex_buffer(slot, from_vertex(stream, first)?);
        }
    }
    if let (VertexFetch::Indexed, Some(indices)) = (fetch, &mesh.indices) {
        let slice = from_byte(&indices.buffer, indices.offset)?;
        pass.set_index_buffer(slice, conv::index_format(indices.format));
    }
    Ok(())
}

fn from_vertex(stream: &Stream, first: u32) -> Result<wgpu::BufferSlice<'_>, PickError> {
    let start = stream.offset + u64::from(first) * u64::from(stream.stride);
    from_byte(&stream.buffer, start)
}

/// wgpu panics on slices without bytes.
fn from_byte(buffer: &wgpu::Buffer, start: u64) -> Result<wgpu::BufferSlice<'_>, PickError> {
    match start < buffer.size() {
        true => Ok(buffer.slice(start..)),
        false => Err(gone()),
    }
}

fn set_viewport(pass: &mut wgpu::RenderPass<'_>, plan: &Plan) {
    let [x, y, width, height] = plan.viewport();
    pass.set_viewport(x, y, width, height, 0.0, 1.0);
}
