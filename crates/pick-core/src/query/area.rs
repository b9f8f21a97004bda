//! A rectangle or a lasso, as the pixels whose centres it encloses.

use std::sync::Arc;

use glam::DVec2;

use super::lasso;
use crate::error::{InputError, PickError};
use crate::rect::{PixelRect, Viewport};

/// A rectangle as a person draws it, in target pixels: it encloses the pixels whose centres are in it. A
/// centre on its left or top edge is inside, on the others outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickRect {
    min: DVec2,
    max: DVec2,
}

impl PickRect {
    /// From its top-left corner and its size, in target pixels; whole numbers name whole pixels.
    pub fn target_pixels(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self {
            min: DVec2::new(x, y),
            max: DVec2::new(x + width, y + height),
        }
    }

    /// Between two places, such as where a drag began and where it is now, in any order.
    pub fn between(a: DVec2, b: DVec2) -> Self {
        // Not `DVec2::min`, which may drop what is no number.
        let ordered = |a: f64, b: f64| if a > b { (b, a) } else { (a, b) };
        let (left, right) = ordered(a.x, b.x);
        let (top, bottom) = ordered(a.y, b.y);
        Self {
            min: DVec2::new(left, top),
            max: DVec2::new(right, bottom),
        }
    }

    /// The pixels inside both the rectangle and the viewport.
    ///
    /// # Errors
    /// [`InputError::PointNotFinite`], [`InputError::InvertedRect`], [`InputError::EmptyRegion`].
    fn pixels(self, viewport: Viewport) -> Result<PixelRect, PickError> {
        for DVec2 { x, y } in [self.min, self.max] {
            if !(x.is_finite() && y.is_finite()) {
                return Err(InputError::PointNotFinite { x, y }.into());
            }
        }
        let size = self.max - self.min;
        if size.min_element() < 0.0 {
            return Err(InputError::InvertedRect {
                width: size.x,
                height: size.y,
            }
            .into());
        }
        // The first pixel whose centre is not before an edge.
        let first = |edge: f64, start: u32, count: u32| {
            let (start, count) = (f64::from(start), f64::from(count));
            ((edge - 0.5).ceil().clamp(start, start + count) - start) as u32
        };
        let [left, right] = [self.min.x, self.max.x].map(|x| first(x, viewport.x, viewport.width));
        let [top, bottom] = [self.min.y, self.max.y].map(|y| first(y, viewport.y, viewport.height));
        if left >= right || top >= bottom {
            return Err(InputError::EmptyRegion.into());
        }
        Ok(PixelRect::new(
            viewport.x + left,
            viewport.y + top,
            right - left,
            bottom - top,
        ))
    }
}

impl From<PixelRect> for PickRect {
    fn from(rect: PixelRect) -> Self {
        let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(f64::from);
        Self::target_pixels(x, y, width, height)
    }
}

/// What of an area's things are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Through {
    /// What is visible: nearest at some pixel.
    #[default]
    Visible,
    /// What has a fragment at some pixel, also behind others.
    Touched,
    /// What is inside as a whole, also behind others: of every triangle all that is between the near and the far
    /// plane is within the area's pixels. Where a GPU asks, vertices are pulled from storage buffers.
    Contained,
}

/// The pixels that a rectangle or a lasso encloses, inside the viewport.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    region: PixelRect,
    /// A bit for each pixel of the region, rows begin with a word; `None` where all are inside.
    mask: Option<Arc<[u32]>>,
    through: Through,
    capacity: u32,
}

/// How many things an area's answer names, unless asked otherwise.
const CAPACITY: u32 = 1 << 16;

impl Area {
    pub(crate) fn rect(rect: PickRect, viewport: Viewport) -> Result<Self, PickError> {
        Ok(Self {
            region: rect.pixels(viewport)?,
            mask: None,
            through: Through::Visible,
            capacity: CAPACITY,
        })
    }

    /// What a polygon encloses by the even-odd rule, closed from its last point to its first.
    pub(crate) fn lasso(points: &[DVec2], viewport: Viewport) -> Result<Self, PickError> {
        let (region, mask) = lasso::enclosed(points, viewport)?;
        Ok(Self {
            region,
            mask: Some(mask.into()),
            through: Through::Visible,
            capacity: CAPACITY,
        })
    }

    pub(crate) fn set_through(&mut self, through: Through) {
        self.through = through;
    }

    pub(crate) fn set_capacity(&mut self, capacity: u32) {
        self.capacity = capacity.max(1);
    }

    /// The smallest rectangle around the pixels.
    pub fn region(&self) -> PixelRect {
        self.region
    }

    /// What of the things there are found.
    pub fn through(&self) -> Through {
        self.through
    }

    /// How many of them are named at most.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// A bit for each pixel of the region, the lowest bit of a word the leftmost; rows begin with a word
    /// of their own. `None` where all are inside.
    pub fn mask(&self) -> Option<&[u32]> {
        self.mask.as_deref()
    }

    /// Whether the pixel at a column and row of the region is inside.
    pub fn contains(&self, column: u32, row: u32) -> bool {
        let inside = column < self.region.width && row < self.region.height;
        inside
            && self.mask.as_ref().is_none_or(|mask| {
                let words = self.region.width.div_ceil(32) as usize;
                mask[row as usize * words + column as usize / 32] >> (column % 32) & 1 != 0
            })
    }
}
