//! Picking for 3-D programs.
