//! Projections and view matrices in f64, for hosts that do not bring their own.
//!
//! All are right-handed, look down -z and map depth to 0..1 by the view's [`DepthConvention`].

use glam::{DMat4, DVec3, DVec4};

use crate::depth::DepthConvention;
use crate::error::{InputError, PickError};

/// The near and far planes of a projection, as distances ahead of the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthRange {
    /// Distance to the near plane; above zero for perspective projections.
    pub near: f64,
    /// Distance to the far plane; `f64::INFINITY` for none.
    pub far: f64,
}

impl DepthRange {
    /// A range from `near` to `far`.
    pub const fn new(near: f64, far: f64) -> Self {
        Self { near, far }
    }

    /// A range from `near` to infinity.
    pub const fn from(near: f64) -> Self {
        Self {
            near,
            far: f64::INFINITY,
        }
    }

    /// `(a, b)` with clip z = a * z + b * w for a perspective projection (w = -z).
    ///
    /// From depth(near) and depth(far) fixed at 0 and 1: `a = far / (near - far)`,
    /// `b = near * far / (near - far)`; reversed depth is 1 - depth; the limits for far -> infinity
    /// are a = -1, b = -near.
    fn perspective_terms(self, depth: DepthConvention) -> (f64, f64) {
        let (a, b) = if self.far.is_infinite() {
            (-1.0, -self.near)
        } else {
            let gap = self.near - self.far;
            (self.far / gap, self.near * self.far / gap)
        };
        match depth {
            DepthConvention::Standard => (a, b),
            DepthConvention::Reversed => (-1.0 - a, -b),
        }
    }

    fn check_perspective(self) -> Result<(), PickError> {
        check("near", self.near, self.near > 0.0, "finite and above 0")?;
        let beyond = self.far > self.near;
        in_range("far", self.far, beyond, "above near, or infinite")
    }
}

/// A perspective projection from a vertical field of view in radians and width / height.
///
/// # Errors
/// [`InputError::BadProjection`] for values out of range: a field of view outside (0, pi), an aspect
/// that is not above 0, near not above 0, far not above near.
pub fn perspective(
    fov_y_radians: f64,
    aspect: f64,
    range: DepthRange,
    depth: DepthConvention,
) -> Result<DMat4, PickError> {
    let fov_fits = fov_y_radians > 0.0 && fov_y_radians < std::f64::consts::PI;
    check(
        "vertical field of view",
        fov_y_radians,
        fov_fits,
        "in (0, pi) radians",
    )?;
    check("aspect", aspect, aspect > 0.0, "above 0")?;
    range.check_perspective()?;
    let top = range.near * (fov_y_radians * 0.5).tan();
    let right = top * aspect;
    frustum([-right, right], [-top, top], range, depth)
}

/// A perspective projection from the near plane's rectangle: `[left, right]` and `[bottom, top]`.
///
/// The formula of glFrustum with the depth rows of [`DepthRange`].
///
/// # Errors
/// [`InputError::BadProjection`] for an empty or non-finite rectangle and a range out of order.
pub fn frustum(
    left_right: [f64; 2],
    bottom_top: [f64; 2],
    range: DepthRange,
    depth: DepthConvention,
) -> Result<DMat4, PickError> {
    range.check_perspective()?;
    let [left, right] = left_right;
    let [bottom, top] = bottom_top;
    check(
        "width at the near plane",
        right - left,
        right != left,
        "finite and not 0",
    )?;
    check(
        "height at the near plane",
        top - bottom,
        top != bottom,
        "finite and not 0",
    )?;
    let (a, b) = range.perspective_terms(depth);
    Ok(DMat4::from_cols(
        DVec4::new(2.0 * range.near / (right - left), 0.0, 0.0, 0.0),
        DVec4::new(0.0, 2.0 * range.near / (top - bottom), 0.0, 0.0),
        DVec4::new(
            (right + left) / (right - left),
            (top + bottom) / (top - bottom),
            a,
            -1.0,
        ),
        DVec4::new(0.0, 0.0, b, 0.0),
    ))
}

/// An orthographic projection centred on the axis, `half_height` world units from centre to top.
///
/// # Errors
/// [`InputError::BadProjection`]; the far plane must be finite.
pub fn orthographic(
    half_height: f64,
    aspect: f64,
    range: DepthRange,
    depth: DepthConvention,
) -> Result<DMat4, PickError> {
    check("half height", half_height, half_height > 0.0, "above 0")?;
    check("aspect", aspect, aspect > 0.0, "above 0")?;
    check("near", range.near, true, "finite")?;
    check(
        "far",
        range.far,
        range.far > range.near,
        "finite and above near",
    )?;
    let gap = range.near - range.far;
    let (a, b) = match depth {
        DepthConvention::Standard => (1.0 / gap, range.near / gap),
        DepthConvention::Reversed => (-1.0 / gap, -range.far / gap),
    };
    Ok(DMat4::from_cols(
        DVec4::new(1.0 / (half_height * aspect), 0.0, 0.0, 0.0),
        DVec4::new(0.0, 1.0 / half_height, 0.0, 0.0),
        DVec4::new(0.0, 0.0, a, 0.0),
        DVec4::new(0.0, 0.0, b, 1.0),
    ))
}

/// A view-from-world matrix from an eye, a point looked at and a direction that is up.
///
/// # Errors
/// [`InputError::BadMatrix`] when a value is not finite, eye and target coincide, or `up` is parallel
/// to the line of sight.
pub fn look_at(eye: DVec3, target: DVec3, up: DVec3) -> Result<DMat4, PickError> {
    let bad = |fault| {
        Err(InputError::BadMatrix {
            which: "view_from_world",
            fault,
        }
        .into())
    };
    if !(eye.is_finite() && target.is_finite() && up.is_finite()) {
        return bad("not finite");
    }
    let (Some(forward), Some(up)) = ((target - eye).try_normalize(), up.try_normalize()) else {
        return bad("singular");
    };
    let side = forward.cross(up);
    if side.length() < 1e-9 {
        return bad("singular");
    }
    let side = side.normalize();
    let up = side.cross(forward);
    Ok(DMat4::from_cols(
        DVec4::new(side.x, up.x, -forward.x, 0.0),
        DVec4::new(side.y, up.y, -forward.y, 0.0),
        DVec4::new(side.z, up.z, -forward.z, 0.0),
        DVec4::new(-side.dot(eye), -up.dot(eye), forward.dot(eye), 1.0),
    ))
}

fn check(
    which: &'static str,
    value: f64,
    fits: bool,
    range: &'static str,
) -> Result<(), PickError> {
    in_range(which, value, fits && value.is_finite(), range)
}

fn in_range(
    which: &'static str,
    value: f64,
    fits: bool,
    range: &'static str,
) -> Result<(), PickError> {
    if fits {
        return Ok(());
    }
    Err(InputError::BadProjection {
        which,
        value,
        range,
    }
    .into())
}
