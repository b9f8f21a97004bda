//! Where the camera is: f64 matrices, a viewport inside a target, a depth convention.

use glam::{DMat4, DVec2, DVec3, DVec4, Vec4Swizzles as _};

use crate::depth::DepthConvention;
use crate::error::{InputError, PickError};
use crate::rect::{PixelRect, Viewport};

/// The ray through a pixel's centre, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickRay {
    /// The eye; of an orthographic view the point on the near plane.
    pub origin: DVec3,
    /// Unit length.
    pub direction: DVec3,
    /// Distance from the origin to the near plane along the ray.
    pub t_near: f64,
    /// Distance from the origin to the far plane along the ray; infinite for an infinite far plane.
    pub t_far: f64,
}

impl PickRay {
    /// The point at distance `t` from the origin.
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }
}

/// Largest pixel coordinate that f32 fragment coordinates still tell apart.
const MAX_EXTENT: u64 = 1 << 24;

/// A camera as the renderer uses it, validated once.
///
/// Clip space has x right, y up and depth 0..1 (WebGPU's and Vulkan's depth range); view space is
/// right-handed (perspective views may be left-handed too), and the projection perspective or orthographic, centred or not, with a
/// finite or an infinite far plane: all of it is read off the matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    view_from_world: DMat4,
    clip_from_view: DMat4,
    world_from_view: DMat4,
    view_from_clip: DMat4,
    viewport: Viewport,
    depth: DepthConvention,
    eye_in_view: Option<DVec3>,
    /// Asked for at every pick, and the same for all of them.
    derived: Derived,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Derived {
    clip_from_world: DMat4,
    eye: DVec3,
    forward: DVec3,
    flips_winding: bool,
}

impl View {
    /// Takes a camera's two matrices (column-major, column vectors), the rectangle it draws into and
    /// its depth convention.
    ///
    /// # Errors
    /// [`InputError::EmptyViewport`], [`InputError::ViewportTooLarge`], [`InputError::BadMatrix`]
    /// for entries that are not finite or a matrix that cannot be inverted (near = far, a field of
    /// view of zero), and [`InputError::DepthMismatch`] when the projection's depth runs against
    /// `depth`. An orthographic projection has no eye to tell ahead from behind, so it must look down
    /// -z of view space; left-handed ones are refused with the same error.
    pub fn new(
        view_from_world: DMat4,
        clip_from_view: DMat4,
        viewport: Viewport,
        depth: DepthConvention,
    ) -> Result<Self, PickError> {
        check_viewport(viewport)?;
        let world_from_view = checked_inverse(view_from_world, "view_from_world")?;
        let view_from_clip = checked_inverse(clip_from_view, "clip_from_view")?;
        let eye = view_from_clip * DVec4::new(0.0, 0.0, 1.0, 0.0);
        let eye_in_view = (eye.w.abs() > eye.xyz().length() * 1e-12).then(|| eye.xyz() / eye.w);
        let mut view = Self {
            view_from_world,
            clip_from_view,
            world_from_view,
            view_from_clip,
            viewport,
            depth,
            eye_in_view,
            derived: Derived::default(),
        };
        let ahead = DVec3::Z * view.checked_forward_sign()?;
        let eye = eye_in_view.unwrap_or(DVec3::ZERO);
        view.derived = Derived {
            clip_from_world: clip_from_view * view_from_world,
            eye: world_from_view.transform_point3(eye),
            forward: world_from_view.transform_vector3(ahead).normalize(),
            flips_winding: false,
        };
        view.derived.flips_winding = view.winding_is_flipped();
        Ok(view)
    }

    /// The depth at two places on the central axis must run as the convention says.
    fn checked_forward_sign(&self) -> Result<f64, PickError> {
        let near = self.view_at(DVec2::ZERO, self.nearness(0.75));
        let far = self.view_at(DVec2::ZERO, self.nearness(0.25));
        let mismatch = InputError::DepthMismatch { stated: self.depth };
        let ahead = match self.eye_in_view {
            Some(eye) => {
                let (a, b) = (near - eye, far - eye);
                if a.length() >= b.length() || a.dot(b) <= 0.0 {
                    return Err(mismatch.into());
                }
                b - a
            }
            // An orthographic camera has no eye to run from. It must look down -z: that is what the
            // convention is held against.
            None => {
                let ahead = far - near;
                if ahead.z >= 0.0 {
                    return Err(mismatch.into());
                }
                ahead
            }
        };
        Ok(if ahead.z < 0.0 { -1.0 } else { 1.0 })
    }

