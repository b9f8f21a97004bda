//! Draws inside a pass.

use std::marker::PhantomData;

use ash::vk;
use pick_core::{IndexFormat, PickError};

use super::buffer::Buffer;
use super::commands::Recording;
use super::descriptor::Set;
use super::image::Image;
use super::pipeline::Pipeline;
use crate::conv;

/// A pass that is open in a command buffer: what a foreign draw records into.
///
/// Rendering has begun, the viewport (flipped: its height is negative) is the plan's, the scissor covers the target, and
/// the stencil reference is that of the draw. A drawer may change any state; it is set anew after it. It
/// must not end rendering, nor the command buffer.
pub struct Pass<'p> {
    commands: vk::CommandBuffer,
    device: &'p ash::Device,
    extent: vk::Extent2D,
    /// x, y, width, height, y downwards.
    viewport: [f32; 4],
    /// Elements in the bound index list, and vertices in the bound buffers.
    indices: u64,
    vertices: u64,
    /// A pass belongs to the thread that records it.
    thread: PhantomData<*const ()>,
}

impl std::fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pass")
            .field("commands", &self.commands)
            .finish_non_exhaustive()
    }
}

/// A colour target of a pass.
pub(crate) struct ColorAttachment<'i> {
    pub(crate) image: &'i Image,
    pub(crate) clear: bool,
}

/// The depth target of a pass.
pub(crate) struct DepthAttachment<'i> {
    pub(crate) image: &'i Image,
    /// What the depth is cleared to; else it is kept.
    pub(crate) clear_depth: Option<f32>,
    pub(crate) store_depth: bool,
    pub(crate) clear_stencil: bool,
}

impl<'p> Pass<'p> {
    /// The command buffer.
    pub fn commands(&self) -> vk::CommandBuffer {
        self.commands
    }

    /// The device's functions.
    pub fn device(&self) -> &ash::Device {
        self.device
    }

    /// The size of the targets.
    pub fn extent(&self) -> vk::Extent2D {
        self.extent
    }

