//! Which backends are here, and choosing one.

use pick_core::{Backend, Caps, ErrorKind, PickError};
use pick_cpu::CpuBackend;
use pick_wgpu::WgpuBackend;

use crate::args::{BackendName, DeviceArgs};
use crate::exit::Failure;
use crate::gpu::{self, GpuDevice};

/// One of the backends.
pub enum AnyBackend {
    /// Casts rays.
    Cpu(Box<CpuBackend>),
    /// Draws with wgpu.
    Wgpu(Box<WgpuBackend>),
}

/// Runs the same code on whichever backend it is.
macro_rules! with_backend {
    ($any:expr, $backend:ident => $body:expr) => {
        match $any {
            $crate::backends::AnyBackend::Cpu($backend) => $body,
            $crate::backends::AnyBackend::Wgpu($backend) => $body,
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

/// A device that `compare` and `devices` go through.
pub enum Device {
    /// The CPU backend.
    Cpu,
    /// Through wgpu.
    Wgpu(Box<GpuDevice>),
}

impl Device {
    /// Opens it.
    pub fn open(&self) -> Result<AnyBackend, Failure> {
        match self {
            Self::Cpu => Ok(AnyBackend::cpu()),
            Self::Wgpu(device) => Ok(AnyBackend::Wgpu(Box::new(device.open()?))),
        }
    }

    /// Its backend, name, driver and API.
    pub fn names(&self) -> [String; 4] {
        match self {
            Self::Cpu => {
                let caps = AnyBackend::cpu().caps().clone();
                [caps.backend.to_owned(), caps.device, caps.driver, caps.api]
            }
            Self::Wgpu(device) => [
                "wgpu".to_owned(),
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

/// Every device that the arguments do not leave out, the CPU first.
pub fn all(args: &DeviceArgs) -> Result<Vec<Device>, Failure> {
    let mut found = Vec::new();
    if wants(args, BackendName::Cpu) && cpu_is_named(args) {
        found.push(Device::Cpu);
    }
    if wants(args, BackendName::Wgpu) {
        let part = args.driver.as_deref().unwrap_or_default();
        let gpus = gpu::devices().into_iter().filter(|gpu| gpu.is_named(part));
        found.extend(gpus.map(|gpu| Device::Wgpu(Box::new(gpu))));
    }
    if found.is_empty() {
        return Err(none_fits(args));
    }
    Ok(found)
}

/// The backend that the arguments choose. `auto` takes a GPU; where there is none, it comes to the CPU
/// backend and says so. A software driver counts as none unless it is named: it is slower than casting
/// the rays, and no more right.
pub fn open(args: &DeviceArgs) -> Result<AnyBackend, Failure> {
    let part = args.driver.as_deref();
    match args.backend {
        BackendName::Cpu if cpu_is_named(args) => Ok(AnyBackend::cpu()),
        BackendName::Cpu | BackendName::Vulkan => Err(none_fits(args)),
        BackendName::Wgpu => gpu_named(args, part),
        BackendName::Auto if part.is_none() => Ok(best()),
        BackendName::Auto if cpu_is_named(args) => {
            gpu_named(args, part).or_else(|_| Ok(AnyBackend::cpu()))
        }
        BackendName::Auto => gpu_named(args, part),
    }
}

fn gpu_named(args: &DeviceArgs, part: Option<&str>) -> Result<AnyBackend, Failure> {
    match gpu::open(part) {
        Ok(backend) => Ok(AnyBackend::Wgpu(Box::new(backend))),
        Err(error) => Err(none_fits(args).about(reason(&error))),
    }
}

/// The first GPU that opens, else the CPU backend.
fn best() -> AnyBackend {
    let mut why = "no GPU is here".to_owned();
    let mut software = Vec::new();
    for device in gpu::devices() {
        if device.is_software() {
            software.push(device.name);
            continue;
        }
        match device.open() {
            Ok(backend) => return AnyBackend::Wgpu(Box::new(backend)),
            Err(error) => why = reason(&error),
        }
    }
    if !software.is_empty() {
        software.dedup();
        why = format!(
            "{why}; software drivers are slower than it, but --backend wgpu takes them: {}",
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

fn wants(args: &DeviceArgs, backend: BackendName) -> bool {
    args.backend == backend || args.backend == BackendName::Auto
}

fn cpu_is_named(args: &DeviceArgs) -> bool {
    let [_, name, driver, _] = Device::Cpu.names();
    let part = args.driver.as_deref().unwrap_or_default();
    contains(&name, part) || contains(&driver, part)
}

/// What was asked for, and what is here instead.
fn none_fits(args: &DeviceArgs) -> Failure {
    if args.backend == BackendName::Vulkan {
        return Failure::not_here(
            "--backend vulkan: this build has no Vulkan backend; use --backend wgpu, which reaches \
             Vulkan drivers as well, or --backend cpu",
        );
    }
    let gpus = gpu::devices();
    let mut here: Vec<String> = gpus
        .iter()
        .map(|gpu| format!("wgpu: {} ({})", gpu.name, gpu.api))
        .collect();
    here.push("cpu: CPU".to_owned());
    let asked = match &args.driver {
        Some(part) => format!("--driver {part:?}: no such device"),
        None => "--backend: no device".to_owned(),
    };
    Failure::not_here(format!("{asked}; here are {}", here.join(", ")))
}
