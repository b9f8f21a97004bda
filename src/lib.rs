#![cfg_attr(feature = "wgpu", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "wgpu"),
    doc = "Picking for 3-D programs: what is drawn at this pixel."
)]
#![forbid(unsafe_code)]

pub use pick_core::*;

/// The CPU backend: a ray caster that needs no GPU.
#[cfg(feature = "cpu")]
pub use pick_cpu as cpu;
/// The raw Vulkan backend.
#[cfg(feature = "vulkan")]
pub use pick_vulkan as vulkan;
/// The wgpu backend.
#[cfg(feature = "wgpu")]
pub use pick_wgpu as wgpu;