    /// A depth value by how near it is: 1 is the near plane, 0 the far plane.
    fn nearness(&self, nearness: f64) -> f64 {
        match self.depth {
            DepthConvention::Standard => 1.0 - nearness,
            DepthConvention::Reversed => nearness,
        }
    }

    /// The same camera drawing into another rectangle.
    ///
    /// # Errors
    /// [`InputError::EmptyViewport`] and [`InputError::ViewportTooLarge`].
    pub fn with_viewport(mut self, viewport: Viewport) -> Result<Self, PickError> {
        check_viewport(viewport)?;
        self.viewport = viewport;
        Ok(self)
    }

    /// Where the camera draws, in target pixels.
    pub fn viewport(&self) -> Viewport {
        self.viewport
    }

    /// Which way depth runs.
    pub fn depth(&self) -> DepthConvention {
        self.depth
    }

    /// The world-to-view matrix as given.
    pub fn view_from_world(&self) -> DMat4 {
        self.view_from_world
    }

    /// The projection as given.
    pub fn clip_from_view(&self) -> DMat4 {
        self.clip_from_view
    }

    /// Projection times view.
    pub fn clip_from_world(&self) -> DMat4 {
        self.derived.clip_from_world
    }

    /// True when the projection has no eye point.
    pub fn is_orthographic(&self) -> bool {
        self.eye_in_view.is_none()
    }

    /// The eye in world space; of an orthographic view the camera's own position.
    pub fn eye(&self) -> DVec3 {
        self.derived.eye
    }

    /// The unit vector in world space along which the view distance is measured.
    pub fn forward(&self) -> DVec3 {
        self.derived.forward
    }

    /// Normalised device coordinates of a place in target pixels.
    pub fn ndc_from_target(&self, target: DVec2) -> DVec2 {
        let origin = DVec2::new(f64::from(self.viewport.x), f64::from(self.viewport.y));
        let size = DVec2::new(
            f64::from(self.viewport.width),
            f64::from(self.viewport.height),
        );
        let unit = (target - origin) / size;
        DVec2::new(unit.x * 2.0 - 1.0, 1.0 - unit.y * 2.0)
    }

    /// The place in target pixels where a world point appears, and its depth; `None` behind the eye.
    pub fn target_from_world(&self, point: DVec3) -> Option<(DVec2, f64)> {
        let clip = self.clip_from_view * (self.view_from_world * point.extend(1.0));
        if clip.w.is_nan() || clip.w <= 0.0 {
            return None;
        }
        let ndc = clip.xyz() / clip.w;
        let size = DVec2::new(
            f64::from(self.viewport.width),
            f64::from(self.viewport.height),
        );
        let unit = DVec2::new(ndc.x + 1.0, 1.0 - ndc.y) * 0.5;
        let origin = DVec2::new(f64::from(self.viewport.x), f64::from(self.viewport.y));
        Some((origin + unit * size, ndc.z))
    }

    /// The ray through a place given in target pixels (a pixel's centre has fraction .5).
    pub fn ray(&self, target: DVec2) -> PickRay {
        let ndc = self.ndc_from_target(target);
        let near = self.view_at(ndc, self.depth.near_depth());
        let far = self.view_from_clip * ndc.extend(self.depth.far_depth()).extend(1.0);
        // Homogeneous, so that a far plane at infinity (w = 0) needs no case of its own.
        let toward_far = far.xyz() - near * far.w;
        let far_gap = if far.w.abs() <= far.xyz().length() * 1e-15 {
            f64::INFINITY
        } else {
            toward_far.length() / far.w.abs()
        };
        let (direction, t_near) = match self.eye_in_view {
            Some(eye) => (near - eye, (near - eye).length()),
            None => (toward_far, 0.0),
        };
        let in_world = self.world_from_view.transform_vector3(direction);
        // A host's view matrix may scale, and along each axis differently.
        let scale = in_world.length() / direction.length();
        PickRay {
            origin: match self.eye_in_view {
                Some(_) => self.derived.eye,
                None => self.world_from_view.transform_point3(near),
            },
            direction: in_world.normalize(),
            t_near: t_near * scale,
            t_far: (t_near + far_gap) * scale,
        }
    }

    /// The world point at a place in target pixels whose depth is known.
    pub fn unproject(&self, target: DVec2, depth: f64) -> DVec3 {
        let in_view = self.view_at(self.ndc_from_target(target), depth);
        self.world_from_view.transform_point3(in_view)
    }

