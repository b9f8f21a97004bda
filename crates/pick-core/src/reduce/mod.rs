//! What an area or a disc comes to: from pixels to the few words that answer.
//!
//! These are the rules that kernels follow too; where a device runs none, or a strategy's texels cannot be
//! read by them, all pixels are read back and reduced here.

mod device;
mod fragments;

pub(crate) use device::{Reduction, plan};
pub(crate) use fragments::{found_and_room, plan_list, plan_through, widen};

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::depth::DepthConvention;
use crate::error::PickError;
use crate::id::Band;
use crate::layout::{self, FRONT_BIT, NO_ID, reduce};
use crate::query::{Area, Disc};
use crate::samples::Samples;

/// What depth bits are combined with by exclusive or, so that the nearest is the least.
fn depth_flip(convention: DepthConvention) -> u32 {
    match convention {
        DepthConvention::Standard => 0,
        DepthConvention::Reversed => u32::MAX,
    }
}

/// A number that is less the nearer a depth is. Depths are not negative, so their bits are in order.
pub(crate) fn depth_key(convention: DepthConvention, depth: f32) -> u32 {
    depth.to_bits() ^ depth_flip(convention)
}

/// The depth of a [`depth_key`].
pub(crate) fn depth_of_key(convention: DepthConvention, key: u32) -> f32 {
    f32::from_bits(key ^ depth_flip(convention))
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

/// The fragments of a list, as the strategy detailed decodes its texels; primitives only where they were asked for.
pub(crate) fn read_fragments(list: &[u8], primitive: bool, samples: &mut Samples) {
    let found = word(list, layout::fragments::FOUND as usize) as usize;
    let entries = list
        .get(4 * layout::fragments::HEADER as usize..)
        .unwrap_or_default();
    for entry in entries
        .chunks_exact(4 * layout::fragments::WORDS as usize)
        .take(found)
    {
        samples.ids.push(word(entry, 0));
        samples.depths.push(f32::from_bits(word(entry, 1)));
        if primitive {
            samples.primitives.push(word(entry, 2));
            samples.view_distances.push(f32::from_bits(word(entry, 3)));
        }
    }
}

/// The order in which fragments under a pixel are seen: by band, by depth, then as a depth test keeps the first of
/// equals.
///
/// # Errors
/// Those of `band_of`.
pub(crate) fn order_of_sight(
    samples: &Samples,
    convention: DepthConvention,
    band_of: impl Fn(u32) -> Result<Band, PickError>,
) -> Result<Vec<usize>, PickError> {
    let mut order = Vec::with_capacity(samples.ids.len());
    for (index, &id) in samples.ids.iter().enumerate() {
        let depth = samples.depths.get(index);
        let depth = depth.map_or(0, |&depth| depth_key(convention, depth));
        let primitive = samples
            .primitives
            .get(index)
            .map_or(0, |word| word & !FRONT_BIT);
        order.push((Reverse(band_of(id)?), depth, id, primitive, index));
    }
    order.sort_unstable();
    Ok(order.into_iter().map(|(.., index)| index).collect())
}

/// What kernels found in an area, as [`found_in_area`] would.
///
/// # Errors
/// `Broken` when there are fewer words than they say.
pub(crate) fn read_found(words: &[u8]) -> Result<(Vec<FoundId>, u64), PickError> {
    let (header, listed) = words
        .split_at_checked(4 * reduce::HEADER_WORDS as usize)
        .ok_or_else(cut_short)?;
    let total = word(header, 0);
    let room = listed.len() / (4 * reduce::FOUND_WORDS as usize);
    let found = listed.chunks_exact(4 * reduce::FOUND_WORDS as usize);
    let found = found.take(room.min(total as usize)).map(|found| FoundId {
        id: word(found, 0),
        pixels: word(found, 1),
        depth_key: Some(word(found, 2)),
        pixel: word(found, 3),
    });
    Ok((found.collect(), u64::from(total)))
}

/// The word at a position; 0 beyond the end.
fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(4 * at..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |bytes: &[u8; 4]| u32::from_le_bytes(*bytes))
}

fn cut_short() -> PickError {
    PickError::broken("the read-back of an area is shorter than its plan")
}
