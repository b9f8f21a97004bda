//! An engine: its own instance, device, queue, buffers and command buffers.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex};

use ash::vk;
use pick_core::{BufferId, PickError};
use pick_vulkan::{
    HostBuffer, HostCommands, HostDevice, HostFeatures, VulkanBackend, WAIVERS, ash,
};

use super::driver::{Driver, has_layer};
use super::inject;

/// What a host does otherwise than usual.
pub struct HostOptions {
    /// Features that the device is made with, and what the backend is told of them.
    pub geometry_shader: bool,
    pub told_geometry_shader: Option<bool>,
    pub told: fn(&mut HostFeatures),
    /// Functions go through the tables of `inject`.
    pub injected: bool,
    /// The family that is told in place of the queue's.
    pub told_family: Option<u32>,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self {
            geometry_shader: true,
            told_geometry_shader: None,
            told: |_| {},
            injected: false,
            told_family: None,
        }
    }
}

pub struct Host {
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub heard: Arc<Mutex<Vec<String>>>,
    pub lock: Arc<Mutex<()>>,
    pool: vk::CommandPool,
    timeline: vk::Semaphore,
    next: std::cell::Cell<u64>,
    buffers: std::cell::RefCell<Vec<(vk::Buffer, vk::DeviceMemory)>>,
    features: HostFeatures,
    family: u32,
    physical: vk::PhysicalDevice,
    adopted_instance: ash::Instance,
    adopted_device: ash::Device,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    instance: ash::Instance,
    _entry: ash::Entry,
}

unsafe extern "system" fn heard(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    list: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer's data is valid during the call; the list lives as long as the messenger.
    let (id, text, list) = unsafe {
        let text = |at| CStr::from_ptr(at).to_string_lossy().into_owned();
        let list = &*list.cast_const().cast::<Mutex<Vec<String>>>();
        let id = (*data).p_message_id_name;
        let id = if id.is_null() {
            String::new()
        } else {
            text(id)
        };
        (id, text((*data).p_message), list)
    };
    if !WAIVERS.iter().any(|(part, _)| id.contains(part)) {
        list.lock().unwrap().push(format!("{id}: {text}"));
    }
    vk::FALSE
}

