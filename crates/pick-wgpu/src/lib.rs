//! The wgpu backend of pick.
