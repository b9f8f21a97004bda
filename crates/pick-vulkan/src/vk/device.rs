//! The device: opened by us, or a host's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;
use gpu_allocator::vulkan::{Allocation, Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings};
use pick_core::PickError;

use super::error::{no_memory, refused};
use super::graves::{Dead, Graves};
use super::instance::Instance;
use super::messages::Messages;
use super::physical::{Features, Physical};
use super::sync::HostRecordings;

/// A device with its queue. Dropped when the last cover of something made from it is.
pub(crate) struct Device {
    pub(super) raw: ash::Device,
    pub(super) queue: vk::Queue,
    pub(super) family: u32,
    /// Kernels run on the queue.
    pub(crate) computes: bool,
    pub(super) queue_lock: Arc<Mutex<()>>,
    owned: bool,
    pub(crate) physical: Physical,
    pub(crate) features: Features,
    allocator: Mutex<Option<Allocator>>,
    graves: Mutex<Graves>,
    /// The growing number: what was submitted last, and what is known to have ended.
    pub(super) timeline: vk::Semaphore,
    pub(super) submitted: AtomicU64,
    pub(super) completed: AtomicU64,
    /// Recordings begun and neither submitted nor dropped.
    pub(super) open: AtomicU64,
    pub(super) host: Mutex<HostRecordings>,
    pub(super) labels: Option<ash::ext::debug_utils::Device>,
    pub(super) instance: Instance,
}

/// What [`Device::assemble`] puts together.
pub(super) struct Parts {
    pub(super) instance: Instance,
    pub(super) physical: Physical,
    pub(super) features: Features,
    pub(super) raw: ash::Device,
    pub(super) queue: vk::Queue,
    pub(super) family: u32,
    pub(super) queue_lock: Arc<Mutex<()>>,
    pub(super) owned: bool,
    pub(super) labels: bool,
}

/// How long the end of a backend waits for what it submitted before it leaks instead.
const LAST_WAIT_NS: u64 = 5_000_000_000;
const MIB: u64 = 1 << 20;

impl Device {
    /// Opens a device of our own, with whatever of our wishes it offers.
    ///
    /// # Errors
    /// `Unsupported` (device), naming what is missing; `Broken` when it does not open.
    pub(crate) fn open(instance: Instance, physical: Physical) -> Result<Arc<Self>, PickError> {
        let features = physical.features(&instance);
        features.check(&physical.name, physical.api_version)?;
        let family = physical.graphics_family(&instance)?;
        let on = |has: bool| if has { vk::TRUE } else { vk::FALSE };
        let core = vk::PhysicalDeviceFeatures {
            geometry_shader: on(features.geometry_shader),
            full_draw_index_uint32: on(features.full_draw_index_uint32),
            fragment_stores_and_atomics: on(features.fragment_stores_and_atomics),
            ..Default::default()
        };
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default()
            .dynamic_rendering(true)
            .synchronization2(true);
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_features(&core)
            .push_next(&mut v12)
            .push_next(&mut v13);
        // SAFETY: invariants 2 and 8; only features that the device offers are asked for.
        let raw = unsafe { instance.raw.create_device(physical.raw, &info, None) };
        let raw = raw.map_err(|result| refused("opening the device", result))?;
        // SAFETY: the family has a queue, and it was asked for.
        let queue = unsafe { raw.get_device_queue(family, 0) };
        let labels = instance.messages().is_some();
        Self::assemble(Parts {
            instance,
            physical,
            features,
            raw,
            queue,
            family,
            queue_lock: Arc::default(),
            owned: true,
            labels,
        })
    }

