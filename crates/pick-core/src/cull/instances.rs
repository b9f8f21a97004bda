//! Planning the kernels that find the instances under a pick on the device, so that sets which only
//! the GPU has cost what is under the cursor too.
//!
//! Blocks of 16 consecutive instances have bounds, and so have groups of 16 blocks, built when the contents
//! changed. One kernel tests the groups, the blocks of those that the pick may see and the instances of
//! those, chunk by chunk; another lists what is left in the caller's order (an atomic append would shuffle
//! ties). Of large meshes a third one lists which clusters of each of these the pick may see. The lists are
//! bounded: where more is left, the device itself sets the counts so that everything is drawn instead.

use glam::{DMat4, DVec3, Vec3};

use crate::cull::PickVolume;
use crate::layout::{CullParams, cull};
use crate::mesh::{Aabb, InstanceFormat};
use crate::plan::{
    Aspect, BufferIndex, Channel, ComputeBinding, ComputeStep, InstanceRun, Kernel, KernelParams,
    Plan, ScratchRole, Step,
};
use crate::registry::MeshId;
use crate::samples::Texels;
use crate::scene::ToldClusters;

/// Fewer elements of all copies together are drawn without asking: the kernels cost as much. On lavapipe a
/// thousand copies of a cube, 36,000 elements, take 4 ms unasked, and ten thousand take 0.35 ms culled; on an
/// H200 a thousand take as long either way.
const LEAST_ELEMENTS: u64 = 1 << 15;

/// More than rounding to f32 takes away.
const LARGER: f64 = 1.0 + 1e-6;

/// A plane that everything is inside of.
const NO_PLANE: [f32; 4] = [0.0, 0.0, 0.0, 1e30];

/// Survivors that a pick has room for.
const CAPACITY: u32 = 1 << 14;

/// Whether finding those copies, each of so many elements, that a pick may see costs less than drawing
/// all of them.
pub(crate) fn is_worth_it(copies: u32, elements: u32) -> bool {
    copies > 1 && u64::from(copies) * u64::from(elements) >= LEAST_ELEMENTS
}

/// (Instance, cluster) pairs that a pick has room for.
const PAIR_CAPACITY: u32 = 1 << 14;

/// The clusters of what each instance draws, as the backend was told of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairCull {
    pub(crate) mesh: MeshId,
    pub(crate) told: ToldClusters,
}

/// Where a draw finds what kernels left.
pub(crate) struct Lists {
    pub(crate) buffer: BufferIndex,
    /// The first word of the surviving instances.
    pub(crate) survivors: u32,
    /// The first word of the pairs; 0 without.
    pub(crate) pairs: u32,
}

/// What the kernels of one draw are told.
pub(crate) struct InstanceCull<'a> {
    pub(crate) volume: &'a PickVolume,
    pub(crate) run: InstanceRun,
    pub(crate) format: InstanceFormat,
    /// The bounds of what each instance draws.
    pub(crate) local: Aabb,
    /// The local point that the bounds of the set's blocks are around.
    pub(crate) pivot: Vec3,
    pub(crate) anchor: Vec3,
    pub(crate) world_from_object: DMat4,
    /// The count and the first of the draw call.
    pub(crate) elements: [u32; 2],
    /// The bounds of the blocks are built first.
    pub(crate) builds_blocks: bool,
    /// Of large meshes: the clusters of each instance are found too.
    pub(crate) pairs: Option<PairCull>,
}

