//! Buffers: the host's, adopted by name, and ours, filled when they are made.

use pick_core::kit::{BufferUse, DeviceMemory, MemoryLimits};
use pick_core::{BufferId, ErrorKind, PickError};

use crate::WgpuBackend;
use crate::device::Gpu;
use crate::mesh::{Indices, Vertices};
use crate::probe;
use crate::scope::Catch;

impl WgpuBackend {
    /// Names a buffer of the host's, so that meshes and instance sets can lie in it. The buffer is
    /// looked at when something is made of it: one of another device is refused then. (One of another
    /// `wgpu::Instance` cannot be told from ours: wgpu does not tell them apart.) A buffer that is
    /// destroyed while picks use it fails those picks with a typed error.
    pub fn adopt_buffer(&mut self, buffer: &wgpu::Buffer) -> BufferId {
        self.buffers.insert(buffer.clone())
    }

    /// Forgets the name. Meshes and instance sets made of the buffer keep it.
    ///
    /// # Errors
    /// Input errors for a foreign or removed id.
    pub fn forget_buffer(&mut self, buffer: BufferId) -> Result<(), PickError> {
        self.buffers.remove(buffer).map(drop)
    }
}

impl DeviceMemory for Gpu {
    type Buffer = wgpu::Buffer;

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
        let bytes = contents.len() as u64;
        let size = bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(64);
        self.check_buffer_size(size)?;
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage: uses.iter().copied().map(usage).collect(),
            mapped_at_creation: !contents.is_empty(),
        };
        let buffer = self.checked(Catch::All, label, |device| {
            device.create_buffer(&descriptor)
        })?;
        if !contents.is_empty() {
            // A buffer made without an error is mapped, unless its device is gone.
            let mut mapped = buffer.get_mapped_range_mut(..).map_err(|_| lost())?;
            mapped.slice(..contents.len()).copy_from_slice(contents);
            drop(mapped);
            buffer.unmap();
        }
        Ok(buffer)
    }

    fn reserve(
        &self,
        label: &'static str,
        bytes: u64,
        uses: &[BufferUse],
    ) -> Result<Self::Buffer, PickError> {
        let usages = uses.iter().copied().map(usage).collect();
        reserve(self, label, bytes.max(64), usages)
    }

    fn probe(&self, vertices: &Vertices, indices: Option<&Indices>) -> Result<(), PickError> {
        probe::vertices(self, vertices, indices)
    }

    fn limits(&self) -> MemoryLimits {
        MemoryLimits {
            pulls: self.pulls,
            shared_index: self.shared_index,
            max_vertices: match self.full_index {
                true => u64::from(u32::MAX),
                false => SHORT_INDEX_END,
            },
            max_storage_binding: self.limits.max_storage_buffer_binding_size,
        }
    }
}

/// Where indices end on APIs without full 32-bit ones.
const SHORT_INDEX_END: u64 = 1 << 24;

fn usage(wanted: BufferUse) -> wgpu::BufferUsages {
    match wanted {
        BufferUse::Vertex => wgpu::BufferUsages::VERTEX,
        BufferUse::Index => wgpu::BufferUsages::INDEX,
        BufferUse::Storage => wgpu::BufferUsages::STORAGE,
        BufferUse::Indirect => wgpu::BufferUsages::INDIRECT,
        BufferUse::CopySource => wgpu::BufferUsages::COPY_SRC,
        BufferUse::CopyTarget => wgpu::BufferUsages::COPY_DST,
    }
}

/// Makes an empty buffer.
///
/// # Errors
/// `Unsupported` when it is too large, `Broken` when the device has no room, `DeviceLost`.
pub(crate) fn reserve(
    gpu: &Gpu,
    label: &'static str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, PickError> {
    gpu.check_buffer_size(size)?;
    let descriptor = wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    };
    gpu.checked(Catch::All, label, |device| {
        device.create_buffer(&descriptor)
    })
}

/// The size to make a buffer that must hold `needed` bytes and may soon hold more.
pub(crate) fn roomy(gpu: &Gpu, needed: u64) -> u64 {
    let doubled = needed.max(256).next_power_of_two();
    doubled.min(gpu.limits.max_buffer_size).max(needed)
}

fn lost() -> PickError {
    PickError::new(ErrorKind::DeviceLost {
        reason: "a new buffer was not mapped".into(),
    })
}
