//! Submitting, and knowing when something has ended: one number that grows with our own submissions,
//! and the numbers that hosts hand in with theirs.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ash::vk;
use pick_core::PickError;

use super::commands::{Commands, Recording};
use super::device::{Device, lock};
use super::error::refused;

/// How long the end of a backend waits for a host's frame that may be under way. Longer than frames take,
/// and short where the frame was never submitted.
const FRAME_NS: u64 = 500_000_000;

/// How [`pick_core::Backend::wait`] waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitPolicy {
    /// Sleep until the driver says that it is done.
    #[default]
    Block,
    /// Look again and again for at most so long, then sleep. Saves the time of waking up, at the price
    /// of a core meanwhile. Not for software drivers, which need that core.
    Spin(Duration),
    /// Look again and again, and let other threads run in between; never sleep in the driver.
    Poll,
}

/// What ends a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    /// Our own submission of this number.
    Own(u64),
    /// A recording in a host's command buffer.
    Host(HostDone),
}

/// The timeline value that ends a host's recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostDone {
    serial: u64,
    pub(crate) semaphore: vk::Semaphore,
    pub(crate) value: u64,
}

/// The recordings in hosts' command buffers that have not ended.
#[derive(Default)]
pub(super) struct HostRecordings {
    next: u64,
    pending: Vec<HostDone>,
}

impl HostRecordings {
    /// The number of the next one.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// The number of the oldest one that has not ended.
    pub(super) fn oldest(&self) -> u64 {
        let numbers = self.pending.iter().map(|done| done.serial);
        numbers.min().unwrap_or(u64::MAX)
    }
}

impl Device {
    /// Submits a recording of our own.
    ///
    /// # Errors
    /// `DeviceLost`; `Broken` when the driver refuses it. Then nothing of it runs.
    pub(crate) fn submit(
        &self,
        recording: Recording,
        commands: &mut Commands,
    ) -> Result<Completion, PickError> {
        recording.end()?;
        let value = self.submitted.load(Ordering::Acquire) + 1;
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(recording.raw())];
        let signals = [vk::SemaphoreSubmitInfo::default()
            .semaphore(self.timeline)
            .value(value)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let submits = [vk::SubmitInfo2::default()
            .command_buffer_infos(&buffers)
            .signal_semaphore_infos(&signals)];
        let queue = lock(&self.queue_lock);
        // SAFETY: invariants 1, 3, 4, 5 and 8: the buffer was recorded anew and has ended recording, the
        // queue is locked, and the value is larger than all before.
        let submitted = unsafe {
            self.raw
                .queue_submit2(self.queue, &submits, vk::Fence::null())
        };
        drop(queue);
        submitted.map_err(|result| refused("submitting a pick", result))?;
        self.submitted.store(value, Ordering::Release);
        commands.runs_until(value);
        Ok(Completion::Own(value))
    }

    /// Notes a recording that begins in a host's command buffer.
    pub(crate) fn host_recording(&self, semaphore: vk::Semaphore, value: u64) -> Completion {
        let mut host = lock(&self.host);
        let done = HostDone {
            serial: host.next,
            semaphore,
            value,
        };
        host.next += 1;
        host.pending.push(done);
        Completion::Host(done)
    }

    /// Forgets the recordings that this value would have ended: they never run.
    pub(super) fn host_dropped(&self, semaphore: vk::Semaphore, value: u64) {
        let gone = |done: &HostDone| done.semaphore == semaphore && done.value == value;
        lock(&self.host).pending.retain(|done| !gone(done));
    }

    /// Asks what has ended, and destroys what nothing needs any more. Never waits.
    ///
    /// # Errors
    /// `DeviceLost`, and what else a driver may say.
    pub(crate) fn progress(&self) -> Result<(), PickError> {
        if self.completed.load(Ordering::Acquire) < self.submitted.load(Ordering::Acquire) {
            let value = self.counter(self.timeline)?;
            self.completed.store(value, Ordering::Release);
        }
        let mut host = lock(&self.host);
        let mut at = 0;
        while let Some(done) = host.pending.get(at).copied() {
            match self.counter(done.semaphore)? >= done.value {
                true => drop(host.pending.swap_remove(at)),
                false => at += 1,
            }
        }
        drop(host);
        self.sweep();
        Ok(())
    }

    /// True when it had ended at the last [`Device::progress`].
    pub(crate) fn is_done(&self, completion: &Completion) -> bool {
        match completion {
            Completion::Own(value) => self.completed.load(Ordering::Acquire) >= *value,
            Completion::Host(done) => !lock(&self.host).pending.contains(done),
        }
    }

    /// Waits until it has ended, or the time is over; false then.
    ///
    /// # Errors
    /// `DeviceLost`, and what else a driver may say.
    pub(crate) fn wait(
        &self,
        completion: &Completion,
        timeout: Duration,
        policy: WaitPolicy,
    ) -> Result<bool, PickError> {
        let (semaphore, value) = match completion {
            Completion::Own(value) => (self.timeline, *value),
            Completion::Host(done) => (done.semaphore, done.value),
        };
        let start = Instant::now();
        let looking = match policy {
            WaitPolicy::Block => Duration::ZERO,
            WaitPolicy::Spin(at_most) => at_most.min(timeout),
            WaitPolicy::Poll => timeout,
        };
        loop {
            if self.counter(semaphore)? >= value {
                return Ok(true);
            }
            if start.elapsed() >= looking {
                break;
            }
            match policy {
                WaitPolicy::Poll => std::thread::yield_now(),
                WaitPolicy::Block | WaitPolicy::Spin(_) => std::hint::spin_loop(),
            }
        }
        let left = timeout.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(false);
        }
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        // Drivers count in nanoseconds; half a thousand years are enough.
        let nanoseconds = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: invariants 1, 8 and, for a host's semaphore, 10.
        match unsafe { self.raw.wait_semaphores(&info, nanoseconds) } {
            Ok(()) => Ok(true),
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(result) => Err(refused("waiting", result)),
        }
    }

    /// True when every recording in a host's command buffer has ended, once those that are under way had
    /// a little time to.
    pub(super) fn host_is_quiet(&self) -> bool {
        let host = lock(&self.host);
        let ends = host.pending.iter().map(|done| (done.semaphore, done.value));
        let (semaphores, values): (Vec<_>, Vec<_>) = ends.unzip();
        if semaphores.is_empty() {
            return true;
        }
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        // SAFETY: invariants 8 and 10.
        match unsafe { self.raw.wait_semaphores(&info, FRAME_NS) } {
            Ok(()) | Err(vk::Result::ERROR_DEVICE_LOST) => true,
            Err(_) => false,
        }
    }

    fn counter(&self, semaphore: vk::Semaphore) -> Result<u64, PickError> {
        // SAFETY: invariant 1 and, for a host's semaphore, 10.
        let value = unsafe { self.raw.get_semaphore_counter_value(semaphore) };
        value.map_err(|result| refused("reading how far the device is", result))
    }
}
