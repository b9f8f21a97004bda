//! What backends have in common and no graphics API in it, written once, so that none differs in policy.
//!
//! Nobody but the author of a backend needs it. [`SlotRing`] keeps the slots of plans in flight,
//! [`SelfTestState`] says when the self-test is due and what it means, [`Lost`] remembers a lost device.
//! For backends on a GPU there are, over a device's [`DeviceMemory`], [`Mesh`] and [`Instances`] with every
//! check of a host's buffers, and [`Cache`], [`Groups`], [`KernelGroups`], [`Targets`] and [`Scratches`] for what is kept from pick to pick.

mod cache;
mod expand;
mod groups;
mod instances;
mod kernels;
mod lost;
mod memory;
mod mesh;
pub(crate) mod ring;
mod scratch;
mod self_test;
mod targets;

pub use cache::Cache;
pub use groups::{GroupKey, Groups};
pub use instances::Instances;
pub use kernels::{KernelGroups, KernelKey};
pub use lost::Lost;
pub use memory::{BufferUse, DeviceMemory, MemoryLimits};
pub use mesh::{DrawInputs, Indices, Mesh, Stream, Vertices};
pub use ring::{Flying, SlotRing, Stamp};
pub use scratch::{ScratchKey, Scratches};
pub use self_test::{Carrier, SelfTestState};
pub use targets::{TargetKey, TargetSerial, Targets};
