//! The raw Vulkan backend of pick, on ash: executes plans on an engine's device, or on one of its own.
//!
//! [`VulkanBackend::adopt`] takes an engine's device, [`VulkanBackend::headless`] opens one. A pick is
//! submitted by itself, or recorded into the engine's own command buffer ([`HostCommands`]) and completed
//! by a timeline value that the engine hands in. There is no thread here and no wait but in
//! [`pick_core::Backend::wait`]: somebody must call [`pick_core::Backend::drive`] (pickers do in their
//! `poll`).
//!
//! # Design choices, and what each costs
//! * **Vulkan 1.3, dynamic rendering, synchronization2.** Older devices are refused by a typed error that
//!   names what they lack. Render passes would cost little at run time, but a second form of every pass,
//!   every pipeline and every barrier (a render pass object and a frame buffer for each set of targets),
//!   which drivers of the last years need for nothing; older devices have the wgpu backend.
//! * **One growing number** tells what has ended: a timeline semaphore for our own submissions, the
//!   engine's for its own. No fences, no per-pick objects.
//! * **Handles are buried, not destroyed**: a graveyard keeps them until every recording that existed when
//!   they were let go has ended. No reference counts a draw. Cost: what is let go stays a little longer;
//!   a host's recording that is never submitted holds the graveyard until the host says so
//!   ([`VulkanBackend::recording_dropped`]).
//! * **A slot a pick**: its own mapped records, mapped read-back, command pool. Memory: one set for each
//!   pick ever in flight at once, as large as the largest; [`VulkanBackend::trim`] gives it back.
//! * **Recorded anew each time**: a few microseconds, against recordings that would have to be kept in
//!   step with the scene.
//! * **Read-backs come from memory that the CPU caches**, coherent where there is such, and are copied out
//!   once: a pick's texels are a few bytes, and an image's a copy more.
//! * **A host's recording is stamped**: the command buffer writes a number of its own beside the texels, so
//!   that a value reached without the recording having run is told from an answer. Our own submissions
//!   need no stamp, and save the command.
//! * **Targets are shared**: the queue runs picks one after the other, and each begins with a barrier
//!   against the one before it on the same queue. Sizes that are no longer asked for go by least recent
//!   use.
//! * **Instances are culled by kernels of the same recording**, with barriers of memory, not of buffers:
//!   drivers treat both alike. Their lists are shared as targets are, and a pick waits for the draws of
//!   the one before it.
//! * **One pipeline serves all facings**, since sides are left out by the fragment stage.
//! * **Waiting is the caller's choice** ([`WaitPolicy`]): sleeping frees the core, spinning saves the
//!   time of waking up. Software drivers render on the cores that spinning would take.
//!
//! # Threads
//! The backend is `Send` and `Sync`; its queue is used only by methods that take it by `&mut`, under a lock
//! that a host may share ([`HostDevice::queue_lock`]).
//!
//! # What a driver may lack
//! [`pick_core::Caps`] says so. Without `geometryShader` (SwiftShader, MoltenVK) fragments cannot be told their
//! triangle, and it comes from pulled or expanded vertices. Where a stencil format cannot be copied, eight
//! stencil-tested draws read it out. Where the queue does not compute, or a stage has fewer than seven storage
//! buffers, every copy of an instanced set is drawn.

#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod adapters;
mod backend;
mod barriers;
mod bind;
mod buffers;
mod cache_file;
mod conv;
mod device;
mod floor;
mod kernels;
mod mask;
mod mesh;
mod pipelines;
mod readback;
mod record;
mod records;
mod resolve;
mod self_test;
mod slots;
mod targets;
#[expect(
    unsafe_code,
    reason = "the only place that calls Vulkan; mod.rs lists why it is sound"
)]
mod vk;

pub use adapters::{AdapterDescription, Selector, adapters};
pub use ash;
pub use backend::VulkanBackend;
pub use pipelines::PassFormats;
pub use vk::{
    HostBuffer, HostCommands, HostDevice, HostFeatures, Messages, Pass, WAIVERS, WaitPolicy,
};
