//! Planning passes that keep every fragment: a list of those under one pixel, or a table of the ids in an area.

use super::device::{Words, id_range, region_params, run, take_answer};
use crate::backend::Caps;
use crate::error::{Capability, PickError};
use crate::frozen::Frozen;
use crate::layout::{ReduceParams, fragments, reduce};
use crate::plan::{
    BufferIndex, Channel, ComputeBinding, Keeps, Kernel, PassStep, Plan, ReadbackSize, ScratchRole,
    Step, StrategyShader, TargetFormat, TargetIndex,
};
use crate::query::{Area, Through};
use crate::reduce::depth_flip;

/// So many times as many fragments have room as are asked for: they come in no order. All of the room is read
/// back, and where the CPU reads slowly out of it a larger one takes longer than the pick.
const ROOM: u32 = 4;
/// The least room: one page of memory.
const LEAST_ROOM: u32 = 256;
const MOST_ROOM: u32 = 1 << 16;

/// Plans a list of the fragments of the region's only pixel, for an answer of `most` of them.
///
/// # Errors
/// `Unsupported` where fragments cannot be listed.
pub(crate) fn plan_list(
    caps: &Caps,
    primitive: bool,
    most: u32,
    plan: &mut Plan,
) -> Result<(), PickError> {
    check(caps)?;
    plan.shader = StrategyShader::ListFragments { primitive };
    let room = most.saturating_mul(ROOM).clamp(LEAST_ROOM, MOST_ROOM);
    let buffer = plan.add_scratch(0, ScratchRole::Reduction);
    let mut header = [0; fragments::HEADER as usize];
    header[fragments::DEPTH_FLIP as usize] = depth_flip(plan.view.depth());
    header[fragments::FIRST as usize] = fragments::HEADER;
    header[fragments::WIDTH as usize] = plan.region.width;
    plan.words.extend(header);
    plan.steps.push(Step::Upload(buffer));
    pass(plan, buffer);
    plan.read_back_words(buffer, 0, 0, Channel::Fragments);
    give_room(plan, buffer, room);
    Ok(())
}

fn check(caps: &Caps) -> Result<(), PickError> {
    match caps.fragment_lists {
        true => Ok(()),
        false => Err(PickError::unsupported(
            Capability::FragmentStorage,
            "what is hidden is found by fragments that write a storage buffer, which this device's cannot",
        )),
    }
}

fn give_room(plan: &mut Plan, buffer: BufferIndex, room: u32) {
    let words = u64::from(fragments::HEADER) + u64::from(room) * u64::from(fragments::WORDS);
    plan.words[fragments::ROOM as usize] = room;
    plan.scratch[buffer.0].bytes = words * 4;
    for readback in &mut plan.readbacks {
        if readback.channel == Channel::Fragments {
            readback.size = ReadbackSize::Fixed((words * 4) as u32);
        }
    }
}

/// How many fragments a list was told of, and had room for.
pub(crate) fn found_and_room(plan: &Plan, list: &[u8]) -> (u32, u32) {
    let found = list
        .first_chunk()
        .map_or(0, |word| u32::from_le_bytes(*word));
    (
        found,
        plan.words
            .get(fragments::ROOM as usize)
            .copied()
            .unwrap_or(0),
    )
}

/// Has a list find room for so many fragments when the plan is executed again.
///
/// # Errors
/// `Unsupported` for more than a binding of the device holds.
pub(crate) fn widen(caps: &Caps, plan: &mut Plan, found: u32) -> Result<(), PickError> {
    let words = u64::from(fragments::HEADER) + u64::from(found) * u64::from(fragments::WORDS);
    let most = caps.max_storage_binding_bytes.min(u64::from(u32::MAX));
    let list = plan
        .scratch
        .iter()
        .position(|scratch| scratch.role == ScratchRole::Reduction);
    match list.filter(|_| words * 4 <= most) {
        Some(list) => {
            give_room(plan, BufferIndex(list), found);
            Ok(())
        }
        None => Err(PickError::unsupported(
            Capability::BufferSize,
            format!(
                "{found} fragments lie under the pixel, more than a binding of {most} bytes holds"
            ),
        )),
    }
}

/// One pass over everything: bands are told apart by ids.
fn pass(plan: &mut Plan, buffer: BufferIndex) {
    let known = plan.targets.first().map(|_| TargetIndex(0));
    let depth =
        known.unwrap_or_else(|| plan.add_target(TargetFormat::Depth32Float, Channel::Depth));
    plan.steps.push(Step::Pass(PassStep {
        items: 0..plan.items.len(),
        colors: [None, None],
        depth,
        clear_ids: true,
        stencil_plane: None,
        keeps: Keeps::All(buffer),
        mask: None,
    }));
}

/// Plans a table of the ids that have fragments in an area, or that are inside it as a whole, and a list of those.
///
/// # Errors
/// `Unsupported` where fragments cannot be told to a buffer, or kernels do not run; for more ids than a
/// binding of the device holds.
pub(crate) fn plan_through(
    area: &Area,
    caps: &Caps,
    frozen: &Frozen,
    plan: &mut Plan,
) -> Result<(), PickError> {
    check(caps)?;
    if !(caps.reductions || caps.casts_rays) {
        return Err(PickError::unsupported(
            Capability::Kernels,
            "what is hidden in an area is listed by compute kernels, which this device does not run",
        ));
    }
    let contained = area.through() == Through::Contained;
    plan.shader = match contained {
        true => StrategyShader::TallyTriangles,
        false => StrategyShader::TallyFragments,
    };
    let (first_id, id_count) = id_range(frozen);
    let mask = area.mask().unwrap_or_default();
    plan.words.extend([0; fragments::HEADER as usize]);
    plan.words.extend(mask);
    let mut words = Words::new(plan, caps);
    let table = words.take(u64::from(id_count) * u64::from(reduce::TABLE_WORDS));
    let capacity = area.capacity().min(id_count);
    let answer = take_answer(&mut words, capacity);
    if !words.fits() {
        return Err(PickError::unsupported(
            Capability::BufferSize,
            format!(
                "{id_count} ids take more than a binding of {} bytes: ask for a smaller area",
                caps.max_storage_binding_bytes
            ),
        ));
    }
    let flip = depth_flip(plan.view.depth());
    let header = [
        (fragments::ROOM, id_count),
        (fragments::DEPTH_FLIP, flip),
        (fragments::FIRST, table),
        (fragments::FIRST_ID, first_id),
        (fragments::WIDTH, plan.region.width),
        (fragments::HAS_MASK, u32::from(area.mask().is_some())),
        (fragments::MASK, fragments::HEADER),
    ];
    for (at, word) in header {
        plan.words[at as usize] = word;
    }
    let params = ReduceParams {
        first_id,
        id_count,
        table,
        answer,
        capacity,
        contained: u32::from(contained),
        ..region_params(plan)
    };
    words.close(plan);
    let buffer = words.buffer();
    let bindings = [
        ComputeBinding::None,
        ComputeBinding::None,
        ComputeBinding::Scratch(buffer),
    ];
    run(plan, Kernel::ClearTable, params, bindings, id_count);
    pass(plan, buffer);
    run(plan, Kernel::BeginPlaces, params, bindings, 1);
    pass(plan, buffer);
    run(plan, Kernel::ListIds, params, bindings, 1);
    words.read_answer(plan, answer, capacity);
    Ok(())
}
