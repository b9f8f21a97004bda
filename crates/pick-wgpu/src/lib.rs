//! The wgpu backend of pick: executes plans on a host's device, or on one of its own.
//!
//! [`WgpuBackend::new`] takes a host's device and queue; [`WgpuBackend::headless`] opens one. A pick is
//! submitted by itself, or recorded into the host's own `wgpu::CommandEncoder`, with which it then
//! lives or dies. There is no thread here and no wait but in [`pick_core::Backend::wait`]: somebody
//! must call [`pick_core::Backend::drive`] (pickers do in their `poll`).
//!
//! # Design choices, and what each costs
//! * **The host's callbacks stay the host's.** Errors of ours are caught in error scopes: all filters
//!   around a submission or a creation, at some hundred nanoseconds a pick. Errors in a host's encoder
//!   come out at the host's `finish`, as wgpu has it.
//! * **Texels are told from leftovers.** With its texels each pick copies a stamp of its own. Without
//!   it, a submission that wgpu refused would leave the last pick's texels to be read as this one's.
//!   One 16-byte copy a pick.
//! * **A slot a pick.** Records, uniforms and readback buffer belong to one pick in flight, so two
//!   picks in one encoder cannot disturb each other. Memory: one set for each pick ever in flight at
//!   once, as large as the largest; [`WgpuBackend::trim`] gives it back.
//! * **Targets are shared**: the device runs picks one after the other. Sizes that are no longer asked
//!   for go by least recent use.
//! * **One pipeline serves all facings**, since sides are left out by the fragment stage: no early
//!   culling, fewer variants.
//! * **Updates of uploaded instances make a new buffer**, so that a recording the host still holds keeps what it
//!   saw: an allocation an update.
//! * **A de-indexed copy is made when a pick first needs it**, from geometry the caller keeps. Geometry
//!   that is uploaded and forgotten has one only where nothing else would tell a fragment its triangle.
//! * **Limits are met by design**: an instance set beyond the device's binding size is drawn in windows, a
//!   stream beyond it is drawn but not pulled.
//! * **Instances under a pick are found on the device** where it has compute shaders and indirect draws:
//!   two dispatches and an indirect draw for each draw of copies that have 32,768 elements or more
//!   together, three for copies of large meshes, and a buffer of lists. The vertex stage binds 7 storage
//!   buffers then, and workgroups have 256 threads: with lower limits everything is drawn.
//!
//! # What a driver may lack
//! [`pick_core::Caps`] says so. GL copies neither depth nor stencil: stencils are read through eight
//! stencil-tested draws, and stencil-ID gives no depth there. Without the primitive-index feature
//! (SwiftShader, browsers) triangles come from pulled or expanded vertices. WebGL2 has no storage
//! buffers in the vertex stage and is refused by type.

mod adapters;
mod backend;
mod bind;
mod buffers;
mod contract;
mod conv;
mod device;
mod flag;
mod kernels;
mod mask;
mod mesh;
mod pipelines;
mod probe;
mod readback;
mod record;
mod records;
mod resolve;
mod scope;
mod self_test;
mod slots;
mod targets;

#[cfg(not(target_arch = "wasm32"))]
pub use adapters::adapters_blocking;
pub use adapters::{AdapterDescription, Selector, adapters};
pub use backend::WgpuBackend;
pub use pipelines::PassFormats;
