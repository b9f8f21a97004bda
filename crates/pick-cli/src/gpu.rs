//! What reaches the GPU through wgpu.

use pick_core::PickError;
use pick_wgpu::{AdapterDescription, Selector, WgpuBackend, adapters_blocking};

const SOFTWARE: &str = "software";

/// A device that wgpu reaches.
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
    found: AdapterDescription,
}

/// Every device that is here, hardware first.
pub fn devices() -> Vec<GpuDevice> {
    let mut devices: Vec<_> = adapters_blocking().into_iter().map(device).collect();
    devices.sort_by_key(|device| (device.is_software(), device.name.clone()));
    devices
}

fn device(found: AdapterDescription) -> GpuDevice {
    // The crate names the kinds; only "is it a CPU" matters here.
    let kind = match format!("{:?}", found.kind).as_str() {
        "Cpu" => SOFTWARE,
        "Other" => "unknown",
        _ => "hardware",
    };
    GpuDevice {
        name: found.name.clone(),
        driver: found.driver.clone(),
        api: match format!("{:?}", found.backend).as_str() {
            "Gl" => "GL".to_owned(),
            api => api.to_owned(),
        },
        kind,
        found,
    }
}

impl GpuDevice {
    /// True of a rasteriser that runs on the CPU.
    pub fn is_software(&self) -> bool {
        self.kind == SOFTWARE
    }

    /// Opens it.
    pub fn open(&self) -> Result<WgpuBackend, PickError> {
        let this = Selector::any()
            .named(&self.found.name)
            .backend(self.found.backend);
        WgpuBackend::headless_blocking(&this)
    }

    /// True when the words are in its name or its driver's.
    pub fn is_named(&self, part: &str) -> bool {
        crate::backends::contains(&self.name, part) || crate::backends::contains(&self.driver, part)
    }
}

/// Opens the best device with these words in its name.
pub fn open(name_part: Option<&str>) -> Result<WgpuBackend, PickError> {
    let selector = match name_part {
        Some(part) => Selector::any().named(part),
        None => Selector::any(),
    };
    WgpuBackend::headless_blocking(&selector)
}
