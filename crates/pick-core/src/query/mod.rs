//! What is asked of the pixels: each kind of query, and the pixels that it looks at.

mod area;
mod disc;
mod lasso;

pub use area::{Area, PickRect, Through};
pub use disc::Disc;

use std::sync::Arc;

use crate::error::{InputError, PickError};
use crate::rect::PixelRect;

/// The most pixels of a batch.
pub const MOST_POINTS: usize = 1 << 20;
/// The most hits that [`Query::Drill`] gives.
pub const MOST_DRILLED: u32 = 1 << 16;
/// The largest radius of [`Query::Near`], in pixels.
pub const MOST_RADIUS_PX: f64 = 64.0;

/// What is asked of the pixels.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Query {
    /// The nearest thing at one target pixel.
    Point {
        /// Target pixel.
        pixel: [u32; 2],
    },
    /// The nearest thing at each of some target pixels.
    Points(Points),
    /// The thing at or around a pixel: of those in a disc the highest band, then the pixel nearest to the
    /// disc's centre, then the nearest thing there.
    Near(Disc),
    /// Everything in an area, each object or instance once.
    Area(Area),
    /// Everything under one target pixel, also what is hidden.
    Drill {
        /// Target pixel.
        pixel: [u32; 2],
        /// How many hits are given, the nearest ones.
        most: u32,
    },
    /// The nearest thing at each pixel of a rectangle.
    IdImage {
        /// In target pixels, inside the viewport.
        region: PixelRect,
    },
}

impl Query {
    /// The pixels that are drawn.
    pub fn region(&self) -> PixelRect {
        match self {
            Self::Point { pixel: [x, y] } | Self::Drill { pixel: [x, y], .. } => {
                PixelRect::new(*x, *y, 1, 1)
            }
            Self::Points(points) => points.region(),
            Self::Near(disc) => disc.region(),
            Self::Area(area) => area.region(),
            Self::IdImage { region } => *region,
        }
    }

    /// One id stands for all parts of an object.
    pub(crate) fn joins_parts(&self) -> bool {
        matches!(self, Self::Area(_))
    }

    /// What is off the pixels counts too.
    pub(crate) fn sees_whole(&self) -> bool {
        matches!(self, Self::Area(area) if area.through() == Through::Contained)
    }

    /// Hidden fragments count too.
    pub(crate) fn sees_through(&self) -> bool {
        match self {
            Self::Area(area) => area.through() != Through::Visible,
            Self::Drill { .. } => true,
            _ => false,
        }
    }
}

/// The pixels of a batch, in the order asked; a pixel may be there more than once.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    pixels: Arc<[[u32; 2]]>,
    region: PixelRect,
}

impl Points {
    /// # Errors
    /// [`InputError::PointCount`] for none, or more than [`MOST_POINTS`].
    pub(crate) fn new(pixels: Arc<[[u32; 2]]>) -> Result<Self, PickError> {
        let count = pixels.len();
        let Some(&first) = pixels.first().filter(|_| count <= MOST_POINTS) else {
            return Err(InputError::PointCount {
                count,
                limit: MOST_POINTS,
            }
            .into());
        };
        let fold = |pick: fn(u32, u32) -> u32| {
            let both = |a: [u32; 2], b: &[u32; 2]| [pick(a[0], b[0]), pick(a[1], b[1])];
            pixels.iter().fold(first, both)
        };
        let (low, high) = (fold(u32::min), fold(u32::max));
        let [width, height] = [0, 1].map(|axis| high[axis] - low[axis] + 1);
        Ok(Self {
            region: PixelRect::new(low[0], low[1], width, height),
            pixels,
        })
    }

    /// Target pixels.
    pub fn pixels(&self) -> &[[u32; 2]] {
        &self.pixels
    }

    /// The smallest rectangle around them.
    pub fn region(&self) -> PixelRect {
        self.region
    }
}
