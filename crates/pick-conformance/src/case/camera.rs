//! Cameras of cases, with projections of their own: plain arrays, from the textbook formulas.

use pick_core::{DepthConvention, PickError, View, Viewport};

use crate::oracle::math::{M4, V3, cross, dot, sub, unit};

/// Which way depth runs, and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depths {
    /// Distance of the near plane.
    pub near: f64,
    /// Distance of the far plane; may be infinite for a perspective camera.
    pub far: f64,
    /// 1 is near.
    pub reversed: bool,
}

impl Depths {
    /// Of the field cases: standard, 0.1 to 100.
    pub const FIELD: Self = Self {
        near: 0.1,
        far: 100.0,
        reversed: false,
    };

    /// The same range the other way round.
    pub fn reversed(mut self) -> Self {
        self.reversed = true;
        self
    }
}

/// A camera as matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseView {
    /// View from world.
    pub view_from_world: M4,
    /// Clip from view, depth 0..1.
    pub clip_from_view: M4,
    /// x, y, width, height in target pixels.
    pub viewport: [u32; 4],
    /// 1 is near.
    pub reversed: bool,
}

impl CaseView {
    /// The library's view.
    ///
    /// # Errors
    /// Whatever the library refuses.
    pub fn build(&self) -> Result<View, PickError> {
        let [x, y, width, height] = self.viewport;
        let depth = if self.reversed {
            DepthConvention::Reversed
        } else {
            DepthConvention::Standard
        };
        View::new(
            glam::DMat4::from_cols_array_2d(&self.view_from_world),
            glam::DMat4::from_cols_array_2d(&self.clip_from_view),
            Viewport::new(x, y, width, height),
            depth,
        )
    }
}

/// A camera in words.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// Where it is.
    pub eye: V3,
    /// What it looks at.
    pub target: V3,
    /// What is up.
    pub up: V3,
    /// x, y, width, height in target pixels.
    pub viewport: [u32; 4],
    /// Depth.
    pub depths: Depths,
}

impl Camera {
    /// That of the field cases, drawing into a square of `side` pixels.
    pub fn field(side: u32) -> Self {
        Self {
            eye: [0.0, 0.0, 5.0],
            target: [0.0; 3],
            up: [0.0, 1.0, 0.0],
            viewport: [0, 0, side, side],
            depths: Depths::FIELD,
        }
    }

    /// The field cases' CAM-P at their own 64x64.
    pub fn cam_p() -> CaseView {
        Self::field(64).perspective(90.0)
    }

    /// The field cases' CAM-O at their own 64x64.
    pub fn cam_o() -> CaseView {
        Self::field(64).orthographic(5.0)
    }

    /// A perspective view with this vertical field of view.
    pub fn perspective(&self, fov_degrees: f64) -> CaseView {
        let top = self.depths.near * (fov_degrees.to_radians() * 0.5).tan();
        let right = top * self.aspect();
        self.frustum([-right, right, -top, top])
    }

    /// A perspective view from the near plane's rectangle: left, right, bottom, top.
    pub fn frustum(&self, [left, right, bottom, top]: [f64; 4]) -> CaseView {
        let Depths {
            near,
            far,
            reversed,
        } = self.depths;
        // depth = (a * z + b) / -z, which is 0 (or 1) at z = -near and 1 (or 0) at z = -far.
        let (a, b) = match (reversed, far.is_infinite()) {
            (false, false) => (far / (near - far), near * far / (near - far)),
            (false, true) => (-1.0, -near),
            (true, false) => (near / (far - near), near * far / (far - near)),
            (true, true) => (0.0, near),
        };
        let (width, height) = (right - left, top - bottom);
        self.with([
            [2.0 * near / width, 0.0, 0.0, 0.0],
            [0.0, 2.0 * near / height, 0.0, 0.0],
            [(right + left) / width, (top + bottom) / height, a, -1.0],
            [0.0, 0.0, b, 0.0],
        ])
    }

    /// An orthographic view, `half_height` world units from its middle to its top.
    pub fn orthographic(&self, half_height: f64) -> CaseView {
        let Depths {
            near,
            far,
            reversed,
        } = self.depths;
        let gap = far - near;
        let (a, b) = if reversed {
            (1.0 / gap, far / gap)
        } else {
            (-1.0 / gap, -near / gap)
        };
        self.with([
            [1.0 / (half_height * self.aspect()), 0.0, 0.0, 0.0],
            [0.0, 1.0 / half_height, 0.0, 0.0],
            [0.0, 0.0, a, 0.0],
            [0.0, 0.0, b, 1.0],
        ])
    }

    /// A view with a projection of the caller's.
    pub fn with(&self, clip_from_view: M4) -> CaseView {
        CaseView {
            view_from_world: self.view_from_world(),
            clip_from_view,
            viewport: self.viewport,
            reversed: self.depths.reversed,
        }
    }

    fn aspect(&self) -> f64 {
        f64::from(self.viewport[2]) / f64::from(self.viewport[3])
    }

    fn view_from_world(&self) -> M4 {
        let back = unit(sub(self.eye, self.target));
        let right = unit(cross(self.up, back));
        let up = cross(back, right);
        let axes = [right, up, back];
        let column = |c: usize| [axes[0][c], axes[1][c], axes[2][c], 0.0];
        let moved = axes.map(|axis| -dot(axis, self.eye));
        [
            column(0),
            column(1),
            column(2),
            [moved[0], moved[1], moved[2], 1.0],
        ]
    }
}
