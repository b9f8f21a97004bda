//! The WGSL of pick in one place, and the composer that splices it.
//!
//! A shader is vertex projection x rule x strategy, spliced as plain text from the pieces under `wgsl/`: so user text keeps its own lines in error messages, every path including a
//! browser takes the result, and nothing is needed at run time. Numbers that Rust and WGSL share are
//! generated from `pick_core::layout`; a test holds every struct's layout against Rust's.
//!
//! The feature `spirv` adds validation and SPIR-V by naga, for backends that hand a driver SPIR-V;
//! without it the crate is text.

mod binding;
mod compose;
mod constants;
#[cfg(feature = "spirv")]
mod layoutless;
#[cfg(feature = "spirv")]
mod spirv;

pub use binding::{
    BINDINGS, Binding, BindingKind, GROUP_DRAW, GROUP_FRAGMENTS, GROUP_GEOMETRY, GROUP_PICK,
    GeometryUse, Stages,
};
pub use compose::{Threads, Variant, VertexAttributes, kernel, mask, stencil_bits};
#[cfg(feature = "spirv")]
pub use spirv::{ShaderError, to_spirv, validate};