    /// Begins rendering in a viewport given by x, y, width and height, y downwards.
    pub(crate) fn begin(
        recording: &'p Recording,
        colors: [Option<ColorAttachment<'_>>; 2],
        depth: &DepthAttachment<'_>,
        viewport: [f32; 4],
    ) -> Self {
        let extent = vk::Extent2D {
            width: depth.image.width,
            height: depth.image.height,
        };
        let load = |clear: bool| match clear {
            true => vk::AttachmentLoadOp::CLEAR,
            false => vk::AttachmentLoadOp::LOAD,
        };
        let count = colors
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |at| at + 1);
        let colors = colors.map(|color| match color {
            // A null view: nothing is written.
            None => vk::RenderingAttachmentInfo::default(),
            // The default clear value is zero in every format.
            Some(color) => vk::RenderingAttachmentInfo::default()
                .image_view(color.image.view())
                .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .load_op(load(color.clear))
                .store_op(vk::AttachmentStoreOp::STORE),
        });
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_view(depth.image.view())
            .image_layout(vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
        let depth_attachment = attachment
            .load_op(load(depth.clear_depth.is_some()))
            .store_op(match depth.store_depth {
                true => vk::AttachmentStoreOp::STORE,
                false => vk::AttachmentStoreOp::DONT_CARE,
            })
            .clear_value(vk::ClearValue {
                depth_stencil: vk::ClearDepthStencilValue {
                    depth: depth.clear_depth.unwrap_or_default(),
                    stencil: 0,
                },
            });
        let stencil_attachment = attachment
            .load_op(load(depth.clear_stencil))
            .store_op(vk::AttachmentStoreOp::STORE);
        let mut info = vk::RenderingInfo::default()
            .render_area(extent.into())
            .layer_count(1)
            .color_attachments(&colors[..count])
            .depth_attachment(&depth_attachment);
        if depth.image.format.has_stencil() {
            info = info.stencil_attachment(&stencil_attachment);
        }
        let mut pass = Self {
            commands: recording.raw(),
            device: &recording.device.raw,
            extent,
            viewport,
            indices: 0,
            vertices: 0,
            thread: PhantomData,
        };
        // SAFETY: invariants 1 and 8; no rendering is open.
        unsafe { pass.device.cmd_begin_rendering(pass.commands, &info) };
        pass.reset();
        pass
    }

    /// Sets whatever a foreign draw may have moved.
    pub(crate) fn reset(&mut self) {
        let [x, y, width, height] = self.viewport;
        // Upside down: y points up in clip space and down in the target.
        let viewport = vk::Viewport {
            x,
            y: y + height,
            width,
            height: -height,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        // SAFETY: invariants 1 and 8.
        unsafe {
            self.device.cmd_set_viewport(self.commands, 0, &[viewport]);
            let area = vk::Rect2D::from(self.extent);
            self.device.cmd_set_scissor(self.commands, 0, &[area]);
            let faces = vk::StencilFaceFlags::FRONT_AND_BACK;
            self.device
                .cmd_set_stencil_reference(self.commands, faces, 0);
            self.device
                .cmd_set_blend_constants(self.commands, &[0.0; 4]);
        }
        (self.indices, self.vertices) = (0, 0);
    }

    /// Ends rendering.
    pub(crate) fn end(self) {
        // SAFETY: invariant 1; rendering is open.
        unsafe { self.device.cmd_end_rendering(self.commands) };
    }

    pub(crate) fn stencil_reference(&self, reference: u32) {
        let faces = vk::StencilFaceFlags::FRONT_AND_BACK;
        // SAFETY: invariant 1.
        unsafe {
            self.device
                .cmd_set_stencil_reference(self.commands, faces, reference);
        }
    }

    pub(crate) fn blend_constant(&self, value: f32) {
        // SAFETY: invariant 1.
        unsafe {
            self.device
                .cmd_set_blend_constants(self.commands, &[value; 4]);
        }
    }

    pub(crate) fn pipeline(&self, pipeline: &Pipeline) {
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: invariant 1.
        unsafe {
            self.device
                .cmd_bind_pipeline(self.commands, graphics, pipeline.raw);
        }
    }

    /// Binds a set by a pipeline's layout, with an offset for each of its dynamic bindings.
    pub(crate) fn set(&self, by: &Pipeline, group: u32, set: &Set, offsets: &[u32]) {
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: invariants 1 and 8; records were laid out so that each dynamic offset lies inside.
        unsafe {
            self.device.cmd_bind_descriptor_sets(
                self.commands,
                graphics,
                by.layout,
                group,
                &[set.raw],
                offsets,
            );
        }
    }

    /// No vertex buffer limits the draws that follow.
    pub(crate) fn begin_vertices(&mut self) {
        self.vertices = u64::MAX;
    }

    /// Binds a vertex attribute of `bytes` bytes every `stride` bytes.
    pub(crate) fn vertices(
        &mut self,
        slot: u32,
        buffer: &Buffer,
        offset: u64,
        stride: u32,
        bytes: u64,
    ) {
        let room = buffer.size().saturating_sub(offset);
        let vertices = match room < bytes {
            true => 0,
            false => (room - bytes) / u64::from(stride.max(1)) + 1,
        };
        self.vertices = self.vertices.min(vertices);
        if offset >= buffer.size() {
            return; // draws are refused: there are no vertices
        }
        // SAFETY: invariants 1 and 7; the offset lies inside.
        unsafe {
            self.device
                .cmd_bind_vertex_buffers(self.commands, slot, &[buffer.raw()], &[offset]);
        }
    }

    /// Binds an index list.
    pub(crate) fn indices(&mut self, buffer: &Buffer, offset: u64, format: IndexFormat) {
        self.indices = buffer.size().saturating_sub(offset) / format.bytes();
        if self.indices == 0 {
            return; // draws are refused: there are no indices
        }
        // SAFETY: invariants 1 and 7; the offset lies inside.
        unsafe {
            let kind = conv::index_type(format);
            self.device
                .cmd_bind_index_buffer(self.commands, buffer.raw(), offset, kind);
        }
    }

    /// Draws vertices.
    ///
    /// # Errors
    /// `Broken` for vertices that the bound buffers do not have (invariant 7).
    pub(crate) fn draw(
        &self,
        vertices: std::ops::Range<u32>,
        copies: u32,
    ) -> Result<(), PickError> {
        if u64::from(vertices.end) > self.vertices {
            return Err(PickError::broken("a draw leaves its vertices"));
        }
        let count = vertices.end.saturating_sub(vertices.start);
        // SAFETY: invariants 1 and 7.
        unsafe {
            self.device
                .cmd_draw(self.commands, count, copies, vertices.start, 0);
        }
        Ok(())
    }

    /// Draws vertices in as many copies as a buffer says, which names the same vertices.
    ///
    /// # Errors
    /// `Broken` for vertices that the bound buffers do not have, or counts that the buffer does not
    /// (invariant 7).
    pub(crate) fn draw_indirect(
        &self,
        vertices: std::ops::Range<u32>,
        counts: &Buffer,
    ) -> Result<(), PickError> {
        if u64::from(vertices.end) > self.vertices {
            return Err(PickError::broken("a draw leaves its vertices"));
        }
        counts.check_arguments(4)?;
        // SAFETY: invariants 1 and 7.
        unsafe {
            self.device
                .cmd_draw_indirect(self.commands, counts.raw(), 0, 1, 0);
        }
        Ok(())
    }

    /// Draws by the index list.
    ///
    /// # Errors
    /// `Broken` for indices that the bound list does not have (invariant 7).
    pub(crate) fn draw_indexed(
        &self,
        elements: std::ops::Range<u32>,
        copies: u32,
    ) -> Result<(), PickError> {
        if u64::from(elements.end) > self.indices {
            return Err(PickError::broken("a draw leaves its index list"));
        }
        let count = elements.end.saturating_sub(elements.start);
        // SAFETY: invariants 1 and 7: what the indices name was checked when the mesh was made.
        unsafe {
            self.device
                .cmd_draw_indexed(self.commands, count, copies, elements.start, 0, 0);
        }
        Ok(())
    }

    /// As [`Pass::draw_indirect`], by the index list.
    ///
    /// # Errors
    /// `Broken` for indices that the bound list does not have, or counts that the buffer does not
    /// (invariant 7).
    pub(crate) fn draw_indexed_indirect(
        &self,
        elements: std::ops::Range<u32>,
        counts: &Buffer,
    ) -> Result<(), PickError> {
        if u64::from(elements.end) > self.indices {
            return Err(PickError::broken("a draw leaves its index list"));
        }
        counts.check_arguments(5)?;
        // SAFETY: invariants 1 and 7: what the indices name was checked when the mesh was made.
        unsafe {
            self.device
                .cmd_draw_indexed_indirect(self.commands, counts.raw(), 0, 1, 0);
        }
        Ok(())
    }
}
