//! Buffers: ours, and the host's.

use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;
use pick_core::{Capability, PickError};

use super::device::Device;
use super::error::refused;
use super::graves::Dead;
use super::memory::Memory;

/// Where a buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where the device reads it fast.
    Device,
    /// Where the CPU writes it; mapped as long as it lives.
    Upload,
    /// Where the CPU reads it fast; mapped as long as it lives.
    Readback,
}

/// A buffer.
pub(crate) struct Buffer {
    device: Arc<Device>,
    raw: vk::Buffer,
    size: u64,
    usage: vk::BufferUsageFlags,
    memory: Memory,
    /// Ours to destroy.
    owned: bool,
}

impl Buffer {
    /// Makes a buffer.
    ///
    /// # Errors
    /// `Unsupported` for more than the device's buffers hold; `Broken` without room; `DeviceLost`.
    pub(crate) fn new(
        device: &Arc<Device>,
        what: &'static str,
        size: u64,
        usage: vk::BufferUsageFlags,
        place: Place,
    ) -> Result<Self, PickError> {
        check_size(device, size)?;
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: invariants 2 and 8.
        let raw = unsafe { device.raw.create_buffer(&info, None) };
        let mut buffer = Self {
            device: device.clone(),
            raw: raw.map_err(|result| refused(what, result))?,
            size,
            usage,
            memory: Memory::Host,
            owned: true,
        };
        // SAFETY: invariant 1.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(buffer.raw) };
        let share = |location| Memory::share(device, what, requirements, location, true);
        buffer.memory = match place {
            Place::Device => share(MemoryLocation::GpuOnly)?,
            Place::Upload => share(MemoryLocation::CpuToGpu)?,
            Place::Readback => Memory::readback(device, what, requirements)?,
        };
        if let Some((memory, offset)) = buffer.memory.place() {
            // SAFETY: the memory was allocated by the buffer's requirements and is bound once.
            let bound = unsafe { device.raw.bind_buffer_memory(buffer.raw, memory, offset) };
            bound.map_err(|result| refused(what, result))?;
        }
        Ok(buffer)
    }

    /// A host's.
    pub(super) fn host(
        device: &Arc<Device>,
        raw: vk::Buffer,
        size: u64,
        usage: vk::BufferUsageFlags,
    ) -> Self {
        Self {
            device: device.clone(),
            raw,
            size,
            usage,
            memory: Memory::Host,
            owned: false,
        }
    }

    pub(super) fn raw(&self) -> vk::Buffer {
        self.raw
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn usage(&self) -> vk::BufferUsageFlags {
        self.usage
    }

    /// # Errors
    /// `Broken` when its first so many words cannot be arguments of a draw (invariant 7).
    pub(super) fn check_arguments(&self, words: u64) -> Result<(), PickError> {
        let inside = words * 4 <= self.size;
        match inside && self.usage.contains(vk::BufferUsageFlags::INDIRECT_BUFFER) {
            true => Ok(()),
            false => Err(PickError::broken("a buffer does not hold such counts")),
        }
    }

    /// What the CPU writes is seen by submissions that follow.
    pub(crate) fn is_writable(&self) -> bool {
        self.memory.is_coherent()
    }

    /// Copies bytes in. False when it is not mapped or they do not fit.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let length = bytes.len() as u64;
        let end = offset.checked_add(length);
        let Some((start, mapped)) = self.memory.mapped() else {
            return false;
        };
        if end.is_none_or(|end| end > self.size.min(mapped)) {
            return false;
        }
        // SAFETY: invariant 7: the range lies inside the mapped memory, which is nobody else's in this
        // process; `&mut` keeps other writers away, and invariant 4 the device.
        unsafe {
            let to = start.as_ptr().add(offset as usize);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        true
    }

    /// Makes the first `bytes` bytes that the device wrote visible to [`Buffer::read`].
    ///
    /// # Errors
    /// `Broken`, `DeviceLost`.
    pub(crate) fn invalidate(&self, bytes: u64) -> Result<(), PickError> {
        self.memory.invalidate(&self.device, bytes)
    }

    /// Appends bytes of the buffer to a list. False when it is not mapped or does not have them.
    pub(crate) fn read(&self, offset: u64, length: u64, into: &mut Vec<u8>) -> bool {
        let end = offset.checked_add(length);
        let Some((start, mapped)) = self.memory.mapped() else {
            return false;
        };
        if end.is_none_or(|end| end > self.size.min(mapped)) {
            return false;
        }
        let (length, old) = (length as usize, into.len());
        into.reserve(length);
        // SAFETY: invariant 7: the range lies inside the mapped memory, and the list has room behind its
        // end, which is set only when it is filled. Invariant 4: the device does not write meanwhile; no
        // reference to the mapped bytes is made.
        unsafe {
            let from = start.as_ptr().add(offset as usize);
            std::ptr::copy_nonoverlapping(from, into.as_mut_ptr().add(old), length);
            into.set_len(old + length);
        }
        true
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.owned {
            self.device.bury(Dead::Buffer(self.raw));
            std::mem::replace(&mut self.memory, Memory::Host).bury(&self.device);
        }
    }
}

/// # Errors
/// `Unsupported` for a buffer that the device cannot have.
pub(crate) fn check_size(device: &Device, bytes: u64) -> Result<(), PickError> {
    let limit = device.physical.max_buffer_size;
    if bytes <= limit {
        return Ok(());
    }
    Err(PickError::unsupported(
        Capability::BufferSize,
        format!("{bytes} bytes are asked for, but this device's buffers end at {limit}"),
    ))
}
