//! The WGSL of pick and the composer that splices it.
