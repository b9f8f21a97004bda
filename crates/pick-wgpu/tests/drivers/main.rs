//! The backend on each software driver: lavapipe and SwiftShader (Vulkan), llvmpipe (GL).
//!
//! A driver that is not here is a named skip, and a failure where `PICK_REQUIRE_DRIVERS` names it.

mod common;

mod buffers;
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
