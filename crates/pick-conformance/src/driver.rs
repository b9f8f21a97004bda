//! The drivers that the suite runs on: how exact each is, measured, and what each may lack.

use pick_core::Capability;

/// How exact a driver is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// How far, in pixels, a rasteriser may see a vertex from where it is: the sub-pixel step.
    pub step_px: f64,
    /// How often f32's rounding of its largest term a clip coordinate may be off.
    pub vertex_rounding: f64,
    /// The same of a depth.
    pub depth_rounding: f64,
    /// Share of a depth that interpolation may be off beside that.
    pub depth_share: f64,
    /// How far a unit vector that the GPU packed may be off.
    pub packed_normal: f64,
    /// How far a texture coordinate that the GPU interpolated may be off, beside the step.
    pub gpu_uv: f64,
}

impl Tolerance {
    /// f64 rays whose depths and distances are rounded to f32 once.
    pub const EXACT: Self = Self {
        step_px: 1e-6,
        vertex_rounding: 0.0,
        depth_rounding: 1.0,
        depth_share: 2e-7,
        packed_normal: 1e-4,
        gpu_uv: 1e-6,
    };

    /// Mesa's llvmpipe rasteriser, beneath lavapipe and GL: 8 sub-pixel bits.
    pub const LLVMPIPE: Self = Self {
        step_px: 1.0 / 256.0,
        vertex_rounding: 4.0,
        depth_rounding: 8.0,
        depth_share: 1e-6,
        packed_normal: 1e-3,
        gpu_uv: 1e-4,
    };

    /// SwiftShader: 4 sub-pixel bits.
    pub const SWIFTSHADER: Self = Self {
        step_px: 1.0 / 16.0,
        ..Self::LLVMPIPE
    };
}

/// A driver by name.
#[derive(Clone, Copy, Debug)]
pub struct Driver {
    /// The first part of a trial's name: `cpu`, `wgpu`, `vulkan`.
    pub backend: &'static str,
    /// The second: `lavapipe`, `swiftshader`, `gl`; what `PICK_REQUIRE_DRIVERS` lists.
    pub name: &'static str,
    /// How exact.
    pub tolerance: Tolerance,
    /// Modes that it must refuse as unsupported, naming this.
    pub gaps: &'static [(&'static str, Capability)],
}
