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
    /// How many steps the depth plane of a triangle that reaches through the near or the far plane may
    /// be off.
    pub cut_steps: f64,
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
        cut_steps: 1.0,
        packed_normal: 1e-4,
        gpu_uv: 1e-6,
    };

    /// Mesa's llvmpipe rasteriser, beneath lavapipe and GL: 8 sub-pixel bits, rounded.
    ///
    /// Half a sub-pixel across and half a one down. Measured over all trials (Mesa 22.3.6): in quick
    /// runs right down to a step of 1/1000 pixel, wrong at 1/2000; in 10,000 random scenes right here,
    /// one pixel of two and a half million wrong at 1/512.
    pub const LLVMPIPE: Self = Self {
        step_px: std::f64::consts::SQRT_2 / 512.0,
        vertex_rounding: 1.0,
        depth_rounding: 2.0,
        depth_share: 1e-7,
        cut_steps: 1.0,
        packed_normal: 1e-4,
        gpu_uv: 1e-5,
    };

    /// SwiftShader: 4 sub-pixel bits, rounded.
    ///
    /// Half a sub-pixel across and half a one down. Measured over all trials (SwiftShader out of
    /// Chromium 156): right here, wrong at 1/50 pixel. The new corners of a triangle that it cuts at the
    /// near plane are worse: depths up to two steps and more off.
    pub const SWIFTSHADER: Self = Self {
        step_px: std::f64::consts::SQRT_2 / 32.0,
        cut_steps: 4.0,
        ..Self::LLVMPIPE
    };
}

impl Tolerance {
    /// A GPU: 8 sub-pixel bits, the least that Vulkan's newer profiles and D3D ask for.
    pub const HARDWARE: Self = Self::LLVMPIPE;

    /// The same with some numbers replaced, as in `step_px=0.002,depth_share=0`: to measure what a
    /// driver needs.
    ///
    /// # Errors
    /// Names the part that is none.
    pub fn with(mut self, replaced: &str) -> Result<Self, String> {
        for part in replaced.split(',').filter(|part| !part.is_empty()) {
            let fault = || format!("{part:?} is no tolerance");
            let (name, value) = part.split_once('=').ok_or_else(fault)?;
            let slot = match name {
                "step_px" => &mut self.step_px,
                "vertex_rounding" => &mut self.vertex_rounding,
                "depth_rounding" => &mut self.depth_rounding,
                "depth_share" => &mut self.depth_share,
                "cut_steps" => &mut self.cut_steps,
                "packed_normal" => &mut self.packed_normal,
                "gpu_uv" => &mut self.gpu_uv,
                _ => return Err(fault()),
            };
            *slot = value.parse().map_err(|_| fault())?;
        }
        Ok(self)
    }
}

/// Something that a driver must refuse as unsupported.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// The mode's name.
    pub mode: &'static str,
    /// Which cases.
    pub cases: Cases,
    /// What the refusal must name.
    pub capability: Capability,
}

/// Cases by name.
#[derive(Clone, Copy, Debug)]
pub enum Cases {
    /// These.
    Only(&'static [&'static str]),
    /// All but these.
    AllBut(&'static [&'static str]),
}

impl Cases {
    fn contain(&self, case: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(&case),
            Self::AllBut(names) => !names.contains(&case),
        }
    }
}

/// Forcing the builtin where there is none. Where nothing is drawn nothing asks for it.
const NO_BUILTIN: Gap = Gap {
    mode: "detailed+builtin",
    cases: Cases::AllBut(&["id/empty_scene", "mesh/nothing_at_all"]),
    capability: Capability::PrimitiveIndex,
};

/// Forcing a de-indexed copy of what the CPU forgot, where it need not have been made at once.
const NO_COPY: Gap = Gap {
    mode: "detailed+expanded",
    cases: Cases::Only(&[
        "mesh/uploaded_and_forgotten",
        "mesh/parts_uploaded_and_forgotten",
        "instance/forgotten_mesh",
        "surface/says_why_not",
    ]),
    capability: Capability::ExpandedGeometry,
};

/// How alike what two backends read back must be on a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Bit by bit.
    Bits,
    /// Equal ids but where a pixel is ambiguous, and depths so many steps of f32 apart at most.
    Ulps(u32),
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
    /// What it must refuse.
    pub gaps: &'static [Gap],
    /// How alike wgpu and raw Vulkan must be on it.
    pub likeness: Likeness,
}

impl Driver {
    /// The same on a device without the primitive-index builtin.
    pub fn without_builtin(mut self) -> Self {
        self.gaps = &[NO_BUILTIN, NO_COPY];
        self
    }

    /// What a case must be refused for.
    pub fn gap(&self, mode: &str, case: &str) -> Option<Capability> {
        let found = self
            .gaps
            .iter()
            .find(|gap| gap.mode == mode && gap.cases.contain(case));
        found.map(|gap| gap.capability)
    }
}

/// The CPU backend.
pub const CPU: Driver = Driver {
    backend: "cpu",
    name: "reference",
    tolerance: Tolerance::EXACT,
    gaps: &[],
    likeness: Likeness::Bits,
};

/// wgpu on Mesa's software Vulkan.
pub const WGPU_LAVAPIPE: Driver = Driver {
    backend: "wgpu",
    name: "lavapipe",
    tolerance: Tolerance::LLVMPIPE,
    gaps: &[NO_COPY],
    likeness: Likeness::Bits,
};

/// wgpu on SwiftShader, which has no primitive-index builtin.
pub const WGPU_SWIFTSHADER: Driver = Driver {
    backend: "wgpu",
    name: "swiftshader",
    tolerance: Tolerance::SWIFTSHADER,
    gaps: &[NO_BUILTIN, NO_COPY],
    likeness: Likeness::Bits,
};

/// wgpu on Mesa's software GL.
pub const WGPU_GL: Driver = Driver {
    backend: "wgpu",
    name: "gl",
    tolerance: Tolerance::LLVMPIPE,
    gaps: &[NO_COPY],
    likeness: Likeness::Bits,
};

/// Raw Vulkan on Mesa's software driver.
pub const VULKAN_LAVAPIPE: Driver = Driver {
    backend: "vulkan",
    ..WGPU_LAVAPIPE
};

/// Raw Vulkan on SwiftShader.
pub const VULKAN_SWIFTSHADER: Driver = Driver {
    backend: "vulkan",
    ..WGPU_SWIFTSHADER
};

/// wgpu on the machine's own GPU.
pub const WGPU_GPU: Driver = Driver {
    backend: "wgpu",
    name: "gpu",
    tolerance: Tolerance::HARDWARE,
    gaps: &[NO_COPY],
    likeness: Likeness::Ulps(2),
};

/// Raw Vulkan on the machine's own GPU.
pub const VULKAN_GPU: Driver = Driver {
    backend: "vulkan",
    ..WGPU_GPU
};
