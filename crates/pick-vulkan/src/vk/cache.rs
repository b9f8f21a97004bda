//! The driver's pipeline cache. Bytes from outside are checked before a driver sees them
//! ([`crate::VulkanBackend::load_pipeline_cache`]).

use std::sync::Arc;

use ash::vk;
use pick_core::PickError;

use super::device::Device;
use super::error::refused;
use super::graves::Dead;

/// A pipeline cache.
pub(crate) struct PipelineCache {
    device: Arc<Device>,
    pub(super) raw: vk::PipelineCache,
}

impl PipelineCache {
    /// A cache that begins with these bytes, which the driver itself gave.
    ///
    /// # Errors
    /// `Broken` without room, `DeviceLost`.
    pub(crate) fn new(device: &Arc<Device>, bytes: &[u8]) -> Result<Self, PickError> {
        let info = vk::PipelineCacheCreateInfo::default().initial_data(bytes);
        // SAFETY: invariants 2 and 8; drivers check the header, and the caller checked the rest.
        let raw = unsafe { device.raw.create_pipeline_cache(&info, None) };
        Ok(Self {
            device: device.clone(),
            raw: raw.map_err(|result| refused("a pipeline cache", result))?,
        })
    }

    /// Takes in what another cache holds.
    ///
    /// # Errors
    /// As [`PipelineCache::new`].
    pub(crate) fn merge(&mut self, other: &Self) -> Result<(), PickError> {
        // SAFETY: invariant 1; `&mut` synchronises the target, and the two differ.
        let merged = unsafe {
            self.device
                .raw
                .merge_pipeline_caches(self.raw, &[other.raw])
        };
        merged.map_err(|result| refused("merging pipeline caches", result))
    }

    /// The bytes to begin another cache with.
    ///
    /// # Errors
    /// As [`PipelineCache::new`].
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, PickError> {
        // SAFETY: invariant 1.
        let bytes = unsafe { self.device.raw.get_pipeline_cache_data(self.raw) };
        bytes.map_err(|result| refused("reading the pipeline cache", result))
    }
}

impl Drop for PipelineCache {
    fn drop(&mut self) {
        self.device.bury(Dead::Cache(self.raw));
    }
}
