//! Pictures of a view, drawn on the CPU.

pub mod canvas;
pub mod ids;
pub mod marks;
pub mod png;
pub mod shade;
