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

/// All of them, by their place in the plan.
pub struct Scratches<D: DeviceMemory> {
    kept: Vec<Kept<D>>,
    generations: u64,
}

impl<D: DeviceMemory> Default for Scratches<D> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            generations: 0,
        }
    }
}

impl<D: DeviceMemory> Scratches<D> {
    /// Makes every buffer of the plan large enough.
    ///
    /// # Errors
    /// `Unsupported` for one that the device cannot have; `Broken`, `DeviceLost`.
    pub fn fit(&mut self, device: &D, plan: &Plan) -> Result<(), PickError> {
        for (position, wanted) in plan.scratch.iter().enumerate() {
            let fits = |kept: &Kept<D>| kept.bytes >= wanted.bytes && kept.role == wanted.role;
            if self.kept.get(position).is_some_and(fits) {
                continue;
            }
            let made = self.make(device, *wanted)?;
            match self.kept.get_mut(position) {
                Some(kept) => *kept = made,
                None => self.kept.push(made),
            }
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
        let kept = self.kept.get(index.0)?;
        Some(ScratchKey {
            position: index.0,
            generation: kept.generation,
        })
    }

    /// One of the plan's buffers.
    pub fn at(&self, index: BufferIndex) -> Option<&D::Buffer> {
        self.kept.get(index.0).map(|kept| &kept.buffer)
    }

    /// What they take on the device.
    pub fn bytes(&self) -> u64 {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }

    /// Lets go of all; they are made anew when needed.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}
