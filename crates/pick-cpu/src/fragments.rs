//! Every hit of a pixel's ray, for plans that keep all fragments: listed, or tallied by id.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec2, DVec3, DVec4};
use pick_core::layout::{FRONT_BIT, fragments, reduce};
use pick_core::{Item, PickError, Plan, Readback, ReadbackSize, StrategyShader, View};

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
        StrategyShader::TallyTriangles => triangles(plan, casts, bytes / 4, &mut words),
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

/// A word of what the plan uploads; 0 beyond its end.
fn header(plan: &Plan, word: u32) -> u32 {
    plan.words.get(word as usize).copied().unwrap_or(0)
}

/// Whether a pixel of the region is in the area.
fn is_inside(plan: &Plan, column: u32, row: u32) -> bool {
    let row_words = plan.region.width.div_ceil(reduce::RUN);
    let word = header(plan, fragments::MASK) + row * row_words + column / reduce::RUN;
    let masked = header(plan, fragments::HAS_MASK) != 0;
    !masked || header(plan, word) >> (column % reduce::RUN) & 1 != 0
}

/// By id: how many, the least key, where that is.
type Found = BTreeMap<u32, [u32; 3]>;

fn add(found: &mut Found, id: u32, key: u32, place: u32) {
    let [count, least, at] = found.entry(id).or_insert([0, u32::MAX, u32::MAX]);
    *count += 1;
    if (key, place) < (*least, *at) {
        (*least, *at) = (key, place);
    }
}

fn write_found(found: Found, most: u32, words: &mut Vec<u32>) {
    words.resize(reduce::HEADER_WORDS as usize, 0);
    words[0] = found.len() as u32;
    let room = (most - reduce::HEADER_WORDS) / reduce::FOUND_WORDS;
    for (id, [count, key, place]) in found.into_iter().take(room as usize) {
        words.extend([id, count, key, place]);
    }
}

/// The ids of which all that is between the near and the far plane is in the area.
fn triangles(plan: &Plan, casts: &Casts, most: u32, words: &mut Vec<u32>) {
    let region = plan.region;
    let mut outside = BTreeSet::new();
    let mut found = Found::new();
    for (item, drawn) in plan.items.iter().enumerate() {
        let Item::Draw(draw) = drawn else { continue };
        casts.each_triangle(draw, item, |instance, corners| {
            let id = draw.ids.first + instance * draw.record.ids_per_instance;
            for end in visible_ends(&plan.view, corners) {
                let at = target_of(&plan.view, end)
                    - DVec2::new(f64::from(region.x), f64::from(region.y));
                let size = DVec2::new(f64::from(region.width), f64::from(region.height));
                let within = at.cmpge(DVec2::ZERO).all() && at.cmplt(size).all();
                let pixel = at.clamp(DVec2::ZERO, size - 1.0).floor();
                let (column, row) = (pixel.x as u32, pixel.y as u32);
                if !(within && is_inside(plan, column, row)) {
                    outside.insert(id);
                }
                let depth = (end.z / end.w).clamp(0.0, 1.0) as f32;
                let key = depth.to_bits() ^ header(plan, fragments::DEPTH_FLIP);
                add(&mut found, id, key, row * region.width + column);
            }
        });
    }
    found.retain(|id, _| !outside.contains(id));
    write_found(found, most, words);
}

/// Where a place in clip space is in the target, in pixels.
fn target_of(view: &View, clip: DVec4) -> DVec2 {
    let viewport = view.viewport();
    let ndc = DVec2::new(clip.x, -clip.y) / clip.w;
    let size = DVec2::new(f64::from(viewport.width), f64::from(viewport.height));
    let origin = DVec2::new(f64::from(viewport.x), f64::from(viewport.y));
    origin + (ndc * 0.5 + 0.5) * size
}

/// The ends of a triangle's edges between the near and the far plane, in clip space.
fn visible_ends(view: &View, corners: [DVec3; 3]) -> impl Iterator<Item = DVec4> {
    let clip = corners.map(|corner| view.clip_from_world() * corner.extend(1.0));
    [0, 1, 2].into_iter().flat_map(move |k| {
        let (a, b) = (clip[k], clip[(k + 1) % 3]);
        let (mut start, mut end) = (0.0, 1.0);
        for (from, to) in [(a.z, b.z), (a.w - a.z, b.w - b.z)] {
            if from < 0.0 {
                start = f64::max(start, if to < 0.0 { 2.0 } else { from / (from - to) });
            } else if to < 0.0 {
                end = f64::min(end, from / (from - to));
            }
        }
        let ends = [a.lerp(b, start), a.lerp(b, end)];
        let seen = start <= end && ends.iter().all(|end| end.is_finite());
        ends.into_iter().filter(move |_| seen)
    })
}

fn tally(plan: &Plan, casts: &Casts, most: u32, words: &mut Vec<u32>) {
    let (width, height) = (plan.region.width, plan.region.height);
    let mut found = Found::new();
    for row in 0..height {
        for column in (0..width).filter(|&column| is_inside(plan, column, row)) {
            each_fragment(plan, casts, column, row, |fragment| {
                let key = fragment.depth.to_bits() ^ header(plan, fragments::DEPTH_FLIP);
                add(&mut found, fragment.id, key, row * width + column);
            });
        }
    }
    write_found(found, most, words);
}
