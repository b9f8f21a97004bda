//! A host's device, buffers and command buffers. What the host promises is listed here, and nowhere else.

use std::ffi::CString;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use ash::vk;
use pick_core::{BufferId, PickError};

use super::buffer::Buffer;
use super::commands::Recording;
use super::device::{Device, Parts};
use super::instance::Instance;
use super::physical::{Features, Physical};
use super::sync::Completion;
use crate::VulkanBackend;

/// An engine's device.
pub struct HostDevice {
    /// The instance, loaded.
    pub instance: ash::Instance,
    /// The physical device that the device was made from.
    pub physical_device: vk::PhysicalDevice,
    /// The device, loaded. Its functions are called as they stand here.
    pub device: ash::Device,
    /// The queue that picks are submitted to. It must have graphics.
    pub queue: vk::Queue,
    /// The queue's family.
    pub queue_family: u32,
    /// Vulkan cannot be asked for these.
    pub features: HostFeatures,
    /// Locked around every submission of ours, where other threads of the host use the queue too. The
    /// host locks it around its own. `None`: the host keeps away from the queue during every call that
    /// takes the backend by `&mut`.
    pub queue_lock: Option<Arc<Mutex<()>>>,
}

/// What a host enabled when it made its instance and device.
#[derive(Clone, Debug, Default)]
pub struct HostFeatures {
    /// The version that the instance was made for (`VkApplicationInfo::apiVersion`). At least 1.3.
    pub api_version: u32,
    /// Instance and device extensions, by name. Of these only `VK_EXT_debug_utils` is made use of, to
    /// name picks in GPU debuggers.
    pub extensions: Vec<CString>,
    /// `dynamicRendering` is on. Needed.
    pub dynamic_rendering: bool,
    /// `synchronization2` is on. Needed.
    pub synchronization2: bool,
    /// `timelineSemaphore` is on. Needed.
    pub timeline_semaphore: bool,
    /// `geometryShader` is on: then detailed picks need no second way to their vertices.
    pub geometry_shader: bool,
    /// `fullDrawIndexUint32` is on: then meshes may have more than 2^24 vertices.
    pub full_draw_index_uint32: bool,
    /// `fragmentStoresAndAtomics` is on: then picks find what is hidden too.
    pub fragment_stores_and_atomics: bool,
}

/// A buffer of the host's.
#[derive(Clone, Copy, Debug)]
pub struct HostBuffer {
    /// The buffer.
    pub buffer: vk::Buffer,
    /// Its size in bytes, as it was created.
    pub size: u64,
    /// Its usages, as it was created: `VERTEX_BUFFER` and `INDEX_BUFFER` to be drawn from,
    /// `STORAGE_BUFFER` to be pulled from and for instances.
    pub usage: vk::BufferUsageFlags,
}

/// A command buffer of the host's that a pick is recorded into, and what tells that it has run.
///
/// The recording leaves pipelines and descriptor sets of graphics and compute, vertex and index buffers,
/// viewport, scissor, stencil reference and blend constants changed. It holds the barriers that its own
/// targets, lists and read-backs need, and none for anything of the host's.
#[derive(Debug)]
pub struct HostCommands<'h> {
    commands: vk::CommandBuffer,
    timeline: vk::Semaphore,
    value: u64,
    host: PhantomData<&'h mut ()>,
}

impl HostCommands<'_> {
    /// Names a command buffer and the timeline value that completes it.
    ///
    /// # Safety
    /// The host promises that
    /// * `commands` is a primary command buffer of the adopted device and queue family, in the recording
    ///   state, outside of rendering and of render passes, and that nobody else records into it while
    ///   the pick does;
    /// * it is submitted at most once, to the adopted queue (not made for simultaneous use), or never;
    /// * `timeline` is a timeline semaphore of the device that reaches `value` after the command buffer
    ///   has run, and not before; several picks in one command buffer share one value;
    /// * the semaphore lives until it has reached the value and a later [`pick_core::Backend::drive`]
    ///   has seen it, or [`VulkanBackend::recording_dropped`] was called, or the backend is gone;
    /// * buffers of the host's that the pick reads hold their contents by then: barriers for what the
    ///   host wrote are the host's.
    pub unsafe fn new(commands: vk::CommandBuffer, timeline: vk::Semaphore, value: u64) -> Self {
        Self {
            commands,
            timeline,
            value,
            host: PhantomData,
        }
    }

    /// Begins to record into it, and notes what ends it.
    pub(crate) fn begin(&self, device: &Arc<Device>) -> Recording {
        Recording::host(device, self.commands)
    }

    /// Notes a pick that is recorded into it.
    pub(crate) fn completion(&self, device: &Device) -> Completion {
        device.host_recording(self.timeline, self.value)
    }
}

