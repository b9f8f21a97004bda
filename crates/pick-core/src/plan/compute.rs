//! Compute steps: kernels of ours over scratch buffers and instance sets, as plain data.

use crate::layout::CullParams;
use crate::mesh::InstanceFormat;
use crate::plan::{BufferIndex, InstanceRun};
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
}

/// A dispatch of one of our kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComputeStep {
    /// Which.
    pub kernel: Kernel,
    /// Group 0: what it is told.
    pub params: CullParams,
    /// Group 1, by binding number, as [`Kernel::access`] says. No two are the same.
    pub bindings: [ComputeBinding; COMPUTE_BINDINGS],
    /// How many workgroups along x and y.
    pub workgroups: [u32; 2],
}

/// Bindings of a kernel.
pub const COMPUTE_BINDINGS: usize = 3;

/// The kernels: shaders/wgsl/cull. Those that read instances are made for each format of theirs.
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
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 10] = [
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
    ];

    /// Its place in [`Kernel::ALL`].
    pub fn position(self) -> usize {
        match self {
            Self::BoundBlocks(format) => format as usize,
            Self::CullInstances(format) => 3 + format as usize,
            Self::ListInstances => 6,
            Self::PairClusters(format) => 7 + format as usize,
        }
    }

    /// What it does with each of its bindings.
    pub fn access(self) -> [Access; COMPUTE_BINDINGS] {
        use Access::{None, Read, Write};
        match self {
            Self::BoundBlocks(_) => [Read, Write, None],
            Self::CullInstances(_) | Self::PairClusters(_) => [Read, Read, Write],
            Self::ListInstances => [None, None, Write],
        }
    }

    /// Its stem: the name of its shader.
    pub fn name(self) -> &'static str {
        match self {
            Self::BoundBlocks(_) => "bound_blocks",
            Self::CullInstances(_) => "cull_instances",
            Self::ListInstances => "list_instances",
            Self::PairClusters(_) => "pair_clusters",
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