    /// The world point at a place in target pixels whose view distance is known.
    ///
    /// The view distance is the length along [`View::forward`] from [`View::eye`] to the point.
    pub fn at_view_distance(&self, target: DVec2, view_distance: f64) -> DVec3 {
        let ray = self.ray(target);
        let forward = self.forward();
        let start = (ray.origin - self.eye()).dot(forward);
        ray.at((view_distance - start) / ray.direction.dot(forward))
    }

    /// The view-space point at a place in normalised device coordinates and a depth.
    fn view_at(&self, ndc: DVec2, depth: f64) -> DVec3 {
        let point = self.view_from_clip * ndc.extend(depth).extend(1.0);
        point.xyz() / point.w
    }

    /// The matrix that makes `region`, and `margin` pixels on each side of it, fill the whole of clip
    /// space.
    ///
    /// Multiplied from the left it zooms a projection so that the region's pixels keep their centres
    /// where the full frame has them, in a viewport that is larger than the region by the margin.
    pub fn zoom(&self, region: PixelRect, margin: f64) -> DMat4 {
        let center = self.ndc_from_target(region.center());
        let shown = |side: u32| f64::from(side) + 2.0 * margin;
        let scale = DVec2::new(
            f64::from(self.viewport.width) / shown(region.width),
            f64::from(self.viewport.height) / shown(region.height),
        );
        DMat4::from_cols(
            DVec4::new(scale.x, 0.0, 0.0, 0.0),
            DVec4::new(0.0, scale.y, 0.0, 0.0),
            DVec4::new(0.0, 0.0, 1.0, 0.0),
            DVec4::new(-center.x * scale.x, -center.y * scale.y, 0.0, 1.0),
        )
    }

    /// True when a triangle that winds counter-clockwise in world space as seen from the eye winds
    /// clockwise on the screen (left-handed views, mirroring projections).
    pub fn flips_winding(&self) -> bool {
        self.derived.flips_winding
    }

    fn winding_is_flipped(&self) -> bool {
        let depth = self.nearness(0.5);
        let corner = |x, y| self.unproject(self.target_from_ndc(DVec2::new(x, y)), depth);
        let (a, b, c) = (corner(0.0, 0.0), corner(0.5, 0.0), corner(0.0, 0.5));
        let ray = self.ray(self.target_from_ndc(DVec2::splat(0.125)));
        (b - a).cross(c - a).dot(ray.direction) > 0.0
    }

    fn target_from_ndc(&self, ndc: DVec2) -> DVec2 {
        let unit = DVec2::new(ndc.x + 1.0, 1.0 - ndc.y) * 0.5;
        DVec2::new(
            f64::from(self.viewport.x) + unit.x * f64::from(self.viewport.width),
            f64::from(self.viewport.y) + unit.y * f64::from(self.viewport.height),
        )
    }
}

/// Matrices are multiplied in f64, whose range products of these never leave; that what they come to
/// fits f32 is seen when a draw is offered.
pub(crate) const MAX_ENTRY: f64 = 1e18;

fn check_viewport(viewport: Viewport) -> Result<(), PickError> {
    if viewport.width == 0 || viewport.height == 0 {
        return Err(InputError::EmptyViewport {
            width: viewport.width,
            height: viewport.height,
        }
        .into());
    }
    if viewport.right() > MAX_EXTENT || viewport.bottom() > MAX_EXTENT {
        return Err(InputError::ViewportTooLarge { viewport }.into());
    }
    Ok(())
}

fn checked_inverse(matrix: DMat4, which: &'static str) -> Result<DMat4, PickError> {
    let bad = |fault| Err(InputError::BadMatrix { which, fault }.into());
    if !matrix.is_finite() {
        return bad("not finite");
    }
    if !matrix.abs_diff_eq(DMat4::ZERO, MAX_ENTRY) {
        return bad("too large: entries may be 1e18 at most");
    }
    let inverse = matrix.inverse();
    if !inverse.is_finite() {
        return bad("singular");
    }
    // A determinant that is nothing but rounding still yields finite numbers; they do not invert.
    // Each product is held against the size of its own terms, so that far-away cameras pass.
    let product = matrix * inverse;
    for column in 0..4 {
        for row in 0..4 {
            let terms: f64 = (0..4)
                .map(|k| (matrix.col(k)[row] * inverse.col(column)[k]).abs())
                .sum();
            let expected = f64::from(u8::from(row == column));
            if (product.col(column)[row] - expected).abs() > 1e-9 * terms.max(1.0) {
                return bad("singular");
            }
        }
    }
    Ok(inverse)
}
