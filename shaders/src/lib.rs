//! The WGSL of pick in one place, and the composer that splices it.
//!
//! A shader is vertex projection x strategy (rules come between them), spliced as plain text from the
//! pieces under `wgsl/`: so user text keeps its own lines in error messages, every path including a
//! browser takes the result, and nothing is needed at run time. Numbers that Rust and WGSL share are
//! generated from `pick_core::layout`; a test holds every struct's layout against Rust's.

mod binding;
mod compose;
mod constants;
mod spirv;

pub use binding::{BINDINGS, Binding, BindingKind, GROUP_DRAW, GROUP_GEOMETRY, GROUP_PICK};
pub use compose::{Variant, VertexAttributes, stencil_bits};
pub use spirv::{ShaderError, to_spirv, validate};
