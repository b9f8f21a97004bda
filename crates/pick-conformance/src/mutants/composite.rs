//! Faults of the depth test: items are drawn one by one and put together by another rule.

use pick_core::{Aspect, Backend, Channel, PickError, Plan, ReadbackSize, Step};

use crate::mutants::{Kind, Mutant};

/// Which of two fragments stays.
type Stays = fn(plan: &Plan, new: f32, old: f32) -> bool;

/// The read-backs by a rule of the mutant's own; `None` for mutants that have none.
pub(super) fn compose<B: Backend>(
    mutant: &mut Mutant<B>,
    plan: &Plan,
) -> Result<Option<Vec<u8>>, PickError> {
    let rule: Stays = match mutant.kind {
        Kind::RecomposedFaithfully => |plan, new, old| plan.view.depth().is_nearer(new, old),
        Kind::FarthestWins => |plan, new, old| plan.view.depth().is_nearer(old, new),
        Kind::LastDrawnWins => |_, _, _| true,
        Kind::LastOfATieWins => |plan, new, old| !plan.view.depth().is_nearer(old, new),
        _ => return Ok(None),
    };
    let mut picture: Option<Vec<u8>> = None;
    for item in 0..plan.items.len() {
        let drawn = mutant.run(&only(plan, item))?;
        match &mut picture {
            None => picture = Some(drawn),
            Some(picture) => merge(plan, picture, &drawn, rule),
        }
    }
    Ok(picture)
}

/// The plan with one of its items.
fn only(plan: &Plan, item: usize) -> Plan {
    let mut one = plan.clone();
    one.items = vec![plan.items[item].clone()];
    one.bands = std::iter::once(0..1).collect();
    one.steps.retain_mut(|step| match step {
        Step::Pass(pass) => {
            pass.items = 0..1;
            pass.clear_ids
        }
        _ => true,
    });
    one
}

fn merge(plan: &Plan, picture: &mut [u8], drawn: &[u8], rule: Stays) {
    let pixels = plan.pixels_read() as usize;
    for pixel in 0..pixels {
        let new = fragment(plan, drawn, pixel);
        let old = fragment(plan, picture, pixel);
        let stays = match (new, old) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(new), Some(old)) => rule(plan, new, old),
        };
        if stays {
            copy_pixel(plan, picture, drawn, pixel);
        }
    }
}

/// The depth of a pixel that is covered.
fn fragment(plan: &Plan, bytes: &[u8], pixel: usize) -> Option<f32> {
    let (mut covered, mut depth) = (false, 0.0);
    each_block(plan, |channel, aspect, start, size| {
        let at = start + pixel * size;
        let word = |k: usize| {
            let bytes = bytes.get(at + k * 4..at + k * 4 + 4);
            let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u32::from_le_bytes)
        };
        match (channel, aspect) {
            (Channel::IdBytes, _) => covered |= word(0) != 0,
            (Channel::DepthBits, _) | (_, Aspect::Depth) => depth = f32::from_bits(word(0)),
            (Channel::IdDepth | Channel::Detailed, _) => {
                covered |= word(0) != 0;
                depth = f32::from_bits(word(1));
            }
            (_, Aspect::Stencil) => covered |= bytes[at] != 0,
            _ => {}
        }
    });
    covered.then_some(depth)
}

fn copy_pixel(plan: &Plan, to: &mut [u8], from: &[u8], pixel: usize) {
    each_block(plan, |_, _, start, size| {
        let at = start + pixel * size..start + (pixel + 1) * size;
        to[at.clone()].copy_from_slice(&from[at]);
    });
}

fn each_block(plan: &Plan, mut each: impl FnMut(Channel, Aspect, usize, usize)) {
    let mut start = 0;
    for readback in &plan.readbacks {
        if let ReadbackSize::PerPixel(size) = readback.size {
            each(readback.channel, readback.aspect, start, size as usize);
        }
        start += readback.bytes(plan.pixels_read()) as usize;
    }
}
