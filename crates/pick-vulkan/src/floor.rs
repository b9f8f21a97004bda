//! What no pick can be faster than.

use ash::vk;
use pick_core::{ErrorKind, PickError};

use crate::VulkanBackend;
use crate::device::Gpu;
use crate::vk::{Buffer, Commands, Place};

const BYTES: u64 = 256;
const TIMEOUT_MS: u64 = 10_000;

/// A buffer to fill, and what fills it.
pub(crate) struct Floor {
    commands: Commands,
    buffer: Buffer,
    /// What the next trip fills in, so that it is told from the last one's.
    word: u32,
    read: Vec<u8>,
}

impl Floor {
    fn new(gpu: &Gpu) -> Result<Self, PickError> {
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let buffer = Buffer::new(&gpu.device, "a floor", BYTES, usage, Place::Readback)?;
        Ok(Self {
            commands: Commands::new(&gpu.device)?,
            buffer,
            word: 0,
            read: Vec::new(),
        })
    }
}

impl VulkanBackend {
    /// Goes to the device and back the shortest way: a submission that fills 256 bytes, waited for by
    /// the backend's [`crate::WaitPolicy`] and read. For benchmarks: no pick can be faster.
    ///
    /// # Errors
    /// `TimedOut` after ten seconds, `DeviceLost`, `Broken` without room.
    pub fn round_trip(&mut self) -> Result<(), PickError> {
        self.lost.check()?;
        let gone = self.go_and_return();
        self.judged(gone)
    }

    fn go_and_return(&mut self) -> Result<(), PickError> {
        let device = &self.gpu.device;
        let floor = match &mut self.floor {
            Some(floor) => floor,
            none => none.insert(Floor::new(&self.gpu)?),
        };
        floor.word = floor.word.wrapping_add(1);
        let recording = floor.commands.begin()?;
        recording.fill(&floor.buffer, floor.word);
        recording.to_host();
        let completion = device.submit(recording, &mut floor.commands)?;
        let patience = std::time::Duration::from_millis(TIMEOUT_MS);
        if !device.wait(&completion, patience, self.wait_policy)? {
            return Err(PickError::new(ErrorKind::TimedOut {
                timeout_ms: TIMEOUT_MS,
            }));
        }
        device.progress()?;
        floor.buffer.invalidate(BYTES)?;
        floor.read.clear();
        let read = floor.buffer.read(0, BYTES, &mut floor.read);
        let words = floor.read.chunks_exact(4);
        match read
            && words
                .into_iter()
                .all(|word| word == floor.word.to_ne_bytes())
        {
            true => Ok(()),
            false => Err(PickError::broken("what was filled in is not there")),
        }
    }
}
