//! Numbers that WGSL shares with Rust, as WGSL text.
