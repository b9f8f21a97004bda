//! One request under way: its plan, its frozen table, its slot and its ticket's share.

use std::sync::Arc;

use crate::backend::{Backend, Caps, PrimitiveIndex};
use crate::cull::{CullReport, CullScratch, overflowed, read_back_totals};
use crate::error::{ErrorKind, InputError, PickError};
use crate::frozen::Frozen;
use crate::hit::{Answer, AnyOutcome, IdImage, Report};
use crate::kit::ring::SlotId;
use crate::offer::Offers;
use crate::plan::{Aspect, Channel, Plan, Step, StrategyShader};
use crate::query::{Query, Through};
use crate::reduce::{self, Reduction};
use crate::request::{AnyRequest, Reduce};
use crate::samples::{Samples, Texels};
use crate::scene::Scene;
use crate::strategy::Strategy;
use crate::ticket::Share;

/// How a flight ends.
pub(super) type Outcome = Result<Answer<AnyOutcome>, PickError>;

/// What a plan is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    /// The request's pixels.
    Region,
    /// Whatever a later request may see: to prepare for it.
    Everything,
}

/// Whether a plan can be executed now.
#[derive(Clone, Debug)]
pub(crate) enum Planned {
    /// It can.
    Ready,
    /// Some draw can be had only through the builtin: not before the self-test is read, and with this
    /// error where it fails.
    NeedsVerdict(PickError),
}

#[derive(Debug)]
pub(crate) struct Flight {
    pub(super) request: AnyRequest,
    pub(super) sequence: u64,
    pub(super) late_polls: u32,
    pub(super) plan: Plan,
    pub(super) frozen: Frozen,
    pub(super) samples: Samples,
    pub(super) reduction: Reduction,
    culling: CullReport,
    scratch: CullScratch,
    slot: Option<SlotId>,
    /// It was recorded into a host's command stream, and what it runs again must be too.
    in_host: bool,
    /// It waits for a host's command stream to run again in.
    parked: bool,
    /// The slot waits for the self-test; this is how the pick ends when the builtin fails it.
    untrusted: Option<PickError>,
    share: Option<Arc<Share>>,
}

impl Flight {
    pub(crate) fn new(request: AnyRequest) -> Self {
        Self {
            plan: Plan::new(request.view, request.query.region()),
            frozen: Frozen::new(request.view),
            samples: Samples::default(),
            reduction: Reduction::None,
            culling: CullReport::default(),
            scratch: CullScratch::default(),
            request,
            sequence: 0,
            late_polls: 0,
            slot: None,
            in_host: false,
            parked: false,
            untrusted: None,
            share: None,
        }
    }

    pub(crate) fn plan_ref(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn slot(&self) -> Option<&SlotId> {
        self.slot.as_ref()
    }

    /// Its slot tells of the self-test, not of its own plan.
    pub(super) fn awaits_verdict(&self) -> bool {
        self.untrusted.is_some()
    }

    pub(super) fn begin(&mut self, share: Arc<Share>, sequence: u64) {
        self.share = Some(share);
        self.sequence = sequence;
        self.late_polls = 0;
    }

    /// Gives the slot back and the share out.
    pub(super) fn end(&mut self) -> Option<Arc<Share>> {
        self.slot = None;
        self.share.take()
    }

    /// Lets go of everything but the memory.
    pub(super) fn clear(&mut self) {
        self.slot = None;
        self.in_host = false;
        self.parked = false;
        self.untrusted = None;
        self.share = None;
        self.plan.clear();
        self.frozen.ranges.clear();
        self.samples.clear();
        self.scratch.blocks_built.clear();
    }

    /// Told by the answer only: a submission may be refused late, a host's commands may never run.
    fn tell_blocks_built(&mut self) {
        for set in self.scratch.blocks_built.drain(..) {
            set.built_blocks();
        }
    }

    /// Nobody holds the ticket any more.
    pub(super) fn is_cancelled(&self) -> bool {
        let share = self.share.as_ref();
        share.is_some_and(|share| Arc::strong_count(share) == 1)
    }

    /// Plans and executes. What needs the verdict on the self-test waits for it, with its plan frozen:
    /// [`Flight::launch_planned`] executes that.
    pub(super) fn launch<B: Backend>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
    ) -> Result<(), PickError> {
        match self.plan(backend.caps(), scene, Sees::Region)? {
            Planned::Ready => self.slot = Some(backend.execute(&self.plan, None)?),
            Planned::NeedsVerdict(untrusted) => {
                self.slot = Some(backend.start_self_test(self.plan.timeout_ms)?);
                self.untrusted = Some(untrusted);
            }
        }
        Ok(())
    }

