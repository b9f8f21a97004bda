//! `picks measure`: everything in turns, to JSON.

use std::time::Instant;

use pick_bench::device::{AnyBackend, Device, chosen};
use pick_bench::floor::Floored;
use pick_bench::groups::{Side, versus};
use pick_bench::machine;
use pick_bench::names::{VULKAN, WGPU};
use pick_bench::results::{DeviceFacts, Group, Results, SCHEMA};
use pick_bench::rig::{HostBuffers, NoBuffers, Rig, WgpuBuffers};
use pick_bench::sizes::Sizes;
use pick_core::PickError;

use crate::host::{VulkanBuffers, VulkanHost};

const USAGE: &str = "\
usage: picks measure [OPTION..]

  --quick | --medium | --full   how much (default: full where a GPU is, else medium)
  --device PART                 only devices with these words in their label, name or driver
  --only GROUP[,GROUP]          of: strategies, instances, changed, objects, triangles, moving, hover,
                                queries, versus
  --out FILE                    where the JSON goes (default: bench.json)

Without --device: the CPU and every GPU; where there is no GPU, every software driver.";

struct Asked {
    sizes: Option<Sizes>,
    device: Option<String>,
    only: Vec<Group>,
    out: String,
}

fn parse(args: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked {
        sizes: None,
        device: None,
        only: Vec::new(),
        out: "bench.json".to_owned(),
    };
    let mut args = args;
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value\n\n{USAGE}"));
        match arg.as_str() {
            "--quick" => asked.sizes = Some(Sizes::Quick),
            "--medium" => asked.sizes = Some(Sizes::Medium),
            "--full" => asked.sizes = Some(Sizes::Full),
            "--device" => asked.device = Some(value()?),
            "--out" => asked.out = value()?,
            "--only" => {
                for name in value()?.split(',') {
                    let group = Group::from_name(name);
                    asked
                        .only
                        .push(group.ok_or(format!("no group {name:?}\n\n{USAGE}"))?);
                }
            }
            _ => return Err(format!("{arg:?} is not understood\n\n{USAGE}")),
        }
    }
    Ok(asked)
}

/// Measures, and writes what there is after every device, so that a run cut short leaves something.
pub fn run(args: impl Iterator<Item = String>) -> Result<(), String> {
    let asked = parse(args)?;
    let start = Instant::now();
    let devices = chosen(asked.device.as_deref());
    if devices.is_empty() {
        return Err("no such device is here".to_owned());
    }
    let sizes = asked
        .sizes
        .unwrap_or(match devices.iter().any(Device::is_hardware) {
            true => Sizes::Full,
            false => Sizes::Medium,
        });
    let mut results = Results {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sizes: sizes.name().to_owned(),
        machine: machine::describe(),
        seconds: 0.0,
        devices: Vec::new(),
        runs: Vec::new(),
        notes: Vec::new(),
        criterion: Vec::new(),
    };
    let wanted = |group| asked.only.is_empty() || asked.only.contains(&group);
    for device in &devices {
        // Every rasteriser of the CPU is as slow as the next: one of them is measured in full, the
        // others are seen to work, unless one is asked for by name.
        let second = asked.device.is_none() && device.is_software() && !device.is_lavapipe();
        let wanted = |group| {
            wanted(group) && !(second && sizes == Sizes::Quick && group != Group::Strategies)
        };
        if second {
            results.notes.push(reduced(device, sizes));
        }
        let sizes = if second { Sizes::Quick } else { sizes };
        eprintln!("== {}", device.label());
        if let Err(error) = on(device, sizes, &wanted, &mut results) {
            note(&mut results, format!("{}: {error}", device.label()));
        }
        write(&mut results, start, &asked.out)?;
    }
    if wanted(Group::Versus) {
        duels(&devices, sizes, &mut results);
        write(&mut results, start, &asked.out)?;
    }
    Ok(())
}

