//! What a driver says, as errors of ours.

use ash::vk;
use gpu_allocator::AllocationError;
use pick_core::{ErrorKind, PickError};

/// What a driver refused.
pub(crate) fn refused(what: &'static str, result: vk::Result) -> PickError {
    let broken = |why: &str| PickError::broken(format!("{what}: {why}"));
    match result {
        vk::Result::ERROR_DEVICE_LOST => lost(what),
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => broken("the host is out of memory"),
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => broken("the device is out of memory"),
        vk::Result::ERROR_MEMORY_MAP_FAILED => broken("the memory cannot be mapped"),
        other => broken(&format!("the driver says {other:?}")),
    }
}

/// The driver said that the device is lost.
pub(crate) fn lost(what: &'static str) -> PickError {
    PickError::new(ErrorKind::DeviceLost {
        reason: format!("the driver said so: {what}").into(),
    })
}

/// What the allocator refused.
pub(super) fn no_memory(what: &'static str, error: &AllocationError) -> PickError {
    match error {
        AllocationError::OutOfMemory => refused(what, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY),
        AllocationError::FailedToMap(_) => refused(what, vk::Result::ERROR_MEMORY_MAP_FAILED),
        // The allocator passes results that it does not expect on as text.
        AllocationError::Internal(text) if text.contains("DEVICE_LOST") => lost(what),
        AllocationError::Internal(text) if text.contains("OUT_OF_HOST_MEMORY") => {
            refused(what, vk::Result::ERROR_OUT_OF_HOST_MEMORY)
        }
        other => PickError::broken(format!("{what}: {other}")),
    }
}
