//! Every hit of a pixel's ray, for plans that keep all fragments: listed, or tallied by id.

use std::collections::BTreeMap;

use pick_core::layout::{FRONT_BIT, fragments, reduce};
use pick_core::{Item, PickError, Plan, Readback, ReadbackSize, StrategyShader};

use crate::execute::{Casts, fragment, ray_of};
use crate::texel::Fragment;

/// Writes the read-back of a plan that keeps all fragments.
///
/// # Errors
/// `Broken` for a plan that asks for something else of them.
pub(crate) fn write_kept(
    plan: &Plan,
    casts: &Casts,
    readback: &Readback,
    out: &mut Vec<u8>,
) -> Result<(), PickError> {
    let ReadbackSize::Fixed(bytes) = readback.size else {
        return Err(PickError::broken("fragments are read back by the pixel"));
    };
    let mut words = Vec::new();
    match plan.shader {
        StrategyShader::ListFragments { .. } => list(plan, casts, bytes / 4, &mut words),
        _ => tally(plan, casts, bytes / 4, &mut words),
    }
    words.resize(bytes as usize / 4, 0);
    for word in words {
        out.extend_from_slice(&word.to_le_bytes());
    }
    Ok(())
}

/// Calls `visit` with every fragment of a pixel.
fn each_fragment(
    plan: &Plan,
    casts: &Casts,
    column: u32,
    row: u32,
    mut visit: impl FnMut(Fragment),
) {
    let (seen, ray) = ray_of(plan, column, row);
    for (item, drawn) in plan.items.iter().enumerate() {
        let Item::Draw(draw) = drawn else { continue };
        casts.each_hit(&ray, draw, item, |met| {
            if let Some(fragment) = fragment(plan, casts, &seen, &met) {
                visit(fragment);
            }
        });
    }
}

fn list(plan: &Plan, casts: &Casts, most: u32, words: &mut Vec<u32>) {
    words.resize(fragments::HEADER as usize, 0);
    each_fragment(plan, casts, 0, 0, |fragment| {
        words[fragments::FOUND as usize] += 1;
        if words.len() + fragments::WORDS as usize <= most as usize {
            let front = if fragment.front { FRONT_BIT } else { 0 };
            words.extend([
                fragment.id,
                fragment.depth.to_bits(),
                fragment.primitive | front,
                fragment.view_distance.to_bits(),
            ]);
        }
    });
}

fn tally(plan: &Plan, casts: &Casts, most: u32, words: &mut Vec<u32>) {
    let header = |word: u32| plan.words.get(word as usize).copied().unwrap_or(0);
    let (width, height) = (plan.region.width, plan.region.height);
    let row_words = width.div_ceil(reduce::RUN);
    let inside = |column: u32, row: u32| {
        let word = header(fragments::MASK) + row * row_words + column / reduce::RUN;
        header(fragments::HAS_MASK) == 0 || header(word) >> (column % reduce::RUN) & 1 != 0
    };
    // By id: how many, the least key, where that is.
    let mut found: BTreeMap<u32, [u32; 3]> = BTreeMap::new();
    for row in 0..height {
        for column in (0..width).filter(|&column| inside(column, row)) {
            each_fragment(plan, casts, column, row, |fragment| {
                let key = fragment.depth.to_bits() ^ header(fragments::DEPTH_FLIP);
                let known = found.entry(fragment.id).or_insert([0, u32::MAX, u32::MAX]);
                let [count, least, place] = known;
                *count += 1;
                if (key, row * width + column) < (*least, *place) {
                    (*least, *place) = (key, row * width + column);
                }
            });
        }
    }
    words.resize(reduce::HEADER_WORDS as usize, 0);
    words[0] = found.len() as u32;
    let room = (most - reduce::HEADER_WORDS) / reduce::FOUND_WORDS;
    for (id, [count, key, place]) in found.into_iter().take(room as usize) {
        words.extend([id, count, key, place]);
    }
}
