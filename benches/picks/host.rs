//! A host on raw Vulkan: its own instance, device and queue, and buffers in the device's own memory.
//! The library's devices do not give their handles out, and only a host has buffers that the library
//! never sees on the CPU.

use ash::vk;
use pick_bench::rig::HostBuffers;
use pick_core::{BufferId, PickError};
use pick_vulkan::{HostBuffer, HostDevice, HostFeatures, VulkanBackend};

/// What Vulkan or its loader refused.
#[derive(Debug)]
pub struct Refused(String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a host's device: {}", self.0)
    }
}

impl From<vk::Result> for Refused {
    fn from(error: vk::Result) -> Self {
        Self(error.to_string())
    }
}

/// An engine without a picture.
pub struct VulkanHost {
    pool: vk::CommandPool,
    queue: vk::Queue,
    family: u32,
    features: HostFeatures,
    device: ash::Device,
    physical: vk::PhysicalDevice,
    instance: ash::Instance,
    _entry: ash::Entry,
}

impl VulkanHost {
    /// Opens the device at this place in the loader's order.
    pub fn open(index: usize) -> Result<Self, Refused> {
        // SAFETY: everything is used as the specification says; whatever infos point to lives until the
        // call returns; the features that are asked for are those that every device of the backend has,
        // or were seen to be offered.
        unsafe {
            let entry = ash::Entry::load().map_err(|error| Refused(error.to_string()))?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None)?;
            let all = instance.enumerate_physical_devices()?;
            let physical = *all
                .get(index)
                .ok_or_else(|| Refused("it is gone".to_owned()))?;
            let families = instance.get_physical_device_queue_family_properties(physical);
            let draws = |family: &vk::QueueFamilyProperties| {
                let needed = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
                family.queue_flags.contains(needed)
            };
            let family = families.iter().position(draws);
            let family = family.ok_or_else(|| Refused("no queue draws".to_owned()))? as u32;
            let offered = instance.get_physical_device_features(physical);
            let core = vk::PhysicalDeviceFeatures {
                geometry_shader: offered.geometry_shader,
                full_draw_index_uint32: offered.full_draw_index_uint32,
                fragment_stores_and_atomics: offered.fragment_stores_and_atomics,
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
            let device = instance.create_device(physical, &info, None)?;
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let pool = device.create_command_pool(&info, None)?;
            Ok(Self {
                pool,
                queue: device.get_device_queue(family, 0),
                family,
                features: HostFeatures {
                    api_version: vk::API_VERSION_1_3,
                    dynamic_rendering: true,
                    synchronization2: true,
                    timeline_semaphore: true,
                    geometry_shader: core.geometry_shader == vk::TRUE,
                    full_draw_index_uint32: core.full_draw_index_uint32 == vk::TRUE,
                    fragment_stores_and_atomics: core.fragment_stores_and_atomics == vk::TRUE,
                    ..HostFeatures::default()
                },
                device,
                physical,
                instance,
                _entry: entry,
            })
        }
    }

    /// A backend on its device, to be dropped before it.
    pub fn backend(&self) -> Result<VulkanBackend, PickError> {
        // SAFETY: the handles belong together and are alive until the host is dropped, after the backend;
        // what is told is what was enabled; the queue is used on this thread only.
        unsafe {
            VulkanBackend::adopt(HostDevice {
                instance: self.instance.clone(),
                physical_device: self.physical,
                device: self.device.clone(),
                queue: self.queue,
                queue_family: self.family,
                features: self.features.clone(),
                queue_lock: None,
            })
        }
    }

