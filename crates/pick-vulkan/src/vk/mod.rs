//! Safe covers over Vulkan. All `unsafe` code of the crate is in this folder.
//!
//! # Invariants
//! Every `unsafe` block names those that it rests on, by number.
//!
//! 1. **Handles are alive.** A cover holds a handle that was created from its own [`Device`], and holds
//!    that device. A handle is destroyed once, by the device's graveyard.
//! 2. **Parents outlive children.** Every cover holds its device by `Arc`, the device holds its
//!    instance, the instance its library. A host's device, instance and library outlive the backend by
//!    the host's promise ([`crate::VulkanBackend::adopt`]).
//! 3. **What the GPU may still use is not destroyed.** Covers bury their handle when they are dropped;
//!    the graveyard notes which recordings existed by then, and destroys when all of them have ended.
//!    Where that is not known at the end (a host's recording that did not end within a moment), it is
//!    leaked.
//! 4. **A recording that the GPU may still run is not recorded anew**, and the buffers that it writes
//!    are not read: [`Commands::begin`] refuses it, and slots are used again only when their completion
//!    is known.
//! 5. **The queue is externally synchronised.** Submissions happen under the device's queue lock, from
//!    methods that take the backend by `&mut`; a host shares the lock or keeps away meanwhile.
//! 6. **Pools are externally synchronised.** A command pool belongs to one [`Commands`], a descriptor pool
//!    to one backend; both are reached through `&mut` of the backend only.
//! 7. **Accesses stay inside.** Draws, copies and mapped reads and writes are checked against the sizes
//!    of what is bound before they are recorded or done. Shaders check theirs (buffer accesses are
//!    restricted when the SPIR-V is made). Counts that lie on the device are written by kernels of the
//!    same plan, which was checked to write there what it says; so were its counts of workgroups. Index
//!    values are checked when a mesh is made, or promised by the host for its own buffers.
//! 8. **Structures live through the call.** Whatever a create-info points to is a local that lives until
//!    the call returns.
//! 9. **The list of messages outlives the messenger**, since the instance that destroys the one holds
//!    the other.
//! 10. **A host keeps its promises**: those of the `unsafe` functions in `adopt.rs`, and nothing else.
//!
//! What Vulkan calls valid usage beyond memory safety (layouts, formats, state) is kept by how the
//! covers are used, and checked by running all tests under the validation layer.

mod adopt;
mod buffer;
mod cache;
mod commands;
mod compute;
mod descriptor;
mod device;
mod error;
mod graves;
mod image;
mod instance;
mod memory;
mod messages;
mod pass;
mod physical;
mod pipeline;
mod sync;

pub use adopt::{HostBuffer, HostCommands, HostDevice, HostFeatures};
pub(crate) use buffer::{Buffer, Place, check_size};
pub(crate) use cache::PipelineCache;
pub(crate) use commands::{Commands, Recording, Upload};
pub(crate) use compute::{ComputePipeline, KernelBarrier};
pub(crate) use descriptor::{Bound, BoundTo, Layout, PipelineLayout, Set, Sets};
pub(crate) use device::Device;
pub(crate) use image::{Image, ImageUse};
pub(crate) use instance::{Instance, dotted};
pub use messages::{Messages, WAIVERS};
pub use pass::Pass;
pub(crate) use pass::{ColorAttachment, DepthAttachment};
pub(crate) use physical::{CacheOwner, Physical};
pub(crate) use pipeline::{Pipeline, PipelineParts, Shader, Stencil, depth_stencil};
pub(crate) use sync::Completion;
pub use sync::WaitPolicy;