    /// Executes what was planned before the verdict, now that it is there. Its time counts anew.
    pub(super) fn launch_planned<B: Backend>(&mut self, backend: &mut B) -> Result<(), PickError> {
        match (backend.caps().primitive_index, self.untrusted.take()) {
            (PrimitiveIndex::Trusted, _) | (_, None) => {
                self.slot = Some(backend.execute(&self.plan, None)?);
                Ok(())
            }
            (_, Some(untrusted)) => Err(untrusted),
        }
    }

    /// Plans and records into the host's command stream.
    pub(super) fn record<B: Backend>(
        &mut self,
        backend: &mut B,
        scene: &mut Scene,
        host: B::Host<'_>,
    ) -> Result<(), PickError> {
        match self.plan(backend.caps(), scene, Sees::Region)? {
            Planned::Ready => {
                self.slot = Some(backend.execute(&self.plan, Some(host))?);
                self.in_host = true;
            }
            Planned::NeedsVerdict(_) => return Err(PickError::new(ErrorKind::NotPrepared)),
        }
        Ok(())
    }

    /// How many fragments were found, where the list had no room for all of them.
    pub(super) fn overflow(&self, bytes: &[u8]) -> Option<u32> {
        if self.reduction != Reduction::Fragments {
            return None;
        }
        let texels = Texels::new(
            bytes,
            &self.plan.readbacks,
            self.plan.pixels_read() as usize,
        )?;
        let list = texels.block(Channel::Fragments, Aspect::Color);
        let (found, room) = reduce::found_and_room(&self.plan, list);
        (found > room).then_some(found)
    }

    /// Executes the plan again, with room for so many fragments; what was recorded by a host waits for the host's
    /// next commands. Its time counts anew.
    ///
    /// # Errors
    /// As executing it; `Unsupported` where there can be no such room.
    pub(super) fn again<B: Backend>(
        &mut self,
        backend: &mut B,
        found: u32,
    ) -> Result<(), PickError> {
        self.slot = None;
        reduce::widen(backend.caps(), &mut self.plan, found)?;
        match self.in_host {
            true => self.parked = true,
            false => self.slot = Some(backend.execute(&self.plan, None)?),
        }
        Ok(())
    }

    /// It waits for a host's command stream.
    pub(super) fn is_parked(&self) -> bool {
        self.parked
    }

    /// Records what waits for a host's command stream.
    pub(super) fn resume<B: Backend>(
        &mut self,
        backend: &mut B,
        host: B::Host<'_>,
    ) -> Result<(), PickError> {
        self.parked = false;
        self.slot = Some(backend.execute(&self.plan, Some(host))?);
        Ok(())
    }

    /// Freezes the view and the scene into a plan.
    pub(crate) fn plan(
        &mut self,
        caps: &Caps,
        scene: &mut Scene,
        sees: Sees,
    ) -> Result<Planned, PickError> {
        let AnyRequest {
            view,
            query,
            options,
        } = &self.request;
        let region = query.region();
        check(region, caps, options.timeout_ms)?;
        let plan = &mut self.plan;
        plan.clear();
        plan.view = *view;
        plan.region = region;
        plan.margin = margin(region, caps);
        plan.label = options.label.clone();
        plan.timeout_ms = options.timeout_ms;
        self.frozen.ranges.clear();
        self.scratch.blocks_built.clear();
        self.frozen.view = *view;
        let strategy = options.strategy.get();
        let mut offers = Offers::new(caps, options, plan, &mut self.frozen, &mut self.scratch);
        if sees == Sees::Everything {
            offers.see_everything();
        }
        offers.serve(query);
        scene.offer(&mut offers)?;
        let untrusted = offers.untrusted.take();
        self.culling = offers.culling;
        let (needs_surface, packs_faces) = (offers.needs_surface, offers.packs_faces);
        offers.finish();
        plan.shader = match strategy.shader(needs_surface) {
            StrategyShader::IntegerId { faces } => StrategyShader::IntegerId {
                faces: faces && packs_faces,
            },
            shader => shader,
        };
        plan.fragment_depth =
            caps.reversed_depth_in_fragment && view.depth() == crate::DepthConvention::Reversed;
        self.frozen.ids_are_draw_numbers = false;
        self.frozen.depth_unreadable = false;
        match query {
            Query::Drill { most, .. } => {
                let primitive = strategy.shader(false).needs_primitive();
                reduce::plan_list(caps, primitive, *most, plan)?;
                self.reduction = Reduction::Fragments;
            }
            Query::Area(area) if area.through() != Through::Visible => {
                reduce::plan_through(area, caps, &self.frozen, plan)?;
                self.reduction = Reduction::Found;
            }
            _ => {
                plan_strategy(strategy, caps, plan)?;
                self.frozen.ids_are_draw_numbers = strategy.ids_are_draw_numbers();
                self.frozen.depth_unreadable =
                    strategy.ids_are_draw_numbers() && !reads_depth(plan);
                self.reduction = match options.reduce {
                    Reduce::Auto => reduce::plan(query, caps, &self.frozen, plan),
                    Reduce::Cpu => Reduction::None,
                };
            }
        }
        read_back_totals(plan);
        Ok(untrusted.map_or(Planned::Ready, Planned::NeedsVerdict))
    }

