//! What a physical device is and can do, read once.

use ash::vk;
use pick_core::{Capability, PickError, TargetFormat};

use super::instance::{Instance, dotted};
use crate::conv;

/// A physical device.
#[derive(Clone)]
pub(crate) struct Physical {
    pub(super) raw: vk::PhysicalDevice,
    pub(crate) name: String,
    /// The driver's name and version.
    pub(crate) driver: String,
    pub(crate) kind: vk::PhysicalDeviceType,
    pub(crate) api_version: u32,
    pub(crate) limits: vk::PhysicalDeviceLimits,
    pub(crate) max_buffer_size: u64,
    /// Vendor, device and the driver's build, as pipeline caches name them.
    pub(crate) cache_owner: CacheOwner,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    formats: [FormatUse; conv::FORMATS.len()],
}

/// Who a pipeline cache belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CacheOwner {
    pub(crate) vendor: u32,
    pub(crate) device: u32,
    pub(crate) build: [u8; vk::UUID_SIZE],
}

/// How a format of a plan's is had on a device.
#[derive(Clone, Copy, Default)]
struct FormatUse {
    format: vk::Format,
    renders: bool,
    copies: bool,
}

/// What a backend needs of a device, and what it makes use of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Features {
    pub(crate) dynamic_rendering: bool,
    pub(crate) synchronization2: bool,
    pub(crate) timeline_semaphore: bool,
    pub(crate) geometry_shader: bool,
    pub(crate) full_draw_index_uint32: bool,
    pub(crate) fragment_stores_and_atomics: bool,
}

impl Features {
    /// # Errors
    /// `Unsupported` (device), naming all that is missing.
    pub(crate) fn check(&self, name: &str, api_version: u32) -> Result<(), PickError> {
        let version = format!("Vulkan 1.3 (this is {})", dotted(api_version));
        let needed = [
            (api_version >= vk::API_VERSION_1_3, version.as_str()),
            (self.dynamic_rendering, "dynamicRendering"),
            (self.synchronization2, "synchronization2"),
            (self.timeline_semaphore, "timelineSemaphore"),
        ];
        let missing = needed.iter().filter(|(has, _)| !has).map(|(_, what)| *what);
        let missing: Vec<&str> = missing.collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(PickError::unsupported(
            Capability::Device,
            format!("{name} lacks {}", missing.join(", ")),
        ))
    }
}

impl Physical {
    pub(crate) fn read(instance: &Instance, raw: vk::PhysicalDevice) -> Self {
        // SAFETY: invariant 2: the physical device is the instance's. The chained structs are of the
        // device's own version, and live until the calls return.
        let (properties, memory) = unsafe {
            let properties = instance.raw.get_physical_device_properties(raw);
            let memory = instance.raw.get_physical_device_memory_properties(raw);
            (properties, memory)
        };
        let api_version = properties.api_version;
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut sizes = vk::PhysicalDeviceMaintenance4Properties::default();
        if api_version >= vk::API_VERSION_1_3 {
            let mut all = vk::PhysicalDeviceProperties2::default()
                .push_next(&mut driver)
                .push_next(&mut sizes);
            // SAFETY: as above.
            unsafe { instance.raw.get_physical_device_properties2(raw, &mut all) };
        }
        let text = |bytes: Result<&std::ffi::CStr, std::ffi::FromBytesUntilNulError>| {
            bytes.map_or_else(|_| String::new(), |t| t.to_string_lossy().into_owned())
        };
        let (driver_name, driver_info) = (
            text(driver.driver_name_as_c_str()),
            text(driver.driver_info_as_c_str()),
        );
        Self {
            raw,
            name: text(properties.device_name_as_c_str()),
            driver: format!("{driver_name} {driver_info}").trim().to_owned(),
            kind: properties.device_type,
            api_version,
            limits: properties.limits,
            max_buffer_size: match sizes.max_buffer_size {
                0 => u64::from(u32::MAX),
                size => size,
            },
            cache_owner: CacheOwner {
                vendor: properties.vendor_id,
                device: properties.device_id,
                build: properties.pipeline_cache_uuid,
            },
            memory,
            formats: conv::FORMATS.map(|format| format_use(instance, raw, format)),
        }
    }

