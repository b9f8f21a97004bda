//! Memory of buffers and images.
//!
//! `gpu-allocator` shares blocks out. It maps coherent memory only; where a driver has memory that the
//! CPU caches but that is not coherent, and none that is both, read-backs take a block of that by
//! themselves (a megabyte at least, since drivers give small ones out badly): reads from uncached memory
//! are far slower than the invalidation.

use std::ptr::NonNull;

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use pick_core::PickError;

use super::device::Device;
use super::error::{no_memory, refused};
use super::graves::Dead;

/// Where a buffer's or an image's bytes are.
pub(super) enum Memory {
    /// The host's, who frees it.
    Host,
    /// A share of the allocator's.
    Shared(Allocation),
    /// A block by itself, cached and not coherent.
    Block(Block),
}

/// A mapped block of memory that is not coherent.
pub(super) struct Block {
    memory: vk::DeviceMemory,
    start: NonNull<u8>,
    size: u64,
}

// SAFETY: the pointer is to memory that stays mapped as long as the block, for whoever holds it; what is
// read and written through it is guarded by the borrow of the buffer that holds the block.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Memory {
    /// A share of the allocator's.
    ///
    /// # Errors
    /// `Broken` where there is no room, `DeviceLost`.
    pub(super) fn share(
        device: &Device,
        what: &'static str,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Self, PickError> {
        let mut allocator = device.allocator();
        let Some(allocator) = allocator.as_mut() else {
            return Err(PickError::broken("the device is closed")); // not reached: it closes with us
        };
        let shared = allocator.allocate(&AllocationCreateDesc {
            name: what,
            requirements,
            location,
            linear,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        });
        shared
            .map(Self::Shared)
            .map_err(|error| no_memory(what, &error))
    }

    /// Memory that the CPU reads fast.
    ///
    /// # Errors
    /// As [`Memory::share`].
    pub(super) fn readback(
        device: &Device,
        what: &'static str,
        requirements: vk::MemoryRequirements,
    ) -> Result<Self, PickError> {
        let types = device.physical.memory.memory_types_as_slice();
        match incoherent_type(types, requirements.memory_type_bits) {
            None => Self::share(device, what, requirements, MemoryLocation::GpuToCpu, true),
            Some(index) => Block::new(device, what, requirements.size, index).map(Self::Block),
        }
    }

    /// The memory and where in it.
    pub(super) fn place(&self) -> Option<(vk::DeviceMemory, u64)> {
        match self {
            Self::Host => None,
            // SAFETY: the memory is bound to what owns this share, and freed after it (invariant 3).
            Self::Shared(share) => Some((unsafe { share.memory() }, share.offset())),
            Self::Block(block) => Some((block.memory, 0)),
        }
    }

    /// Where the CPU sees it.
    pub(super) fn mapped(&self) -> Option<(NonNull<u8>, u64)> {
        match self {
            Self::Host => None,
            Self::Shared(share) => Some((share.mapped_ptr()?.cast(), share.size())),
            Self::Block(block) => Some((block.start, block.size)),
        }
    }

    /// Mapped, and nothing must be flushed.
    pub(super) fn is_coherent(&self) -> bool {
        match self {
            Self::Shared(share) => {
                let coherent = vk::MemoryPropertyFlags::HOST_COHERENT;
                share.mapped_ptr().is_some() && share.memory_properties().contains(coherent)
            }
            Self::Host | Self::Block(_) => false,
        }
    }

    /// Makes what the device wrote visible to the CPU.
    ///
    /// # Errors
    /// `Broken`, `DeviceLost`.
    pub(super) fn invalidate(&self, device: &Device, bytes: u64) -> Result<(), PickError> {
        let Self::Block(block) = self else {
            return Ok(()); // coherent
        };
        let atom = device.physical.limits.non_coherent_atom_size;
        let range = vk::MappedMemoryRange::default()
            .memory(block.memory)
            .offset(0)
            .size(whole_atoms(bytes, atom, block.size));
        // SAFETY: the memory is mapped, and the range is whole atoms or ends with the block.
        let done = unsafe { device.raw.invalidate_mapped_memory_ranges(&[range]) };
        done.map_err(|result| refused("invalidating a readback", result))
    }

    pub(super) fn bury(self, device: &Device) {
        match self {
            Self::Host => {}
            Self::Shared(share) => device.bury(Dead::Allocation(share)),
            Self::Block(block) => device.bury(Dead::Memory(block.memory)),
        }
    }
}

