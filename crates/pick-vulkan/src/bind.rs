//! Set layouts by what a variant uses, and geometry sets by mesh and instance set.

use std::sync::Arc;

use ash::vk;
use pick_core::kit::{self, DeviceMemory as _, Groups};
use pick_core::layout::{DrawRecord, PickUniforms};
use pick_core::{InstancesId, MeshId, PickError, VertexFetch};
use pick_shaders::{BINDINGS, Binding, BindingKind, GROUP_DRAW, GROUP_PICK, GeometryUse};

use crate::device::Gpu;
use crate::mesh::{Instances, Mesh};
use crate::vk::{Bound, Buffer, Layout, PipelineLayout, Set, Sets};

/// What a geometry set holds.
pub(crate) type GroupKey = kit::GroupKey<GeometryUse>;

/// Layouts and sets.
pub(crate) struct Binds {
    pick: Layout,
    draw: Layout,
    geometry: Vec<(GeometryUse, GeometryLayout)>,
    groups: Groups<GeometryUse, Set>,
    sets: Sets,
    /// Stands in for whatever a draw does not have.
    nothing: Arc<Buffer>,
}

struct GeometryLayout {
    group: Layout,
    pipeline: PipelineLayout,
}

impl Binds {
    /// # Errors
    /// `Broken` when the driver refuses, `DeviceLost`.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, PickError> {
        let uniform = |group| layout(gpu, BINDINGS.iter().filter(move |b| b.group == group));
        Ok(Self {
            pick: uniform(GROUP_PICK)?,
            draw: uniform(GROUP_DRAW)?,
            geometry: Vec::new(),
            groups: Groups::default(),
            sets: Sets::new(),
            nothing: gpu.upload("pick nothing", &[], &[kit::BufferUse::Storage])?,
        })
    }

    pub(crate) fn begin(&mut self) {
        self.groups.begin();
    }

    /// The pipeline layout of variants that use these bindings.
    ///
    /// # Errors
    /// `Broken` when the driver refuses.
    pub(crate) fn pipeline_layout(
        &mut self,
        gpu: &Gpu,
        used: GeometryUse,
    ) -> Result<&PipelineLayout, PickError> {
        let index = self.layout_index(gpu, used)?;
        Ok(&self.geometry[index].1.pipeline)
    }

    /// The sets of a slot's records: the pick's, and the draws' with a dynamic offset.
    ///
    /// # Errors
    /// `Broken` when the driver refuses.
    pub(crate) fn record_sets(
        &mut self,
        gpu: &Gpu,
        records: &Buffer,
    ) -> Result<[Set; 2], PickError> {
        let bound = |kind, bytes: usize| {
            [Bound {
                binding: 0,
                kind,
                buffer: records,
                offset: 0,
                bytes: bytes as u64,
            }]
        };
        let pick = bound(
            vk::DescriptorType::UNIFORM_BUFFER,
            size_of::<PickUniforms>(),
        );
        let draw = bound(
            vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
            size_of::<DrawRecord>(),
        );
        Ok([
            self.sets.make(&gpu.device, &self.pick, &pick)?,
            self.sets.make(&gpu.device, &self.draw, &draw)?,
        ])
    }

    /// Where the set of these buffers is.
    ///
    /// # Errors
    /// `Broken` when the driver refuses.
    pub(crate) fn group(
        &mut self,
        gpu: &Gpu,
        key: GroupKey,
        mesh: &Mesh,
        instances: Option<&Instances>,
    ) -> Result<usize, PickError> {
        if let Some(at) = self.groups.find(&key) {
            return Ok(at);
        }
        let layout = self.layout_index(gpu, key.used)?;
        let nothing = self.nothing.clone();
        let bindings = key.used.bindings();
        let bound: Vec<_> = bindings
            .map(|binding| resource(&nothing, binding, mesh, instances))
            .collect();
        let layout = &self.geometry[layout].1.group;
        let set = self.sets.make(&gpu.device, layout, &bound)?;
        Ok(self.groups.insert(key, set))
    }

    pub(crate) fn at(&self, position: usize) -> Option<&Set> {
        self.groups.at(position)
    }

    /// Lets go of a mesh that is gone.
    pub(crate) fn forget_mesh(&mut self, mesh: MeshId) {
        self.groups.forget_mesh(mesh);
    }

    /// Lets go of an instance set that is gone or has other contents now.
    pub(crate) fn forget_instances(&mut self, set: InstancesId) {
        self.groups.forget_instances(set);
    }

    fn layout_index(&mut self, gpu: &Gpu, used: GeometryUse) -> Result<usize, PickError> {
        if let Some(at) = self.geometry.iter().position(|(known, _)| *known == used) {
            return Ok(at);
        }
        let group = layout(gpu, used.bindings())?;
        let pipeline = PipelineLayout::new(&gpu.device, &[&self.pick, &self.draw, &group])?;
        self.geometry
            .push((used, GeometryLayout { group, pipeline }));
        Ok(self.geometry.len() - 1)
    }
}

fn resource<'a>(
    nothing: &'a Buffer,
    binding: &Binding,
    mesh: &'a Mesh,
    instances: Option<&'a Instances>,
) -> Bound<'a> {
    // No copy is bound as storage: what is pulled is the mesh's own.
    let vertices = mesh.vertices(VertexFetch::Pulled);
    let instances = instances.filter(|instances| instances.bytes > 0);
    let whole = match binding.kind {
        BindingKind::Positions => vertices.map(|v| &v.positions.buffer),
        BindingKind::Indices => mesh.indices.as_ref().map(|i| &i.buffer),
        BindingKind::Normals => vertices.and_then(|v| v.normals.as_ref()).map(|s| &s.buffer),
        BindingKind::Uvs => vertices.and_then(|v| v.uvs.as_ref()).map(|s| &s.buffer),
        BindingKind::VertexFaces => mesh.faces.as_ref(),
        BindingKind::Instances => instances.map(|instances| &instances.buffer),
        // Not of this group.
        BindingKind::PickUniforms | BindingKind::DrawRecord => None,
    };
    let buffer: &Buffer = whole.map_or(nothing, |buffer| buffer);
    // The whole words of a buffer, but of instances what the set has.
    let (offset, bytes) = match (binding.kind, instances) {
        (BindingKind::Instances, Some(instances)) => (instances.offset, instances.bytes),
        _ => (0, buffer.size() & !3),
    };
    Bound {
        binding: binding.binding,
        kind: vk::DescriptorType::STORAGE_BUFFER,
        buffer,
        offset,
        bytes,
    }
}

fn layout<'a>(gpu: &Gpu, bindings: impl Iterator<Item = &'a Binding>) -> Result<Layout, PickError> {
    let entries: Vec<_> = bindings.map(entry).collect();
    Layout::new(&gpu.device, &entries)
}

fn entry(binding: &Binding) -> vk::DescriptorSetLayoutBinding<'static> {
    let kind = match binding.kind {
        BindingKind::PickUniforms => vk::DescriptorType::UNIFORM_BUFFER,
        BindingKind::DrawRecord => vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
        BindingKind::Instances
        | BindingKind::Positions
        | BindingKind::Indices
        | BindingKind::Normals
        | BindingKind::Uvs
        | BindingKind::VertexFaces => vk::DescriptorType::STORAGE_BUFFER,
    };
    let stages = match binding.fragment {
        true => vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT,
        false => vk::ShaderStageFlags::VERTEX,
    };
    vk::DescriptorSetLayoutBinding::default()
        .binding(binding.binding)
        .descriptor_type(kind)
        .descriptor_count(1)
        .stage_flags(stages)
}
