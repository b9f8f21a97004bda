//! Compute steps: kernels of ours over scratch buffers and instance sets, as plain data.

use crate::layout::{CullParams, ReduceParams};
use crate::mesh::InstanceFormat;
use crate::plan::{BufferIndex, InstanceRun, TargetIndex};
use crate::registry::{InstancesId, MeshId};

/// Storage of a plan's own on the device. What is in it at the start is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scratch {
    /// Its size; a multiple of 4.
    pub bytes: u64,
    /// What it is for.
    pub role: ScratchRole,
}

/// What a scratch buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScratchRole {
    /// Kernels read and write it, draws read it and take their counts from it.
    Survivors,
    /// [`Plan::words`](super::Plan::words) are copied to its start, kernels read and write it, answers are
    /// copied out of it.
    Reduction,
}

/// A dispatch of one of our kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComputeStep {
    /// Which.
    pub kernel: Kernel,
    /// Group 0: what it is told.
    pub params: KernelParams,
    /// Group 1, by binding number, as [`Kernel::access`] says. No two are the same.
    pub bindings: [ComputeBinding; COMPUTE_BINDINGS],
    /// How many workgroups along x and y.
    pub workgroups: [u32; 2],
}

/// What a kernel is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KernelParams {
    /// One that culls instances.
    Cull(CullParams),
    /// One that reduces pixels.
    Reduce(ReduceParams),
}

impl KernelParams {
    /// Bytes of the largest.
    pub const MOST_BYTES: usize = {
        assert!(size_of::<ReduceParams>() <= size_of::<CullParams>());
        size_of::<CullParams>()
    };

    /// As the device reads them.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Cull(params) => bytemuck::bytes_of(params),
            Self::Reduce(params) => bytemuck::bytes_of(params),
        }
    }
}

/// Bindings of a kernel.
pub const COMPUTE_BINDINGS: usize = 3;

/// The kernels: shaders/wgsl/cull and shaders/wgsl/reduce. Those that read instances are made for each format of
/// theirs, those that read pixels for each way they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Bounds of each block of instances and of groups of blocks. Reads instances; writes their bounds.
    BoundBlocks(InstanceFormat),
    /// Which instances the pick may see. Reads instances and bounds; writes survivors.
    CullInstances(InstanceFormat),
    /// Lists them in order. Writes survivors with the draw's counts.
    ListInstances,
    /// Lists which clusters of those the pick may see. Reads instances and clusters; writes survivors with
    /// the draw's counts.
    PairClusters(InstanceFormat),
    /// Copies pixels at some places. Reads a target; writes their texels, tight.
    Gather(Texel),
    /// The place of the pixel in a disc that answers. Reads ids and depths; writes the place.
    NearestInDisc(IdTexels),
    /// Empties the table of ids.
    ClearTable,
    /// Counts each id's pixels in an area, and finds its nearest depth. Reads ids and depths; writes the table.
    TallyIds(IdTexels),
    /// The first pixel of each id that has its nearest depth. Reads ids and depths; writes the table.
    PlaceIds(IdTexels),
    /// Has the fragments of the passes behind it looked at for places. Writes the header of a table of fragments.
    BeginPlaces,
    /// Lists the ids that have pixels, in order, as far as there is room. Writes the answer.
    ListIds,
}

/// How a target's pixel is stored, as kernels read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Texel {
    /// Four bytes of colour.
    Bytes,
    /// One word.
    Word,
    /// Two words.
    TwoWords,
    /// Four words.
    FourWords,
}

