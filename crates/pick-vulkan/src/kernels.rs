//! Kernels: their pipelines, the sets of what they work on, and what must hold before one runs.

use ash::vk;
use pick_core::kit::{KernelGroups, KernelKey, Scratches};
use pick_core::layout::{CullParams, cull};
use pick_core::{
    Access, BufferIndex, ComputeBinding, ComputeStep, Draw, InstancesId, Kernel, KernelParams,
    MeshId, PickError, Plan, Registry, ScratchRole, TargetIndex, Texel, VertexFetch,
};
use pick_shaders::{kernel, to_spirv};

use crate::bind::{Binds, run_binding, target_binding, whole};
use crate::device::Gpu;
use crate::mesh::{Instances, Mesh};
use crate::targets::Targets;
use crate::vk::{ComputePipeline, Layout, PipelineCache, PipelineLayout, Set};

/// What a kernel is dispatched with.
struct Made {
    group: Layout,
    pipeline: ComputePipeline,
    /// Lives as long as the pipeline.
    _layout: PipelineLayout,
}

/// All kernels, each made when a plan first runs it.
#[derive(Default)]
pub(crate) struct Kernels {
    made: [Option<Made>; Kernel::ALL.len()],
    groups: KernelGroups<Set>,
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

    /// Finds or makes what a step needs, and gives the name of its set.
    ///
    /// # Errors
    /// Input errors for sets that are foreign or removed; `Broken` when the driver refuses; `DeviceLost`.
    pub(crate) fn resolve(
        &mut self,
        gpu: &Gpu,
        binds: &mut Binds,
        cache: &PipelineCache,
        step: &ComputeStep,
        held: &Held<'_>,
    ) -> Result<KernelKey, PickError> {
        let made = &mut self.made[step.kernel.position()];
        let made = match made {
            Some(made) => made,
            None => made.insert(make(gpu, binds, cache, step.kernel)?),
        };
        let target = |target| held.targets.kept().serial(held.position(target)?);
        let key = KernelKey::of(step, held.scratches, target)?;
        let layout = &made.group;
        self.groups
            .ensure(key, || group(gpu, binds, layout, step, held))?;
        Ok(key)
    }

    pub(crate) fn pipeline(&self, kernel: Kernel) -> Option<&ComputePipeline> {
        let made = self.made[kernel.position()].as_ref();
        made.map(|made| &made.pipeline)
    }

    pub(crate) fn group(&self, key: &KernelKey) -> Option<&Set> {
        self.groups.get(key)
    }

    /// Lets go of all sets; they are made anew when needed.
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

/// The kernel that has written each of the plan's buffers last. Counts on the device are not seen by the
/// checks of draws; so a plan's kernels must be those that write what the plan says, in their order.
#[derive(Default)]
pub(crate) struct Written(Vec<Option<(Kernel, KernelParams)>>);

impl Written {
    pub(crate) fn begin(&mut self, plan: &Plan) {
        self.0.clear();
        self.0.resize(plan.scratch.len(), None);
    }

    /// Checks that a step may run behind those before it, and notes it.
    ///
    /// # Errors
    /// `Broken` for a step that is not planned as culling is.
    pub(crate) fn check(
        &mut self,
        gpu: &Gpu,
        plan: &Plan,
        step: &ComputeStep,
        meshes: &Registry<MeshId, Mesh>,
    ) -> Result<(), PickError> {
        let mut bound = step.kernel.access().into_iter().zip(step.bindings);
        let fits = bound.all(|(access, binding)| fits(plan, access, binding));
        let follows = match &step.params {
            KernelParams::Cull(params) => self.follows(plan, step, params, meshes)?,
            // They check where they write themselves.
            KernelParams::Reduce(_) => !step.kernel.culls() && works_on_words(plan, step),
        };
        let most = gpu.device.physical.limits.max_compute_work_group_count;
        let [x, y] = step.workgroups;
        let counted = x <= most[0] && y <= most[1];
        if !(gpu.culls && fits && follows && counted) {
            return Err(PickError::broken("a kernel runs where it was not meant to"));
        }
        for (access, binding) in step.kernel.access().into_iter().zip(step.bindings) {
            if let (Access::Write, ComputeBinding::Scratch(BufferIndex(index))) = (access, binding)
            {
                match self.0.get_mut(index) {
                    Some(last) => *last = Some((step.kernel, step.params)),
                    None => return Err(PickError::broken("a kernel names a buffer that is not")),
                }
            }
        }
        Ok(())
    }