    /// Makes what every device needs. What is made already is destroyed after an error.
    pub(super) fn assemble(parts: Parts) -> Result<Arc<Self>, PickError> {
        let labels = parts
            .labels
            .then(|| ash::ext::debug_utils::Device::new(&parts.instance.raw, &parts.raw));
        let computes = parts
            .physical
            .family_computes(&parts.instance, parts.family);
        let mut device = Self {
            labels,
            computes,
            raw: parts.raw,
            queue: parts.queue,
            family: parts.family,
            queue_lock: parts.queue_lock,
            owned: parts.owned,
            physical: parts.physical,
            features: parts.features,
            allocator: Mutex::new(None),
            graves: Mutex::default(),
            timeline: vk::Semaphore::null(),
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            open: AtomicU64::new(0),
            host: Mutex::default(),
            instance: parts.instance,
        };
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(0);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: invariants 2 and 8; the feature is enabled.
        let timeline = unsafe { device.raw.create_semaphore(&info, None) };
        device.timeline = timeline.map_err(|result| refused("a timeline semaphore", result))?;
        let mut debug_settings = AllocatorDebugSettings::default();
        debug_settings.log_leaks_on_shutdown = false;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: device.instance.raw.clone(),
            device: device.raw.clone(),
            physical_device: device.physical.raw,
            debug_settings,
            buffer_device_address: false,
            // Small blocks to begin with: most scenes of picks are small beside their host's.
            allocation_sizes: AllocationSizes::new(8 * MIB, 4 * MIB)
                .with_max_device_memblock_size(256 * MIB)
                .with_max_host_memblock_size(64 * MIB),
        });
        let allocator = allocator.map_err(|error| no_memory("the allocator", &error))?;
        device.allocator = Mutex::new(Some(allocator));
        Ok(Arc::new(device))
    }

    /// What the validation layer has said, where it is on and the instance is ours.
    pub(crate) fn messages(&self) -> Option<&Messages> {
        self.instance.messages()
    }

    pub(super) fn allocator(&self) -> MutexGuard<'_, Option<Allocator>> {
        lock(&self.allocator)
    }

    pub(super) fn free(&self, allocation: Allocation) {
        if let Some(allocator) = self.allocator().as_mut() {
            // It reports nothing but allocations that are not its own.
            let _ = allocator.free(allocation);
        }
    }

    /// Takes a handle whose cover is gone.
    pub(super) fn bury(&self, dead: Dead) {
        let own = self.submitted.load(Ordering::Acquire) + self.open.load(Ordering::Acquire);
        let host = lock(&self.host).next();
        lock(&self.graves).bury(dead, own, host);
    }

    /// Destroys what is dead and not needed any more.
    pub(super) fn sweep(&self) {
        let mut graves = lock(&self.graves);
        if !graves.is_empty() {
            let completed = self.completed.load(Ordering::Acquire);
            let oldest = lock(&self.host).oldest();
            graves.sweep(self, completed, oldest);
        }
    }

    /// True when nothing that was recorded can still run: all has ended, or the device is lost.
    fn is_quiet(&self) -> bool {
        if self.timeline == vk::Semaphore::null() {
            return true; // nothing was ever submitted
        }
        let submitted = self.submitted.load(Ordering::Acquire);
        let (semaphores, values) = ([self.timeline], [submitted]);
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        // SAFETY: invariants 1 and 8.
        let waited = unsafe { self.raw.wait_semaphores(&info, LAST_WAIT_NS) };
        let own = match waited {
            Ok(()) | Err(vk::Result::ERROR_DEVICE_LOST) => true,
            Err(_) => false,
        };
        own && self.host_is_quiet()
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.is_quiet() {
            // Leaking is safe; destroying what the GPU runs is not.
            lock(&self.graves).leak();
            std::mem::forget(self.allocator().take());
            let stub = Instance::borrowed(self.instance.raw.clone());
            std::mem::forget(std::mem::replace(&mut self.instance, stub));
            return;
        }
        let mut graves = std::mem::take(&mut *lock(&self.graves));
        graves.sweep(self, u64::MAX, u64::MAX);
        // The allocator frees its blocks when it is dropped.
        drop(self.allocator().take());
        // SAFETY: invariants 1, 2 and 3: all covers are gone, everything has ended, and each is destroyed
        // here alone. A null semaphore is ignored.
        unsafe {
            self.raw.destroy_semaphore(self.timeline, None);
            if self.owned {
                self.raw.destroy_device(None);
            }
        }
    }
}

/// What these locks guard is changed by single assignments and pushes: a panic leaves it whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
