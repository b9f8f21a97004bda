//! Buffers: the host's, adopted by name, and ours, filled when they are made.

use pick_core::{BufferId, ErrorKind, InputError, PickError};

use crate::WgpuBackend;
use crate::device::Gpu;
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

/// Makes a buffer with these contents. A buffer without contents still has a few bytes, so that it can
/// be bound.
///
/// # Errors
/// `Unsupported` when it is too large, `Broken` when the device has no room, `DeviceLost`.
pub(crate) fn upload(
    gpu: &Gpu,
    label: &'static str,
    contents: &[u8],
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, PickError> {
    let bytes = contents.len() as u64;
    let size = bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(64);
    gpu.check_buffer_size(size)?;
    let descriptor = wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: !contents.is_empty(),
    };
    let buffer = gpu.checked(Catch::All, label, |device| {
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

/// Makes an empty buffer.
///
/// # Errors
/// As [`upload`].
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

/// # Errors
/// [`InputError::BadBuffer`] for a host's buffer that lacks a usage or ends before `end`.
pub(crate) fn check_host(
    buffer: &wgpu::Buffer,
    what: &'static str,
    usage: wgpu::BufferUsages,
    end: u64,
) -> Result<(), PickError> {
    let fault = if !buffer.usage().contains(usage) {
        format!("was made without the usage {usage:?}")
    } else if buffer.size() < end {
        format!("has {} bytes, but {end} are named", buffer.size())
    } else {
        return Ok(());
    };
    Err(InputError::BadBuffer {
        what,
        fault: fault.into(),
    }
    .into())
}
