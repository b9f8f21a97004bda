//! Instance sets: uploaded, or in a host's buffer.

use std::sync::Arc;

use ash::vk::BufferUsageFlags;
use pick_core::{BufferId, Capability, InstanceFormat, InstanceSource, PickError, Registry};

use crate::buffers::{check_host, upload};
use crate::device::Gpu;
use crate::vk::Buffer;

/// An instance set that the backend holds.
pub(crate) struct Instances {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) offset: u64,
    /// What is bound; nothing of an empty set, which is never drawn.
    pub(crate) bytes: u64,
    pub(crate) count: u32,
    owned: bool,
}

impl Instances {
    /// # Errors
    /// Input errors for host buffers; `Unsupported` for what cannot be bound; `Broken`, `DeviceLost`.
    pub(crate) fn create(
        gpu: &Gpu,
        buffers: &Registry<BufferId, Arc<Buffer>>,
        source: &InstanceSource,
    ) -> Result<Self, PickError> {
        source.check()?;
        match source {
            InstanceSource::Cpu(rows) => {
                check_binding(gpu, source.count(), InstanceFormat::Rows3x4)?;
                let buffer = upload_rows(gpu, rows)?;
                Ok(Self {
                    offset: 0,
                    bytes: buffer.size(),
                    count: source.count(),
                    owned: true,
                    buffer,
                })
            }
            InstanceSource::Host {
                buffer,
                offset,
                format,
                count,
                ..
            } => {
                let buffer = buffers.get(*buffer)?.clone();
                let bytes = check_binding(gpu, *count, *format)?;
                check_host(
                    &buffer,
                    "instances",
                    BufferUsageFlags::STORAGE_BUFFER,
                    offset + bytes,
                )?;
                Ok(Self {
                    buffer,
                    offset: *offset,
                    bytes,
                    count: *count,
                    owned: false,
                })
            }
        }
    }

    /// What the set takes on the device; the host's own buffers do not count.
    pub(crate) fn owned_bytes(&self) -> u64 {
        if self.owned { self.bytes } else { 0 }
    }
}

fn check_binding(gpu: &Gpu, count: u32, format: InstanceFormat) -> Result<u64, PickError> {
    let bytes = u64::from(count) * format.bytes();
    if gpu.fits_storage(bytes) {
        return Ok(bytes);
    }
    Err(PickError::unsupported(
        Capability::BufferSize,
        format!(
            "{count} instances take {bytes} bytes, but this device binds at most {}: split the set",
            gpu.device.physical.limits.max_storage_buffer_range
        ),
    ))
}

fn upload_rows(gpu: &Gpu, rows: &[[[f32; 4]; 3]]) -> Result<Arc<Buffer>, PickError> {
    let contents = bytemuck::cast_slice(rows);
    upload(
        gpu,
        "pick instances",
        contents,
        BufferUsageFlags::STORAGE_BUFFER,
    )
}
