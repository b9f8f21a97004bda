//! The reference backend of pick: a ray caster that needs no GPU.
//!
//! A mesh is built once ([`blas::Blas`]), its instances in a tree above it ([`tlas::Tlas`]); [`cast`] sends rays through them.
//! Boxes are f32 and never too small, the test at the triangle is f64, and equally near hits are told apart by their numbers:
//! the answer does not depend on how the trees came out. A cast allocates nothing.

mod backend;
pub mod blas;
pub mod bounds;
pub mod cast;
mod execute;
mod flat;
mod fragments;
pub mod ray;
mod scene;
mod texel;
pub mod tlas;
mod triangle;
mod walk;

pub use backend::CpuBackend;