const SMALLEST_BLOCK: u64 = 1 << 20;

impl Block {
    fn new(device: &Device, what: &'static str, size: u64, index: u32) -> Result<Self, PickError> {
        let size = size.max(SMALLEST_BLOCK);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(index);
        // SAFETY: invariants 2 and 8; the type is one of the device's.
        let memory = unsafe { device.raw.allocate_memory(&info, None) };
        let memory = memory.map_err(|result| refused(what, result))?;
        // SAFETY: the memory is host-visible and not mapped yet.
        let mapped = unsafe {
            let flags = vk::MemoryMapFlags::empty();
            device.raw.map_memory(memory, 0, vk::WHOLE_SIZE, flags)
        };
        let start = mapped.map(|start| NonNull::new(start.cast::<u8>()));
        match start {
            Ok(Some(start)) => Ok(Self {
                memory,
                start,
                size,
            }),
            failed => {
                device.bury(Dead::Memory(memory));
                let result = failed.err();
                Err(refused(
                    what,
                    result.unwrap_or(vk::Result::ERROR_MEMORY_MAP_FAILED),
                ))
            }
        }
    }
}

/// The memory type for read-backs where the CPU's cache can be had only without coherence.
fn incoherent_type(types: &[vk::MemoryType], allowed: u32) -> Option<u32> {
    use vk::MemoryPropertyFlags as Flags;
    let cached = Flags::HOST_VISIBLE | Flags::HOST_CACHED;
    let find = |wanted: Flags| {
        let fits = |index: usize| allowed & 1 << index != 0;
        let has = |kind: &vk::MemoryType| kind.property_flags.contains(wanted);
        (0..types.len()).find(|&index| fits(index) && has(&types[index]))
    };
    match find(cached | Flags::HOST_COHERENT) {
        Some(_) => None,
        None => find(cached).map(|index| index as u32),
    }
}

/// The size of a range from 0 that covers `bytes` and ends on an atom, or with the memory.
fn whole_atoms(bytes: u64, atom: u64, end: u64) -> u64 {
    bytes.next_multiple_of(atom.max(1)).min(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field case 96
    #[test]
    fn ranges_are_whole_atoms_or_end_with_the_memory() {
        for (bytes, atom, end, expected) in [
            (4, 64, 4096, 64),
            (8, 64, 4096, 64),
            (60, 64, 4096, 64),
            (60, 256, 4096, 256),
            (60, 64, 60, 60),
            (65, 64, 100, 100),
            (64, 64, 64, 64),
            (60, 1, 60, 60),
            (8, 0, 60, 8),
        ] {
            assert_eq!(
                whole_atoms(bytes, atom, end),
                expected,
                "{bytes} {atom} {end}"
            );
        }
    }

    /// Field case 95
    #[test]
    fn incoherent_memory_is_taken_only_where_no_cached_memory_is_coherent() {
        use vk::MemoryPropertyFlags as Flags;
        let kind = |property_flags| vk::MemoryType {
            property_flags,
            heap_index: 0,
        };
        let seen = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let cached = Flags::HOST_VISIBLE | Flags::HOST_CACHED;
        let types = [kind(Flags::DEVICE_LOCAL), kind(seen), kind(cached)];
        assert_eq!(incoherent_type(&types, 0b111), Some(2));
        assert_eq!(incoherent_type(&types, 0b011), None);
        let types = [kind(cached), kind(seen | Flags::HOST_CACHED)];
        assert_eq!(incoherent_type(&types, 0b11), None);
        assert_eq!(incoherent_type(&types, 0b01), Some(0));
    }
}
