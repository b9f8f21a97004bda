//! Which backends are here, and choosing one.

use pick_core::{Backend, Caps, ErrorKind, PickError};
use pick_cpu::CpuBackend;
use pick_vulkan::VulkanBackend;
use pick_wgpu::WgpuBackend;

use crate::args::{BackendName, DeviceArgs};
use crate::exit::Failure;
use crate::gpu::{GpuDevice, Way};

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
macro_rules! with_backend {
    ($any:expr, $backend:ident => $body:expr) => {
        match $any {
            $crate::backends::AnyBackend::Cpu($backend) => $body,
            $crate::backends::AnyBackend::Wgpu($backend) => $body,
            $crate::backends::AnyBackend::Vulkan($backend) => $body,
        }
    };
}
pub(crate) use with_backend;

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

/// A device that `compare` and `devices` go through.
pub enum Device {
    /// The CPU backend.
    Cpu,
    /// Through wgpu or raw Vulkan.
    Gpu(Box<GpuDevice>),
}

impl Device {
    /// Opens it.
    pub fn open(&self) -> Result<AnyBackend, Failure> {
        match self {
            Self::Cpu => Ok(AnyBackend::cpu()),
            Self::Gpu(device) => Ok(device.open()?),
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

/// A device by name, for a person.
pub fn title(caps: &Caps) -> String {
    match caps.api == caps.device {
        true => format!("{}: {}", caps.backend, caps.driver),
        false => format!("{}: {} ({})", caps.backend, caps.device, caps.api),
    }
}

/// True when `part` is in `text`; case does not matter.
pub fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// Every device that the arguments do not leave out, the CPU first. A device that two backends reach is
/// there twice.
pub fn all(args: &DeviceArgs) -> Result<Vec<Device>, Failure> {
    let mut found = Vec::new();
    if matches!(args.backend, BackendName::Cpu | BackendName::Auto) && cpu_is_named(args) {
        found.push(Device::Cpu);
    }
    let part = args.driver.as_deref().unwrap_or_default();
    for way in ways(args) {
        let gpus = way.devices().into_iter().filter(|gpu| gpu.is_named(part));
        found.extend(gpus.map(|gpu| Device::Gpu(Box::new(gpu))));
    }
    if found.is_empty() {
        return Err(none_fits(args));
    }
    Ok(found)
}

/// The ways to a GPU that the arguments do not leave out.
fn ways(args: &DeviceArgs) -> &'static [Way] {
    match args.backend {
        BackendName::Cpu => &[],
        BackendName::Wgpu => &[Way::Wgpu],
        BackendName::Vulkan => &[Way::Vulkan],
        BackendName::Auto => &Way::ALL,
    }
}

/// The backend that the arguments choose. `auto` takes a GPU, by raw Vulkan where that works and else by
/// wgpu; where there is none, it comes to the CPU backend and says so. A software driver counts as none
/// unless it is named: it is slower than casting the rays, and no more right.
pub fn open(args: &DeviceArgs) -> Result<AnyBackend, Failure> {
    let part = args.driver.as_deref();
    if args.backend == BackendName::Auto && part.is_none() {
        return Ok(best());
    }
    let mut why = None;
    for way in ways(args) {
        match way.open(part) {
            Ok(backend) => return Ok(backend),
            Err(error) => why = Some(reason(&error)),
        }
    }
    if matches!(args.backend, BackendName::Cpu | BackendName::Auto) && cpu_is_named(args) {
        return Ok(AnyBackend::cpu());
    }
    let failure = none_fits(args);
    Err(match why {
        Some(why) => failure.about(why),
        None => failure,
    })
}

/// The first GPU that opens, else the CPU backend.
fn best() -> AnyBackend {
    let mut why = "no GPU is here".to_owned();
    let mut software = Vec::new();
    for device in Way::ALL.into_iter().flat_map(Way::devices) {
        if device.is_software() {
            software.push(device.name);
            continue;
        }
        match device.open() {
            Ok(backend) => return backend,
            Err(error) => why = reason(&error),
        }
    }
    if !software.is_empty() {
        software.sort();
        software.dedup();
        why = format!(
            "{why}; software drivers are slower than it, but --backend vulkan or wgpu takes them: {}",
            software.join(", ")
        );
    }
    say_fallback(&why);
    AnyBackend::cpu()
}

/// The one line that says that `auto` came to the CPU.
pub fn say_fallback(why: &str) {
    eprintln!("note: picking on the CPU backend: {why}");
}

/// What is lacking, without the words that every such error starts with.
fn reason(error: &PickError) -> String {
    match error.kind() {
        ErrorKind::Unsupported { detail, .. } => detail.to_string(),
        _ => error.to_string(),
    }
}

fn cpu_is_named(args: &DeviceArgs) -> bool {
    let [_, name, driver, _] = Device::Cpu.names();
    let part = args.driver.as_deref().unwrap_or_default();
    contains(&name, part) || contains(&driver, part)
}

/// What was asked for, and what is here instead.
pub fn none_fits(args: &DeviceArgs) -> Failure {
    let gpus = Way::ALL.into_iter().flat_map(Way::devices);
    let mut here: Vec<String> = gpus
        .map(|gpu| format!("{}: {} ({})", gpu.way().name(), gpu.name, gpu.api))
        .collect();
    here.push("cpu: CPU".to_owned());
    let asked = match &args.driver {
        Some(part) => format!("--driver {part:?}: no such device"),
        None => "--backend: no device".to_owned(),
    };
    Failure::not_here(format!("{asked}; here are {}", here.join(", ")))
}
