//! Command buffers: ours, one a slot, and recording into them or into a host's.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ash::vk;
use pick_core::PickError;

use super::buffer::Buffer;
use super::device::Device;
use super::error::refused;
use super::graves::Dead;
use super::image::{Image, ImageUse};

/// A pool with one command buffer. Pools are reset whole, which drivers prefer.
pub(crate) struct Commands {
    device: Arc<Device>,
    pool: vk::CommandPool,
    raw: vk::CommandBuffer,
    /// The submission that runs it, or ran it last.
    runs_until: u64,
}

impl Commands {
    /// # Errors
    /// `Broken` without room, `DeviceLost`.
    pub(crate) fn new(device: &Arc<Device>) -> Result<Self, PickError> {
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(device.family);
        // SAFETY: invariants 2 and 8.
        let pool = unsafe { device.raw.create_command_pool(&info, None) };
        let mut commands = Self {
            device: device.clone(),
            pool: pool.map_err(|result| refused("a command pool", result))?,
            raw: vk::CommandBuffer::null(),
            runs_until: 0,
        };
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(commands.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: invariants 1, 6 and 8.
        let made = unsafe { device.raw.allocate_command_buffers(&info) };
        let made = made.map_err(|result| refused("a command buffer", result))?;
        commands.raw = made.first().copied().unwrap_or_default();
        Ok(commands)
    }

    /// Begins a recording of our own.
    ///
    /// # Errors
    /// `Broken` without room, or while the last recording may still run; `DeviceLost`.
    pub(crate) fn begin(&mut self) -> Result<Recording, PickError> {
        let device = &self.device;
        if self.runs_until > device.completed.load(Ordering::Acquire) {
            return Err(PickError::broken("a command buffer is still in use")); // invariant 4
        }
        // SAFETY: invariants 1, 4 and 6.
        let reset = unsafe {
            device
                .raw
                .reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
        };
        reset.map_err(|result| refused("resetting a command pool", result))?;
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: as above, and invariant 8.
        let begun = unsafe { device.raw.begin_command_buffer(self.raw, &info) };
        begun.map_err(|result| refused("beginning a command buffer", result))?;
        device.open.fetch_add(1, Ordering::AcqRel);
        Ok(Recording {
            device: device.clone(),
            raw: self.raw,
            own: true,
        })
    }

    pub(super) fn runs_until(&mut self, value: u64) {
        self.runs_until = value;
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        self.device.bury(Dead::Commands(self.pool));
    }
}

/// A command buffer that is being recorded.
pub(crate) struct Recording {
    pub(super) device: Arc<Device>,
    raw: vk::CommandBuffer,
    own: bool,
}

impl Drop for Recording {
    fn drop(&mut self) {
        if self.own {
            self.device.open.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// Most images that one barrier names: more are split.
const BARRIERS: usize = 8;

impl Recording {
    /// In a host's command buffer, which is recording, outside of rendering (invariant 10).
    pub(super) fn host(device: &Arc<Device>, raw: vk::CommandBuffer) -> Self {
        Self {
            device: device.clone(),
            raw,
            own: false,
        }
    }

    pub(super) fn raw(&self) -> vk::CommandBuffer {
        self.raw
    }

    pub(super) fn end(&self) -> Result<(), PickError> {
        // SAFETY: invariant 1; it is recording, and no rendering is open.
        let ended = unsafe { self.device.raw.end_command_buffer(self.raw) };
        ended.map_err(|result| refused("ending a command buffer", result))
    }

    /// Opens a group that GPU debuggers show; for [`Recording::end_label`] to close.
    pub(crate) fn begin_label(&self, text: Option<&str>) {
        let Some(labels) = &self.device.labels else {
            return;
        };
        let name = std::ffi::CString::new(text.unwrap_or("pick")).unwrap_or_default();
        let label = vk::DebugUtilsLabelEXT::default().label_name(&name);
        // SAFETY: invariants 1 and 8; the extension is enabled where there are labels.
        unsafe { labels.cmd_begin_debug_utils_label(self.raw, &label) };
    }

    pub(crate) fn end_label(&self) {
        if let Some(labels) = &self.device.labels {
            // SAFETY: as above; a group is open.
            unsafe { labels.cmd_end_debug_utils_label(self.raw) };
        }
    }

    /// Makes images ready for their next use.
    pub(crate) fn barrier<'i>(
        &self,
        changes: impl Iterator<Item = (&'i Image, ImageUse, ImageUse)>,
    ) {
        let mut barriers = [vk::ImageMemoryBarrier2::default(); BARRIERS];
        let mut count = 0;
        for (image, from, to) in changes {
            if count == BARRIERS {
                self.images(&barriers);
                count = 0;
            }
            barriers[count] = image.barrier(from, to);
            count += 1;
        }
        if count > 0 {
            self.images(&barriers[..count]);
        }
    }

    fn images(&self, barriers: &[vk::ImageMemoryBarrier2<'_>]) {
        let info = vk::DependencyInfo::default().image_memory_barriers(barriers);
        // SAFETY: invariants 1 and 8.
        unsafe { self.device.raw.cmd_pipeline_barrier2(self.raw, &info) };
    }

    /// Makes copies into buffers visible, to the CPU or to draws.
    fn memory(&self, stages: vk::PipelineStageFlags2, accesses: vk::AccessFlags2) {
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(stages)
            .dst_access_mask(accesses)];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: invariants 1 and 8.
        unsafe { self.device.raw.cmd_pipeline_barrier2(self.raw, &info) };
    }

    /// The CPU reads what was copied, once all has ended.
    pub(crate) fn to_host(&self) {
        self.memory(vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_READ);
    }

    /// Copies one aspect of an image, rows tight.
    ///
    /// # Errors
    /// `Broken` when the buffer's end is too near (invariant 7).
    pub(crate) fn copy_image(
        &self,
        image: &Image,
        aspect: vk::ImageAspectFlags,
        to: &Buffer,
        offset: u64,
        bytes: u64,
    ) -> Result<(), PickError> {
        if offset.checked_add(bytes).is_none_or(|end| end > to.size()) {
            return Err(PickError::broken("a copy leaves its buffer"));
        }
        let regions = [vk::BufferImageCopy2::default()
            .buffer_offset(offset)
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: aspect,
                mip_level: 0,
                base_array_layer: 0,
                layer_count: 1,
            })
            .image_extent(vk::Extent3D {
                width: image.width,
                height: image.height,
                depth: 1,
            })];
        let info = vk::CopyImageToBufferInfo2::default()
            .src_image(image.raw())
            .src_image_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)
            .dst_buffer(to.raw())
            .regions(&regions);
        // SAFETY: invariants 1, 7 and 8.
        unsafe { self.device.raw.cmd_copy_image_to_buffer2(self.raw, &info) };
        Ok(())
    }

