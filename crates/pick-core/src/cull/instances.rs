//! Planning the kernels that find the instances under a pick on the device, so that sets which only
//! the GPU has cost what is under the cursor too.
//!
//! Blocks of 256 consecutive instances have bounds, built when the contents changed. A pick tests the
//! blocks, then the instances of those that it may see, and lists what is left in the caller's order
//! (an atomic append would shuffle ties). The list is bounded: where more is left, the device itself
//! sets the counts so that everything is drawn instead.

use glam::{DVec3, Vec3};

use crate::cull::PickVolume;
use crate::layout::{CullParams, cull};
use crate::mesh::Aabb;
use crate::plan::{
    Aspect, BufferIndex, Channel, ComputeBinding, ComputeStep, InstanceRun, Kernel, Plan,
    ScratchRole, Step, Workgroups,
};
use crate::samples::Texels;

/// Fewer instances are drawn without asking: the kernels cost as much.
pub(crate) const LEAST_INSTANCES: u32 = 1024;

/// Survivors that a pick has room for.
const CAPACITY: u32 = 1 << 14;

/// What the kernels of one draw are told.
pub(crate) struct InstanceCull<'a> {
    pub(crate) volume: &'a PickVolume,
    pub(crate) run: InstanceRun,
    /// The format bits of the set.
    pub(crate) format: u32,
    /// The bounds of what each instance draws.
    pub(crate) local: Aabb,
    pub(crate) anchor: Vec3,
    pub(crate) world_from_object: glam::DMat4,
    /// The count and the first of the draw call.
    pub(crate) elements: [u32; 2],
    /// The bounds of the blocks are built first.
    pub(crate) builds_blocks: bool,
}

impl InstanceCull<'_> {
    /// Adds the kernels to the plan, and gives the buffer that they list the survivors in and the first
    /// word of the list.
    pub(crate) fn plan(&self, plan: &mut Plan) -> (BufferIndex, u32) {
        let mut params = self.params();
        let words = arrange(&mut params);
        let survivors = plan.add_scratch(u64::from(words) * 4, ScratchRole::Survivors);
        let dispatch = plan.add_scratch(16, ScratchRole::Dispatch);
        let instances = ComputeBinding::Instances(self.run);
        let blocks = ComputeBinding::Blocks(self.run.set);
        let [none, survivors_of, dispatch_of] = [
            ComputeBinding::None,
            ComputeBinding::Scratch(survivors),
            ComputeBinding::Scratch(dispatch),
        ];
        let over_blocks = wide(params.blocks.div_ceil(cull::BLOCK));
        let listed = Workgroups::Indirect(dispatch);
        let mut run = |kernel, bindings, workgroups| {
            plan.steps.push(Step::Compute(ComputeStep {
                kernel,
                params,
                bindings,
                workgroups,
            }));
        };
        if self.builds_blocks {
            let each = wide(params.blocks);
            run(Kernel::BoundBlocks, [instances, blocks, none], each);
        }
        let bindings = [blocks, survivors_of, none];
        run(Kernel::CullBlocks, bindings, over_blocks);
        let bindings = [none, survivors_of, dispatch_of];
        run(Kernel::ListBlocks, bindings, over_blocks);
        let bindings = [instances, survivors_of, none];
        run(Kernel::CullInstances, bindings, listed);
        let bindings = [none, survivors_of, none];
        run(Kernel::ListInstances, bindings, listed);
        (survivors, params.survivors)
    }

    fn params(&self) -> CullParams {
        let mut params = CullParams {
            instances: self.run.count,
            format: self.format,
            anchor: self.anchor.to_array(),
            first_instance: self.run.first,
            blocks: self.run.count.div_ceil(cull::BLOCK),
            capacity: self.run.count.min(CAPACITY),
            elements: self.elements[0],
            first_element: self.elements[1],
            ..CullParams::default()
        };
        let (min, max) = (self.local.min.as_dvec3(), self.local.max.as_dvec3());
        let center = ((min + max) * 0.5).as_vec3();
        // Around the rounded centre.
        let half = (max - center.as_dvec3()).max(center.as_dvec3() - min);
        params.local_center = center.to_array();
        params.local_half = (half * self.volume.box_scale() * (1.0 + 1e-6))
            .as_vec3()
            .to_array();
        let place = &self.world_from_object;
        let anchor = place.transform_point3(self.anchor.as_dvec3());
        for (normal, offset) in self.volume.planes() {
            let offset = normal.dot(anchor - self.volume.origin()) + offset;
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
                let plane = normal.extend((offset + slack) as f32);
                params.planes[params.plane_count as usize] = plane.to_array();
                params.plane_count += 1;
            }
        }
        params
    }
}

/// Reads back how many instances the kernels of each draw left.
pub(crate) fn read_back_totals(plan: &mut Plan) {
    for index in 0..plan.scratch.len() {
        if plan.scratch[index].role == ScratchRole::Survivors {
            let offset = u64::from(cull::TOTAL_SURVIVORS) * 4;
            plan.read_back_words(BufferIndex(index), offset, 4, Channel::Survivors);
        }
    }
}

/// How many draws had more survivors than there was room for, by what was read back.
pub(crate) fn overflowed(texels: &Texels<'_>) -> u64 {
    let totals = texels.blocks(Channel::Survivors, Aspect::Color);
    let too_many = |total: &&[u8]| {
        let bytes = total.first_chunk().copied().unwrap_or_default();
        u32::from_le_bytes(bytes) > CAPACITY
    };
    totals.filter(too_many).count() as u64
}

/// Lays the lists out behind the header; the words that all of it takes.
fn arrange(params: &mut CullParams) -> u32 {
    let slots = params.blocks.div_ceil(cull::BLOCK);
    let mut end = cull::HEADER_WORDS;
    let mut take = |words: u32| {
        let first = end;
        end += words;
        first
    };
    params.block_counts = take(slots);
    params.block_flags = take(slots * 8);
    params.block_list = take(params.blocks);
    params.instance_counts = take(params.blocks);
    params.instance_flags = take(params.blocks * 8);
    params.survivors = take(params.capacity);
    end
}

/// So many workgroups, in rows that no device finds too wide.
fn wide(groups: u32) -> Workgroups {
    let along_x = groups.min(cull::GROUPS_WIDE);
    Workgroups::Direct([along_x, groups.div_ceil(cull::GROUPS_WIDE)])
}
