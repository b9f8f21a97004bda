//! What the device can do, as far as no test must run.

use std::sync::Arc;

use ash::vk;
use pick_core::{Caps, PrimitiveIndex, StencilRead, TargetFormat};
use pick_shaders::{GROUP_FRAGMENTS, Threads};

use crate::vk::Device;

/// A device with what we must know of it before every call.
pub(crate) struct Gpu {
    pub(crate) device: Arc<Device>,
    /// Pulled vertices fit this device.
    pub(crate) pulls: bool,
    /// Kernels can find the instances under a pick.
    pub(crate) culls: bool,
    /// Of those kernels.
    pub(crate) threads: Threads,
}

/// Storage buffers that the widest pulled variant binds in the vertex stage: the draw's record,
/// instances, positions, indices, normals, texture coordinates. The others bind three, and every device
/// has four.
const PULLED_STORAGE_BUFFERS: u32 = 6;

/// Both formats with a stencil.
const STENCILS: [TargetFormat; 2] = [
    TargetFormat::Depth32FloatStencil8,
    TargetFormat::Depth24PlusStencil8,
];

impl Gpu {
    pub(crate) fn new(device: Arc<Device>) -> Self {
        let limits = &device.physical.limits;
        let storage = limits.max_per_stage_descriptor_storage_buffers;
        let most = limits.max_compute_work_group_invocations;
        let most = most.min(limits.max_compute_work_group_size[0]);
        let threads = match device.physical.kind {
            vk::PhysicalDeviceType::CPU => Threads::CPU,
            _ => Threads::GPU,
        };
        Self {
            pulls: storage >= PULLED_STORAGE_BUFFERS,
            // The list of survivors is one buffer more.
            culls: device.computes && storage > PULLED_STORAGE_BUFFERS && most >= threads.most(),
            threads,
            device,
        }
    }

    pub(crate) fn caps(&self) -> Caps {
        let physical = &self.device.physical;
        let limits = &physical.limits;
        let with_stencil = TargetFormat::Depth32FloatStencil8;
        let copies_stencils = STENCILS
            .into_iter()
            .filter(|format| physical.renders(*format))
            .all(|format| physical.copies(format));
        let mut caps = Caps::least("vulkan");
        caps.device = physical.name.clone();
        caps.driver = physical.driver.clone();
        caps.api = "Vulkan".to_owned();
        caps.primitive_index = match self.device.features.geometry_shader {
            true => PrimitiveIndex::Untested,
            false => PrimitiveIndex::Missing,
        };
        caps.stencil_read = match copies_stencils {
            true => StencilRead::Copy,
            false => StencilRead::BitDraws,
        };
        caps.stencil_depth_read = physical.copies(with_stencil);
        caps.depth32_stencil8 = physical.renders(with_stencil);
        caps.reversed_depth_in_fragment = false;
        caps.instance_culling = self.culls;
        caps.reductions = self.culls;
        caps.fragment_lists = self.device.features.fragment_stores_and_atomics
            && limits.max_bound_descriptor_sets > GROUP_FRAGMENTS;
        caps.max_target_side = self.max_target_side();
        caps.max_storage_binding_bytes = u64::from(limits.max_storage_buffer_range);
        caps
    }

    /// The longest side of a target.
    pub(crate) fn max_target_side(&self) -> u32 {
        let limits = &self.device.physical.limits;
        limits
            .max_image_dimension2_d
            .min(limits.max_framebuffer_width)
            .min(limits.max_framebuffer_height)
    }
}
