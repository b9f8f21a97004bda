//! Groups of the buffers that kernels work on, kept by what they hold.

use std::collections::HashMap;

use crate::error::PickError;
use crate::kit::DeviceMemory;
use crate::kit::scratch::{ScratchKey, Scratches};
use crate::kit::targets::{TargetSerial, Targets};
use crate::plan::{
    COMPUTE_BINDINGS, ComputeBinding, ComputeStep, InstanceRun, Kernel, TargetIndex,
};
use crate::registry::{InstancesId, MeshId};

/// What a kernel's group holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelKey {
    kernel: Kernel,
    bound: [Bound; COMPUTE_BINDINGS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Bound {
    Nothing,
    Instances(InstanceRun),
    Blocks(InstancesId),
    Clusters(MeshId),
    Scratch(ScratchKey),
    Target(TargetSerial),
}

impl KernelKey {
    /// Of a step. `target` names the plan's targets.
    ///
    /// # Errors
    /// `Broken` when the plan has no such buffer or target.
    pub fn of<D: DeviceMemory>(
        step: &ComputeStep,
        scratches: &Scratches<D>,
        target: impl Fn(TargetIndex) -> Option<TargetSerial>,
    ) -> Result<Self, PickError> {
        let mut bound = [Bound::Nothing; COMPUTE_BINDINGS];
        for (bound, binding) in bound.iter_mut().zip(step.bindings) {
            *bound = match binding {
                ComputeBinding::None => Bound::Nothing,
                ComputeBinding::Instances(run) => Bound::Instances(run),
                ComputeBinding::Blocks(set) => Bound::Blocks(set),
                ComputeBinding::Clusters(mesh) => Bound::Clusters(mesh),
                ComputeBinding::Scratch(index) => match scratches.key(index) {
                    Some(key) => Bound::Scratch(key),
                    None => return Err(PickError::broken("a kernel names a buffer that is not")),
                },
                ComputeBinding::Target(index) => match target(index) {
                    Some(serial) => Bound::Target(serial),
                    None => return Err(PickError::broken("a kernel names a target that is not")),
                },
            };
        }
        Ok(Self {
            kernel: step.kernel,
            bound,
        })
    }

    fn holds(&self, set: InstancesId) -> bool {
        self.bound.iter().any(|bound| match bound {
            Bound::Instances(run) => run.set == set,
            Bound::Blocks(of) => *of == set,
            Bound::Nothing | Bound::Clusters(_) | Bound::Scratch(_) | Bound::Target(_) => false,
        })
    }
}

/// Groups by what they hold.
#[derive(Debug)]
pub struct KernelGroups<G> {
    groups: HashMap<KernelKey, (G, u64)>,
    tick: u64,
    /// Of the targets when it was last seen to that none is held that they have let go.
    targets: (u64, usize),
}

impl<G> Default for KernelGroups<G> {
    fn default() -> Self {
        Self {
            groups: HashMap::new(),
            tick: 0,
            targets: (0, 0),
        }
    }
}

/// Up to four kernels for each of some hundred instanced draws.
const MOST_GROUPS: usize = 1024;

impl<G> KernelGroups<G> {
    /// A pick begins: what it does not ask for may go.
    pub fn begin(&mut self) {
        if self.groups.len() > MOST_GROUPS {
            let tick = self.tick;
            self.groups.retain(|_, (_, used)| *used == tick);
        }
        self.tick += 1;
    }

    /// The group of a key; made where it is new.
    ///
    /// # Errors
    /// What making it meets.
    pub fn ensure(
        &mut self,
        key: KernelKey,
        make: impl FnOnce() -> Result<G, PickError>,
    ) -> Result<(), PickError> {
        if let Some((_, used)) = self.groups.get_mut(&key) {
            *used = self.tick;
            return Ok(());
        }
        self.groups.insert(key, (make()?, self.tick));
        Ok(())
    }

    /// The group of a key that this pick ensured.
    pub fn get(&self, key: &KernelKey) -> Option<&G> {
        self.groups.get(key).map(|(group, _)| group)
    }

    /// Lets go of targets that are not kept any more: large ones must not stay for a group's sake.
    pub fn forget_targets<T>(&mut self, targets: &Targets<T>) {
        let state = targets.state();
        if std::mem::replace(&mut self.targets, state) == state {
            return;
        }
        self.groups.retain(|key, _| {
            key.bound.iter().all(|bound| match bound {
                Bound::Target(serial) => targets.has(*serial),
                _ => true,
            })
        });
    }

    /// Lets go of a mesh that is gone.
    pub fn forget_mesh(&mut self, mesh: MeshId) {
        self.groups
            .retain(|key, _| !key.bound.contains(&Bound::Clusters(mesh)));
    }

    /// Lets go of an instance set that is gone or has other contents now.
    pub fn forget_instances(&mut self, set: InstancesId) {
        self.groups.retain(|key, _| !key.holds(set));
    }
}
