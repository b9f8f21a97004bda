//! Rectangles of pixels.

use std::fmt;

use glam::DVec2;

/// A rectangle of target pixels: x right, y down, the pixel (0, 0) at the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelRect {
    /// Left edge.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// The rectangle of a target that a camera draws into.
pub type Viewport = PixelRect;

impl PixelRect {
    /// A rectangle from its top-left pixel and its size.
    pub const fn new(x: u32, y: u32, width: u32, height: u32) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// How many pixels it has.
    pub fn pixel_count(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// The centre of the whole rectangle, in target pixels.
    pub fn center(self) -> DVec2 {
        DVec2::new(
            f64::from(self.x) + f64::from(self.width) * 0.5,
            f64::from(self.y) + f64::from(self.height) * 0.5,
        )
    }

    /// The centre of the pixel at `column`, `row` of this rectangle, in target pixels.
    pub fn pixel_center(self, column: u32, row: u32) -> DVec2 {
        DVec2::new(
            f64::from(self.x) + f64::from(column) + 0.5,
            f64::from(self.y) + f64::from(row) + 0.5,
        )
    }

    /// The part of this rectangle inside `other`; `None` when they share no pixel.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let right = self.right().min(other.right());
        let bottom = self.bottom().min(other.bottom());
        (u64::from(x) < right && u64::from(y) < bottom).then(|| {
            Self::new(
                x,
                y,
                (right - u64::from(x)) as u32,
                (bottom - u64::from(y)) as u32,
            )
        })
    }

    pub(crate) fn right(self) -> u64 {
        u64::from(self.x) + u64::from(self.width)
    }

    pub(crate) fn bottom(self) -> u64 {
        u64::from(self.y) + u64::from(self.height)
    }
}

impl fmt::Display for PixelRect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}x{} at ({}, {})",
            self.width, self.height, self.x, self.y
        )
    }
}
