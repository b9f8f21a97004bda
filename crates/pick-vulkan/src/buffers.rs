//! Buffers: the host's, adopted by name, and ours, filled when they are made.

use std::sync::Arc;

use ash::vk::BufferUsageFlags;
use pick_core::{BufferId, InputError, PickError};

use crate::VulkanBackend;
use crate::device::Gpu;
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

/// Makes a buffer with these contents. A buffer without contents still has a few bytes, so that it can
/// be bound. Where the CPU sees the device's own memory the contents are written there; else they go
/// through a staging buffer and a submission of their own. Never waits.
///
/// # Errors
/// `Unsupported` when it is too large, `Broken` when the device has no room, `DeviceLost`.
pub(crate) fn upload(
    gpu: &Gpu,
    label: &'static str,
    contents: &[u8],
    usage: BufferUsageFlags,
) -> Result<Arc<Buffer>, PickError> {
    let device = &gpu.device;
    let size = (contents.len() as u64).next_multiple_of(4).max(64);
    let usage = usage | BufferUsageFlags::TRANSFER_DST;
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

/// # Errors
/// [`InputError::BadBuffer`] for a host's buffer that lacks a usage or ends before `end`.
pub(crate) fn check_host(
    buffer: &Buffer,
    what: &'static str,
    usage: BufferUsageFlags,
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