    /// A buffer in memory of these properties.
    ///
    /// # Safety
    /// The caller destroys the buffer and frees the memory, once, when nothing uses them.
    unsafe fn allocate(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
        properties: vk::MemoryPropertyFlags,
    ) -> Result<(vk::Buffer, vk::DeviceMemory), Refused> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the device is alive; the memory is large enough for the buffer, of a kind that it takes.
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let instance = &self.instance;
            let kinds = instance.get_physical_device_memory_properties(self.physical);
            let fits = |(at, kind): (usize, &vk::MemoryType)| {
                let allowed = needs.memory_type_bits & 1 << at != 0;
                allowed && kind.property_flags.contains(properties)
            };
            let kinds = kinds.memory_types_as_slice();
            let index = kinds.iter().enumerate().position(fits);
            let index = index.ok_or_else(|| Refused("no such memory".to_owned()))?;
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(index as u32);
            let memory = self.device.allocate_memory(&info, None).inspect_err(|_| {
                self.device.destroy_buffer(buffer, None);
            })?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            Ok((buffer, memory))
        }
    }

    /// A storage buffer in the device's own memory, filled through one that the CPU sees.
    fn filled(&self, contents: &[u8]) -> Result<(vk::Buffer, vk::DeviceMemory), Refused> {
        let size = contents.len() as u64;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
        let seen = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: the staging buffer is mapped over its whole size, which the contents have; it goes when
        // the queue is idle. The other goes in `VulkanBuffers::clear`. The copy is visible to whatever is
        // submitted later: waiting for the queue to be idle makes it available, and a submission is a
        // barrier.
        unsafe {
            let source = vk::BufferUsageFlags::TRANSFER_SRC;
            let (staging, staged) = self.allocate(size, source, seen)?;
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(staged, 0, vk::WHOLE_SIZE, flags)?;
            std::ptr::copy_nonoverlapping(contents.as_ptr(), mapped.cast(), contents.len());
            self.device.unmap_memory(staged);
            let made = self.allocate(size, usage, vk::MemoryPropertyFlags::DEVICE_LOCAL);
            if let Ok((buffer, _)) = &made {
                self.copy(staging, *buffer, size)?;
            }
            self.device.destroy_buffer(staging, None);
            self.device.free_memory(staged, None);
            made
        }
    }

    /// Copies all of a buffer, and waits.
    ///
    /// # Safety
    /// Both buffers are the device's, of that size, and made for copies.
    unsafe fn copy(&self, from: vk::Buffer, to: vk::Buffer, size: u64) -> Result<(), Refused> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let device = &self.device;
        // SAFETY: the pool and the queue are used on this thread only; the command buffer has run when it
        // is freed.
        unsafe {
            let commands = device.allocate_command_buffers(&info)?;
            device.begin_command_buffer(commands[0], &begin)?;
            let region = [vk::BufferCopy::default().size(size)];
            device.cmd_copy_buffer(commands[0], from, to, &region);
            device.end_command_buffer(commands[0])?;
            let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
            device.queue_submit(self.queue, &submit, vk::Fence::null())?;
            device.queue_wait_idle(self.queue)?;
            device.free_command_buffers(self.pool, &commands);
        }
        Ok(())
    }
}

impl Drop for VulkanHost {
    fn drop(&mut self) {
        // SAFETY: the backend and all buffers are gone; each is destroyed once.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// Buffers of the host's, by the names that the backend has for them.
pub struct VulkanBuffers<'h> {
    host: &'h VulkanHost,
    made: Vec<(BufferId, vk::Buffer, vk::DeviceMemory)>,
}

impl<'h> VulkanBuffers<'h> {
    /// None yet.
    pub fn new(host: &'h VulkanHost) -> Self {
        Self {
            host,
            made: Vec::new(),
        }
    }
}

impl HostBuffers<VulkanBackend> for VulkanBuffers<'_> {
    fn make(
        &mut self,
        backend: &mut VulkanBackend,
        contents: &[u8],
    ) -> Result<Option<BufferId>, PickError> {
        let filled = self.host.filled(contents);
        let (buffer, memory) = filled.map_err(|error| PickError::broken(error.to_string()))?;
        let named = HostBuffer {
            buffer,
            size: contents.len() as u64,
            usage: vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
        };
        // SAFETY: it is what it says, is never written again, and lives until `clear`, when nothing uses
        // it any more.
        let id = unsafe { backend.adopt_buffer(named) };
        self.made.push((id, buffer, memory));
        Ok(Some(id))
    }

    fn clear(&mut self, backend: &mut VulkanBackend) -> Result<(), PickError> {
        for (id, buffer, memory) in self.made.drain(..) {
            backend.forget_buffer(id)?;
            // SAFETY: sets made of it are gone and picks have ended, as the contract of `clear` says.
            unsafe {
                let _ = self.host.device.device_wait_idle();
                self.host.device.destroy_buffer(buffer, None);
                self.host.device.free_memory(memory, None);
            }
        }
        Ok(())
    }
}
