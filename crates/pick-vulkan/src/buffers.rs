//! Buffers: the host's, adopted by name, and ours, filled when they are made.

use std::sync::Arc;

use ash::vk::BufferUsageFlags;
use pick_core::kit::{self, BufferUse, DeviceMemory, MemoryLimits};
use pick_core::{BufferId, PickError};

use crate::VulkanBackend;
use crate::device::Gpu;
use crate::mesh::Vertices;
use crate::vk::{Buffer, Place, Upload};

impl VulkanBackend {
    /// Forgets the name of a host's buffer. Meshes and instance sets made of it still draw from it.
    ///
    /// # Errors
    /// Input errors for a foreign or removed id.
    pub fn forget_buffer(&mut self, buffer: BufferId) -> Result<(), PickError> {
        self.buffers.remove(buffer).map(drop)
    }
}

/// Where the CPU sees the device's own memory uploads are written there; else they go through a staging
/// buffer and a submission of their own. Nothing waits.
impl DeviceMemory for Gpu {
    type Buffer = Arc<Buffer>;

    fn bytes(buffer: &Self::Buffer) -> u64 {
        buffer.size()
    }

    fn allows(buffer: &Self::Buffer, wanted: BufferUse) -> bool {
        buffer.usage().contains(usage(wanted))
    }

    fn upload(
        &self,
        label: &'static str,
        contents: &[u8],
        uses: &[BufferUse],
    ) -> Result<Self::Buffer, PickError> {
        let device = &self.device;
        let size = (contents.len() as u64).next_multiple_of(4).max(64);
        let uses = uses.iter().copied().map(usage);
        let usage = uses.fold(BufferUsageFlags::TRANSFER_DST, |all, usage| all | usage);
        let mut buffer = Buffer::new(device, label, size, usage, Place::Device)?;
        if contents.is_empty() {
            return Ok(Arc::new(buffer));
        }
        if buffer.is_writable() {
            filled(buffer.write(0, contents))?;
            return Ok(Arc::new(buffer));
        }
        let source = BufferUsageFlags::TRANSFER_SRC;
        let mut staging = Buffer::new(device, label, size, source, Place::Upload)?;
        filled(staging.write(0, contents))?;
        Upload::submit(device, staging, &buffer)?;
        Ok(Arc::new(buffer))
    }

    fn reserve(
        &self,
        label: &'static str,
        bytes: u64,
        uses: &[BufferUse],
    ) -> Result<Self::Buffer, PickError> {
        let uses = uses.iter().copied().map(usage);
        let usage = uses.fold(BufferUsageFlags::empty(), |all, usage| all | usage);
        Buffer::new(&self.device, label, bytes, usage, Place::Device).map(Arc::new)
    }

    /// Sizes and usages are all that can be asked of a buffer.
    fn probe(&self, _: &Vertices, _: Option<&kit::Indices<Self>>) -> Result<(), PickError> {
        Ok(())
    }

    fn limits(&self) -> MemoryLimits {
        MemoryLimits {
            pulls: self.pulls,
            shared_index: true,
            max_vertices: match self.device.features.full_draw_index_uint32 {
                true => u64::from(u32::MAX),
                false => SHORT_INDEX_END,
            },
            max_storage_binding: u64::from(self.device.physical.limits.max_storage_buffer_range),
        }
    }
}

/// Where indices end without `fullDrawIndexUint32`.
const SHORT_INDEX_END: u64 = 1 << 24;

fn usage(wanted: BufferUse) -> BufferUsageFlags {
    match wanted {
        BufferUse::Vertex => BufferUsageFlags::VERTEX_BUFFER,
        BufferUse::Index => BufferUsageFlags::INDEX_BUFFER,
        BufferUse::Storage => BufferUsageFlags::STORAGE_BUFFER,
        BufferUse::Indirect => BufferUsageFlags::INDIRECT_BUFFER,
        BufferUse::CopySource => BufferUsageFlags::TRANSFER_SRC,
        BufferUse::CopyTarget => BufferUsageFlags::TRANSFER_DST,
    }
}

fn filled(written: bool) -> Result<(), PickError> {
    match written {
        true => Ok(()),
        // Not reached: the buffer was made for this, by this size.
        false => Err(PickError::broken("a new buffer cannot be written")),
    }
}

/// The size to make a buffer that must hold `needed` bytes and may soon hold more.
pub(crate) fn roomy(gpu: &Gpu, needed: u64) -> u64 {
    let doubled = needed.max(256).next_power_of_two();
    doubled.min(gpu.device.physical.max_buffer_size).max(needed)
}
