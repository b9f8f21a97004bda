//! Bind group layouts by what a variant uses, and geometry groups by mesh and instance set.

use pick_core::kit::{self, DeviceMemory as _, Groups, ScratchKey};
use pick_core::layout::{DrawRecord, PickUniforms};
use pick_core::{InstancesId, MeshId, PickError, VertexFetch};
use pick_shaders::{
    BINDINGS, Binding, BindingKind, GROUP_DRAW, GROUP_FRAGMENTS, GROUP_PICK, GeometryUse, Stages,
};

use crate::device::Gpu;
use crate::kernels::{params_entry, run_binding};
use crate::mesh::{Instances, Mesh};
use crate::scope::Catch;

/// What a geometry group holds.
pub(crate) type GroupKey = kit::GroupKey<GeometryUse>;

/// Layouts and groups.
pub(crate) struct Binds {
    pub(crate) pick: wgpu::BindGroupLayout,
    pub(crate) draw: wgpu::BindGroupLayout,
    /// Of what kernels are told.
    pub(crate) params: wgpu::BindGroupLayout,
    /// Of what every fragment is told to, once a plan keeps them.
    fragments: Option<wgpu::BindGroupLayout>,
    /// The last of these that was bound.
    told_to: Option<(ScratchKey, wgpu::BindGroup)>,
    geometry: Vec<(LayoutKey, GeometryLayout)>,
    groups: Groups<GeometryUse, wgpu::BindGroup>,
    /// Stands in for whatever a draw does not have.
    nothing: wgpu::Buffer,
}

/// What pipeline layouts differ in: the geometry, and whether fragments are told to a buffer.
type LayoutKey = (GeometryUse, bool);

struct GeometryLayout {
    group: wgpu::BindGroupLayout,
    pipeline: wgpu::PipelineLayout,
}

impl Binds {
    /// # Errors
    /// `Broken` when wgpu refuses, `DeviceLost`.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, PickError> {
        let uniform = |group, label| {
            let bindings = BINDINGS.iter().filter(move |b| b.group == group);
            layout(gpu, label, bindings)
        };
        Ok(Self {
            pick: uniform(GROUP_PICK, "pick uniforms")?,
            draw: uniform(GROUP_DRAW, "pick draw")?,
            params: gpu.checked(Catch::All, "pick kernel", |device| {
                device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: Some("pick kernel"),
                    entries: &[params_entry()],
                })
            })?,
            fragments: None,
            told_to: None,
            geometry: Vec::new(),
            groups: Groups::default(),
            nothing: gpu.upload("pick nothing", &[], &[kit::BufferUse::Storage])?,
        })
    }

    pub(crate) fn begin(&mut self) {
        self.groups.begin();
    }

    /// The pipeline layout of variants that use these bindings.
    ///
    /// # Errors
    /// `Broken` when wgpu refuses.
    pub(crate) fn pipeline_layout(
        &mut self,
        gpu: &Gpu,
        used: GeometryUse,
        keeps_fragments: bool,
    ) -> Result<&wgpu::PipelineLayout, PickError> {
        let index = self.layout_index(gpu, (used, keeps_fragments))?;
        Ok(&self.geometry[index].1.pipeline)
    }

    /// Where the group of these buffers is.
    ///
    /// # Errors
    /// `Broken` when wgpu refuses.
    pub(crate) fn group(
        &mut self,
        gpu: &Gpu,
        key: GroupKey,
        mesh: &Mesh,
        instances: Option<&Instances>,
        survivors: Option<&wgpu::Buffer>,
    ) -> Result<usize, PickError> {
        if let Some(at) = self.groups.find(&key) {
            return Ok(at);
        }
        let layout = self.layout_index(gpu, (key.used, false))?;
        let entries: Vec<_> = key
            .used
            .bindings()
            .map(|binding| wgpu::BindGroupEntry {
                binding: binding.binding,
                resource: wgpu::BindingResource::Buffer(match binding.kind {
                    BindingKind::Survivors => words(survivors.unwrap_or(&self.nothing)),
                    BindingKind::Instances => match (instances, key.instances) {
                        (Some(set), Some(run)) => run_binding(set, run),
                        _ => words(&self.nothing),
                    },
                    _ => self.resource(binding, mesh),
                }),
            })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor {
            label: Some("pick geometry"),
            layout: &self.geometry[layout].1.group,
            entries: &entries,
        };
        let group = gpu.checked(Catch::All, "a geometry group", |device| {
            device.create_bind_group(&descriptor)
        })?;
        Ok(self.groups.insert(key, group))
    }

    /// Makes sure that a buffer can be bound as what every fragment is told to.
    ///
    /// # Errors
    /// `Broken` when wgpu refuses.
    pub(crate) fn prepare_fragments(
        &mut self,
        gpu: &Gpu,
        key: ScratchKey,
        buffer: &wgpu::Buffer,
    ) -> Result<(), PickError> {
        if self
            .told_to
            .as_ref()
            .is_some_and(|(known, _)| *known == key)
        {
            return Ok(());
        }
        let entry = wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(words(buffer)),
        };
        let layout = self.fragments_layout(gpu)?.clone();
        let group = gpu.checked(Catch::All, "a group of fragments", |device| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("pick fragments"),
                layout: &layout,
                entries: &[entry],
            })
        })?;
        self.told_to = Some((key, group));
        Ok(())
    }

    /// What [`Binds::prepare_fragments`] made.
    pub(crate) fn fragments(&self) -> Option<&wgpu::BindGroup> {
        self.told_to.as_ref().map(|(_, group)| group)
    }

    fn fragments_layout(&mut self, gpu: &Gpu) -> Result<&wgpu::BindGroupLayout, PickError> {
        let rows = BINDINGS.iter().filter(|b| b.group == GROUP_FRAGMENTS);
        Ok(match self.fragments.take() {
            Some(layout) => self.fragments.insert(layout),
            None => self.fragments.insert(layout(gpu, "pick fragments", rows)?),
        })
    }

    pub(crate) fn at(&self, position: usize) -> Option<&wgpu::BindGroup> {
        self.groups.at(position)
    }

    /// Lets go of all geometry groups; they are made anew when needed.
    pub(crate) fn trim(&mut self) {
        self.groups = Groups::default();
        self.told_to = None;
    }

    /// Lets go of a mesh that is gone.
    pub(crate) fn forget_mesh(&mut self, mesh: MeshId) {
        self.groups.forget_mesh(mesh);
    }

    /// Lets go of an instance set that is gone or has other contents now.
    pub(crate) fn forget_instances(&mut self, set: InstancesId) {
        self.groups.forget_instances(set);
    }

    fn resource<'a>(&'a self, binding: &Binding, mesh: &'a Mesh) -> wgpu::BufferBinding<'a> {
        let whole = |stream: Option<&'a wgpu::Buffer>| words(stream.unwrap_or(&self.nothing));
        // No copy is bound as storage: what is pulled is the mesh's own.
        let Some(vertices) = mesh.vertices(VertexFetch::Pulled) else {
            return words(&self.nothing); // not reached: every mesh has its own
        };
        match binding.kind {
            BindingKind::Positions => whole(Some(&vertices.positions.buffer)),
            BindingKind::Indices => whole(mesh.indices.as_ref().map(|i| &i.buffer)),
            BindingKind::Normals => whole(vertices.normals.as_ref().map(|s| &s.buffer)),
            BindingKind::Uvs => whole(vertices.uvs.as_ref().map(|s| &s.buffer)),
            BindingKind::VertexFaces => whole(mesh.faces.as_ref()),
            // Not of this group, or not of a mesh.
            BindingKind::PickUniforms
            | BindingKind::DrawRecord
            | BindingKind::DrawChoices
            | BindingKind::Instances
            | BindingKind::Survivors
            | BindingKind::Fragments => words(&self.nothing),
        }
    }

    fn layout_index(&mut self, gpu: &Gpu, key: LayoutKey) -> Result<usize, PickError> {
        if let Some(at) = self.geometry.iter().position(|(known, _)| *known == key) {
            return Ok(at);
        }
        let (used, keeps_fragments) = key;
        let fragments = match keeps_fragments {
            true => Some(self.fragments_layout(gpu)?.clone()),
            false => None,
        };
        let group = layout(gpu, "pick geometry", used.bindings())?;
        let pipeline = gpu.checked(Catch::All, "a pipeline layout", |device| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("pick"),
                bind_group_layouts: &[
                    Some(&self.pick),
                    Some(&self.draw),
                    Some(&group),
                    fragments.as_ref(),
                ][..3 + usize::from(keeps_fragments)],
                immediate_size: 0,
            })
        })?;
        self.geometry
            .push((key, GeometryLayout { group, pipeline }));
        Ok(self.geometry.len() - 1)
    }
}

