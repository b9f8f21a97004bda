//! What reaches a GPU, and which devices it reaches.

use pick_core::PickError;
use pick_vulkan::VulkanBackend;
use pick_vulkan::ash::vk::PhysicalDeviceType;
use pick_wgpu::WgpuBackend;

use crate::backends::{AnyBackend, contains};

const SOFTWARE: &str = "software";
const HARDWARE: &str = "hardware";
const UNKNOWN: &str = "unknown";

/// A way to a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The raw Vulkan backend.
    Vulkan,
    /// The wgpu backend.
    Wgpu,
}

/// A device that is here.
#[derive(Clone, Debug)]
pub struct GpuDevice {
    /// What the driver calls it.
    pub name: String,
    /// The driver's name and version.
    pub driver: String,
    /// The API beneath.
    pub api: String,
    /// Hardware or software, for a person.
    pub kind: &'static str,
    found: Found,
}

#[derive(Clone, Debug)]
enum Found {
    Vulkan(pick_vulkan::AdapterDescription),
    Wgpu(pick_wgpu::AdapterDescription),
}

impl Way {
    /// Both, the one that `auto` prefers first: raw Vulkan answers in less time on the same device.
    pub const ALL: [Self; 2] = [Self::Vulkan, Self::Wgpu];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Wgpu => "wgpu",
        }
    }

    /// Every device that it reaches, hardware first; none where its loader or drivers are missing.
    pub fn devices(self) -> Vec<GpuDevice> {
        let mut devices: Vec<_> = match self {
            Self::Vulkan => {
                let found = pick_vulkan::adapters().unwrap_or_default();
                found.into_iter().map(GpuDevice::of_vulkan).collect()
            }
            Self::Wgpu => {
                let found = pick_wgpu::adapters_blocking();
                found.into_iter().map(GpuDevice::of_wgpu).collect()
            }
        };
        devices.sort_by_key(|device| (device.is_software(), device.name.clone()));
        devices
    }

    /// Opens the best device with these words in its name.
    pub fn open(self, name_part: Option<&str>) -> Result<AnyBackend, PickError> {
        let part = name_part.unwrap_or_default();
        match self {
            Self::Vulkan => {
                let selector = pick_vulkan::Selector::any().named(part);
                VulkanBackend::headless(&selector).map(AnyBackend::from)
            }
            Self::Wgpu => {
                let selector = pick_wgpu::Selector::any().named(part);
                WgpuBackend::headless_blocking(&selector).map(AnyBackend::from)
            }
        }
    }
}

impl GpuDevice {
    fn of_vulkan(found: pick_vulkan::AdapterDescription) -> Self {
        Self {
            name: found.name.clone(),
            driver: found.driver.clone(),
            api: "Vulkan".to_owned(),
            kind: match found.kind {
                PhysicalDeviceType::CPU => SOFTWARE,
                PhysicalDeviceType::OTHER => UNKNOWN,
                _ => HARDWARE,
            },
            found: Found::Vulkan(found),
        }
    }

    fn of_wgpu(found: pick_wgpu::AdapterDescription) -> Self {
        Self {
            name: found.name.clone(),
            driver: found.driver.clone(),
            api: match format!("{:?}", found.backend).as_str() {
                "Gl" => "GL".to_owned(),
                api => api.to_owned(),
            },
            // wgpu names the kinds; only "is it a CPU" matters here.
            kind: match format!("{:?}", found.kind).as_str() {
                "Cpu" => SOFTWARE,
                "Other" => UNKNOWN,
                _ => HARDWARE,
            },
            found: Found::Wgpu(found),
        }
    }

    /// What reaches it.
    pub fn way(&self) -> Way {
        match self.found {
            Found::Vulkan(_) => Way::Vulkan,
            Found::Wgpu(_) => Way::Wgpu,
        }
    }

    /// True of a rasteriser that runs on the CPU.
    pub fn is_software(&self) -> bool {
        self.kind == SOFTWARE
    }

    /// Opens it.
    pub fn open(&self) -> Result<AnyBackend, PickError> {
        match &self.found {
            Found::Vulkan(found) => {
                let this = pick_vulkan::Selector::any().at_index(found.index);
                VulkanBackend::headless(&this).map(AnyBackend::from)
            }
            Found::Wgpu(found) => {
                let this = pick_wgpu::Selector::any()
                    .named(&found.name)
                    .backend(found.backend);
                WgpuBackend::headless_blocking(&this).map(AnyBackend::from)
            }
        }
    }

    /// True when the words are in its name or its driver's.
    pub fn is_named(&self, part: &str) -> bool {
        contains(&self.name, part) || contains(&self.driver, part)
    }
}
