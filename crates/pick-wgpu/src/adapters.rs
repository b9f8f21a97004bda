//! Which devices are here, and opening one where there is no host.

use pick_core::{Capability, PickError};

use crate::WgpuBackend;
use crate::conv;

/// A device that wgpu can reach.
#[derive(Clone, Debug)]
pub struct AdapterDescription {
    /// What the driver calls the device.
    pub name: String,
    /// The driver's name and version.
    pub driver: String,
    /// The API beneath.
    pub backend: wgpu::Backend,
    /// Hardware or software.
    pub kind: wgpu::DeviceType,
    /// What [`WgpuBackend::wanted_features`] would ask of it.
    pub wanted_features: wgpu::Features,
}

/// Which device to open.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    name_part: Option<String>,
    backend: Option<wgpu::Backend>,
}

impl Selector {
    /// Any device: hardware first, software last.
    pub fn any() -> Self {
        Self::default()
    }

    /// Only devices with these words in their name or their driver's; case does not matter.
    pub fn named(mut self, part: impl Into<String>) -> Self {
        self.name_part = Some(part.into().to_lowercase());
        self
    }

    /// Only devices of this API.
    pub fn backend(mut self, backend: wgpu::Backend) -> Self {
        self.backend = Some(backend);
        self
    }

    fn takes(&self, info: &wgpu::AdapterInfo) -> bool {
        let named = self.name_part.as_deref().is_none_or(|part| {
            let contains = |text: &str| text.to_lowercase().contains(part);
            contains(&info.name) || contains(&info.driver)
        });
        named && self.backend.is_none_or(|backend| backend == info.backend)
    }

    fn describe(&self) -> String {
        let name = self.name_part.as_deref().unwrap_or("any name");
        let api = self.backend.map_or("any API", conv::api_name);
        format!("{name}, {api}")
    }
}

/// All devices that wgpu finds here, in no promised order; empty where there is none.
pub async fn adapters() -> Vec<AdapterDescription> {
    let found = enumerate(None).await;
    found.iter().map(describe).collect()
}

/// The blocking form of [`adapters`].
#[cfg(not(target_arch = "wasm32"))]
pub fn adapters_blocking() -> Vec<AdapterDescription> {
    pollster::block_on(adapters())
}

impl WgpuBackend {
    /// Opens a device of our own, with its adapter's limits and what
    /// [`WgpuBackend::wanted_features`] asks for. Of several that fit, hardware comes first; one that
    /// does not open is passed over.
    ///
    /// # Errors
    /// `Unsupported` (device) when nothing that fits opens.
    pub async fn headless(selector: &Selector) -> Result<Self, PickError> {
        let mut found = enumerate(selector.backend).await;
        found.retain(|adapter| selector.takes(&adapter.get_info()));
        found.sort_by_key(|adapter| conv::preference(adapter.get_info().device_type));
        let mut why = format!("no device fits ({})", selector.describe());
        for adapter in found {
            match open(&adapter).await {
                Ok(backend) => return Ok(backend),
                Err(refused) => why = refused,
            }
        }
        Err(PickError::unsupported(Capability::Device, why))
    }

    /// The blocking form of [`WgpuBackend::headless`].
    ///
    /// # Errors
    /// As [`WgpuBackend::headless`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn headless_blocking(selector: &Selector) -> Result<Self, PickError> {
        pollster::block_on(Self::headless(selector))
    }
}

async fn open(adapter: &wgpu::Adapter) -> Result<WgpuBackend, String> {
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("pick"),
        required_features: WgpuBackend::wanted_features(adapter),
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    };
    let name = adapter.get_info().name;
    let opened = adapter.request_device(&descriptor).await;
    let (device, queue) = opened.map_err(|refused| format!("{name} does not open: {refused}"))?;
    WgpuBackend::new(adapter, device, queue).map_err(|refused| format!("{name}: {refused}"))
}

/// Validation layers cost several times what a pick does, so they are on only where the environment
/// says so (`WGPU_VALIDATION=1`).
async fn enumerate(backend: Option<wgpu::Backend>) -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::empty();
    let mut descriptor = descriptor.with_env();
    if let Some(backend) = backend {
        descriptor.backends = backend.into();
    }
    let backends = descriptor.backends;
    wgpu::Instance::new(descriptor)
        .enumerate_adapters(backends)
        .await
}

fn describe(adapter: &wgpu::Adapter) -> AdapterDescription {
    let info = adapter.get_info();
    AdapterDescription {
        driver: driver(&info),
        backend: info.backend,
        kind: info.device_type,
        wanted_features: WgpuBackend::wanted_features(adapter),
        name: info.name,
    }
}

/// The driver's name and version.
pub(crate) fn driver(info: &wgpu::AdapterInfo) -> String {
    format!("{} {}", info.driver, info.driver_info)
        .trim()
        .to_owned()
}
