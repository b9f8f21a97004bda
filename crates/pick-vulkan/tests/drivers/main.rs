//! The backend on each software driver: lavapipe and SwiftShader, under the Khronos validation layer
//! where it is installed.
//!
//! A driver that is not here is a named skip, and a failure where `PICK_REQUIRE_DRIVERS` names it; so is
//! the layer, as `validation`.
#![expect(
    unsafe_code,
    reason = "hosts of raw Vulkan are unsafe; each block argues its case"
)]

mod common;

mod buffers;
mod cache_file;
mod caps;
mod clusters;
mod culling;
mod faults;
mod foreign;
mod host;
mod images;
mod life;
mod queries;
mod stencil;
mod validation;
mod waiting;