impl VulkanBackend {
    /// Picks on an engine's device.
    ///
    /// # Safety
    /// The host promises that
    /// * the handles belong together and are alive, and stay so until the backend is dropped; so does the
    ///   library that the functions come from;
    /// * `features` tells nothing that was not enabled;
    /// * the queue is used by one thread at a time: by the lock, or by keeping away (see
    ///   [`HostDevice::queue_lock`]);
    /// * the device is not destroyed while picks are under way; when it is lost, the backend is told
    ///   ([`VulkanBackend::device_lost`]) or learns of it by its own calls, and is dropped before the device
    ///   is destroyed.
    ///
    /// # Errors
    /// `Unsupported` (device) for what is missing: Vulkan 1.3, a feature, graphics on the queue's family;
    /// `Broken` without room; `DeviceLost`.
    pub unsafe fn adopt(host: HostDevice) -> Result<Self, PickError> {
        let told = &host.features;
        let features = Features {
            dynamic_rendering: told.dynamic_rendering,
            synchronization2: told.synchronization2,
            timeline_semaphore: told.timeline_semaphore,
            geometry_shader: told.geometry_shader,
            full_draw_index_uint32: told.full_draw_index_uint32,
            fragment_stores_and_atomics: told.fragment_stores_and_atomics,
        };
        // Functions of later versions are not there where the instance was made for earlier ones.
        features.check("the host's device", told.api_version)?;
        let debug = ash::ext::debug_utils::NAME;
        let labels = told.extensions.iter().any(|name| name.as_c_str() == debug);
        let instance = Instance::borrowed(host.instance);
        let physical = Physical::read(&instance, host.physical_device);
        features.check(&physical.name, physical.api_version)?;
        physical.check_family(&instance, host.queue_family)?;
        let device = Device::assemble(Parts {
            instance,
            physical,
            features,
            raw: host.device,
            queue: host.queue,
            family: host.queue_family,
            queue_lock: host.queue_lock.unwrap_or_default(),
            owned: false,
            labels,
        })?;
        Self::on(device)
    }

    /// Names a buffer of the host's, so that meshes and instance sets can lie in it.
    ///
    /// # Safety
    /// The host promises that
    /// * the buffer is the device's, has this size and these usages, and has memory bound;
    /// * it lives, and nobody writes it, while a pick that draws from it is under way; that is until the
    ///   meshes and sets made of it are destroyed, the name is forgotten, and all picks have ended;
    /// * what the host wrote is visible to vertex input and vertex shaders of later submissions (kernels
    ///   that cull instances read behind a barrier of ours against those);
    /// * it is shared with the queue's family, or owned by it;
    /// * indices in it stay below the vertex count that meshes made of it tell.
    pub unsafe fn adopt_buffer(&mut self, buffer: HostBuffer) -> BufferId {
        let HostBuffer {
            buffer,
            size,
            usage,
        } = buffer;
        let adopted = Buffer::host(&self.gpu.device, buffer, size, usage);
        self.buffers.insert(Arc::new(adopted))
    }

    /// Tells that command buffers whose completion is this value were dropped unsubmitted. Their picks
    /// end as `Cancelled`, and what they held is free again. Untold, they hold it until the backend is
    /// dropped, which then waits half a second for them and leaks it.
    ///
    /// # Safety
    /// The host promises that they were not submitted and never will be.
    pub unsafe fn recording_dropped(&mut self, timeline: vk::Semaphore, value: u64) {
        self.slots.cancel(timeline, value);
        self.gpu.device.host_dropped(timeline, value);
    }
}
