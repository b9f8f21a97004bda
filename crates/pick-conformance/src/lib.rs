//! The conformance suite of pick: one body of cases that any backend can run, an oracle that shares no
//! code with what it judges, and mutants that must be caught.
//!
//! A case is plain data ([`case`]). The library's scene and the oracle's are both made from it; a
//! frame of answers is compared pixel by pixel. A pixel is right when its answer is among the surfaces
//! that the driver's sub-pixel step around the pixel's centre meets, and is not surely hidden; of
//! triangles that rasterise alike, bit by bit, the first offered must win.
//!
//! # Design choices, and what each costs
//! * **Generic, not dynamic**: a case is a function of any [`pick_core::Backend`]; a new backend is one
//!   line in the table of drivers, and every case is compiled once for each.
//! * **The oracle is brute force**: it costs triangles times pixels, so frames stay small unless
//!   `PICK_FULL` is set.
//! * **What is lacking is tested**: a mode that a driver cannot do still runs every case and must say
//!   `Unsupported`, naming what it lacks.
//!
//! # The environment of a run
//! * `PICK_FULL=1`: 64x64 frames and ten thousand random scenes instead of a dozen; in release.
//! * `PICK_REQUIRE_DRIVERS=lavapipe,gl`: these drivers must be here; others that are not are ignored by
//!   name.
//! * `PICK_GPU=1`: also on the machine's own GPU, as the driver `gpu`.
//! * `PICK_VALIDATION=1`: with the Vulkan validation layers, which must stay silent.
//! * `PICK_REPORT=FILE`: the table of the run as JSON.
//! * `PICK_TOLERANCE=step_px=0.002`: other tolerances, to measure a driver.
//! * `PICK_FUZZ_SECONDS=600`: how long forged read-backs are tried.

pub mod bench;
pub mod case;
pub mod cases;
pub mod driver;
pub mod forge;
pub mod frame;
pub mod known;
pub mod mode;
pub mod mutants;
pub mod oracle;
pub mod probe;
pub mod report;
pub mod same;
pub mod suite;
pub mod tape;
pub mod twins;
