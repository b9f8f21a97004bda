//! Finding and opening the drivers.

pub mod fault;
pub mod messages;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use pick_conformance::driver::Driver;
use pick_core::{Backend, Capability, PickError, PrimitiveIndex};
use pick_vulkan::VulkanBackend;
use pick_vulkan::ash::vk::PhysicalDeviceType;
use pick_wgpu::{Selector, WgpuBackend};

/// Where distributions put the descriptions of software Vulkan drivers: folder, how the file starts.
const PLACES: [(&str, &str); 3] = [
    ("/usr/share/vulkan/icd.d", "lvp_icd"),
    ("/usr/lib/chromium", "vk_swiftshader_icd"),
    ("/usr/lib64/chromium-browser", "vk_swiftshader_icd"),
];

/// Runs this program once more with the software drivers that were found, unless somebody has chosen
/// drivers already, and with the validation layers where `PICK_VALIDATION` asks for them: a process
/// cannot safely change its own environment.
pub fn again_with_drivers() -> Option<ExitCode> {
    let set = |name: &str| std::env::var_os(name).is_some();
    let mut wanted = Vec::new();
    if !set("VK_DRIVER_FILES") && !set("VK_ICD_FILENAMES") {
        let found: Vec<_> = PLACES.iter().filter_map(|p| first(p.0, p.1)).collect();
        if !found.is_empty() {
            let joined = std::env::join_paths(&found).ok()?;
            println!("VK_DRIVER_FILES is not set: trying {}", joined.display());
            // Beside the GPU's driver, or alone.
            let name = match has_gpu() {
                true => "VK_ADD_DRIVER_FILES",
                false => "VK_DRIVER_FILES",
            };
            if !set(name) {
                wanted.push((name, joined));
            }
        }
    }
    // Without the debug flag: with it, an older layer takes every shader for invalid, because naga
    // names a source language that is newer than the layer.
    if is_validated() && !set("WGPU_VALIDATION") {
        wanted.push(("WGPU_VALIDATION", "1".into()));
        wanted.push(("WGPU_DEBUG", "0".into()));
    }
    if wanted.is_empty() {
        return None;
    }
    let status = Command::new(std::env::current_exe().ok()?)
        .args(std::env::args_os().skip(1))
        .envs(wanted)
        .status()
        .ok()?;
    Some(match status.code() {
        Some(0) => ExitCode::SUCCESS,
        code => ExitCode::from(code.unwrap_or(1).clamp(1, 255) as u8),
    })
}

/// True where the Vulkan validation layers watch.
pub fn is_validated() -> bool {
    is_asked("PICK_VALIDATION")
}

/// True where the machine's own GPU is a driver too: software means the same everywhere, a GPU does not.
pub fn has_gpu() -> bool {
    is_asked("PICK_GPU")
}

fn is_asked(name: &str) -> bool {
    std::env::var(name).is_ok_and(|asked| !matches!(asked.as_str(), "" | "0"))
}

fn first(folder: &str, start: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(Path::new(folder)).ok()?;
    let mut names: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    names.sort();
    names.into_iter().find(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(start) && name.ends_with(".json"))
    })
}

/// Opens a driver of wgpu's.
pub fn wgpu(driver: &Driver) -> Result<WgpuBackend, PickError> {
    let selector = match driver.name {
        "lavapipe" => Selector::any()
            .named("llvmpipe")
            .backend(wgpu::Backend::Vulkan),
        "swiftshader" => Selector::any()
            .named("swiftshader")
            .backend(wgpu::Backend::Vulkan),
        "gl" => Selector::any().backend(wgpu::Backend::Gl),
        "gpu" => {
            let all = pick_wgpu::adapters_blocking();
            let is_gpu = |found: &&pick_wgpu::AdapterDescription| {
                found.kind != wgpu::DeviceType::Cpu && found.backend == wgpu::Backend::Vulkan
            };
            let found = all.iter().find(is_gpu).ok_or_else(no_gpu)?;
            Selector::any().named(&found.name).backend(found.backend)
        }
        other => return Err(unknown(other)),
    };
    WgpuBackend::headless_blocking(&selector)
}

/// Opens a driver of raw Vulkan; what the layers say of it is listened to.
pub fn vulkan(driver: &Driver) -> Result<VulkanBackend, PickError> {
    let any = pick_vulkan::Selector::any();
    let mut selector = match driver.name {
        "lavapipe" => any.named("llvmpipe"),
        "swiftshader" => any.named("swiftshader"),
        "gpu" => {
            let all = pick_vulkan::adapters()?;
            let is_gpu = |found: &&pick_vulkan::AdapterDescription| {
                found.kind != PhysicalDeviceType::CPU && found.lacking.is_none()
            };
            any.at_index(all.iter().find(is_gpu).ok_or_else(no_gpu)?.index)
        }
        other => return Err(unknown(other)),
    };
    if is_validated() {
        selector = selector.validated();
    }
    let backend = VulkanBackend::headless(&selector)?;
    if let Some(said) = backend.messages() {
        messages::listen_to(said);
    }
    Ok(backend)
}

fn no_gpu() -> PickError {
    PickError::unsupported(Capability::Device, "only software drivers are here")
}

/// A driver as it is on the device that was opened.
pub fn fitted<B: Backend>(driver: Driver, made: &Result<B, PickError>) -> Driver {
    let lacks = |backend: &B| backend.caps().primitive_index == PrimitiveIndex::Missing;
    match made.as_ref().is_ok_and(lacks) && driver.name == "gpu" {
        true => driver.without_builtin(),
        false => driver,
    }
}

fn unknown(driver: &str) -> PickError {
    let what = format!("no way to open {driver} is known");
    PickError::unsupported(Capability::Device, what)
}
