//! Compute steps: kernels of ours over scratch buffers and instance sets, as plain data.

use crate::layout::CullParams;
use crate::plan::{BufferIndex, InstanceRun};
use crate::registry::InstancesId;

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
    /// Kernels write it, and dispatches take their counts from it.
    Dispatch,
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
    /// How many workgroups.
    pub workgroups: Workgroups,
}

/// Bindings of a kernel.
pub const COMPUTE_BINDINGS: usize = 3;

/// The kernels: shaders/wgsl/cull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Bounds of each block of instances. Reads instances; writes blocks.
    BoundBlocks,
    /// Which blocks the pick may see. Reads blocks; writes survivors.
    CullBlocks,
    /// Lists them in order. Writes survivors and the dispatch.
    ListBlocks,
    /// Which instances of those blocks the pick may see. Reads instances; writes survivors.
    CullInstances,
    /// Lists them in order. Writes survivors with the draws' counts.
    ListInstances,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::BoundBlocks,
        Self::CullBlocks,
        Self::ListBlocks,
        Self::CullInstances,
        Self::ListInstances,
    ];

    /// What it does with each of its bindings.
    pub fn access(self) -> [Access; COMPUTE_BINDINGS] {
        use Access::{None, Read, Write};
        match self {
            Self::BoundBlocks | Self::CullBlocks | Self::CullInstances => [Read, Write, None],
            Self::ListBlocks => [None, Write, Write],
            Self::ListInstances => [None, Write, None],
        }
    }

    /// Its stem: the name of its shader.
    pub fn name(self) -> &'static str {
        match self {
            Self::BoundBlocks => "bound_blocks",
            Self::CullBlocks => "cull_blocks",
            Self::ListBlocks => "list_blocks",
            Self::CullInstances => "cull_instances",
            Self::ListInstances => "list_instances",
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
    /// The bounds of all blocks of a set.
    Blocks(InstancesId),
    /// One of the plan's own buffers.
    Scratch(BufferIndex),
}

/// How many workgroups a dispatch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Workgroups {
    /// So many along x and y.
    Direct([u32; 2]),
    /// Three words at the start of a buffer.
    Indirect(BufferIndex),
}
