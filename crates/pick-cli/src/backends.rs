//! Which backends are here, and choosing one.

use pick_bench::device::{AnyBackend, Device, Way, contains};
use pick_core::{Caps, ErrorKind, PickError};

use crate::args::{BackendName, DeviceArgs};
use crate::exit::Failure;

/// A device by name, for a person.
pub fn title(caps: &Caps) -> String {
    match caps.api == caps.device {
        true => format!("{}: {}", caps.backend, caps.driver),
        false => format!("{}: {} ({})", caps.backend, caps.device, caps.api),
    }
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
