//! Render targets, kept from pick to pick.
//!
//! Picks in flight may share a target: the device runs them one after the other, and each copies out
//! what it drew before the next one draws.

use pick_core::{Capability, PickError, Plan, Target, TargetFormat};

use crate::cache::Cache;
use crate::conv;
use crate::device::Gpu;
use crate::scope::Catch;

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
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    bytes: u64,
}

/// All targets.
pub(crate) struct Targets {
    kept: Cache<Key, Kept>,
}

/// All four strategies at one size take fewer; more are for other sizes.
const MOST_TARGETS: usize = 32;
/// What targets that the current pick does not use may take: large regions do not pile up.
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

    pub(crate) fn view(&self, position: usize) -> Option<&wgpu::TextureView> {
        self.kept.at(position).map(|kept| &kept.view)
    }

    pub(crate) fn texture(&self, position: usize) -> Option<&wgpu::Texture> {
        self.kept.at(position).map(|kept| &kept.texture)
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
    if !gpu.renders(key.format) {
        return Err(PickError::unsupported(
            Capability::TargetFormat,
            format!(
                "this device does not draw into {:?} and read it back",
                key.format
            ),
        ));
    }
    let mut usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
    if gpu.depth_copies || !conv::is_depth(key.format) {
        usage |= wgpu::TextureUsages::COPY_SRC;
    }
    let descriptor = wgpu::TextureDescriptor {
        label: Some("pick target"),
        size: extent(key.width, key.height),
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: conv::texture_format(key.format),
        usage,
        view_formats: &[],
    };
    let (texture, view) = gpu.checked(Catch::All, "a target", |device| {
        let texture = device.create_texture(&descriptor);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        (texture, view)
    })?;
    let pixels = u64::from(key.width) * u64::from(key.height);
    Ok(Kept {
        texture,
        view,
        bytes: pixels * conv::device_bytes(key.format),
    })
}

pub(crate) fn extent(width: u32, height: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width,
        height,
        depth_or_array_layers: 1,
    }
}
