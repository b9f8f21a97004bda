//! Compute pipelines, and dispatches outside of passes.

use std::sync::Arc;

use ash::vk;
use pick_core::PickError;

use super::cache::PipelineCache;
use super::commands::Recording;
use super::descriptor::{PipelineLayout, Set};
use super::device::Device;
use super::error::refused;
use super::graves::Dead;
use super::pipeline::module;

/// A compute pipeline and the layout of its sets.
pub(crate) struct ComputePipeline {
    device: Arc<Device>,
    raw: vk::Pipeline,
    layout: vk::PipelineLayout,
}

impl ComputePipeline {
    /// Compiles the entry point `main` of SPIR-V that naga validated. The layout must live as long as the
    /// pipeline is used.
    ///
    /// # Errors
    /// `Broken`, `DeviceLost`.
    pub(crate) fn new(
        device: &Arc<Device>,
        cache: &PipelineCache,
        words: &[u32],
        layout: &PipelineLayout,
    ) -> Result<Self, PickError> {
        let module = module(device, words)?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout.raw);
        // SAFETY: invariants 1, 2 and 8; the cache is reached through `&mut` of the backend only.
        let made = unsafe {
            device
                .raw
                .create_compute_pipelines(cache.raw, &[info], None)
        };
        // No pipeline needs its module once it is made.
        device.bury(Dead::Module(module));
        let made = made.map_err(|(_, result)| refused("a kernel", result))?;
        let Some(&raw) = made.first() else {
            return Err(PickError::broken("a driver made no pipeline")); // not reached: one was asked for
        };
        Ok(Self {
            device: device.clone(),
            raw,
            layout: layout.raw,
        })
    }
}

impl Drop for ComputePipeline {
    fn drop(&mut self) {
        self.device.bury(Dead::Pipeline(self.raw));
    }
}

/// Where kernels meet what else uses their buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelBarrier {
    /// Before words are copied to where kernels read them: earlier picks on the queue may still read or write there.
    Upload,
    /// Behind that copy.
    Uploaded,
    /// Before the first: earlier picks on the queue may still draw from or copy what it writes, or have written
    /// what it reads, as may an upload.
    First,
    /// Before one that meets what others of this pick left.
    Between,
    /// Before draws and copies from what they left.
    Last,
    /// Behind a pass whose fragments wrote to a buffer.
    Kept,
}

impl Recording {
    pub(crate) fn kernel_barrier(&self, at: KernelBarrier) {
        use vk::{AccessFlags2 as Access, PipelineStageFlags2 as Stage};
        let storage = Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE;
        let (from, to, accesses) = match at {
            KernelBarrier::Upload => (
                Stage::COMPUTE_SHADER | Stage::VERTEX_SHADER | Stage::FRAGMENT_SHADER | Stage::COPY,
                Stage::COPY,
                Access::TRANSFER_WRITE,
            ),
            KernelBarrier::Uploaded => (
                Stage::COPY,
                Stage::COMPUTE_SHADER | Stage::VERTEX_SHADER | Stage::FRAGMENT_SHADER,
                storage,
            ),
            // Uploads, and hosts, make transforms visible to vertex shaders: behind those, and made
            // available, they are visible here.
            KernelBarrier::First => (
                Stage::COMPUTE_SHADER | Stage::VERTEX_SHADER | Stage::DRAW_INDIRECT | Stage::COPY,
                Stage::COMPUTE_SHADER,
                storage,
            ),
            KernelBarrier::Between => (Stage::COMPUTE_SHADER, Stage::COMPUTE_SHADER, storage),
            KernelBarrier::Last => (
                Stage::COMPUTE_SHADER,
                Stage::VERTEX_SHADER | Stage::FRAGMENT_SHADER | Stage::DRAW_INDIRECT | Stage::COPY,
                storage | Access::INDIRECT_COMMAND_READ | Access::TRANSFER_READ,
            ),
            KernelBarrier::Kept => (
                Stage::FRAGMENT_SHADER,
                Stage::COMPUTE_SHADER | Stage::FRAGMENT_SHADER | Stage::COPY,
                storage | Access::TRANSFER_READ,
            ),
        };
        let copied = match from.contains(Stage::COPY) {
            true => Access::TRANSFER_WRITE,
            false => Access::NONE,
        };
        let written = match from == Stage::COPY {
            true => copied,
            false => copied | Access::SHADER_STORAGE_WRITE,
        };
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(from)
            .src_access_mask(written)
            .dst_stage_mask(to)
            .dst_access_mask(accesses)];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: invariants 1 and 8; kernels run only where the queue computes.
        unsafe { self.device.raw.cmd_pipeline_barrier2(self.raw(), &info) };
    }

    /// Binds a kernel with what it is told, at an offset, and what it works on.
    pub(crate) fn kernel(&self, by: &ComputePipeline, params: &Set, offset: u32, bound: &Set) {
        let compute = vk::PipelineBindPoint::COMPUTE;
        let (raw, sets) = (&self.device.raw, [params.raw, bound.raw]);
        // SAFETY: invariants 1 and 8; records were laid out so that the dynamic offset lies inside.
        unsafe {
            raw.cmd_bind_pipeline(self.raw(), compute, by.raw);
            raw.cmd_bind_descriptor_sets(self.raw(), compute, by.layout, 0, &sets, &[offset]);
        }
    }

    /// Runs the bound kernel in so many workgroups.
    pub(crate) fn dispatch(&self, [x, y]: [u32; 2]) {
        // SAFETY: invariants 1 and 7.
        unsafe { self.device.raw.cmd_dispatch(self.raw(), x, y, 1) };
    }
}
