//! Everything that reads or builds a scene, against values known beforehand.

mod bounds;
mod builtins;
mod common;
mod features;
mod fuzz;
mod geometry;
mod hostile;
mod models;
mod regressions;
mod specs;
