//! Render targets: how Vulkan makes one. Which are kept, the core decides.

use pick_core::kit::{self, TargetKey};
use pick_core::{Capability, PickError, Plan};

use crate::device::Gpu;
use crate::vk::Image;

/// All targets.
#[derive(Default)]
pub(crate) struct Targets {
    kept: kit::Targets<Image>,
}

impl Targets {
    /// Finds or makes a target for each of the plan's, and says where.
    ///
    /// # Errors
    /// `Unsupported` for a format that this device does not draw into; `Broken` when it has no room.
    pub(crate) fn find(
        &mut self,
        gpu: &Gpu,
        plan: &Plan,
        positions: &mut Vec<usize>,
    ) -> Result<(), PickError> {
        self.kept.find(plan, positions, |key| create(gpu, key))
    }

    pub(crate) fn kept(&self) -> &kit::Targets<Image> {
        &self.kept
    }

    pub(crate) fn image(&self, position: usize) -> Option<&Image> {
        self.kept.at(position)
    }

    /// What the targets take on the device.
    pub(crate) fn bytes(&self) -> u64 {
        self.kept.bytes()
    }
}

fn create(gpu: &Gpu, key: &TargetKey) -> Result<Image, PickError> {
    if !gpu.device.physical.renders(key.format) {
        return Err(PickError::unsupported(
            Capability::TargetFormat,
            format!("this device does not draw into {:?}", key.format),
        ));
    }
    let side = key.width.max(key.height);
    let limit = gpu.max_target_side();
    if side > limit || key.width == 0 || key.height == 0 {
        return Err(PickError::broken(format!(
            "a target of {} x {} pixels is planned, but this device's end at {limit}",
            key.width, key.height
        )));
    }
    Image::new(&gpu.device, key.format, key.width, key.height)
}