impl Host {
    pub fn new(driver: Driver, options: HostOptions) -> Self {
        let list: Arc<Mutex<Vec<String>>> = Arc::default();
        // SAFETY: everything here is used as the specification says; whatever infos point to lives until
        // the call returns.
        unsafe {
            let entry = ash::Entry::load().expect("a loader");
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let layers = [c"VK_LAYER_KHRONOS_validation".as_ptr()];
            let extensions = [
                ash::ext::debug_utils::NAME.as_ptr(),
                ash::ext::validation_features::NAME.as_ptr(),
            ];
            let checks = [
                vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION,
                vk::ValidationFeatureEnableEXT::BEST_PRACTICES,
            ];
            let mut features =
                vk::ValidationFeaturesEXT::default().enabled_validation_features(&checks);
            let mut info = vk::InstanceCreateInfo::default().application_info(&application);
            if has_layer() {
                info = info
                    .enabled_layer_names(&layers)
                    .enabled_extension_names(&extensions)
                    .push_next(&mut features);
            }
            let instance = entry.create_instance(&info, None).expect("an instance");
            let messenger = has_layer().then(|| {
                let functions = ash::ext::debug_utils::Instance::new(&entry, &instance);
                use vk::DebugUtilsMessageSeverityFlagsEXT as Severity;
                use vk::DebugUtilsMessageTypeFlagsEXT as Kind;
                let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
                    .message_severity(Severity::WARNING | Severity::ERROR)
                    .message_type(Kind::VALIDATION | Kind::PERFORMANCE)
                    .pfn_user_callback(Some(heard))
                    .user_data(Arc::as_ptr(&list).cast_mut().cast());
                let raw = functions.create_debug_utils_messenger(&info, None).unwrap();
                (functions, raw)
            });
            let all = instance.enumerate_physical_devices().unwrap();
            let named = |&physical: &vk::PhysicalDevice| {
                let properties = instance.get_physical_device_properties(physical);
                let name = properties.device_name_as_c_str().unwrap().to_string_lossy();
                name.to_lowercase().contains(driver.adapter_name())
            };
            let physical = all.into_iter().find(named).expect("the driver is here");
            let offered = instance.get_physical_device_features(physical);
            let geometry = options.geometry_shader && offered.geometry_shader == vk::TRUE;
            let core = vk::PhysicalDeviceFeatures {
                geometry_shader: geometry.into(),
                full_draw_index_uint32: offered.full_draw_index_uint32,
                fragment_stores_and_atomics: offered.fragment_stores_and_atomics,
                ..Default::default()
            };
            let mut v12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
            let mut v13 = vk::PhysicalDeviceVulkan13Features::default()
                .dynamic_rendering(true)
                .synchronization2(true);
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(0)
                .queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&core)
                .push_next(&mut v12)
                .push_next(&mut v13);
            let device = instance
                .create_device(physical, &info, None)
                .expect("a device");
            let queue = device.get_device_queue(0, 0);
            let info = vk::CommandPoolCreateInfo::default();
            let pool = device.create_command_pool(&info, None).unwrap();
            let mut kind =
                vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
            let timeline = device.create_semaphore(&info, None).unwrap();
            let mut features = HostFeatures {
                api_version: vk::API_VERSION_1_3,
                extensions: vec![],
                dynamic_rendering: true,
                synchronization2: true,
                timeline_semaphore: true,
                geometry_shader: options.told_geometry_shader.unwrap_or(geometry),
                full_draw_index_uint32: offered.full_draw_index_uint32 == vk::TRUE,
                fragment_stores_and_atomics: offered.fragment_stores_and_atomics == vk::TRUE,
            };
            if has_layer() {
                features.extensions.push(ash::ext::debug_utils::NAME.into());
            }
            (options.told)(&mut features);
            let (adopted_instance, adopted_device) = match options.injected {
                false => (instance.clone(), device.clone()),
                true => inject::tables(&entry, &instance, &device),
            };
            Self {
                device,
                queue,
                heard: list,
                lock: Arc::default(),
                pool,
                timeline,
                next: std::cell::Cell::new(0),
                buffers: Default::default(),
                features,
                family: options.told_family.unwrap_or(0),
                physical,
                adopted_instance,
                adopted_device,
                messenger,
                instance,
                _entry: entry,
            }
        }
    }

    pub fn try_backend(&self) -> Result<VulkanBackend, PickError> {
        // SAFETY: all of it is this host's, which is dropped after the backend; what is told is true but
        // where a trial plants a fault.
        unsafe {
            VulkanBackend::adopt(HostDevice {
                instance: self.adopted_instance.clone(),
                physical_device: self.physical,
                device: self.adopted_device.clone(),
                queue: self.queue,
                queue_family: self.family,
                features: self.features.clone(),
                queue_lock: Some(self.lock.clone()),
            })
        }
    }

    pub fn backend(&self) -> VulkanBackend {
        self.try_backend().expect("the backend takes the device")
    }

    /// A command buffer that is recording, and what will complete it.
    pub fn begin(&self) -> Frame<'_> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the pool is this thread's, and lives.
        let commands = unsafe {
            let commands = self.device.allocate_command_buffers(&info).unwrap()[0];
            self.device.begin_command_buffer(commands, &begin).unwrap();
            commands
        };
        let value = self.next.get() + 1;
        self.next.set(value);
        Frame {
            host: self,
            commands,
            value,
        }
    }

    /// The value that is reached.
    pub fn reached(&self) -> u64 {
        // SAFETY: the semaphore lives.
        unsafe {
            self.device
                .get_semaphore_counter_value(self.timeline)
                .unwrap()
        }
    }

    /// Waits until a value is reached.
    pub fn wait(&self, value: u64) {
        let (semaphores, values) = ([self.timeline], [value]);
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        // SAFETY: the semaphore lives.
        unsafe { self.device.wait_semaphores(&info, 10_000_000_000).unwrap() };
    }

    /// Signals a value from the CPU.
    pub fn signal(&self, value: u64) {
        let info = vk::SemaphoreSignalInfo::default()
            .semaphore(self.timeline)
            .value(value);
        // SAFETY: the semaphore lives; values grow.
        unsafe { self.device.signal_semaphore(&info).unwrap() };
    }

    /// A buffer with contents, in memory that the CPU sees.
    pub fn buffer(&self, contents: &[u8], usage: vk::BufferUsageFlags) -> HostBuffer {
        let size = (contents.len() as u64).next_multiple_of(4);
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the buffer is destroyed with the host; the range that is written is mapped.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).unwrap();
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let kinds = self
                .instance
                .get_physical_device_memory_properties(self.physical);
            let kinds = kinds.memory_types_as_slice();
            let seen =
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let fits = |index: &usize| {
                needs.memory_type_bits & 1 << index != 0
                    && kinds[*index].property_flags.contains(seen)
            };
            let index = (0..kinds.len()).find(fits).unwrap();
            // Large, so that the layer has nothing to say about small allocations.
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size.max(2 << 20))
                .memory_type_index(index as u32);
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_buffer_memory(buffer, memory, 0).unwrap();
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags);
            let mapped = mapped.unwrap().cast::<u8>();
            std::ptr::copy_nonoverlapping(contents.as_ptr(), mapped, contents.len());
            self.device.unmap_memory(memory);
            self.buffers.borrow_mut().push((buffer, memory));
            HostBuffer {
                buffer,
                size,
                usage,
            }
        }
    }

    /// The first bytes of a buffer of the host's that no frame writes any more.
    pub fn contents(&self, buffer: vk::Buffer, bytes: usize) -> Vec<u8> {
        let buffers = self.buffers.borrow();
        let (_, memory) = buffers.iter().find(|(raw, _)| *raw == buffer).unwrap();
        // SAFETY: the memory is coherent, not mapped, and longer.
        unsafe {
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self
                .device
                .map_memory(*memory, 0, vk::WHOLE_SIZE, flags)
                .unwrap();
            let contents = std::slice::from_raw_parts(mapped.cast::<u8>(), bytes).to_vec();
            self.device.unmap_memory(*memory);
            contents
        }
    }

    /// A buffer with contents, named.
    pub fn adopted(
        &self,
        backend: &mut VulkanBackend,
        contents: &[u8],
        usage: vk::BufferUsageFlags,
    ) -> BufferId {
        let buffer = self.buffer(contents, usage);
        // SAFETY: it is what it says, and is destroyed with the host, after the backend.
        unsafe { backend.adopt_buffer(buffer) }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: backends are gone, everything has ended, and each is destroyed once.
        unsafe {
            let _ = self.device.device_wait_idle();
            for (buffer, memory) in self.buffers.take() {
                self.device.destroy_buffer(buffer, None);
                self.device.free_memory(memory, None);
            }
            self.device.destroy_semaphore(self.timeline, None);
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            if let Some((functions, messenger)) = self.messenger.take() {
                functions.destroy_debug_utils_messenger(messenger, None);
            }
            self.instance.destroy_instance(None);
        }
    }
}