    /// What the device offers.
    pub(crate) fn features(&self, instance: &Instance) -> Features {
        if self.api_version < vk::API_VERSION_1_3 {
            return Features::default();
        }
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut all = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut v12)
            .push_next(&mut v13);
        // SAFETY: as in `read`.
        unsafe {
            instance
                .raw
                .get_physical_device_features2(self.raw, &mut all)
        };
        let core = all.features;
        Features {
            dynamic_rendering: v13.dynamic_rendering == vk::TRUE,
            synchronization2: v13.synchronization2 == vk::TRUE,
            timeline_semaphore: v12.timeline_semaphore == vk::TRUE,
            geometry_shader: core.geometry_shader == vk::TRUE,
            full_draw_index_uint32: core.full_draw_index_uint32 == vk::TRUE,
            fragment_stores_and_atomics: core.fragment_stores_and_atomics == vk::TRUE,
        }
    }

    /// The first queue family with graphics.
    ///
    /// # Errors
    /// `Unsupported` (device) where there is none.
    pub(crate) fn graphics_family(&self, instance: &Instance) -> Result<u32, PickError> {
        let families = self.families(instance);
        let graphics = |family: &vk::QueueFamilyProperties| {
            family.queue_count > 0 && family.queue_flags.contains(vk::QueueFlags::GRAPHICS)
        };
        match families.iter().position(graphics) {
            Some(family) => Ok(family as u32),
            None => Err(PickError::unsupported(
                Capability::Device,
                format!("{} has no queue family with graphics", self.name),
            )),
        }
    }

    /// # Errors
    /// `Unsupported` (device) when a host's family has no graphics, or is none.
    pub(crate) fn check_family(&self, instance: &Instance, family: u32) -> Result<(), PickError> {
        let families = self.families(instance);
        match families.get(family as usize) {
            Some(found) if found.queue_flags.contains(vk::QueueFlags::GRAPHICS) => Ok(()),
            Some(found) => Err(PickError::unsupported(
                Capability::Device,
                format!(
                    "queue family {family} of {} has {:?}, but not GRAPHICS",
                    self.name, found.queue_flags
                ),
            )),
            None => Err(PickError::unsupported(
                Capability::Device,
                format!("{} has no queue family {family}", self.name),
            )),
        }
    }

    /// True when kernels run on a family's queues.
    pub(crate) fn family_computes(&self, instance: &Instance, family: u32) -> bool {
        let families = self.families(instance);
        let found = families.get(family as usize);
        found.is_some_and(|found| found.queue_flags.contains(vk::QueueFlags::COMPUTE))
    }

    fn families(&self, instance: &Instance) -> Vec<vk::QueueFamilyProperties> {
        // SAFETY: as in `read`.
        unsafe {
            instance
                .raw
                .get_physical_device_queue_family_properties(self.raw)
        }
    }

    /// The device's format for a plan's.
    pub(crate) fn format(&self, format: TargetFormat) -> vk::Format {
        self.found(format).format
    }

    /// A plan's format can be drawn into.
    pub(crate) fn renders(&self, format: TargetFormat) -> bool {
        self.found(format).renders
    }

    /// A plan's format can be copied out of.
    pub(crate) fn copies(&self, format: TargetFormat) -> bool {
        self.found(format).copies
    }

    fn found(&self, format: TargetFormat) -> FormatUse {
        self.formats[conv::format_index(format)]
    }
}

fn format_use(instance: &Instance, raw: vk::PhysicalDevice, format: TargetFormat) -> FormatUse {
    use vk::FormatFeatureFlags as Can;
    let attachment = match format.is_depth() {
        true => Can::DEPTH_STENCIL_ATTACHMENT,
        false => Can::COLOR_ATTACHMENT,
    };
    let used = conv::candidates(format).iter().map(|&candidate| {
        // SAFETY: as in `Physical::read`.
        let found = unsafe {
            instance
                .raw
                .get_physical_device_format_properties(raw, candidate)
        };
        let can = found.optimal_tiling_features;
        FormatUse {
            format: candidate,
            renders: can.contains(attachment),
            copies: can.contains(Can::TRANSFER_SRC),
        }
    });
    used.into_iter()
        .find(|used| used.renders)
        .unwrap_or_default()
}
