//! Faults of what is drawn: the plan is corrupted before the wrapped backend sees it.

use glam::{DMat4, DVec3};
use pick_core::layout::CullParams;
use pick_core::{CullMode, Item, Kernel, KernelParams, PixelRect, Plan, Step, View};

use crate::mutants::Kind;

/// Corrupts a plan. `last` is the plan before it.
pub(super) fn corrupt(kind: Kind, plan: &mut Plan, last: Option<&Plan>) {
    match kind {
        Kind::FlippedPixel => flip_pixel(plan),
        Kind::HalfPixelShift => half_pixel(plan),
        Kind::ViewportForgotten => forget_viewport(plan),
        Kind::StaleView => plan.view = last.map_or(plan.view, |last| last.view),
        Kind::MatricesInF32 => matrices_in_f32(plan),
        Kind::BaseTransformForgotten => for_each_draw(plan, |draw| {
            if draw.instances.is_some() {
                draw.world_from_object = DMat4::IDENTITY;
            }
        }),
        Kind::CullIgnored => for_each_draw(plan, |draw| draw.cull = CullMode::None),
        Kind::CullSwapped => for_each_draw(plan, |draw| {
            draw.cull = match draw.cull {
                CullMode::None => CullMode::None,
                CullMode::Back => CullMode::Front,
                CullMode::Front => CullMode::Back,
            };
        }),
        Kind::BandsMerged => plan.bands = std::iter::once(0..plan.items.len()).collect(),
        Kind::OverlayClearsTheScene => {
            let top = plan.bands.last().cloned();
            plan.bands = top.into_iter().collect();
        }
        Kind::ItemsReversed => {
            let bands = plan.bands.clone();
            bands
                .into_iter()
                .for_each(|band| plan.items[band].reverse());
        }
        // Told that there are no more copies than it has room for.
        Kind::OverflowDropsTheRest => for_each_kernel(plan, |kernel, params| {
            if kernel == Kernel::ListInstances {
                params.instances = params.instances.min(params.capacity);
            }
        }),
        Kind::BlocksTooSmall => for_each_kernel(plan, |_, params| params.local_reach *= SHORT),
        Kind::CopiesTooSmall => for_each_kernel(plan, |_, params| {
            params.local_half = params.local_half.map(|half| half * SHORT);
        }),
        Kind::RunsOfCopiesCutShort => for_each_kernel(plan, |_, params| {
            params.cluster_elements = params.cluster_elements / 6 * 3;
        }),
        _ => {}
    }
}

/// A hundredth too small.
const SHORT: f32 = 0.99;

fn for_each_kernel(plan: &mut Plan, edit: impl Fn(Kernel, &mut CullParams)) {
    for step in &mut plan.steps {
        if let Step::Compute(step) = step
            && let KernelParams::Cull(params) = &mut step.params
        {
            edit(step.kernel, params);
        }
    }
}

fn for_each_draw(plan: &mut Plan, edit: impl Fn(&mut pick_core::Draw)) {
    for item in &mut plan.items {
        if let Item::Draw(draw) = item {
            edit(draw);
        }
    }
}

/// The row counted from the bottom, one off as in the oldest form of this fault.
fn flip_pixel(plan: &mut Plan) {
    let (viewport, region) = (plan.view.viewport(), plan.region);
    let above = region.y - viewport.y;
    let y = viewport.y + (viewport.height - above).saturating_sub(region.height);
    plan.region = PixelRect::new(region.x, y, region.width, region.height);
}

fn with_projection(plan: &mut Plan, projection: DMat4) {
    let view = &plan.view;
    let made = View::new(
        view.view_from_world(),
        projection,
        view.viewport(),
        view.depth(),
    );
    plan.view = made.unwrap_or(plan.view);
}

fn half_pixel(plan: &mut Plan) {
    let viewport = plan.view.viewport();
    let shift = DVec3::new(
        1.0 / f64::from(viewport.width),
        1.0 / f64::from(viewport.height),
        0.0,
    );
    let projection = DMat4::from_translation(shift) * plan.view.clip_from_view();
    with_projection(plan, projection);
}

fn forget_viewport(plan: &mut Plan) {
    let PixelRect { width, height, .. } = plan.view.viewport();
    let moved = plan.view.with_viewport(PixelRect::new(0, 0, width, height));
    plan.view = moved.unwrap_or(plan.view);
}

fn matrices_in_f32(plan: &mut Plan) {
    let rounded = |m: DMat4| m.as_mat4().as_dmat4();
    let view = plan.view;
    let made = View::new(
        rounded(view.view_from_world()),
        rounded(view.clip_from_view()),
        view.viewport(),
        view.depth(),
    );
    plan.view = made.unwrap_or(view);
    for_each_draw(plan, |draw| {
        draw.world_from_object = rounded(draw.world_from_object);
    });
}