/// The whole words of a buffer.
fn words(buffer: &wgpu::Buffer) -> wgpu::BufferBinding<'_> {
    wgpu::BufferBinding {
        buffer,
        offset: 0,
        size: wgpu::BufferSize::new(buffer.size() & !3),
    }
}

fn layout<'a>(
    gpu: &Gpu,
    label: &'static str,
    bindings: impl Iterator<Item = &'a Binding>,
) -> Result<wgpu::BindGroupLayout, PickError> {
    let entries: Vec<_> = bindings.map(entry).collect();
    let descriptor = wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries: &entries,
    };
    gpu.checked(Catch::All, label, |device| {
        device.create_bind_group_layout(&descriptor)
    })
}

fn entry(binding: &Binding) -> wgpu::BindGroupLayoutEntry {
    let buffer = |ty, has_dynamic_offset, bytes: usize| wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset,
        min_binding_size: wgpu::BufferSize::new(bytes as u64),
    };
    let uniform = wgpu::BufferBindingType::Uniform;
    let storage = wgpu::BufferBindingType::Storage { read_only: true };
    wgpu::BindGroupLayoutEntry {
        binding: binding.binding,
        visibility: match binding.stages {
            Stages::Vertex => wgpu::ShaderStages::VERTEX,
            Stages::Both => wgpu::ShaderStages::VERTEX_FRAGMENT,
            Stages::Fragment => wgpu::ShaderStages::FRAGMENT,
        },
        ty: match binding.kind {
            BindingKind::PickUniforms => buffer(uniform, false, size_of::<PickUniforms>()),
            BindingKind::DrawRecord => buffer(uniform, true, size_of::<DrawRecord>()),
            BindingKind::DrawChoices => buffer(storage, true, size_of::<DrawRecord>()),
            BindingKind::Instances => buffer(storage, false, 16),
            BindingKind::Positions
            | BindingKind::Indices
            | BindingKind::Normals
            | BindingKind::Uvs
            | BindingKind::VertexFaces
            | BindingKind::Survivors => buffer(storage, false, 4),
            BindingKind::Fragments => {
                let written = wgpu::BufferBindingType::Storage { read_only: false };
                buffer(written, false, 4)
            }
        },
        count: None,
    }
}