    /// Decodes and resolves.
    pub(super) fn answer(&mut self, bytes: &[u8], scene: &Scene) -> Outcome {
        self.tell_blocks_built();
        let pixels = match (self.reduction, &self.request.query) {
            (Reduction::Places, Query::Points(points)) => points.pixels().len(),
            (Reduction::Nearest, _) => 1,
            _ => self.plan.pixels_read() as usize,
        };
        let texels = Texels::new(bytes, &self.plan.readbacks, pixels)
            .ok_or_else(|| PickError::broken("the read-back is shorter than its plan"))?;
        self.culling.overflowed = overflowed(&texels);
        self.samples.clear();
        let strategy = self.request.options.strategy.get();
        match self.reduction {
            Reduction::Found => {}
            Reduction::Fragments => {
                let list = texels.block(Channel::Fragments, Aspect::Color);
                let primitive = self.plan.shader.needs_primitive();
                reduce::read_fragments(list, primitive, &mut self.samples);
            }
            Reduction::None | Reduction::Places | Reduction::Nearest => {
                strategy.decode(&texels, &mut self.samples);
            }
        }
        let result = match &self.request.query {
            Query::Point { .. } => AnyOutcome::Point(self.hit_at(scene, 0, 0)?),
            Query::Points(points) => AnyOutcome::Points(self.hits(scene, points)?),
            Query::Near(disc) => AnyOutcome::Near(self.near(scene, disc, &texels)?),
            Query::Drill { most, .. } => AnyOutcome::Drill(self.drill(scene, *most)?),
            Query::Area(area) => AnyOutcome::Area(self.area(scene, area, &texels)?),
            Query::IdImage { region } => {
                let region = *region;
                self.frozen.mark_removed(scene);
                AnyOutcome::IdImage(Box::new(IdImage {
                    region,
                    samples: std::mem::take(&mut self.samples),
                    frozen: std::mem::replace(&mut self.frozen, Frozen::new(self.plan.view)),
                    surface: self.request.options.surface,
                }))
            }
        };
        Ok(Answer {
            result,
            request: self.request.clone(),
            sequence: self.sequence,
            late_polls: self.late_polls,
            report: self.report(),
        })
    }

    fn report(&self) -> Report {
        let passes = |step: &&Step| matches!(step, Step::Pass(_));
        let planes = |step: &&Step| matches!(step, Step::Pass(pass) if pass.stencil_plane.is_some() && pass.clear_ids);
        Report {
            items: self.plan.items.len(),
            passes: self.plan.steps.iter().filter(passes).count() as u32,
            bytes_read_back: self.plan.total_readback_bytes(),
            stencil_planes: self.plan.steps.iter().filter(planes).count() as u32,
            reduced_on_device: self.plan.kernels().any(|step| !step.kernel.culls()),
            culling: self.culling,
        }
    }
}

fn plan_strategy(strategy: &dyn Strategy, caps: &Caps, plan: &mut Plan) -> Result<(), PickError> {
    let kernels = plan.kernels().count();
    strategy.plan(caps, plan)?;
    match plan.kernels().count() < kernels {
        true => Err(PickError::broken(
            "the strategy left out kernels of the plan: it may add steps, not replace them",
        )),
        false => Ok(()),
    }
}

fn check(region: crate::PixelRect, caps: &Caps, timeout_ms: u64) -> Result<(), PickError> {
    let limit = caps.max_target_side;
    let (width, height) = (region.width, region.height);
    if width > limit || height > limit {
        return Err(InputError::RegionTooLarge {
            width,
            height,
            limit,
        }
        .into());
    }
    if timeout_ms == 0 {
        return Err(InputError::BadTimeout.into());
    }
    Ok(())
}

/// Pixels by which clipping is kept away from the region, where the device's viewports allow it.
const MARGIN: u32 = 32;

fn margin(region: crate::PixelRect, caps: &Caps) -> u32 {
    let left = caps
        .max_target_side
        .saturating_sub(region.width.max(region.height));
    (left / 2).min(MARGIN)
}

fn reads_depth(plan: &Plan) -> bool {
    plan.readbacks.iter().any(|readback| {
        readback.aspect == Aspect::Depth
            || matches!(readback.channel, Channel::DepthBits | Channel::IdDepth)
    })
}
