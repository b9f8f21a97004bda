//! Everything that reads or builds a scene, against values known beforehand.

mod attributes;
mod bounds;
mod buffers;
mod builtins;
mod common;
mod features;
mod fuzz;
mod geometry;
mod hostile;
mod hostile_accessors;
mod models;
mod specs;
