//! Planning the kernels that reduce a region's pixels on the device, so that what is read back grows with the
//! answer and not with the pixels.

use crate::backend::Caps;
use crate::frozen::Frozen;
use crate::layout::{ReduceParams, cull, mask, reduce};
use crate::plan::{
    Aspect, BufferIndex, Channel, ComputeBinding, ComputeStep, CopySource, CopyStep, IdTexels,
    Kernel, KernelParams, Mask, Plan, ReadbackSize, ScratchRole, Step, TargetIndex, Texel,
};
use crate::query::{Area, Disc, Points, Query};

/// What a plan reads back of its region's pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// All of them.
    #[default]
    None,
    /// Those of a batch, in its order.
    Places,
    /// The one of a disc that answers, and its place.
    Nearest,
    /// What an area has of each id.
    Found,
    /// Every fragment under a pixel.
    Fragments,
}

/// Where at most one pixel in so many is asked about, the others are not drawn.
const SPARSE: u64 = 8;

/// Pixels, runs of pixels or ids that one workgroup goes through.
const CHUNK: u32 = 256;

/// Changes a plan that reads back every pixel of its region so that it reads what the query asks for, where the
/// device and the strategy's targets allow it.
pub(crate) fn plan(query: &Query, caps: &Caps, frozen: &Frozen, plan: &mut Plan) -> Reduction {
    match query {
        Query::Points(points) if caps.casts_rays => {
            plan.places.extend(places(points));
            Reduction::Places
        }
        _ if !caps.reductions => Reduction::None,
        Query::Points(points) => gather_points(points, caps, plan),
        Query::Near(disc) => nearest(disc, caps, frozen, plan),
        Query::Area(area) => found(area, caps, frozen, plan),
        Query::Point { .. } | Query::Drill { .. } | Query::IdImage { .. } => Reduction::None,
    }
}

/// The places of a batch's pixels in its region.
fn places(points: &Points) -> impl Iterator<Item = u32> {
    let region = points.region();
    let pixels = points.pixels().iter();
    pixels.map(move |[x, y]| (y - region.y) * region.width + (x - region.x))
}

/// Where a strategy's texels are: which target is copied into which read-back.
#[derive(Clone, Copy)]
struct Copied {
    target: TargetIndex,
    readback: usize,
    texel: Texel,
}

/// The most targets that a strategy reads back.
const COPIES: usize = 4;

/// What a plan copies out of its targets, if kernels can read all of it when everything is drawn.
fn copies(plan: &Plan) -> Option<[Option<Copied>; COPIES]> {
    let (mut found, mut count) = ([None; COPIES], 0);
    for step in &plan.steps {
        match step {
            Step::Copy(CopyStep {
                from: CopySource::Target { target, aspect },
                readback,
            }) => {
                let format = plan.targets.get(target.0)?.format;
                let texel = format.texel().filter(|_| *aspect == Aspect::Color)?;
                *found.get_mut(count)? = Some(Copied {
                    target: *target,
                    readback: *readback,
                    texel,
                });
                count += 1;
            }
            // A target may be drawn into again behind its copy.
            Step::Pass(_) | Step::StencilBits { .. } if count > 0 => return None,
            _ => {}
        }
    }
    (count > 0).then_some(found)
}

/// Takes the copies out of a plan's steps, but not their read-backs.
fn remove_copies(plan: &mut Plan) {
    plan.steps.retain(|step| !matches!(step, Step::Copy(_)));
}

/// Words of a plan's reduction, laid out one behind the other.
pub(super) struct Words {
    buffer: BufferIndex,
    end: u64,
    most: u64,
}

impl Words {
    /// Behind what is uploaded.
    pub(super) fn new(plan: &mut Plan, caps: &Caps) -> Self {
        Self {
            buffer: plan.add_scratch(0, ScratchRole::Reduction),
            end: plan.words.len() as u64,
            most: (caps.max_storage_binding_bytes / 4).min(u64::from(u32::MAX)),
        }
    }

    /// So many more; the first of them.
    pub(super) fn take(&mut self, words: u64) -> u32 {
        let first = self.end;
        self.end += words;
        first as u32 // told by `fits` where it is not
    }

    pub(super) fn fits(&self) -> bool {
        self.end <= self.most
    }

    /// Has the buffer as large as its words are.
    pub(super) fn close(&self, plan: &mut Plan) {
        plan.scratch[self.buffer.0].bytes = self.end * 4;
        if !plan.words.is_empty() {
            plan.steps.push(Step::Upload(self.buffer));
        }
    }

    pub(super) fn buffer(&self) -> BufferIndex {
        self.buffer
    }

