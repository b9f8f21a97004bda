//! Set layouts by what a variant uses, and geometry sets by mesh and instance set.

use std::sync::Arc;

use ash::vk;
use pick_core::kit::{self, DeviceMemory as _, Groups, ScratchKey};
use pick_core::layout::{DrawRecord, PickUniforms};
use pick_core::{InstanceRun, InstancesId, KernelParams, MeshId, PickError, VertexFetch};
use pick_shaders::{
    BINDINGS, Binding, BindingKind, GROUP_DRAW, GROUP_FRAGMENTS, GROUP_PICK, GeometryUse, Stages,
};

use crate::device::Gpu;
use crate::kernels::params_entry;
use crate::mesh::{Instances, Mesh, Stream};
use crate::vk::{Bound, BoundTo, Buffer, Image, Layout, PipelineLayout, Set, Sets};

/// What a geometry set holds.
pub(crate) type GroupKey = kit::GroupKey<GeometryUse>;

/// Layouts and sets.
pub(crate) struct Binds {
    pick: Layout,
    draw: Layout,
    /// Of what kernels are told.
    params: Layout,
    /// Of what every fragment is told to.
    fragments: Layout,
    /// The last of these that was bound.
    told_to: Option<(ScratchKey, Set)>,
    geometry: Vec<(LayoutKey, GeometryLayout)>,
    groups: Groups<GeometryUse, Set>,
    sets: Sets,
    /// Stands in for whatever a draw does not have.
    nothing: Arc<Buffer>,
}

/// The sets of a slot's records.
pub(crate) struct RecordSets {
    pub(crate) pick: Set,
    /// At a dynamic offset.
    pub(crate) draw: Set,
    /// What kernels are told, at a dynamic offset.
    pub(crate) params: Set,
}

/// What pipeline layouts differ in: the geometry, and whether fragments are told to a buffer.
type LayoutKey = (GeometryUse, bool);

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
            params: Layout::new(&gpu.device, &[params_entry()])?,
            fragments: uniform(GROUP_FRAGMENTS)?,
            told_to: None,
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
        keeps_fragments: bool,
    ) -> Result<&PipelineLayout, PickError> {
        let index = self.layout_index(gpu, (used, keeps_fragments))?;
        Ok(&self.geometry[index].1.pipeline)
    }

    /// The sets of a slot's records.
    ///
    /// # Errors
    /// `Broken` when the driver refuses.
    pub(crate) fn record_sets(
        &mut self,
        gpu: &Gpu,
        records: &Buffer,
    ) -> Result<RecordSets, PickError> {
        let bound = |binding, kind, bytes: usize| Bound {
            binding,
            kind,
            to: BoundTo::Buffer {
                buffer: records,
                offset: 0,
                bytes: bytes as u64,
            },
        };
        let uniform = vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC;
        let storage = vk::DescriptorType::STORAGE_BUFFER_DYNAMIC;
        let pick = vk::DescriptorType::UNIFORM_BUFFER;
        let pick = [bound(0, pick, size_of::<PickUniforms>())];
        let draw = [
            bound(0, uniform, size_of::<DrawRecord>()),
            bound(1, storage, size_of::<DrawRecord>()),
        ];
        let params = [bound(0, uniform, KernelParams::MOST_BYTES)];
        Ok(RecordSets {
            pick: self.sets.make(&gpu.device, &self.pick, &pick)?,
            draw: self.sets.make(&gpu.device, &self.draw, &draw)?,
            params: self.sets.make(&gpu.device, &self.params, &params)?,
        })
    }

    /// A set of the places of a mask.
    ///
    /// # Errors
    /// `Broken` when the driver refuses.
    pub(crate) fn places(
        &mut self,
        gpu: &Gpu,
        layout: &Layout,
        places: &Buffer,
    ) -> Result<Set, PickError> {
        self.sets.make(&gpu.device, layout, &[whole(0, places)])
    }

    /// The layout of what kernels are told, and where sets come from.
    pub(crate) fn for_kernels(&mut self) -> (&Layout, &mut Sets) {
        (&self.params, &mut self.sets)
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
        survivors: Option<&Buffer>,
    ) -> Result<usize, PickError> {
        if let Some(at) = self.groups.find(&key) {
            return Ok(at);
        }
        let layout = self.layout_index(gpu, (key.used, false))?;
        let nothing: &Buffer = &self.nothing;
        let bound: Vec<_> = key
            .used
            .bindings()
            .map(|binding| match (binding.kind, instances, key.instances) {
                (BindingKind::Survivors, ..) => {
                    whole(binding.binding, survivors.unwrap_or(nothing))
                }
                (BindingKind::Instances, Some(set), Some(run)) if run.count > 0 => {
                    run_binding(binding.binding, set, run)
                }
                _ => whole(binding.binding, of_mesh(binding, mesh).unwrap_or(nothing)),
            })
            .collect();
        let layout = &self.geometry[layout].1.group;
        let set = self.sets.make(&gpu.device, layout, &bound)?;
        Ok(self.groups.insert(key, set))
    }

    /// Makes sure that a buffer can be bound as what every fragment is told to.
    ///
    /// # Errors
    /// `Broken` when the driver refuses.
    pub(crate) fn prepare_fragments(
        &mut self,
        gpu: &Gpu,
        key: ScratchKey,
        buffer: &Buffer,
    ) -> Result<(), PickError> {
        if self.told_to.as_ref().is_none_or(|(known, _)| *known != key) {
            let bound = [whole(0, buffer)];
            let set = self.sets.make(&gpu.device, &self.fragments, &bound)?;
            self.told_to = Some((key, set));
        }
        Ok(())
    }

    /// What [`Binds::prepare_fragments`] made.
    pub(crate) fn fragments(&self) -> Option<&Set> {
        self.told_to.as_ref().map(|(_, set)| set)
    }

    pub(crate) fn at(&self, position: usize) -> Option<&Set> {
        self.groups.at(position)
    }

    /// Lets go of all geometry sets; they are made anew when needed.
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

    fn layout_index(&mut self, gpu: &Gpu, key: LayoutKey) -> Result<usize, PickError> {
        if let Some(at) = self.geometry.iter().position(|(known, _)| *known == key) {
            return Ok(at);
        }
        let (used, keeps_fragments) = key;
        let group = layout(gpu, used.bindings())?;
        let groups = [&self.pick, &self.draw, &group, &self.fragments];
        let groups = &groups[..3 + usize::from(keeps_fragments)];
        let pipeline = PipelineLayout::new(&gpu.device, groups)?;
        self.geometry
            .push((key, GeometryLayout { group, pipeline }));
        Ok(self.geometry.len() - 1)
    }
}

