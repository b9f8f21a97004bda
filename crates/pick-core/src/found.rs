//! Answers about more pixels than one: batches, discs, areas.

use glam::DVec3;

use crate::contributor::ContributorId;
use crate::hit::{AnyOutcome, Given, Hit, IdImage, Outcome};
use crate::registry::ObjectKey;

/// What [`crate::Request::near`] found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearHit {
    /// What is there.
    pub hit: Hit,
    /// The target pixel where it is.
    pub pixel: [u32; 2],
    /// From that pixel's centre to the centre of the one asked about, in pixels.
    pub pixel_distance: f64,
}

/// Everything that [`crate::Request::rect`] or [`crate::Request::lasso`] found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AreaHits {
    /// Each object, instance, draw that is nobody's object or id of a foreign contributor once, in the order
    /// they are drawn.
    pub found: Vec<AreaHit>,
    /// How many more there are than the request's capacity holds; those offered last are left out.
    pub beyond: u64,
}

/// Everything under a pixel that [`crate::Request::drill`] found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DrillHits {
    /// One for each fragment, the first to be seen first: by band, then by depth; the first is what
    /// [`crate::Request::point`] gives.
    pub hits: Vec<Hit>,
    /// How many more there are behind them.
    pub beyond: u64,
}

/// A thing in an area.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AreaHit {
    /// Who offered it.
    pub contributor: ContributorId,
    /// The object; `None` for contributors without such keys.
    pub object: Option<ObjectKey>,
    /// The object was removed between the request and its answer.
    pub removed: bool,
    /// The user's own word.
    pub tag: u64,
    /// Which part of a mesh that is nobody's object, or which of a foreign contributor's ids. An object is
    /// found as a whole.
    pub part: Given<u32>,
    /// Original index in the instance set.
    pub instance: Given<u32>,
    /// At how many of the area's pixels it is what is nearest; where hidden things are found too, how many fragments
    /// it has there, or of what is contained, how many triangles.
    pub pixel_count: u32,
    /// The target pixel where it is nearest; of several, the first in rows from the top.
    pub near_pixel: [u32; 2],
    /// The fragment's depth there, 0..1 by the view's convention.
    pub depth: Given<f32>,
    /// World space, at that pixel's centre.
    pub point: Given<DVec3>,
    /// World units from the ray's origin to the point.
    pub distance: Given<f64>,
}

macro_rules! outcome {
    ($type:ty, $variant:ident, $nearest:expr) => {
        impl Outcome for $type {
            fn nearest(&self) -> Option<&Hit> {
                let nearest: fn(&Self) -> Option<&Hit> = $nearest;
                nearest(self)
            }

            fn id_image(&self) -> Option<&IdImage> {
                None
            }

            fn from_any(any: AnyOutcome) -> Option<Self> {
                match any {
                    AnyOutcome::$variant(found) => Some(found),
                    _ => None,
                }
            }
        }
    };
}

outcome!(Option<Hit>, Point, Option::as_ref);
outcome!(Vec<Option<Hit>>, Points, |_| None);
outcome!(Option<NearHit>, Near, |found| {
    found.as_ref().map(|near| &near.hit)
});
outcome!(AreaHits, Area, |_| None);
outcome!(DrillHits, Drill, |found| found.hits.first());