impl InstanceCull<'_> {
    /// Adds the kernels to the plan, and tells where they list what they leave.
    pub(crate) fn plan(&self, plan: &mut Plan) -> Lists {
        let mut params = self.params();
        let words = arrange(&mut params);
        let survivors = plan.add_scratch(u64::from(words) * 4, ScratchRole::Survivors);
        let instances = ComputeBinding::Instances(self.run);
        let blocks = ComputeBinding::Blocks(self.run.set);
        let (none, lists) = (ComputeBinding::None, ComputeBinding::Scratch(survivors));
        let chunks = wide(params.chunks);
        let mut run = |kernel, bindings, workgroups| {
            plan.steps.push(Step::Compute(ComputeStep {
                kernel,
                params: KernelParams::Cull(params),
                bindings,
                workgroups,
            }));
        };
        if self.builds_blocks {
            let build = Kernel::BoundBlocks(self.format);
            let shares = self.run.count.div_ceil(cull::BLOCKS_IN_SHARE * cull::BLOCK);
            run(build, [instances, blocks, none], wide(shares));
        }
        let cull = Kernel::CullInstances(self.format);
        run(cull, [instances, blocks, lists], chunks);
        run(Kernel::ListInstances, [none, none, lists], [1, 1]);
        if let Some(pairs) = self.pairs {
            let clusters = ComputeBinding::Clusters(pairs.mesh);
            let pair = Kernel::PairClusters(self.format);
            run(pair, [instances, clusters, lists], [1, 1]);
        }
        Lists {
            buffer: survivors,
            survivors: params.survivors,
            pairs: params.pairs,
        }
    }

    fn params(&self) -> CullParams {
        let mut params = CullParams {
            instances: self.run.count,
            anchor: self.anchor.to_array(),
            first_instance: self.run.first,
            chunks: self.run.count.div_ceil(cull::CHUNK),
            capacity: self.run.count.min(CAPACITY),
            elements: self.elements[0],
            first_element: self.elements[1],
            planes: [NO_PLANE; 6],
            ..CullParams::default()
        };
        let (min, max) = (self.local.min.as_dvec3(), self.local.max.as_dvec3());
        let center = ((min + max) * 0.5).as_vec3();
        // Around the rounded centre.
        let half = (max - center.as_dvec3()).max(center.as_dvec3() - min);
        let half = half * self.volume.box_scale();
        let reach = half.length() + (center - self.pivot).as_dvec3().length();
        params.local_center = center.to_array();
        params.local_half = (half * LARGER).as_vec3().to_array();
        params.local_reach = (reach * LARGER) as f32;
        params.pivot = self.pivot.to_array();
        if let Some(PairCull { told, .. }) = self.pairs {
            params.cluster_nodes = told.first_vector;
            params.clusters = told.count;
            params.cluster_elements = told.longest;
            params.pair_capacity = PAIR_CAPACITY.min(self.run.count.saturating_mul(told.count));
        }
        self.aim(&mut params);
        params
    }

    /// Tells the kernels where the pick looks.
    fn aim(&self, params: &mut CullParams) {
        let anchor = self.anchor.as_dvec3();
        let place = self.world_from_object * DMat4::from_translation(anchor);
        if let Some(probe) = self.volume.probe_in(&place) {
            let terms = probe.terms().map(|term| term.extend(0.0).to_array());
            [
                params.beam_low,
                params.beam_high,
                params.beam_first,
                params.beam_second,
            ] = terms;
        }
        let origin = place.w_axis.truncate() - self.volume.origin();
        for (plane, (normal, offset)) in params.planes.iter_mut().zip(self.volume.planes()) {
            let offset = normal.dot(origin) + offset;
            let columns = [place.x_axis, place.y_axis, place.z_axis];
            let [x, y, z] = columns.map(|column| normal.dot(column.truncate()));
            let normal = DVec3::new(x, y, z);
            let length = normal.length();
            // Flattened along the plane's normal: it cannot be tested there, and is kept.
            if length > 0.0 && (offset / length).abs() < 1e30 {
                let offset = offset / length;
                let normal = (normal / length).as_vec3();
                // What f32 makes of the offset and of the matrices that draw what is tested.
                let slack = 4e-6 * offset.abs();
                *plane = normal.extend((offset + slack) as f32).to_array();
            }
        }
    }
}

/// Reads back how many instances the kernels of each draw left, and whether clusters of theirs found room.
pub(crate) fn read_back_totals(plan: &mut Plan) {
    for index in 0..plan.scratch.len() {
        if plan.scratch[index].role == ScratchRole::Survivors {
            let offset = u64::from(cull::TOTAL_SURVIVORS) * 4;
            plan.read_back_words(BufferIndex(index), offset, 8, Channel::Survivors);
        }
    }
}

/// How many draws had more survivors, or more clusters of these, than there was room for, by what was read
/// back.
pub(crate) fn overflowed(texels: &Texels<'_>) -> u64 {
    const NO_ROOM: u32 = 2; // of `cull::DRAWS_PAIRS`
    let totals = texels.blocks(Channel::Survivors, Aspect::Color);
    let too_many = |words: &&[u8]| {
        let words: Option<&[u8; 8]> = words.first_chunk();
        words.is_some_and(|words| {
            let [total, pairs] = bytemuck::cast::<[u8; 8], [u32; 2]>(*words).map(u32::from_le);
            total > CAPACITY || pairs == NO_ROOM
        })
    };
    totals.filter(too_many).count() as u64
}

/// Lays the lists out behind the header; the words that all of it takes.
fn arrange(params: &mut CullParams) -> u32 {
    let mut end = cull::HEADER_WORDS;
    let mut take = |words: u32| {
        let first = end;
        end += words;
        first
    };
    params.counts = take(params.chunks);
    params.counts_before = take(params.chunks);
    params.found = take(params.chunks * cull::BLOCKS_IN_CHUNK);
    params.survivors = take(params.capacity);
    if params.clusters > 0 {
        params.pairs = take(params.pair_capacity * cull::PAIR_WORDS);
    }
    end
}

/// So many workgroups, in rows that no device finds too wide.
fn wide(groups: u32) -> [u32; 2] {
    let along_x = groups.min(cull::GROUPS_WIDE);
    [along_x, groups.div_ceil(cull::GROUPS_WIDE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_decides_whether_copies_are_looked_for() {
        for (copies, elements, worth) in [
            (1000, 36, true),
            (900, 36, false),
            (5462, 6, true),
            (5461, 6, false),
            (2, 1 << 20, true),
            (1, 1 << 20, false),
            (u32::MAX, u32::MAX, true),
            (u32::MAX, 0, false),
        ] {
            assert_eq!(is_worth_it(copies, elements), worth, "{copies} {elements}");
        }
    }
}
