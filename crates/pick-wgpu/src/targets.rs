//! Render targets: how wgpu makes one. Which are kept, the core decides.

use pick_core::kit::{self, TargetKey};
use pick_core::{Capability, PickError, Plan};

use crate::conv;
use crate::device::Gpu;
use crate::scope::Catch;

struct Target {
    texture: wgpu::Texture,
    view: wgpu::TextureView,
}

/// All targets.
#[derive(Default)]
pub(crate) struct Targets {
    kept: kit::Targets<Target>,
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

    pub(crate) fn kept(&self) -> &kit::Targets<impl Sized + use<>> {
        &self.kept
    }

    pub(crate) fn view(&self, position: usize) -> Option<&wgpu::TextureView> {
        self.kept.at(position).map(|target| &target.view)
    }

    pub(crate) fn texture(&self, position: usize) -> Option<&wgpu::Texture> {
        self.kept.at(position).map(|target| &target.texture)
    }

    /// What the targets take on the device.
    pub(crate) fn bytes(&self) -> u64 {
        self.kept.bytes()
    }
}

fn create(gpu: &Gpu, key: &TargetKey) -> Result<Target, PickError> {
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
    if gpu.depth_copies || !key.format.is_depth() {
        usage |= wgpu::TextureUsages::COPY_SRC;
    }
    if gpu.reductions && key.format.texel().is_some() {
        usage |= wgpu::TextureUsages::TEXTURE_BINDING;
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
    gpu.checked(Catch::All, "a target", |device| {
        let texture = device.create_texture(&descriptor);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Target { texture, view }
    })
}

pub(crate) fn extent(width: u32, height: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width,
        height,
        depth_or_array_layers: 1,
    }
}