/// What is left out on a device that is one rasteriser more.
fn reduced(device: &Device, sizes: Sizes) -> String {
    let left = match sizes {
        Sizes::Quick => "strategies only",
        _ => "the quick sizes only",
    };
    format!(
        "{}: {left}, since it rasterises on the CPU and is not lavapipe; ask for it by name",
        device.label()
    )
}

/// Says what was not measured, and writes it down.
fn note(results: &mut Results, why: String) {
    eprintln!("{why}");
    results.notes.push(why);
}

fn write(results: &mut Results, start: Instant, path: &str) -> Result<(), String> {
    results.seconds = start.elapsed().as_secs_f64();
    std::fs::write(path, results.to_json()?).map_err(|error| format!("{path}: {error}"))
}

/// Everything on one device.
fn on(
    device: &Device,
    sizes: Sizes,
    wanted: &dyn Fn(Group) -> bool,
    results: &mut Results,
) -> Result<(), PickError> {
    if let Some(index) = device.vulkan_index() {
        let host = VulkanHost::open(index).map_err(|error| PickError::broken(error.to_string()))?;
        let mut backend = host.backend()?;
        measure(
            device,
            &mut backend,
            VulkanBuffers::new(&host),
            sizes,
            wanted,
            results,
        );
        return Ok(());
    }
    match device.open()? {
        AnyBackend::Cpu(mut backend) => {
            measure(device, &mut *backend, NoBuffers, sizes, wanted, results);
        }
        AnyBackend::Wgpu(mut backend) => {
            let buffers = WgpuBuffers::default();
            measure(device, &mut *backend, buffers, sizes, wanted, results);
        }
        AnyBackend::Vulkan(_) => {} // by a host of ours, above
    }
    Ok(())
}

fn measure<B: Floored>(
    device: &Device,
    backend: &mut B,
    buffers: impl HostBuffers<B>,
    sizes: Sizes,
    wanted: &dyn Fn(Group) -> bool,
    results: &mut Results,
) {
    let caps = backend.caps().clone();
    results.devices.push(DeviceFacts {
        label: device.label(),
        backend: caps.backend.to_owned(),
        device: caps.device,
        driver: caps.driver,
        api: caps.api,
        software: device.is_software(),
        instance_culling: caps.instance_culling,
    });
    let mut rig = Rig {
        backend,
        buffers,
        label: device.label(),
        sizes,
        results,
    };
    rig.measure(wanted);
}

/// wgpu against raw Vulkan, on each device that both reach.
fn duels(devices: &[Device], sizes: Sizes, results: &mut Results) {
    for device in devices {
        let Some(index) = device.vulkan_index() else {
            continue;
        };
        let [_, name, ..] = device.names();
        let is_same = |other: &&Device| {
            let [backend, other, _, api] = other.names();
            backend == "wgpu" && api == "Vulkan" && other == name
        };
        if let Some(other) = devices.iter().find(is_same)
            && let Err(error) = duel(index, other, sizes, results)
        {
            note(results, format!("wgpu and raw Vulkan on {name}: {error}"));
        }
    }
}

fn duel(
    index: usize,
    through_wgpu: &Device,
    sizes: Sizes,
    results: &mut Results,
) -> Result<(), PickError> {
    let host = VulkanHost::open(index).map_err(|error| PickError::broken(error.to_string()))?;
    let mut vulkan = host.backend()?;
    let AnyBackend::Wgpu(mut wgpu) = through_wgpu.open()? else {
        return Ok(());
    };
    let label = through_wgpu.label();
    let ours = Side {
        backend: &mut *wgpu,
        buffers: WgpuBuffers::default(),
        name: WGPU,
    };
    let theirs = Side {
        backend: &mut vulkan,
        buffers: VulkanBuffers::new(&host),
        name: VULKAN,
    };
    versus(ours, theirs, &label, sizes, results);
    Ok(())
}