/// A command buffer of the host's that is recording.
pub struct Frame<'h> {
    host: &'h Host,
    pub commands: vk::CommandBuffer,
    pub value: u64,
}

impl Frame<'_> {
    /// What a pick records into.
    pub fn commands(&self) -> HostCommands<'_> {
        // SAFETY: it is recording, and submitted at most once with this value, or told to be dropped.
        unsafe { HostCommands::new(self.commands, self.host.timeline, self.value) }
    }

    /// Submits it; the value is reached when it has run.
    pub fn submit(self) -> u64 {
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(self.commands)];
        let signals = [vk::SemaphoreSubmitInfo::default()
            .semaphore(self.host.timeline)
            .value(self.value)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let submits = [vk::SubmitInfo2::default()
            .command_buffer_infos(&buffers)
            .signal_semaphore_infos(&signals)];
        let host = self.host;
        let _queue = host.lock.lock().unwrap();
        // SAFETY: the queue is locked, the buffer was recorded.
        unsafe {
            host.device.end_command_buffer(self.commands).unwrap();
            let fence = vk::Fence::null();
            host.device
                .queue_submit2(host.queue, &submits, fence)
                .unwrap();
        }
        self.value
    }

    /// Never submits it, and says so.
    pub fn drop_unsubmitted(self, backend: &mut VulkanBackend) {
        // SAFETY: it is not submitted, and freed here.
        unsafe {
            self.host.device.end_command_buffer(self.commands).unwrap();
            self.host
                .device
                .free_command_buffers(self.host.pool, &[self.commands]);
            backend.recording_dropped(self.host.timeline, self.value);
        }
    }
}
