//! Render targets, kept from pick to pick.
//!
//! Picks in flight may share a target: the device runs them one after the other, and each copies out
//! what it drew before the next one draws.

use pick_core::{Capability, PickError, Plan, Target, TargetFormat};

use crate::cache::Cache;
use crate::conv;
use crate::device::Gpu;
use crate::vk::Image;

/// What tells targets apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    format: TargetFormat,
    width: u32,
    height: u32,
    /// How many targets of this format the plan has before this one.
    ordinal: u32,
}

struct Kept {
    image: Image,
    bytes: u64,
}

/// All targets.
pub(crate) struct Targets {
    kept: Cache<Key, Kept>,
}

/// Targets beyond those of the current pick.
const MOST_TARGETS: usize = 32;
/// Bytes of targets that the current pick does not use: regions of many sizes do not pile up.
const MOST_UNUSED_BYTES: u64 = 64 << 20;

impl Targets {
    pub(crate) fn new() -> Self {
        Self {
            kept: Cache::new(MOST_TARGETS),
        }
    }

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
        self.kept.begin();
        positions.clear();
        for (index, target) in plan.targets.iter().enumerate() {
            let earlier = &plan.targets[..index];
            let key = key(plan, target, earlier);
            let position = match self.kept.find(&key) {
                Some(position) => position,
                None => self.kept.insert(key, create(gpu, &key)?),
            };
            positions.push(position);
        }
        self.kept.shrink(MOST_UNUSED_BYTES, |kept| kept.bytes);
        Ok(())
    }

    pub(crate) fn image(&self, position: usize) -> Option<&Image> {
        self.kept.at(position).map(|kept| &kept.image)
    }

    /// What the targets take on the device.
    pub(crate) fn bytes(&self) -> u64 {
        self.kept.values().map(|kept| kept.bytes).sum()
    }
}

fn key(plan: &Plan, target: &Target, earlier: &[Target]) -> Key {
    let same = earlier.iter().filter(|other| other.format == target.format);
    Key {
        format: target.format,
        width: plan.region.width,
        height: plan.region.height,
        ordinal: same.count() as u32,
    }
}

fn create(gpu: &Gpu, key: &Key) -> Result<Kept, PickError> {
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
    let image = Image::new(&gpu.device, key.format, key.width, key.height)?;
    let pixels = u64::from(key.width) * u64::from(key.height);
    Ok(Kept {
        image,
        bytes: pixels * conv::device_bytes(key.format),
    })
}
