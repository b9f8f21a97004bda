//! Render targets.

use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;
use pick_core::{PickError, TargetFormat};

use super::device::Device;
use super::error::refused;
use super::graves::Dead;
use super::memory::Memory;
use crate::conv;

/// An image with a view of all of it.
pub(crate) struct Image {
    device: Arc<Device>,
    raw: vk::Image,
    view: vk::ImageView,
    memory: Memory,
    pub(crate) format: TargetFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// What an image is used for, within a pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageUse {
    /// Not yet; earlier picks on the queue may still use it, and what they left is not needed.
    Fresh,
    /// Drawn into.
    Attachment,
    /// Read by kernels.
    Read,
    /// Copied from.
    CopySource,
}

impl Image {
    /// Makes an image that can be drawn into, and copied from where the format can.
    ///
    /// # Errors
    /// `Broken` without room, `DeviceLost`.
    pub(crate) fn new(
        device: &Arc<Device>,
        format: TargetFormat,
        width: u32,
        height: u32,
    ) -> Result<Self, PickError> {
        const WHAT: &str = "a target";
        let physical = &device.physical;
        let mut usage = match format.is_depth() {
            true => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            false => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        };
        if physical.copies(format) {
            usage |= vk::ImageUsageFlags::TRANSFER_SRC;
        }
        // Every device samples the formats that kernels read, as the standard demands.
        if format.texel().is_some() {
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        let extent = vk::Extent3D {
            width,
            height,
            depth: 1,
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(physical.format(format))
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: invariants 2 and 8; the format renders, and the sides are within the device's limits.
        let raw = unsafe { device.raw.create_image(&info, None) };
        let mut image = Self {
            device: device.clone(),
            raw: raw.map_err(|result| refused(WHAT, result))?,
            view: vk::ImageView::null(),
            memory: Memory::Host,
            format,
            width,
            height,
        };
        // SAFETY: invariant 1.
        let requirements = unsafe { device.raw.get_image_memory_requirements(image.raw) };
        let location = MemoryLocation::GpuOnly;
        image.memory = Memory::share(device, WHAT, requirements, location, false)?;
        if let Some((memory, offset)) = image.memory.place() {
            // SAFETY: the memory was allocated by the image's requirements and is bound once.
            let bound = unsafe { device.raw.bind_image_memory(image.raw, memory, offset) };
            bound.map_err(|result| refused(WHAT, result))?;
        }
        let info = vk::ImageViewCreateInfo::default()
            .image(image.raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(physical.format(format))
            .subresource_range(range(format));
        // SAFETY: invariants 1 and 8; memory is bound.
        let view = unsafe { device.raw.create_image_view(&info, None) };
        image.view = view.map_err(|result| refused(WHAT, result))?;
        Ok(image)
    }

    pub(super) fn raw(&self) -> vk::Image {
        self.raw
    }

    pub(super) fn view(&self) -> vk::ImageView {
        self.view
    }

    /// It was made so that kernels can read it.
    pub(super) fn is_read_by_kernels(&self) -> bool {
        self.format.texel().is_some()
    }

    /// The barrier between two uses.
    pub(super) fn barrier(&self, from: ImageUse, to: ImageUse) -> vk::ImageMemoryBarrier2<'static> {
        let is_depth = self.format.is_depth();
        let old = scope(from, is_depth);
        let new = scope(to, is_depth);
        vk::ImageMemoryBarrier2::default()
            .src_stage_mask(old.stages)
            .src_access_mask(old.writes)
            .dst_stage_mask(new.stages)
            .dst_access_mask(new.accesses)
            .old_layout(old.layout)
            .new_layout(new.layout)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.raw)
            .subresource_range(range(self.format))
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if self.view != vk::ImageView::null() {
            self.device.bury(Dead::View(self.view));
        }
        self.device.bury(Dead::Image(self.raw));
        std::mem::replace(&mut self.memory, Memory::Host).bury(&self.device);
    }
}

/// Where a use happens, and in which layout.
struct Scope {
    stages: vk::PipelineStageFlags2,
    /// What must be made available before another use.
    writes: vk::AccessFlags2,
    accesses: vk::AccessFlags2,
    layout: vk::ImageLayout,
}

fn scope(of: ImageUse, is_depth: bool) -> Scope {
    use vk::{AccessFlags2 as Access, PipelineStageFlags2 as Stage};
    let attachment = match is_depth {
        true => Scope {
            stages: Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
            writes: Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
            accesses: Access::DEPTH_STENCIL_ATTACHMENT_READ
                | Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
            layout: vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        },
        false => Scope {
            stages: Stage::COLOR_ATTACHMENT_OUTPUT,
            writes: Access::COLOR_ATTACHMENT_WRITE,
            accesses: Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE,
            layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        },
    };
    match of {
        ImageUse::Attachment => attachment,
        // The last pick drew into it and read it, in another submission.
        ImageUse::Fresh => Scope {
            stages: attachment.stages | Stage::COPY | Stage::COMPUTE_SHADER,
            layout: vk::ImageLayout::UNDEFINED,
            ..attachment
        },
        ImageUse::Read => Scope {
            stages: Stage::COMPUTE_SHADER,
            writes: Access::NONE,
            accesses: Access::SHADER_READ,
            layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        },
        ImageUse::CopySource => Scope {
            stages: Stage::COPY,
            writes: Access::NONE,
            accesses: Access::TRANSFER_READ,
            layout: vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        },
    }
}

fn range(format: TargetFormat) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: conv::aspects(format),
        base_mip_level: 0,
        level_count: 1,
        base_array_layer: 0,
        layer_count: 1,
    }
}
