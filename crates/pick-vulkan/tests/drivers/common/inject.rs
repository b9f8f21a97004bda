//! Tables of functions that fail on demand, in place of the driver's.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, c_void};

use ash::vk;
use pick_vulkan::ash;

/// The fallible functions of a device that the backend calls.
pub const DEVICE_FUNCTIONS: [&CStr; 26] = [
    c"vkAllocateMemory",
    c"vkMapMemory",
    c"vkCreateBuffer",
    c"vkBindBufferMemory",
    c"vkCreateImage",
    c"vkBindImageMemory",
    c"vkCreateImageView",
    c"vkCreateShaderModule",
    c"vkCreateGraphicsPipelines",
    c"vkCreateComputePipelines",
    c"vkCreatePipelineLayout",
    c"vkCreatePipelineCache",
    c"vkMergePipelineCaches",
    c"vkCreateDescriptorSetLayout",
    c"vkCreateDescriptorPool",
    c"vkAllocateDescriptorSets",
    c"vkCreateCommandPool",
    c"vkAllocateCommandBuffers",
    c"vkResetCommandPool",
    c"vkBeginCommandBuffer",
    c"vkEndCommandBuffer",
    c"vkQueueSubmit2",
    c"vkCreateSemaphore",
    c"vkWaitSemaphores",
    c"vkGetSemaphoreCounterValue",
    c"vkInvalidateMappedMemoryRanges",
];

thread_local! {
    /// The driver's own, by position.
    static REAL: RefCell<[usize; DEVICE_FUNCTIONS.len()]> = const { RefCell::new([0; _]) };
    static CALLS: RefCell<[u32; DEVICE_FUNCTIONS.len()]> = const { RefCell::new([0; _]) };
    /// Which function fails, at which of its calls from now, with what.
    static FAULT: Cell<Option<(usize, u32, vk::Result)>> = const { Cell::new(None) };
    static INSTANCE: RefCell<HashMap<&'static str, usize>> = RefCell::default();
    /// Flags that formats and memory types are told without.
    pub static NO_FORMAT_FEATURES: RefCell<Vec<(vk::Format, vk::FormatFeatureFlags)>> =
        const { RefCell::new(Vec::new()) };
    pub static NO_MEMORY_FLAGS: Cell<vk::MemoryPropertyFlags> =
        const { Cell::new(vk::MemoryPropertyFlags::empty()) };
    /// What queue families are told without.
    pub static NO_QUEUE_FLAGS: Cell<vk::QueueFlags> = const { Cell::new(vk::QueueFlags::empty()) };
}

/// How often a function was called.
pub fn calls(name: &CStr) -> u32 {
    let at = DEVICE_FUNCTIONS.iter().position(|f| *f == name).unwrap();
    CALLS.with_borrow(|calls| calls[at])
}

/// The function fails at its call number `after` from now (0: the next), once.
pub fn fail(name: &CStr, after: u32, result: vk::Result) {
    let at = DEVICE_FUNCTIONS.iter().position(|f| *f == name).unwrap();
    FAULT.set(Some((at, after, result)));
}

/// True when the fault has not happened yet; it does not happen any more.
pub fn disarm() -> bool {
    FAULT.take().is_some()
}

type Any = unsafe extern "system" fn(usize, usize, usize, usize, usize, usize) -> i32;