    /// Copies bytes of one buffer into another.
    ///
    /// # Errors
    /// `Broken` when an end is too near (invariant 7).
    pub(crate) fn copy_words(
        &self,
        from: &Buffer,
        from_offset: u64,
        to: &Buffer,
        to_offset: u64,
        bytes: u64,
    ) -> Result<(), PickError> {
        let leaves = |buffer: &Buffer, offset: u64| {
            let end = offset.checked_add(bytes);
            end.is_none_or(|end| end > buffer.size())
        };
        if bytes == 0 || leaves(from, from_offset) || leaves(to, to_offset) {
            return Err(PickError::broken("a copy leaves its buffer"));
        }
        let regions = [vk::BufferCopy2::default()
            .src_offset(from_offset)
            .dst_offset(to_offset)
            .size(bytes)];
        let info = vk::CopyBufferInfo2::default()
            .src_buffer(from.raw())
            .dst_buffer(to.raw())
            .regions(&regions);
        // SAFETY: invariants 1, 7 and 8.
        unsafe { self.device.raw.cmd_copy_buffer2(self.raw, &info) };
        Ok(())
    }

    /// Writes one word everywhere in a buffer.
    pub(crate) fn fill(&self, to: &Buffer, word: u32) {
        // SAFETY: invariants 1 and 7: all of it, to the last whole word.
        unsafe {
            self.device
                .raw
                .cmd_fill_buffer(self.raw, to.raw(), 0, vk::WHOLE_SIZE, word);
        }
    }

    /// Writes a few words into a buffer.
    ///
    /// # Errors
    /// `Broken` when the buffer's end is too near (invariant 7).
    pub(crate) fn stamp(&self, to: &Buffer, offset: u64, words: &[u8]) -> Result<(), PickError> {
        let end = offset.checked_add(words.len() as u64);
        if end.is_none_or(|end| end > to.size()) {
            return Err(PickError::broken("a stamp leaves its buffer"));
        }
        // SAFETY: invariants 1, 7 and 8; stamps are 16 bytes at multiples of 16.
        unsafe {
            self.device
                .raw
                .cmd_update_buffer(self.raw, to.raw(), offset, words);
        }
        Ok(())
    }
}

/// A copy of geometry to where the device reads it fast.
pub(crate) struct Upload {
    /// Kept until the copy has run, by being buried after it was submitted.
    _commands: Commands,
    _staging: Buffer,
}

impl Upload {
    /// Copies all of `staging` to the start of `to`, by a submission of its own. Never waits.
    ///
    /// # Errors
    /// `Broken`, `DeviceLost`.
    pub(crate) fn submit(
        device: &Arc<Device>,
        staging: Buffer,
        to: &Buffer,
    ) -> Result<Self, PickError> {
        if staging.size() > to.size() {
            return Err(PickError::broken("an upload leaves its buffer")); // invariant 7
        }
        let mut commands = Commands::new(device)?;
        let recording = commands.begin()?;
        let regions = [vk::BufferCopy2::default().size(staging.size())];
        let info = vk::CopyBufferInfo2::default()
            .src_buffer(staging.raw())
            .dst_buffer(to.raw())
            .regions(&regions);
        // SAFETY: invariants 1, 7 and 8.
        unsafe { device.raw.cmd_copy_buffer2(recording.raw, &info) };
        use vk::{AccessFlags2 as Access, PipelineStageFlags2 as Stage};
        recording.memory(
            Stage::VERTEX_INPUT | Stage::VERTEX_SHADER,
            Access::INDEX_READ | Access::VERTEX_ATTRIBUTE_READ | Access::SHADER_STORAGE_READ,
        );
        device.submit(recording, &mut commands)?;
        Ok(Self {
            _commands: commands,
            _staging: staging,
        })
    }
}
