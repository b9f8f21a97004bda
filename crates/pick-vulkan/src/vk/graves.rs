//! Handles whose covers are gone, until no recording can need them any more.

use ash::vk;
use gpu_allocator::vulkan::Allocation;

use super::device::Device;

/// A handle without an owner.
pub(super) enum Dead {
    Buffer(vk::Buffer),
    Allocation(Allocation),
    Memory(vk::DeviceMemory),
    Image(vk::Image),
    View(vk::ImageView),
    Commands(vk::CommandPool),
    Set(vk::DescriptorPool, vk::DescriptorSet),
    Sets(vk::DescriptorPool),
    SetLayout(vk::DescriptorSetLayout),
    PipelineLayout(vk::PipelineLayout),
    Pipeline(vk::Pipeline),
    Module(vk::ShaderModule),
    Cache(vk::PipelineCache),
}

/// A handle, and which recordings existed when it lost its owner.
struct Grave {
    dead: Dead,
    /// Our own submissions up to this one.
    own: u64,
    /// The host's recordings before this one.
    host: u64,
}

/// All of a device's.
#[derive(Default)]
pub(super) struct Graves {
    graves: Vec<Grave>,
}

impl Graves {
    pub(super) fn is_empty(&self) -> bool {
        self.graves.is_empty()
    }

    pub(super) fn bury(&mut self, dead: Dead, own: u64, host: u64) {
        self.graves.push(Grave { dead, own, host });
    }

    /// Destroys, in the order of burial, what no recording can need: our own have ended up to `own`, and
    /// the oldest of the host's that has not ended is `host`.
    pub(super) fn sweep(&mut self, device: &Device, own: u64, host: u64) {
        let mut kept = 0;
        for at in 0..self.graves.len() {
            let grave = &self.graves[at];
            if grave.own > own || grave.host > host {
                self.graves.swap(kept, at);
                kept += 1;
            }
        }
        // Those to keep stand in front, in their order; the others' order was changed by the swaps only
        // among themselves, so sets are freed before the pools that they came from:
        let gone = &mut self.graves[kept..];
        gone.sort_by_key(|grave| grave.dead.rank());
        for grave in self.graves.drain(kept..) {
            destroy(device, grave.dead);
        }
    }

    /// Lets everything go without destroying it.
    pub(super) fn leak(&mut self) {
        self.graves.drain(..).for_each(std::mem::forget);
    }
}

impl Dead {
    /// Users go before what they use.
    fn rank(&self) -> u8 {
        match self {
            Self::View(_) | Self::Set(..) | Self::Pipeline(_) => 0,
            Self::Buffer(_) | Self::Image(_) | Self::Commands(_) | Self::Sets(_) => 1,
            Self::PipelineLayout(_) | Self::Module(_) | Self::Cache(_) => 2,
            Self::SetLayout(_) => 3,
            Self::Allocation(_) | Self::Memory(_) => 4,
        }
    }
}

fn destroy(device: &Device, dead: Dead) {
    let raw = &device.raw;
    // SAFETY: invariants 1 and 3: the handle is the device's, nobody owns it any more, it is destroyed
    // here alone, and no recording that may still run uses it. Mapped memory is unmapped by being freed.
    unsafe {
        match dead {
            Dead::Buffer(buffer) => raw.destroy_buffer(buffer, None),
            Dead::Allocation(allocation) => device.free(allocation),
            Dead::Memory(memory) => raw.free_memory(memory, None),
            Dead::Image(image) => raw.destroy_image(image, None),
            Dead::View(view) => raw.destroy_image_view(view, None),
            Dead::Commands(pool) => raw.destroy_command_pool(pool, None),
            Dead::Set(pool, set) => {
                // Freeing reports nothing that could be acted on.
                let _ = raw.free_descriptor_sets(pool, &[set]);
            }
            Dead::Sets(pool) => raw.destroy_descriptor_pool(pool, None),
            Dead::SetLayout(layout) => raw.destroy_descriptor_set_layout(layout, None),
            Dead::PipelineLayout(layout) => raw.destroy_pipeline_layout(layout, None),
            Dead::Pipeline(pipeline) => raw.destroy_pipeline(pipeline, None),
            Dead::Module(module) => raw.destroy_shader_module(module, None),
            Dead::Cache(cache) => raw.destroy_pipeline_cache(cache, None),
        }
    }
}
