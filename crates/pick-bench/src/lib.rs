//! Times picks on every device that is here, beside what no pick can be faster than there.
//!
//! Two things are measured beside each pick, in the same run: the **floor**, an empty submission whose
//! 256 bytes are read back, and the **empty pass**, the same pick with nothing to draw: the strategy's
//! own targets and copies. A pick is told as a multiple of both. All are timed in turns
//! ([`sample::in_turns`]), and a ratio is taken round by round within one run ([`results::Run::ratio`]).
//!
//! # Design choices, and what each costs
//! * **Not Criterion's statistics**: it times one thing after the other, and a ratio of things that were
//!   timed minutes apart tells of the machine's other users. What it estimates of single picks stands
//!   beside, divided by nothing.
//! * **A host makes the buffers** ([`rig::HostBuffers`]): what the library never sees on the CPU is
//!   measured as such. The library has no device of raw Vulkan that gives its handles out, so whoever
//!   measures that brings a host.
//! * **Picks go through sixteen pixels in turn**, so that none finds its own traces in a cache.

pub mod criterion;
pub mod device;
pub mod floor;
pub mod groups;
pub mod machine;
pub mod names;
pub mod quantile;
pub mod report;
pub mod results;
pub mod rig;
pub mod sample;
pub mod scenes;
pub mod session;
pub mod sizes;
