//! A disc of pixels around one.

use super::MOST_RADIUS_PX;
use crate::error::{InputError, PickError};
use crate::rect::{PixelRect, Viewport};

/// The pixels whose centres are no further than a radius from the centre of one of them, cut off at the
/// viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    center: [u32; 2],
    radius_px: f64,
    region: PixelRect,
}

impl Disc {
    /// # Errors
    /// [`InputError::BadRadius`] for a radius that is not in 0..=[`MOST_RADIUS_PX`].
    pub(crate) fn new(
        center: [u32; 2],
        radius_px: f64,
        viewport: Viewport,
    ) -> Result<Self, PickError> {
        if !(0.0..=MOST_RADIUS_PX).contains(&radius_px) {
            return Err(InputError::BadRadius {
                radius_px,
                limit: MOST_RADIUS_PX,
            }
            .into());
        }
        let [x, y] = center;
        let reach = radius_px.floor() as u32; // at most MOST_RADIUS_PX
        let low = [x.saturating_sub(reach), y.saturating_sub(reach)];
        let around = PixelRect::new(
            low[0],
            low[1],
            x.saturating_add(reach) - low[0] + 1,
            y.saturating_add(reach) - low[1] + 1,
        );
        Ok(Self {
            center,
            radius_px,
            region: around
                .intersection(viewport)
                .ok_or(InputError::EmptyRegion)?,
        })
    }

    /// The pixel in the middle, a target pixel.
    pub fn center(&self) -> [u32; 2] {
        self.center
    }

    /// In pixels.
    pub fn radius_px(&self) -> f64 {
        self.radius_px
    }

    /// The smallest rectangle around it, inside the viewport.
    pub fn region(&self) -> PixelRect {
        self.region
    }

    /// The squared distance in pixels of a target pixel's centre from that of the one in the middle: a
    /// whole number, and at most twice the square of [`MOST_RADIUS_PX`] within the region.
    pub fn squared_distance(&self, pixel: [u32; 2]) -> u64 {
        let [dx, dy] = [0, 1].map(|axis| u64::from(pixel[axis].abs_diff(self.center[axis])));
        dx * dx + dy * dy
    }

    /// The largest [`Disc::squared_distance`] that is inside.
    pub fn squared_reach(&self) -> u64 {
        (self.radius_px * self.radius_px).floor() as u64
    }
}
