//! Draws of instance sets: in windows that a binding holds, and culled on the device where it can.

use std::sync::Arc;

use super::{Offers, local_bounds};
use crate::backend::Caps;
use crate::contributor::DrawOffer;
use crate::cull::{InstanceCull, LEAST_INSTANCES};
use crate::layout::cull;
use crate::mesh::{Aabb, InstanceFormat};
use crate::plan::{Draw, Indirect, InstanceRun, Item, VertexFetch};
use crate::scene::InstanceAsset;

impl Offers<'_> {
    /// Adds an instanced draw: in as many windows as the device's bindings ask for, and of what is left
    /// by culling where the device can tell.
    pub(super) fn instanced(
        &mut self,
        offer: &DrawOffer<'_>,
        set: &Arc<InstanceAsset>,
        draw: Draw,
    ) {
        let copies = set.source().count();
        let window = window(self.caps, set.source().format());
        let per_instance = draw.record.ids_per_instance;
        let known = |built: &Arc<InstanceAsset>| Arc::ptr_eq(built, set);
        let builds_blocks = !set.has_blocks() && !self.scratch.blocks_built.iter().any(known);
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
            match self.culled_bounds(offer, run.count) {
                Some(local) => {
                    if builds_blocks && first == 0 {
                        self.scratch.blocks_built.push(set.clone());
                    }
                    self.survivors(set, local, builds_blocks, draw);
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

    /// The bounds to cull instances by; `None` where they are all drawn.
    fn culled_bounds(&self, offer: &DrawOffer<'_>, count: u32) -> Option<Aabb> {
        let copies = offer.instances.map_or(0, |set| set.source().count());
        let blocks_bytes = u64::from(copies.div_ceil(cull::BLOCK)) * cull::BLOCK_BOUNDS_BYTES;
        let culls = self.culls()
            && self.caps.instance_culling
            && count >= LEAST_INSTANCES
            && blocks_bytes <= self.caps.max_storage_binding_bytes;
        local_bounds(offer).filter(|_| culls)
    }

    /// Adds the kernels that find a run's survivors, a draw of those, and one of everything that has no
    /// instances unless the survivors find no room.
    fn survivors(&mut self, set: &InstanceAsset, local: Aabb, builds_blocks: bool, draw: Draw) {
        let Some(run) = draw.instances else {
            return;
        };
        let count = draw.elements.end - draw.elements.start;
        let culling = InstanceCull {
            volume: &self.volume,
            run,
            format: set.format_flag(),
            local,
            anchor: draw.record.anchor.into(),
            world_from_object: draw.world_from_object,
            elements: match draw.fetch {
                VertexFetch::Indexed => [count, draw.elements.start],
                VertexFetch::Pulled | VertexFetch::Expanded => [count, 0],
            },
            builds_blocks,
        };
        let (buffer, list) = culling.plan(self.plan);
        let mut survivors = draw.clone();
        survivors.record.survivors = list;
        survivors.indirect = Some(Indirect {
            buffer,
            offset: 0,
            survivors: true,
        });
        let everything = Draw {
            indirect: Some(Indirect {
                buffer,
                offset: cull::ARGUMENTS_BYTES,
                survivors: false,
            }),
            ..draw
        };
        self.plan.items.push(Item::Draw(survivors));
        self.plan.items.push(Item::Draw(everything));
    }
}

/// Instances that one binding holds; a multiple of a block, so that blocks do not straddle windows.
fn window(caps: &Caps, format: InstanceFormat) -> u32 {
    let fit = caps.max_storage_binding_bytes / format.bytes();
    let fit = u32::try_from(fit).unwrap_or(u32::MAX);
    (fit / cull::BLOCK * cull::BLOCK).max(cull::BLOCK)
}
