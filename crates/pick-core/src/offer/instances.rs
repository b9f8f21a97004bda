//! Draws of instance sets: in windows that a binding holds, and culled on the device where it can.

use std::sync::Arc;

use super::{Offers, local_bounds};
use crate::backend::Caps;
use crate::contributor::{DrawOffer, OfferBounds};
use crate::cull::{InstanceCull, PairCull, is_worth_it};
use crate::layout::cull;
use crate::mesh::{Aabb, InstanceFormat};
use crate::plan::{Draw, InstanceRun, Item, VertexFetch};
use crate::request::PrimitiveSource;
use crate::scene::InstanceAsset;

impl Offers<'_> {
    /// Adds an instanced draw: in as many windows as the device's bindings ask for, and of what is left
    /// by culling where the device can tell.
    pub(super) fn instanced(
        &mut self,
        offer: &DrawOffer<'_>,
        set: &Arc<InstanceAsset>,
        pairs: Option<PairCull>,
        draw: Draw,
    ) {
        let copies = set.source().count();
        let window = window(self.caps, set.source().format());
        let per_instance = draw.record.ids_per_instance;
        let known = |built: &Arc<InstanceAsset>| Arc::ptr_eq(built, set);
        let builds_blocks = !set.has_blocks() && !self.scratch.blocks_built.iter().any(known);
        let culled = self.culled_bounds(offer, copies, pairs.is_some());
        let mut first = 0;
        while first < copies {
            let run = InstanceRun {
                set: set.id(),
                first,
                count: window.min(copies - first),
            };
            let mut draw = draw.clone();
            draw.instances = Some(run);
            draw.record.id_base += first * per_instance;
            match culled {
                Some(local) => {
                    if builds_blocks && first == 0 {
                        self.scratch.blocks_built.push(set.clone());
                    }
                    self.survivors(set, local, builds_blocks, pairs, draw);
                }
                None => {
                    self.culling.instances_untested += u64::from(run.count);
                    self.plan.items.push(Item::Draw(draw));
                }
            }
            first += run.count;
        }
        self.culling.instances += u64::from(copies);
    }

    /// The bounds to cull instances by; `None` where they are all drawn. The same for all windows of a set:
    /// its bounds are built in all of them or in none.
    fn culled_bounds(&self, offer: &DrawOffer<'_>, copies: u32, in_pairs: bool) -> Option<Aabb> {
        let elements = offer.part().map_or(0, |part| 3 * part.triangle_count());
        let groups = copies.div_ceil(cull::GROUP);
        let bounds_bytes = u64::from(groups) * cull::GROUP_BOUNDS_BYTES;
        let culls = self.culls()
            && !self.sees_whole
            && self.caps.instance_culling
            && (in_pairs || is_worth_it(copies, elements))
            && bounds_bytes <= self.caps.max_storage_binding_bytes;
        local_bounds(offer).filter(|_| culls)
    }

    /// What finds the clusters of each instance; `None` where whole instances are drawn. Their vertices are
    /// pulled, so not where the caller wants them fetched otherwise.
    pub(super) fn pairs(&self, offer: &DrawOffer<'_>, copies: u32) -> Option<PairCull> {
        offer.instances?;
        let pulls = matches!(
            self.options.primitive_source,
            PrimitiveSource::Auto | PrimitiveSource::Pulled
        );
        let at_rest = offer.bounds == OfferBounds::OfMesh;
        let told = offer.mesh.culled(offer.submesh)?.told?;
        self.culled_bounds(offer, copies, true)
            .filter(|_| pulls && at_rest && copies > 1)?;
        Some(PairCull {
            mesh: offer.mesh.id(),
            told,
        })
    }

    /// Adds the kernels that find a run's survivors, and a draw of those, or of everything where they find
    /// no room.
    fn survivors(
        &mut self,
        set: &InstanceAsset,
        local: Aabb,
        builds_blocks: bool,
        pairs: Option<PairCull>,
        mut draw: Draw,
    ) {
        let Some(run) = draw.instances else {
            return;
        };
        let count = draw.elements.end - draw.elements.start;
        let culling = InstanceCull {
            volume: &self.volume,
            run,
            format: set.source().format(),
            local,
            pivot: set.pivot(&local),
            anchor: draw.record.anchor.into(),
            world_from_object: draw.world_from_object,
            elements: match draw.fetch {
                VertexFetch::Indexed => [count, draw.elements.start],
                VertexFetch::Pulled | VertexFetch::Expanded => [count, 0],
            },
            builds_blocks,
            pairs,
        };
        let lists = culling.plan(self.plan);
        draw.record.survivors = lists.survivors;
        draw.record.pairs = lists.pairs;
        draw.survivors = Some(lists.buffer);
        self.plan.items.push(Item::Draw(draw));
    }
}

/// Instances that one binding holds; a multiple of a group, so that groups do not straddle windows.
fn window(caps: &Caps, format: InstanceFormat) -> u32 {
    let fit = caps.max_storage_binding_bytes / format.bytes();
    let fit = u32::try_from(fit).unwrap_or(u32::MAX);
    (fit / cull::GROUP * cull::GROUP).max(cull::GROUP)
}