    /// Has an area's answer read back.
    pub(super) fn read_answer(&self, plan: &mut Plan, answer: u32, capacity: u32) {
        let (offset, bytes) = (u64::from(answer) * 4, answer_words(capacity) as u32 * 4);
        plan.read_back_words(self.buffer, offset, bytes, Channel::FoundIds);
    }

    /// Nothing is reduced: leaves the plan as it was.
    fn give_up(plan: &mut Plan) -> Reduction {
        plan.scratch.pop();
        plan.words.clear();
        Reduction::None
    }
}

pub(super) fn run(
    plan: &mut Plan,
    kernel: Kernel,
    params: ReduceParams,
    bindings: [ComputeBinding; 3],
    items: u32,
) {
    let groups = items.div_ceil(CHUNK).max(1);
    let along_x = groups.min(cull::GROUPS_WIDE);
    plan.steps.push(Step::Compute(ComputeStep {
        kernel,
        params: KernelParams::Reduce(params),
        bindings,
        workgroups: [along_x, groups.div_ceil(cull::GROUPS_WIDE)],
    }));
}

/// Has the texels at some places read back in place of every pixel's; the places are words of the buffer.
struct Gathering {
    copies: [Option<Copied>; COPIES],
    /// The first word of each copy's texels.
    texels: [u32; COPIES],
}

impl Gathering {
    fn new(words: &mut Words, copies: [Option<Copied>; COPIES], places: u32) -> Self {
        let texels = copies.map(|copied| {
            let each = copied.map_or(0, |copied| texel_words(copied.texel));
            words.take(u64::from(places) * u64::from(each))
        });
        Self { copies, texels }
    }

    /// Adds the kernels, then the copies of what they left.
    fn plan(&self, plan: &mut Plan, words: &Words, params: ReduceParams) {
        let of_each = || self.copies.iter().flatten().zip(self.texels);
        for (copied, answer) in of_each() {
            let params = ReduceParams { answer, ..params };
            let bindings = [
                ComputeBinding::Target(copied.target),
                ComputeBinding::None,
                ComputeBinding::Scratch(words.buffer),
            ];
            let kernel = Kernel::Gather(copied.texel);
            run(plan, kernel, params, bindings, params.place_count);
        }
        for (copied, answer) in of_each() {
            let bytes = params.place_count * texel_words(copied.texel) * 4;
            plan.readbacks[copied.readback].size = ReadbackSize::Fixed(bytes);
            plan.steps.push(Step::Copy(CopyStep {
                from: CopySource::Scratch {
                    buffer: words.buffer,
                    offset: u64::from(answer) * 4,
                },
                readback: copied.readback,
            }));
        }
    }
}

fn texel_words(texel: Texel) -> u32 {
    match texel {
        Texel::Bytes | Texel::Word => 1,
        Texel::TwoWords => 2,
        Texel::FourWords => 4,
    }
}

pub(super) fn region_params(plan: &Plan) -> ReduceParams {
    ReduceParams {
        width: plan.region.width,
        height: plan.region.height,
        depth_flip: super::depth_flip(plan.view.depth()),
        ..ReduceParams::default()
    }
}

/// Has the passes draw the pixels of a batch only, whose places the buffer has.
fn open_only(plan: &mut Plan, buffer: BufferIndex, count: u32) {
    for step in &mut plan.steps {
        if let Step::Pass(pass) = step {
            pass.mask = Some(Mask { buffer, count });
        }
    }
    // Before the passes, which read it now.
    if let Some(Step::Upload(to)) = plan.steps.pop() {
        plan.steps.insert(0, Step::Upload(to));
    }
}

fn gather_points(points: &Points, caps: &Caps, plan: &mut Plan) -> Reduction {
    let Some(copies) = copies(plan) else {
        return Reduction::None;
    };
    let mut header = [0; mask::HEADER as usize];
    header[mask::WIDTH as usize] = plan.region.width;
    header[mask::HEIGHT as usize] = plan.region.height;
    header[mask::MARGIN as usize] = plan.margin;
    header[mask::DEPTH as usize] = plan.view.depth().clear_depth().to_bits();
    plan.words.extend(header);
    plan.words.extend(places(points));
    let count = points.pixels().len() as u32; // at most `MOST_POINTS`
    let mut words = Words::new(plan, caps);
    let gathering = Gathering::new(&mut words, copies, count);
    if !words.fits() {
        return Words::give_up(plan);
    }
    remove_copies(plan);
    words.close(plan);
    if u64::from(count) * SPARSE <= plan.region.pixel_count() {
        open_only(plan, words.buffer, count);
    }
    let params = ReduceParams {
        places: mask::HEADER,
        place_count: count,
        ..region_params(plan)
    };
    gathering.plan(plan, &words, params);
    Reduction::Places
}