    /// Whether a kernel that culls runs behind those that it goes on from, in lists that have room.
    fn follows(
        &self,
        plan: &Plan,
        step: &ComputeStep,
        params: &CullParams,
        meshes: &Registry<MeshId, Mesh>,
    ) -> Result<bool, PickError> {
        let same = |other: &KernelParams| other.bytes() == bytemuck::bytes_of(params);
        Ok(match (step.kernel, step.bindings) {
            (Kernel::BoundBlocks(_), [_, ComputeBinding::Blocks(_), _]) => true,
            (Kernel::CullInstances(_), [.., ComputeBinding::Scratch(lists)]) => {
                let scratch = plan.scratch.get(lists.0);
                scratch.is_some_and(|scratch| has_lists(params, scratch.bytes / 4))
            }
            (Kernel::ListInstances, [.., ComputeBinding::Scratch(lists)]) => {
                let last = self.last(lists);
                last.is_some_and(|(of, told)| matches!(of, Kernel::CullInstances(_)) && same(&told))
            }
            (
                Kernel::PairClusters(_),
                [
                    _,
                    ComputeBinding::Clusters(mesh),
                    ComputeBinding::Scratch(lists),
                ],
            ) => {
                let last = self.last(lists);
                let listed =
                    last.is_some_and(|(of, told)| of == Kernel::ListInstances && same(&told));
                listed && has_clusters(params, meshes.get(mesh)?)
            }
            _ => false,
        })
    }

    /// Checks that the counts of a draw are those that it would have without culling, or fewer copies.
    ///
    /// # Errors
    /// `Broken` for counts of something else.
    pub(crate) fn check_draw(&self, draw: &Draw) -> Result<(), PickError> {
        let Some(survivors) = draw.survivors else {
            return Ok(());
        };
        let first = match draw.fetch {
            VertexFetch::Indexed => draw.elements.start,
            VertexFetch::Pulled | VertexFetch::Expanded => 0,
        };
        let count = draw.elements.end.saturating_sub(draw.elements.start);
        let counted = match self.last(survivors) {
            Some((Kernel::ListInstances, KernelParams::Cull(params))) => {
                (params.elements, params.first_element) == (count, first)
            }
            // Runs of elements of pulled vertices: the shader reads no others, whatever it is told.
            Some((Kernel::PairClusters(_), KernelParams::Cull(params))) => {
                (params.elements, params.first_element) == (count, first)
                    && draw.fetch == VertexFetch::Pulled
            }
            _ => false,
        };
        match counted {
            true => Ok(()),
            false => Err(PickError::broken(
                "a draw takes counts that are not its own",
            )),
        }
    }

    fn last(&self, buffer: BufferIndex) -> Option<(Kernel, KernelParams)> {
        self.0.get(buffer.0).copied().flatten()
    }
}

/// Whether a binding is what a kernel has there.
fn fits(plan: &Plan, access: Access, binding: ComputeBinding) -> bool {
    let texel = match binding {
        ComputeBinding::Target(target) => plan.targets.get(target.0).map(|t| t.format.texel()),
        _ => None,
    };
    match access {
        Access::None => binding == ComputeBinding::None,
        Access::Read => binding != ComputeBinding::None && texel.is_none(),
        Access::Write => matches!(
            binding,
            ComputeBinding::Blocks(_) | ComputeBinding::Scratch(_)
        ),
        Access::Bytes => texel == Some(Some(Texel::Bytes)),
        Access::Words => matches!(
            texel,
            Some(Some(Texel::Word | Texel::TwoWords | Texel::FourWords))
        ),
    }
}

/// Kernels that reduce pixels write no buffer that a draw takes counts from.
fn works_on_words(plan: &Plan, step: &ComputeStep) -> bool {
    let [.., ComputeBinding::Scratch(words)] = step.bindings else {
        return false;
    };
    let scratch = plan.scratch.get(words.0);
    scratch.is_some_and(|scratch| scratch.role == ScratchRole::Reduction)
}

/// True when the lists stand one behind the other between the header and the buffer's end: none then
/// reaches into the counts of the draws.
fn has_lists(params: &CullParams, words: u64) -> bool {
    let chunks = u64::from(params.chunks);
    let lists = [
        (params.counts, chunks),
        (params.counts_before, chunks),
        (params.found, chunks * u64::from(cull::BLOCKS_IN_CHUNK)),
        (params.survivors, u64::from(params.capacity)),
        (params.pairs, pair_words(params)),
    ];
    let lists = &lists[..if params.clusters == 0 { 4 } else { 5 }];
    let end =
        lists.iter().try_fold(
            u64::from(cull::HEADER_WORDS),
            |end, &(first, length)| match u64::from(first) {
                first if first >= end => Some(first + length),
                _ => None,
            },
        );
    end.is_some_and(|end| end <= words && end <= u64::from(u32::MAX))
}

fn pair_words(params: &CullParams) -> u64 {
    u64::from(params.pair_capacity) * u64::from(cull::PAIR_WORDS)
}

/// True when the mesh has the boxes that the kernel reads.
fn has_clusters(params: &CullParams, mesh: &Mesh) -> bool {
    let clusters = u64::from(params.clusters);
    let groups = clusters.div_ceil(u64::from(cull::CLUSTERS_IN_GROUP));
    let vectors =
        u64::from(params.cluster_nodes) + (groups + clusters) * u64::from(cull::NODE_VECTORS);
    let held = mesh.clusters().map_or(0, |boxes| boxes.size());
    clusters > 0 && vectors * 16 <= held
}

/// True when a step meets what an earlier one leaves, or uses what it overwrites.
pub(crate) fn meets(earlier: &ComputeStep, later: &ComputeStep) -> bool {
    let bound = |step: &ComputeStep| {
        let of = |at: usize| (step.kernel.access()[at], step.bindings[at]);
        [of(0), of(1), of(2)]
    };
    bound(earlier).into_iter().any(|(access, binding)| {
        let meets = |(other, same): (Access, ComputeBinding)| {
            same == binding && (access == Access::Write || other == Access::Write)
        };
        binding != ComputeBinding::None && bound(later).into_iter().any(meets)
    })
}

/// The layout of what kernels are told.
pub(crate) fn params_entry() -> vk::DescriptorSetLayoutBinding<'static> {
    entry(0, vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC)
}