/// All of these functions take at most six integers or pointers and give a result.
unsafe extern "system" fn fake<const AT: usize>(
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> i32 {
    CALLS.with_borrow_mut(|calls| calls[AT] += 1);
    if let Some((at, after, result)) = FAULT.get()
        && at == AT
    {
        match after {
            0 => {
                FAULT.set(None);
                return result.as_raw();
            }
            _ => FAULT.set(Some((at, after - 1, result))),
        }
    }
    let real = REAL.with_borrow(|real| real[AT]);
    if AT == 0 && !NO_MEMORY_FLAGS.get().is_empty() {
        // SAFETY: this is `vkAllocateMemory`; the second type is the first one in truth.
        unsafe {
            let mut info = *(b as *const vk::MemoryAllocateInfo<'_>);
            info.memory_type_index = 0;
            let real: Any = std::mem::transmute::<usize, Any>(real);
            return real(a, &raw const info as usize, c, d, e, f);
        }
    }
    // SAFETY: it is the driver's function of this position; on 64-bit machines six integer arguments
    // go on as they came, and those that it does not have are not looked at.
    unsafe {
        let real: Any = std::mem::transmute::<usize, Any>(real);
        real(a, b, c, d, e, f)
    }
}

macro_rules! fakes {
    ($($at:literal)*) => { [$(fake::<$at> as Any),*] };
}

const FAKES: [Any; DEVICE_FUNCTIONS.len()] =
    fakes![0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25];

unsafe extern "system" fn format_properties(
    physical: vk::PhysicalDevice,
    format: vk::Format,
    properties: *mut vk::FormatProperties,
) {
    let real = INSTANCE.with_borrow(|real| real["vkGetPhysicalDeviceFormatProperties"]);
    // SAFETY: it is the driver's own function.
    unsafe {
        let real = std::mem::transmute::<usize, vk::PFN_vkGetPhysicalDeviceFormatProperties>(real);
        real(physical, format, properties);
        NO_FORMAT_FEATURES.with_borrow(|all| {
            for (_, flags) in all.iter().filter(|(of, _)| *of == format) {
                (*properties).optimal_tiling_features &= !*flags;
            }
        });
    }
}

unsafe extern "system" fn queue_families(
    physical: vk::PhysicalDevice,
    count: *mut u32,
    families: *mut vk::QueueFamilyProperties,
) {
    let real = INSTANCE.with_borrow(|real| real["vkGetPhysicalDeviceQueueFamilyProperties"]);
    // SAFETY: it is the driver's own function, which has written `count` families where there are some.
    unsafe {
        let real =
            std::mem::transmute::<usize, vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties>(real);
        real(physical, count, families);
        if !families.is_null() {
            for family in std::slice::from_raw_parts_mut(families, *count as usize) {
                family.queue_flags &= !NO_QUEUE_FLAGS.get();
            }
        }
    }
}

unsafe extern "system" fn memory_properties(
    physical: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceMemoryProperties,
) {
    let real = INSTANCE.with_borrow(|real| real["vkGetPhysicalDeviceMemoryProperties"]);
    // SAFETY: it is the driver's own function.
    unsafe {
        let real = std::mem::transmute::<usize, vk::PFN_vkGetPhysicalDeviceMemoryProperties>(real);
        real(physical, properties);
        let gone = NO_MEMORY_FLAGS.get();
        if !gone.is_empty() {
            // The only type becomes two: one that is coherent, one that is cached.
            let first = (*properties).memory_types[0];
            (*properties).memory_types[0].property_flags &= !vk::MemoryPropertyFlags::HOST_CACHED;
            (*properties).memory_types[1] = first;
            (*properties).memory_types[1].property_flags &= !gone;
            (*properties).memory_type_count = 2;
        }
    }
}

unsafe extern "system" fn buffer_requirements(
    device: vk::Device,
    buffer: vk::Buffer,
    requirements: *mut vk::MemoryRequirements,
) {
    let real = INSTANCE.with_borrow(|real| real["vkGetBufferMemoryRequirements"]);
    // SAFETY: it is the driver's own function.
    unsafe {
        let real = std::mem::transmute::<usize, vk::PFN_vkGetBufferMemoryRequirements>(real);
        real(device, buffer, requirements);
        if !NO_MEMORY_FLAGS.get().is_empty() {
            (*requirements).memory_type_bits |= 0b10;
        }
    }
}

/// The functions of an instance and a device, with those above in place of the driver's.
pub fn tables(
    entry: &ash::Entry,
    instance: &ash::Instance,
    device: &ash::Device,
) -> (ash::Instance, ash::Device) {
    let of_device = instance.fp_v1_0().get_device_proc_addr;
    let of_instance = entry.static_fn().get_instance_proc_addr;
    // SAFETY: pointers go back to whom they came from, or to functions of the same shape.
    unsafe {
        let device = ash::Device::load_with(
            |name| {
                let real = of_device(device.handle(), name.as_ptr());
                let real = real.map_or(std::ptr::null(), |f| f as *const c_void);
                match DEVICE_FUNCTIONS.iter().position(|f| *f == name) {
                    None if name == c"vkGetBufferMemoryRequirements" => {
                        let name = "vkGetBufferMemoryRequirements";
                        INSTANCE.with_borrow_mut(|all| all.insert(name, real as usize));
                        buffer_requirements as *const c_void
                    }
                    None => real,
                    Some(at) => {
                        REAL.with_borrow_mut(|all| all[at] = real as usize);
                        FAKES[at] as *const c_void
                    }
                }
            },
            device.handle(),
        );
        let instance = ash::Instance::load_with(
            |name| {
                let real = of_instance(instance.handle(), name.as_ptr());
                let real = real.map_or(std::ptr::null(), |f| f as *const c_void);
                let keep = |name| INSTANCE.with_borrow_mut(|all| all.insert(name, real as usize));
                match name.to_bytes() {
                    b"vkGetPhysicalDeviceFormatProperties" => {
                        keep("vkGetPhysicalDeviceFormatProperties");
                        format_properties as *const c_void
                    }
                    b"vkGetPhysicalDeviceMemoryProperties" => {
                        keep("vkGetPhysicalDeviceMemoryProperties");
                        memory_properties as *const c_void
                    }
                    b"vkGetPhysicalDeviceQueueFamilyProperties" => {
                        keep("vkGetPhysicalDeviceQueueFamilyProperties");
                        queue_families as *const c_void
                    }
                    _ => real,
                }
            },
            instance.handle(),
        );
        FAULT.set(None);
        (instance, device)
    }
}
