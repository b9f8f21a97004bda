//! Kernels: their pipelines, and the groups of what they work on.

use pick_core::kit::{KernelGroups, KernelKey, Scratches};
use pick_core::{
    Access, ComputeBinding, ComputeStep, InstancesId, Kernel, KernelParams, MeshId, PickError,
    Registry, TargetIndex,
};
use pick_shaders::kernel;

use crate::device::Gpu;
use crate::mesh::{Instances, Mesh};
use crate::scope::Catch;
use crate::targets::Targets;

/// What a kernel is dispatched with.
struct Made {
    group: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

/// All kernels, each made when a plan first runs it.
#[derive(Default)]
pub(crate) struct Kernels {
    made: [Option<Made>; Kernel::ALL.len()],
    groups: KernelGroups<wgpu::BindGroup>,
}

/// What steps look their buffers up in.
pub(crate) struct Held<'a> {
    pub(crate) meshes: &'a Registry<MeshId, Mesh>,
    pub(crate) instances: &'a Registry<InstancesId, Instances>,
    pub(crate) scratches: &'a Scratches<Gpu>,
    pub(crate) targets: &'a Targets,
    /// Where each of the plan's targets is.
    pub(crate) positions: &'a [usize],
}

impl Held<'_> {
    fn position(&self, target: TargetIndex) -> Option<usize> {
        self.positions.get(target.0).copied()
    }
}

impl Kernels {
    pub(crate) fn begin(&mut self, targets: &Targets) {
        self.groups.begin();
        self.groups.forget_targets(targets.kept());
    }

    /// Finds or makes what a step needs, and gives the name of its group.
    ///
    /// # Errors
    /// Input errors for sets that are foreign or removed; `Broken` when wgpu refuses.
    pub(crate) fn resolve(
        &mut self,
        gpu: &Gpu,
        params: &wgpu::BindGroupLayout,
        step: &ComputeStep,
        held: &Held<'_>,
    ) -> Result<KernelKey, PickError> {
        let at = step.kernel.position();
        if self.made[at].is_none() {
            self.made[at] = Some(make(gpu, params, step.kernel)?);
        }
        let target = |target| held.targets.kept().serial(held.position(target)?);
        let key = KernelKey::of(step, held.scratches, target)?;
        let layout = self.made[at].as_ref().map(|made| &made.group);
        let layout = layout.ok_or_else(gone)?;
        self.groups.ensure(key, || group(gpu, layout, step, held))?;
        Ok(key)
    }

    pub(crate) fn pipeline(&self, kernel: Kernel) -> Option<&wgpu::ComputePipeline> {
        let made = self.made[kernel.position()].as_ref();
        made.map(|made| &made.pipeline)
    }

    pub(crate) fn group(&self, key: &KernelKey) -> Option<&wgpu::BindGroup> {
        self.groups.get(key)
    }

    /// Lets go of all groups; they are made anew when needed.
    pub(crate) fn trim(&mut self) {
        self.groups = KernelGroups::default();
    }

    /// Lets go of a mesh that is gone.
    pub(crate) fn forget_mesh(&mut self, mesh: MeshId) {
        self.groups.forget_mesh(mesh);
    }

    /// Lets go of an instance set that is gone or has other contents now.
    pub(crate) fn forget_instances(&mut self, set: InstancesId) {
        self.groups.forget_instances(set);
    }
}

fn gone() -> PickError {
    PickError::broken("a kernel is gone") // cannot happen: it was just made
}

fn make(gpu: &Gpu, params: &wgpu::BindGroupLayout, which: Kernel) -> Result<Made, PickError> {
    gpu.checked(Catch::All, "a kernel", |device| {
        let label = Some(which.name());
        let accesses = which.access();
        let bindings = (0..)
            .zip(accesses)
            .filter(|(_, access)| *access != Access::None);
        let entries: Vec<_> = bindings
            .map(|(binding, access)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: binding_type(access),
                count: None,
            })
            .collect();
        let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label,
            entries: &entries,
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(params), Some(&group)],
            immediate_size: 0,
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label,
            source: wgpu::ShaderSource::Wgsl(kernel(which, gpu.threads).into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Kernels write it before they read it.
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        Made { group, pipeline }
    })
}

fn binding_type(access: Access) -> wgpu::BindingType {
    let sample_type = match access {
        Access::Words => wgpu::TextureSampleType::Uint,
        Access::Bytes => wgpu::TextureSampleType::Float { filterable: false },
        Access::None | Access::Read | Access::Write => {
            return wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage {
                    read_only: access == Access::Read,
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            };
        }
    };
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    }
}

fn group(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    step: &ComputeStep,
    held: &Held<'_>,
) -> Result<wgpu::BindGroup, PickError> {
    let mut entries = Vec::new();
    for (binding, bound) in (0..).zip(step.bindings) {
        let missing = || PickError::broken("a kernel works on a buffer that is not there");
        let buffer = match bound {
            ComputeBinding::None => continue,
            ComputeBinding::Target(target) => {
                let position = held.position(target).ok_or_else(missing)?;
                let view = held.targets.view(position).ok_or_else(missing)?;
                let resource = wgpu::BindingResource::TextureView(view);
                entries.push(wgpu::BindGroupEntry { binding, resource });
                continue;
            }
            ComputeBinding::Instances(run) => run_binding(held.instances.get(run.set)?, run),
            ComputeBinding::Blocks(set) => {
                let blocks = held.instances.get(set)?.blocks();
                blocks.ok_or_else(missing)?.as_entire_buffer_binding()
            }
            ComputeBinding::Clusters(mesh) => {
                let clusters = held.meshes.get(mesh)?.clusters();
                clusters.ok_or_else(missing)?.as_entire_buffer_binding()
            }
            ComputeBinding::Scratch(index) => {
                let buffer = held.scratches.at(index);
                buffer.ok_or_else(missing)?.as_entire_buffer_binding()
            }
        };
        entries.push(wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(buffer),
        });
    }
    gpu.checked(Catch::All, "a kernel's group", |device| {
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(step.kernel.name()),
            layout,
            entries: &entries,
        })
    })
}

/// The binding of a run of a set.
pub(crate) fn run_binding(
    instances: &Instances,
    run: pick_core::InstanceRun,
) -> wgpu::BufferBinding<'_> {
    let (offset, bytes) = instances.range(run);
    wgpu::BufferBinding {
        buffer: &instances.buffer,
        offset,
        size: wgpu::BufferSize::new(bytes),
    }
}

/// The layout of what kernels are told.
pub(crate) fn params_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: wgpu::BufferSize::new(KernelParams::MOST_BYTES as u64),
        },
        count: None,
    }
}