/// What a binding has of a mesh.
fn of_mesh<'a>(binding: &Binding, mesh: &'a Mesh) -> Option<&'a Buffer> {
    // No copy is bound as storage: what is pulled is the mesh's own.
    let vertices = mesh.vertices(VertexFetch::Pulled);
    let stream = |stream: &'a Stream| -> &'a Buffer { &stream.buffer };
    match binding.kind {
        BindingKind::Positions => vertices.map(|v| stream(&v.positions)),
        BindingKind::Indices => mesh.indices.as_ref().map(|i| &*i.buffer),
        BindingKind::Normals => vertices.and_then(|v| v.normals.as_ref()).map(stream),
        BindingKind::Uvs => vertices.and_then(|v| v.uvs.as_ref()).map(stream),
        BindingKind::VertexFaces => mesh.faces.as_deref(),
        // Not of this group, or not of a mesh.
        BindingKind::PickUniforms
        | BindingKind::DrawRecord
        | BindingKind::DrawChoices
        | BindingKind::Instances
        | BindingKind::Survivors
        | BindingKind::Fragments => None,
    }
}

/// The whole words of a buffer.
pub(crate) fn whole(binding: u32, buffer: &Buffer) -> Bound<'_> {
    Bound {
        binding,
        kind: vk::DescriptorType::STORAGE_BUFFER,
        to: BoundTo::Buffer {
            buffer,
            offset: 0,
            bytes: buffer.size() & !3,
        },
    }
}

/// A target that kernels read.
pub(crate) fn target_binding(binding: u32, image: &Image) -> Bound<'_> {
    Bound {
        binding,
        kind: vk::DescriptorType::SAMPLED_IMAGE,
        to: BoundTo::Image(image),
    }
}

/// The transforms of a run of a set.
pub(crate) fn run_binding(binding: u32, instances: &Instances, run: InstanceRun) -> Bound<'_> {
    let (offset, bytes) = instances.range(run);
    Bound {
        binding,
        kind: vk::DescriptorType::STORAGE_BUFFER,
        to: BoundTo::Buffer {
            buffer: &instances.buffer,
            offset,
            bytes,
        },
    }
}

fn layout<'a>(gpu: &Gpu, bindings: impl Iterator<Item = &'a Binding>) -> Result<Layout, PickError> {
    let entries: Vec<_> = bindings.map(entry).collect();
    Layout::new(&gpu.device, &entries)
}

fn entry(binding: &Binding) -> vk::DescriptorSetLayoutBinding<'static> {
    let kind = match binding.kind {
        BindingKind::PickUniforms => vk::DescriptorType::UNIFORM_BUFFER,
        BindingKind::DrawRecord => vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
        BindingKind::DrawChoices => vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
        BindingKind::Instances
        | BindingKind::Positions
        | BindingKind::Indices
        | BindingKind::Normals
        | BindingKind::Uvs
        | BindingKind::VertexFaces
        | BindingKind::Survivors
        | BindingKind::Fragments => vk::DescriptorType::STORAGE_BUFFER,
    };
    let stages = match binding.stages {
        Stages::Vertex => vk::ShaderStageFlags::VERTEX,
        Stages::Both => vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT,
        Stages::Fragment => vk::ShaderStageFlags::FRAGMENT,
    };
    vk::DescriptorSetLayoutBinding::default()
        .binding(binding.binding)
        .descriptor_type(kind)
        .descriptor_count(1)
        .stage_flags(stages)
}
