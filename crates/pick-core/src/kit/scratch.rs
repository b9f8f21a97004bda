//! The buffers of a plan's own, kept from pick to pick.
//!
//! Picks in flight share them: the device runs one after the other.

use crate::error::PickError;
use crate::kit::memory::{BufferUse, DeviceMemory};
use crate::plan::{BufferIndex, Plan, Scratch, ScratchRole};

/// Names a kept buffer in the keys of bind groups: a larger one in its place has another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScratchKey {
    position: usize,
    generation: u64,
}

struct Kept<D: DeviceMemory> {
    buffer: D::Buffer,
    role: ScratchRole,
    bytes: u64,
    generation: u64,
}

/// All of them, each for the buffer of its role that the plan names as the first, second and so on.
pub struct Scratches<D: DeviceMemory> {
    kept: Vec<Kept<D>>,
    /// Where each of the current plan's buffers is.
    of_plan: Vec<usize>,
    generations: u64,
}

impl<D: DeviceMemory> Default for Scratches<D> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            of_plan: Vec::new(),
            generations: 0,
        }
    }
}

impl<D: DeviceMemory> Scratches<D> {
    /// Makes every buffer of the plan large enough. The plan's are named until this is called again.
    ///
    /// # Errors
    /// `Unsupported` for one that the device cannot have; `Broken`, `DeviceLost`.
    pub fn fit(&mut self, device: &D, plan: &Plan) -> Result<(), PickError> {
        self.of_plan.clear();
        for (at, wanted) in plan.scratch.iter().enumerate() {
            let same_role = |other: &&Scratch| other.role == wanted.role;
            let earlier = plan.scratch[..at].iter().filter(same_role).count();
            let mut of_role = (0..self.kept.len()).filter(|&k| self.kept[k].role == wanted.role);
            let known = of_role.nth(earlier);
            let position = match known {
                Some(known) if self.kept[known].bytes >= wanted.bytes => known,
                Some(known) => {
                    self.kept[known] = self.make(device, *wanted)?;
                    known
                }
                None => {
                    let made = self.make(device, *wanted)?;
                    self.kept.push(made);
                    self.kept.len() - 1
                }
            };
            self.of_plan.push(position);
        }
        Ok(())
    }

    fn make(&mut self, device: &D, wanted: Scratch) -> Result<Kept<D>, PickError> {
        let most = device.limits().max_storage_binding.max(wanted.bytes);
        let bytes = wanted.bytes.next_power_of_two().min(most);
        let uses = [
            BufferUse::Storage,
            BufferUse::Indirect,
            BufferUse::CopySource,
            BufferUse::CopyTarget,
        ];
        self.generations += 1;
        Ok(Kept {
            buffer: device.reserve("pick scratch", bytes, &uses)?,
            role: wanted.role,
            bytes,
            generation: self.generations,
        })
    }

    /// The name of one of the plan's buffers.
    pub fn key(&self, index: BufferIndex) -> Option<ScratchKey> {
        let position = *self.of_plan.get(index.0)?;
        let kept = self.kept.get(position)?;
        Some(ScratchKey {
            position,
            generation: kept.generation,
        })
    }

    /// One of the plan's buffers.
    pub fn at(&self, index: BufferIndex) -> Option<&D::Buffer> {
        let kept = self.kept.get(*self.of_plan.get(index.0)?)?;
        Some(&kept.buffer)
    }

    /// What they take on the device.
    pub fn bytes(&self) -> u64 {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }

    /// Lets go of all; they are made anew when needed.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.of_plan.clear();
    }
}
