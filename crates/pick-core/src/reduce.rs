//! What an area or a disc comes to: from pixels to the few words that answer.
//!
//! These are the rules that kernels follow too; where a device runs none, or a strategy's texels cannot be
//! read by them, all pixels are read back and reduced here.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::depth::DepthConvention;
use crate::error::PickError;
use crate::id::Band;
use crate::layout::NO_ID;
use crate::query::{Area, Disc};
use crate::samples::Samples;

/// A number that is less the nearer a depth is. Depths are not negative, so their bits are in order.
pub(crate) fn depth_key(convention: DepthConvention, depth: f32) -> u32 {
    match convention {
        DepthConvention::Standard => depth.to_bits(),
        DepthConvention::Reversed => !depth.to_bits(),
    }
}

/// The depth of a [`depth_key`].
pub(crate) fn depth_of_key(convention: DepthConvention, key: u32) -> f32 {
    match convention {
        DepthConvention::Standard => f32::from_bits(key),
        DepthConvention::Reversed => f32::from_bits(!key),
    }
}

/// Of the things in a disc the one of the highest band, then at the pixel nearest to the centre, then the
/// nearest, then of the lowest id; gives its pixel's place in the disc's region.
///
/// # Errors
/// Those of `band_of`.
pub(crate) fn nearest_in_disc(
    samples: &Samples,
    disc: &Disc,
    convention: DepthConvention,
    band_of: impl Fn(u32) -> Result<Band, PickError>,
) -> Result<Option<usize>, PickError> {
    let region = disc.region();
    let mut best = None;
    for (index, &id) in samples.ids.iter().enumerate() {
        let (column, row) = (index as u32 % region.width, index as u32 / region.width);
        let squared = disc.squared_distance([region.x + column, region.y + row]);
        if id == NO_ID || squared > disc.squared_reach() {
            continue;
        }
        let depth = samples.depths.get(index);
        let depth = depth.map_or(0, |&depth| depth_key(convention, depth));
        let key = (Reverse(band_of(id)?), squared, depth, id, index);
        best = Some(best.map_or(key, |best| key.min(best)));
    }
    Ok(best.map(|(.., index)| index))
}

/// An id in an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FoundId {
    pub(crate) id: u32,
    pub(crate) pixels: u32,
    /// The least [`depth_key`]; `None` where depths cannot be read.
    pub(crate) depth_key: Option<u32>,
    /// The first pixel of the region, row by row, that has it.
    pub(crate) pixel: u32,
}

/// The ids in an area, ascending, as many as its capacity, and how many there are.
pub(crate) fn found_in_area(
    samples: &Samples,
    area: &Area,
    convention: DepthConvention,
) -> (Vec<FoundId>, u64) {
    let width = area.region().width;
    let mut found: HashMap<u32, FoundId> = HashMap::new();
    for (index, &id) in (0u32..).zip(&samples.ids) {
        if id == NO_ID || !area.contains(index % width, index / width) {
            continue;
        }
        let depth = samples.depths.get(index as usize);
        let here = FoundId {
            id,
            pixels: 1,
            depth_key: depth.map(|&depth| depth_key(convention, depth)),
            pixel: index,
        };
        let known = found.entry(id).or_insert(FoundId { pixels: 0, ..here });
        known.pixels += 1;
        if here.depth_key < known.depth_key {
            (known.depth_key, known.pixel) = (here.depth_key, here.pixel);
        }
    }
    let total = found.len() as u64;
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_unstable_by_key(|found| found.id);
    found.truncate(area.capacity() as usize);
    (found, total)
}
