//! Render targets, kept from pick to pick.
//!
//! Picks in flight may share a target: the device runs them one after the other, and each copies out
//! what it drew before the next one draws.

use crate::error::PickError;
use crate::kit::cache::Cache;
use crate::plan::{Plan, Target, TargetFormat};

/// What tells targets apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetKey {
    /// How a pixel is stored.
    pub format: TargetFormat,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// How many targets of this format the plan has before this one.
    ordinal: u32,
}

impl TargetKey {
    fn of(plan: &Plan, target: &Target, earlier: &[Target]) -> Self {
        let same = earlier.iter().filter(|other| other.format == target.format);
        Self {
            format: target.format,
            width: plan.region.width,
            height: plan.region.height,
            ordinal: same.count() as u32,
        }
    }

    fn bytes(&self) -> u64 {
        let pixels = u64::from(self.width) * u64::from(self.height);
        pixels * self.format.device_bytes()
    }
}

/// All targets; `T` is one on the device.
#[derive(Debug)]
pub struct Targets<T> {
    kept: Cache<TargetKey, Kept<T>>,
    made: u64,
}

#[derive(Debug)]
struct Kept<T> {
    target: T,
    bytes: u64,
    serial: TargetSerial,
}

/// Names a kept target in the keys of bind groups: another one in its place has another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetSerial(u64);

/// All four strategies at one size take fewer; more are for other sizes.
const MOST_TARGETS: usize = 32;
/// What targets that the current pick does not use may take: large regions do not pile up.
const MOST_UNUSED_BYTES: u64 = 64 << 20;

impl<T> Default for Targets<T> {
    fn default() -> Self {
        Self {
            kept: Cache::new(MOST_TARGETS),
            made: 0,
        }
    }
}

impl<T> Targets<T> {
    /// Finds or makes a target for each of the plan's, and says where.
    ///
    /// # Errors
    /// Those of `create`.
    pub fn find(
        &mut self,
        plan: &Plan,
        positions: &mut Vec<usize>,
        create: impl Fn(&TargetKey) -> Result<T, PickError>,
    ) -> Result<(), PickError> {
        self.kept.begin();
        positions.clear();
        for (index, target) in plan.targets.iter().enumerate() {
            let key = TargetKey::of(plan, target, &plan.targets[..index]);
            let position = match self.kept.find(&key) {
                Some(position) => position,
                None => {
                    self.made += 1;
                    let made = Kept {
                        target: create(&key)?,
                        bytes: key.bytes(),
                        serial: TargetSerial(self.made),
                    };
                    self.kept.insert(key, made).0
                }
            };
            positions.push(position);
        }
        self.kept.shrink(MOST_UNUSED_BYTES, |kept| kept.bytes);
        Ok(())
    }

    /// The target at a position that [`Targets::find`] gave in this pick.
    pub fn at(&self, position: usize) -> Option<&T> {
        self.kept.at(position).map(|kept| &kept.target)
    }

    /// The name of the target at a position.
    pub fn serial(&self, position: usize) -> Option<TargetSerial> {
        self.kept.at(position).map(|kept| kept.serial)
    }

    /// True while a target is kept.
    pub fn has(&self, serial: TargetSerial) -> bool {
        self.kept.values().any(|kept| kept.serial == serial)
    }

    /// Changes whenever a target is made or let go.
    pub fn state(&self) -> (u64, usize) {
        (self.made, self.kept.values().count())
    }

    /// What the targets take on the device.
    pub fn bytes(&self) -> u64 {
        self.kept.values().map(|kept| kept.bytes).sum()
    }
}

impl TargetFormat {
    /// True for formats that a pass tests depth against.
    pub const fn is_depth(self) -> bool {
        match self {
            Self::Rgba8Unorm
            | Self::R8Unorm
            | Self::R32Uint
            | Self::Rg32Uint
            | Self::Rgba32Uint => false,
            Self::Depth32Float | Self::Depth32FloatStencil8 | Self::Depth24PlusStencil8 => true,
        }
    }

    /// True for formats with a stencil.
    pub const fn has_stencil(self) -> bool {
        match self {
            Self::Depth32FloatStencil8 | Self::Depth24PlusStencil8 => true,
            Self::Rgba8Unorm
            | Self::R8Unorm
            | Self::R32Uint
            | Self::Rg32Uint
            | Self::Rgba32Uint
            | Self::Depth32Float => false,
        }
    }

    /// Bytes that a pixel takes on the device.
    pub const fn device_bytes(self) -> u64 {
        match self {
            Self::Depth32FloatStencil8 => 8,
            Self::R8Unorm
            | Self::Rgba8Unorm
            | Self::R32Uint
            | Self::Rg32Uint
            | Self::Rgba32Uint
            | Self::Depth32Float
            | Self::Depth24PlusStencil8 => self.bytes_per_pixel() as u64,
        }
    }
}
