//! Which devices are here, what reaches them, and opening them.

use pick_core::{Backend, Caps, PickError};
use pick_cpu::CpuBackend;
use pick_vulkan::VulkanBackend;
use pick_vulkan::ash::vk::PhysicalDeviceType;
use pick_wgpu::WgpuBackend;

const SOFTWARE: &str = "software";
const HARDWARE: &str = "hardware";
const UNKNOWN: &str = "unknown";

/// One of the backends.
pub enum AnyBackend {
    /// Casts rays.
    Cpu(Box<CpuBackend>),
    /// Draws with wgpu.
    Wgpu(Box<WgpuBackend>),
    /// Draws with raw Vulkan.
    Vulkan(Box<VulkanBackend>),
}

/// Runs the same code on whichever backend it is.
#[macro_export]
macro_rules! with_backend {
    ($any:expr, $backend:ident => $body:expr) => {
        match $any {
            $crate::device::AnyBackend::Cpu($backend) => $body,
            $crate::device::AnyBackend::Wgpu($backend) => $body,
            $crate::device::AnyBackend::Vulkan($backend) => $body,
        }
    };
}

impl AnyBackend {
    /// The one that is always here.
    pub fn cpu() -> Self {
        Self::Cpu(Box::default())
    }

    /// True of the CPU backend.
    pub fn is_cpu(&self) -> bool {
        matches!(self, Self::Cpu(_))
    }

    /// What its device can do.
    pub fn caps(&self) -> &Caps {
        with_backend!(self, backend => backend.caps())
    }
}

impl From<WgpuBackend> for AnyBackend {
    fn from(backend: WgpuBackend) -> Self {
        Self::Wgpu(Box::new(backend))
    }
}

impl From<VulkanBackend> for AnyBackend {
    fn from(backend: VulkanBackend) -> Self {
        Self::Vulkan(Box::new(backend))
    }
}

/// A device with what reaches it.
pub enum Device {
    /// The CPU backend.
    Cpu,
    /// Through wgpu or raw Vulkan.
    Gpu(Box<GpuDevice>),
}

impl Device {
    /// Opens it.
    ///
    /// # Errors
    /// `Unsupported` when it does not open.
    pub fn open(&self) -> Result<AnyBackend, PickError> {
        match self {
            Self::Cpu => Ok(AnyBackend::cpu()),
            Self::Gpu(device) => device.open(),
        }
    }

    /// Its backend, name, driver and API.
    pub fn names(&self) -> [String; 4] {
        match self {
            Self::Cpu => {
                let caps = AnyBackend::cpu().caps().clone();
                [caps.backend.to_owned(), caps.device, caps.driver, caps.api]
            }
            Self::Gpu(device) => [
                device.way().name().to_owned(),
                device.name.clone(),
                device.driver.clone(),
                device.api.clone(),
            ],
        }
    }
}

impl Device {
    /// What runs call it: its backend, and a short name of its driver or device.
    pub fn label(&self) -> String {
        let Self::Gpu(gpu) = self else {
            return "cpu".to_owned();
        };
        let way = gpu.way().name();
        let name = match () {
            () if self.is_lavapipe() => "lavapipe".to_owned(),
            () if contains(&gpu.name, "swiftshader") => "swiftshader".to_owned(),
            () if contains(&gpu.name, "llvmpipe") => return format!("{way}-gl"),
            () => words(&gpu.name),
        };
        match gpu.api.as_str() {
            "Vulkan" => format!("{way}-{name}"),
            _ if gpu.way() == Way::Vulkan => format!("{way}-{name}"),
            api => format!("{way}-{}-{name}", words(api)),
        }
    }

    /// True of Mesa's software Vulkan.
    pub fn is_lavapipe(&self) -> bool {
        match self {
            Self::Cpu => false,
            Self::Gpu(gpu) => contains(&gpu.name, "llvmpipe") && gpu.api != "GL",
        }
    }

    /// True of a rasteriser that runs on the CPU. (The CPU backend rasterises nothing.)
    pub fn is_software(&self) -> bool {
        matches!(self, Self::Gpu(gpu) if gpu.is_software())
    }

    /// True of hardware that draws.
    pub fn is_hardware(&self) -> bool {
        matches!(self, Self::Gpu(gpu) if !gpu.is_software())
    }

    /// Its place in the Vulkan loader's order, where raw Vulkan reaches it.
    pub fn vulkan_index(&self) -> Option<usize> {
        match self {
            Self::Cpu => None,
            Self::Gpu(gpu) => gpu.vulkan_index(),
        }
    }
}

/// Lower-case words with dashes between, as ids have them.
fn words(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The CPU and every GPU, or every software driver where there is no GPU; with `part`, whatever has
/// these words in its label, name or driver.
pub fn chosen(part: Option<&str>) -> Vec<Device> {
    let found = Way::ALL.into_iter().flat_map(Way::devices);
    let gpus = found.map(|gpu| Device::Gpu(Box::new(gpu)));
    let mut all: Vec<Device> = std::iter::once(Device::Cpu).chain(gpus).collect();
    match part {
        Some(part) => all.retain(|device| {
            let [_, name, driver, _] = device.names();
            [device.label(), name, driver]
                .iter()
                .any(|text| contains(text, part))
        }),
        None => {
            if all.iter().any(Device::is_hardware) {
                all.retain(|device| !device.is_software());
            }
        }
    }
    all
}

/// True when `part` is in `text`; case does not matter.
pub fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

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
    ///
    /// # Errors
    /// `Unsupported` when none opens.
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

    /// Its place in the Vulkan loader's order, where raw Vulkan reaches it.
    pub fn vulkan_index(&self) -> Option<usize> {
        match &self.found {
            Found::Vulkan(found) => Some(found.index),
            Found::Wgpu(_) => None,
        }
    }

    /// True of a rasteriser that runs on the CPU.
    pub fn is_software(&self) -> bool {
        self.kind == SOFTWARE
    }

    /// Opens it.
    ///
    /// # Errors
    /// `Unsupported` when it does not open.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_become_parts_of_ids() {
        assert_eq!(words("NVIDIA H200 (rev. 2)"), "nvidia-h200-rev-2");
        assert_eq!(words(""), "");
    }

    #[test]
    fn the_cpu_is_always_here() {
        assert!(chosen(None).iter().any(|device| device.label() == "cpu"));
        assert!(!Device::Cpu.is_hardware() && !Device::Cpu.is_software());
        assert!(chosen(Some("no such device")).is_empty());
    }
}