/// Where kernels find a pixel's id and depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdTexels {
    /// In the first two words of one target.
    Words,
    /// In four bytes of colour of one target, and the word of another.
    Bytes,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::BoundBlocks(InstanceFormat::Rows3x4),
        Self::BoundBlocks(InstanceFormat::Columns4x4),
        Self::BoundBlocks(InstanceFormat::PositionScale),
        Self::CullInstances(InstanceFormat::Rows3x4),
        Self::CullInstances(InstanceFormat::Columns4x4),
        Self::CullInstances(InstanceFormat::PositionScale),
        Self::ListInstances,
        Self::PairClusters(InstanceFormat::Rows3x4),
        Self::PairClusters(InstanceFormat::Columns4x4),
        Self::PairClusters(InstanceFormat::PositionScale),
        Self::Gather(Texel::Bytes),
        Self::Gather(Texel::Word),
        Self::Gather(Texel::TwoWords),
        Self::Gather(Texel::FourWords),
        Self::NearestInDisc(IdTexels::Words),
        Self::NearestInDisc(IdTexels::Bytes),
        Self::ClearTable,
        Self::TallyIds(IdTexels::Words),
        Self::TallyIds(IdTexels::Bytes),
        Self::PlaceIds(IdTexels::Words),
        Self::PlaceIds(IdTexels::Bytes),
        Self::ListIds,
        Self::BeginPlaces,
    ];

    /// Its place in [`Kernel::ALL`].
    pub fn position(self) -> usize {
        match self {
            Self::BoundBlocks(format) => format as usize,
            Self::CullInstances(format) => 3 + format as usize,
            Self::ListInstances => 6,
            Self::PairClusters(format) => 7 + format as usize,
            Self::Gather(texel) => 10 + texel as usize,
            Self::NearestInDisc(texels) => 14 + texels as usize,
            Self::ClearTable => 16,
            Self::TallyIds(texels) => 17 + texels as usize,
            Self::PlaceIds(texels) => 19 + texels as usize,
            Self::ListIds => 21,
            Self::BeginPlaces => 22,
        }
    }

    /// What it does with each of its bindings.
    pub fn access(self) -> [Access; COMPUTE_BINDINGS] {
        use Access::{Bytes, None, Read, Words, Write};
        let ids = |texels| match texels {
            IdTexels::Words => [Words, None, Write],
            IdTexels::Bytes => [Bytes, Words, Write],
        };
        match self {
            Self::BoundBlocks(_) => [Read, Write, None],
            Self::CullInstances(_) | Self::PairClusters(_) => [Read, Read, Write],
            Self::ListInstances | Self::ClearTable | Self::ListIds | Self::BeginPlaces => {
                [None, None, Write]
            }
            Self::Gather(Texel::Bytes) => [Bytes, None, Write],
            Self::Gather(_) => [Words, None, Write],
            Self::NearestInDisc(texels) | Self::TallyIds(texels) | Self::PlaceIds(texels) => {
                ids(texels)
            }
        }
    }

    /// Its stem: the name of its shader.
    pub fn name(self) -> &'static str {
        match self {
            Self::BoundBlocks(_) => "bound_blocks",
            Self::CullInstances(_) => "cull_instances",
            Self::ListInstances => "list_instances",
            Self::PairClusters(_) => "pair_clusters",
            Self::Gather(_) => "gather",
            Self::NearestInDisc(_) => "nearest_in_disc",
            Self::ClearTable => "clear_table",
            Self::TallyIds(_) => "tally_ids",
            Self::PlaceIds(_) => "place_ids",
            Self::ListIds => "list_ids",
            Self::BeginPlaces => "begin_places",
        }
    }

    /// It is one of those that cull instances; the others reduce pixels.
    pub fn culls(self) -> bool {
        match self {
            Self::BoundBlocks(_)
            | Self::CullInstances(_)
            | Self::ListInstances
            | Self::PairClusters(_) => true,
            Self::Gather(_)
            | Self::NearestInDisc(_)
            | Self::ClearTable
            | Self::TallyIds(_)
            | Self::PlaceIds(_)
            | Self::ListIds
            | Self::BeginPlaces => false,
        }
    }
}

/// What a kernel does with a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It does not have it.
    None,
    /// A read-only storage buffer.
    Read,
    /// A storage buffer that it reads and writes.
    Write,
    /// A target of words.
    Words,
    /// A target of bytes of colour.
    Bytes,
}

/// What a kernel's binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComputeBinding {
    /// Nothing: the kernel does not have it.
    None,
    /// The transforms of a run of a set.
    Instances(InstanceRun),
    /// The bounds of all blocks of a set and of groups of them.
    Blocks(InstancesId),
    /// The boxes of a mesh's clusters.
    Clusters(MeshId),
    /// One of the plan's own buffers.
    Scratch(BufferIndex),
    /// One of the plan's targets, as it was drawn.
    Target(TargetIndex),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_stand_at_their_positions() {
        for (at, kernel) in Kernel::ALL.into_iter().enumerate() {
            assert_eq!(kernel.position(), at);
        }
    }
}