fn entry(binding: u32, kind: vk::DescriptorType) -> vk::DescriptorSetLayoutBinding<'static> {
    vk::DescriptorSetLayoutBinding::default()
        .binding(binding)
        .descriptor_type(kind)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
}

fn make(
    gpu: &Gpu,
    binds: &mut Binds,
    cache: &PipelineCache,
    which: Kernel,
) -> Result<Made, PickError> {
    let device = &gpu.device;
    let entries: Vec<_> = (0..)
        .zip(which.access())
        .filter_map(|(binding, access)| {
            match access {
                Access::None => None,
                Access::Read | Access::Write => Some(vk::DescriptorType::STORAGE_BUFFER),
                Access::Words | Access::Bytes => Some(vk::DescriptorType::SAMPLED_IMAGE),
            }
            .map(|kind| entry(binding, kind))
        })
        .collect();
    let group = Layout::new(device, &entries)?;
    let (params, _) = binds.for_kernels();
    let layout = PipelineLayout::new(device, &[params, &group])?;
    let words = to_spirv(&kernel(which, gpu.threads), "main");
    let words =
        words.map_err(|error| PickError::broken(format!("a kernel is refused: {error}")))?;
    Ok(Made {
        pipeline: ComputePipeline::new(device, cache, &words, &layout)?,
        group,
        _layout: layout,
    })
}

fn group(
    gpu: &Gpu,
    binds: &mut Binds,
    layout: &Layout,
    step: &ComputeStep,
    held: &Held<'_>,
) -> Result<Set, PickError> {
    let missing = || PickError::broken("a kernel works on a buffer that is not there");
    let mut bound = Vec::new();
    for (binding, of) in (0..).zip(step.bindings) {
        bound.push(match of {
            ComputeBinding::None => continue,
            ComputeBinding::Instances(run) => {
                run_binding(binding, held.instances.get(run.set)?, run)
            }
            ComputeBinding::Blocks(set) => {
                let blocks = held.instances.get(set)?.blocks();
                whole(binding, blocks.ok_or_else(missing)?)
            }
            ComputeBinding::Clusters(mesh) => {
                let clusters = held.meshes.get(mesh)?.clusters();
                whole(binding, clusters.ok_or_else(missing)?)
            }
            ComputeBinding::Scratch(index) => {
                let buffer = held.scratches.at(index);
                whole(binding, buffer.ok_or_else(missing)?)
            }
            ComputeBinding::Target(target) => {
                let position = held.position(target).ok_or_else(missing)?;
                let image = held.targets.image(position);
                target_binding(binding, image.ok_or_else(missing)?)
            }
        });
    }
    let (_, sets) = binds.for_kernels();
    sets.make(&gpu.device, layout, &bound)
}
