//! A place that a person points at, in the unit the caller has.

use glam::DVec2;

use crate::error::{InputError, PickError};
use crate::rect::Viewport;
use crate::view::View;

/// A place in a view. Each unit is a constructor of its own, so that no scale is applied twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickPoint {
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Target { x: f64, y: f64 },
    Normalized { x: f64, y: f64 },
}

impl PickPoint {
    /// A place in target pixels: x right, y down, (0, 0) the target's top-left corner. Pixel (3, 4)
    /// is everything from (3, 4) up to but not including (4, 5); `target_pixels(3.0, 4.0)` names it.
    pub fn target_pixels(x: f64, y: f64) -> Self {
        Self {
            place: Place::Target { x, y },
        }
    }

    /// A place in logical pixels (points, CSS pixels) with the scale that the target was made with:
    /// target pixels = logical pixels * scale.
    ///
    /// # Errors
    /// [`InputError::BadScale`] for a scale that is not finite and above 0.
    pub fn logical_pixels(x: f64, y: f64, scale: f64) -> Result<Self, PickError> {
        if !(scale.is_finite() && scale > 0.0) {
            return Err(InputError::BadScale { scale }.into());
        }
        Ok(Self::target_pixels(x * scale, y * scale))
    }

    /// A place over the viewport: (0, 0) its top-left corner, (1, 1) its bottom-right corner (which
    /// is already outside).
    pub fn normalized(x: f64, y: f64) -> Self {
        Self {
            place: Place::Normalized { x, y },
        }
    }

    /// The target pixel that this place falls into.
    ///
    /// # Errors
    /// [`InputError::PointNotFinite`] and [`InputError::PointOutside`].
    pub fn pixel(self, view: &View) -> Result<[u32; 2], PickError> {
        let viewport = view.viewport();
        let target = self.in_target(viewport);
        if !target.is_finite() {
            let DVec2 { x, y } = target;
            return Err(InputError::PointNotFinite { x, y }.into());
        }
        let column = index_within(target.x, viewport.x, viewport.width);
        let row = index_within(target.y, viewport.y, viewport.height);
        match (column, row) {
            (Some(x), Some(y)) => Ok([x, y]),
            _ => Err(InputError::PointOutside {
                x: target.x,
                y: target.y,
                viewport,
            }
            .into()),
        }
    }

    fn in_target(self, viewport: Viewport) -> DVec2 {
        match self.place {
            Place::Target { x, y } => DVec2::new(x, y),
            Place::Normalized { x, y } => DVec2::new(
                f64::from(viewport.x) + x * f64::from(viewport.width),
                f64::from(viewport.y) + y * f64::from(viewport.height),
            ),
        }
    }
}

fn index_within(value: f64, start: u32, size: u32) -> Option<u32> {
    let floor = value.floor();
    let inside = floor >= f64::from(start) && floor < f64::from(start) + f64::from(size);
    inside.then_some(floor as u32)
}