/// Where ids and depths are.
fn id_targets(frozen: &Frozen, plan: &Plan) -> Option<(IdTexels, [ComputeBinding; 2])> {
    if frozen.ids_are_draw_numbers {
        return None;
    }
    let target = |channel| {
        let at = plan.targets.iter().position(|t| t.channel == channel)?;
        Some(ComputeBinding::Target(TargetIndex(at)))
    };
    let words = target(Channel::Detailed).or_else(|| target(Channel::IdDepth));
    match words {
        Some(words) => Some((IdTexels::Words, [words, ComputeBinding::None])),
        None => {
            let both = [target(Channel::IdBytes)?, target(Channel::DepthBits)?];
            Some((IdTexels::Bytes, both))
        }
    }
}

fn nearest(disc: &Disc, caps: &Caps, frozen: &Frozen, plan: &mut Plan) -> Reduction {
    let (Some(copies), Some((texels, [ids, depths]))) = (copies(plan), id_targets(frozen, plan))
    else {
        return Reduction::None;
    };
    let mut band = None;
    for range in &frozen.ranges {
        if band.replace(range.band) != Some(range.band) {
            plan.words
                .extend([range.ids.first, u32::from(range.band.0)]);
        }
    }
    let mut words = Words::new(plan, caps);
    let place = words.take(1);
    let gathering = Gathering::new(&mut words, copies, 1);
    if !words.fits() {
        return Words::give_up(plan);
    }
    let region = plan.region;
    let params = ReduceParams {
        bands: 0,
        band_count: plan.words.len() as u32 / 2,
        center_x: disc.center()[0] - region.x,
        center_y: disc.center()[1] - region.y,
        squared_reach: disc.squared_reach() as u32, // at most the square of `MOST_RADIUS_PX`
        places: place,
        place_count: 1,
        answer: place,
        ..region_params(plan)
    };
    remove_copies(plan);
    words.close(plan);
    let bindings = [ids, depths, ComputeBinding::Scratch(words.buffer)];
    run(plan, Kernel::NearestInDisc(texels), params, bindings, 1);
    gathering.plan(plan, &words, params);
    let offset = u64::from(place) * 4;
    plan.read_back_words(words.buffer, offset, 4, Channel::NearestPlace);
    Reduction::Nearest
}

/// The first id that was handed out, and how many were; one where there is none.
pub(super) fn id_range(frozen: &Frozen) -> (u32, u32) {
    let first = frozen.ranges.first().map_or(1, |range| range.ids.first);
    let end = frozen.ranges.last().map_or(2, |range| {
        u64::from(range.ids.first) + u64::from(range.ids.count)
    });
    // All ids fit into 32 bits, and none is 0.
    (first, (end - u64::from(first)) as u32)
}

fn answer_words(capacity: u32) -> u64 {
    u64::from(reduce::HEADER_WORDS) + u64::from(capacity) * u64::from(reduce::FOUND_WORDS)
}

/// Room for an area's answer.
pub(super) fn take_answer(words: &mut Words, capacity: u32) -> u32 {
    words.take(answer_words(capacity))
}

fn found(area: &Area, caps: &Caps, frozen: &Frozen, plan: &mut Plan) -> Reduction {
    let Some((texels, [ids, depths])) = id_targets(frozen, plan) else {
        return Reduction::None;
    };
    if copies(plan).is_none() {
        return Reduction::None;
    }
    plan.words.extend(area.mask().unwrap_or_default());
    let (first_id, id_count) = id_range(frozen);
    let capacity = area.capacity().min(id_count);
    let mut words = Words::new(plan, caps);
    let table = words.take(u64::from(id_count) * u64::from(reduce::TABLE_WORDS));
    let answer = take_answer(&mut words, capacity);
    if !words.fits() {
        return Words::give_up(plan);
    }
    let params = ReduceParams {
        mask: 0,
        has_mask: u32::from(area.mask().is_some()),
        first_id,
        id_count,
        table,
        answer,
        capacity,
        ..region_params(plan)
    };
    remove_copies(plan);
    plan.readbacks.clear();
    words.close(plan);
    let scratch = ComputeBinding::Scratch(words.buffer);
    let (none, runs) = (
        ComputeBinding::None,
        plan.region.width.div_ceil(reduce::RUN),
    );
    // No target has 2^32 pixels.
    let runs = runs * plan.region.height;
    run(
        plan,
        Kernel::ClearTable,
        params,
        [none, none, scratch],
        id_count,
    );
    run(
        plan,
        Kernel::TallyIds(texels),
        params,
        [ids, depths, scratch],
        runs,
    );
    run(
        plan,
        Kernel::PlaceIds(texels),
        params,
        [ids, depths, scratch],
        runs,
    );
    run(plan, Kernel::ListIds, params, [none, none, scratch], 1);
    words.read_answer(plan, answer, capacity);
    Reduction::Found
}
