#![doc = include_str!("../README.md")]

pub use pick_core::*;

/// The CPU backend: a ray caster that needs no GPU.
#[cfg(feature = "cpu")]
pub use pick_cpu as cpu;
/// The wgpu backend.
#[cfg(feature = "wgpu")]
pub use pick_wgpu as wgpu;
