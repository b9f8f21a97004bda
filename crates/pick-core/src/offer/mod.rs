//! Taking offers in: each becomes a range of ids and a draw with its matrices composed in f64.

mod fetch;
mod instances;
mod record;

use std::sync::Arc;

use glam::{DMat4, DVec3};

use crate::backend::Caps;
use crate::contributor::{ContributorId, DrawOffer, ForeignOffer, OfferBounds};
use crate::cull::{BoxTree, CullReport, CullScratch, PickVolume, PlacedBox};
use crate::error::{Capability, InputError, PickError};
use crate::frozen::{Frozen, FrozenMesh, RangeEntry};
use crate::id::{Band, IdAllocator, IdRange};
use crate::mesh::{Aabb, SubMesh};
use crate::plan::{CullMode, Draw, ForeignItem, Item, Plan, VertexFetch};
use crate::query::Query;
use crate::rect::PixelRect;
use crate::request::{CullPolicy, Culling, PickOptions, SurfaceSource};
use crate::scene::{InstanceAsset, check_transform};
use crate::view::{PickRay, View};

/// Collects what contributors offer.
pub struct Offers<'a> {
    caps: &'a Caps,
    options: &'a PickOptions,
    plan: &'a mut Plan,
    frozen: &'a mut Frozen,
    scratch: &'a mut CullScratch,
    volume: PickVolume,
    ids: IdAllocator,
    camera: Camera,
    contributor: ContributorId,
    /// A draw can be had only through the builtin, whose self-test has not been read: the error where
    /// it fails.
    pub(crate) untrusted: Option<PickError>,
    /// One id stands for all parts of an object.
    joins_parts: bool,
    /// Every fragment counts, not only the nearest.
    sees_through: bool,
    /// What of an object is off the pixels counts too: nothing of one is left out.
    sees_whole: bool,
    pub(crate) needs_surface: bool,
    pub(crate) packs_faces: bool,
    pub(crate) culling: CullReport,
}

/// What every draw's matrices start from.
struct Camera {
    zoomed_clip_from_world: DMat4,
    /// Through the centre of the region.
    ray: PickRay,
    /// What world positions of shaders are relative to.
    origin: DVec3,
    flips_winding: bool,
}

/// Ids that one draw may spend on telling faces apart.
const MOST_PACKED_IDS: u64 = 1 << 24;

impl<'a> Offers<'a> {
    pub(crate) fn new(
        caps: &'a Caps,
        options: &'a PickOptions,
        plan: &'a mut Plan,
        frozen: &'a mut Frozen,
        scratch: &'a mut CullScratch,
    ) -> Self {
        let (view, region) = (plan.view, plan.region);
        let strategy = options.strategy.get();
        let ray = view.ray(region.center());
        // The eye, or where the ray of an orthographic view starts: near to what is seen either way.
        let origin = ray.origin;
        plan.uniforms = record::uniforms(&view, region, plan.margin, origin);
        let zoomed_clip_from_world = plan.zoom() * view.clip_from_world();
        let scale = options.culling.box_scale();
        Self {
            caps,
            options,
            plan,
            frozen,
            scratch,
            volume: PickVolume::new(&view, region, 0.0).scaling_boxes(scale),
            ids: IdAllocator::new(options.first_id, strategy.last_id()),
            camera: Camera {
                zoomed_clip_from_world,
                ray,
                origin,
                flips_winding: view.flips_winding(),
            },
            contributor: ContributorId(0),
            untrusted: None,
            joins_parts: false,
            sees_through: false,
            sees_whole: false,
            needs_surface: false,
            packs_faces: false,
            culling: CullReport::default(),
        }
    }

    pub(crate) fn begin(&mut self, contributor: ContributorId) {
        self.contributor = contributor;
    }

    /// The camera of the pick.
    pub fn view(&self) -> &View {
        &self.plan.view
    }

    /// The pixels asked about.
    pub fn region(&self) -> PixelRect {
        self.plan.region
    }

    /// The layers that the pick sees.
    pub fn layers(&self) -> u32 {
        self.options.layers
    }

    /// Whether what cannot touch a picked pixel is left out; a contributor that culls by itself asks.
    pub fn culls(&self) -> bool {
        self.options.culling != Culling::Off
    }

    /// Offers are made for whatever a later pick may see.
    pub(crate) fn see_everything(&mut self) {
        self.volume = PickVolume::everything(self.camera.origin);
    }

    /// What the query asks of ids and fragments.
    pub(crate) fn serve(&mut self, query: &Query) {
        self.joins_parts = query.joins_parts();
        self.sees_through = query.sees_through();
        self.sees_whole = query.sees_whole();
    }

    /// What the picked pixels see.
    pub fn volume(&self) -> &PickVolume {
        &self.volume
    }

    /// Adds a contributor's culling to the report.
    pub fn tell_culled(&mut self, told: CullReport) {
        let sum = &mut self.culling;
        sum.objects += told.objects;
        sum.tested_singly += told.tested_singly;
        sum.survivors += told.survivors;
        sum.instances += told.instances;
        sum.instances_untested += told.instances_untested;
    }

    /// Offers a draw. Draws that cannot touch a pixel (no triangle, no instance, bounds that the pick
    /// does not see) are left out; of large parts those runs of triangles are drawn that can.
    ///
    /// # Errors
    /// Input errors for a part that the mesh does not have and when ids run out; `Unsupported` when
    /// the strategy needs what neither the device nor the mesh has.
    pub fn draw(&mut self, offer: DrawOffer<'_>) -> Result<(), PickError> {
        let Some(part) = offer.part() else {
            return Err(InputError::BadMesh {
                what: "part",
                fault: format!("there is no part {}", offer.submesh).into(),
            }
            .into());
        };
        let copies = offer.instances.map_or(1, |set| set.source().count());
        if copies == 0 || part.elements.is_empty() {
            return Ok(());
        }
        check_transform(&offer.world_from_object)?;
        let pairs = self.pairs(&offer, copies);
        let fetch = match pairs {
            Some(_) => VertexFetch::Pulled,
            None => self.fetch(&offer)?,
        };
        if !self.cull(&offer, part) {
            return Ok(());
        }
        let faces = self.faces_in_id(&offer, copies);
        let count = u64::from(copies) * u64::from(faces.max(1));
        let cull = cull_mode(self.options.cull, part);
        let mut record = self.record(&offer, part, faces, cull)?;
        let entry = FrozenMesh {
            mesh: offer.mesh.clone(),
            submesh: offer.submesh,
            instances: offer.instances.cloned(),
            world_from_object: offer.world_from_object,
            packed_faces: faces,
        };
        let ids = match self.joined(&offer, count) {
            Some(ids) => ids,
            None => self.take_ids(count, offer.band, offer.tag, offer.object, Some(entry))?,
        };
        self.needs_surface |= !self.has_cpu_surface(&offer);
        record.id_base = ids.first;
        let number = self.number();
        let draw = Draw {
            mesh: offer.mesh.id(),
            instances: None,
            elements: 0..0,
            fetch,
            ids,
            number,
            cull,
            survivors: None,
            record,
            world_from_object: offer.world_from_object,
        };
        for run in 0..self.scratch.runs.len() {
            let elements = self.scratch.runs[run].clone();
            let mut draw = draw.clone();
            draw.record.primitive_base = (elements.start - part.elements.start) / 3;
            draw.record.first_element = elements.start;
            draw.elements = elements;
            match offer.instances {
                None => self.plan.items.push(Item::Draw(draw)),
                Some(set) => self.instanced(&offer, set, pairs, draw),
            }
        }
        Ok(())
    }

    /// Offers a draw of each part of the offer's mesh, whichever part it names. Of many parts, those that
    /// cannot touch a pixel are not looked at.
    ///
    /// # Errors
    /// As [`Offers::draw`].
    pub fn draw_parts(&mut self, offer: &DrawOffer<'_>) -> Result<(), PickError> {
        let mut parts = std::mem::take(&mut self.scratch.parts);
        let drawn = match offer
            .mesh
            .parts()
            .filter(|_| self.culls() && !self.sees_whole && at_rest(offer))
        {
            Some(boxes) => self.visible_parts(offer, boxes, &mut parts).and_then(|()| {
                let mut parts = parts.iter();
                parts.try_for_each(|&part| self.draw(offer.clone().submesh(part)))
            }),
            None => {
                let mut parts = 0..offer.mesh.submeshes().len() as u32;
                parts.try_for_each(|part| self.draw(offer.clone().submesh(part)))
            }
        };
        self.scratch.parts = parts;
        drawn
    }

    fn visible_parts(
        &mut self,
        offer: &DrawOffer<'_>,
        boxes: &BoxTree,
        parts: &mut Vec<u32>,
    ) -> Result<(), PickError> {
        check_transform(&offer.world_from_object)?;
        parts.clear();
        if let Some(whole) = offer.mesh.bounds() {
            let (world_from_object, reach) = (&offer.world_from_object, whole.reach());
            let placed = PlacedBox::new(&whole, reach, world_from_object);
            let seen = self.volume.seen_from(world_from_object, reach, &placed);
            boxes.survivors(&seen, &mut self.scratch.stack, parts);
        } // else there is no triangle
        Ok(())
    }

    /// Puts the part's runs of triangles that the pick may see into the scratch. False without any.
    fn cull(&mut self, offer: &DrawOffer<'_>, part: &SubMesh) -> bool {
        let runs = &mut self.scratch.runs;
        runs.clear();
        runs.push(part.elements.clone());
        let culls = self.culls() && !self.sees_whole;
        let Some(local) = local_bounds(offer).filter(|_| culls) else {
            return true;
        };
        let reach = offer.mesh.bounds().map_or(0.0, |whole| whole.reach());
        let reach = reach.max(local.reach());
        let bounds = match offer.instances {
            Some(set) => set.bounds_of(&local),
            None => Some((local, reach)),
        };
        let Some((bounds, reach)) = bounds else {
            return true;
        };
        let world_from_object = &offer.world_from_object;
        let placed = PlacedBox::new(&bounds, reach, world_from_object);
        if !self.volume.may_touch(&placed) {
            return false;
        }
        let seen = self.volume.seen_from(world_from_object, reach, &placed);
        if !seen.may_touch(bounds.min.into(), bounds.max.into()) {
            return false;
        }
        let part = offer.mesh.culled(offer.submesh);
        let clusters = part.and_then(|part| part.clusters.as_ref());
        if let Some(clusters) = clusters.filter(|_| at_rest(offer)) {
            let data = offer.mesh.cpu().map(|data| &**data);
            clusters.survivors(&seen, data, self.scratch);
        }
        !self.scratch.runs.is_empty()
    }

    /// Offers a recording of the contributor's own.
    ///
    /// # Errors
    /// Input errors when ids run out or none are asked for; `Unsupported` where hidden things are asked for.
    pub fn foreign(&mut self, offer: ForeignOffer) -> Result<IdRange, PickError> {
        if self.sees_through {
            return Err(PickError::unsupported(
                Capability::ForeignDraw,
                "foreign draws write what is nearest only: ask a scene without them for what is hidden",
            ));
        }
        let ids = self.take_ids(u64::from(offer.id_count), offer.band, offer.tag, None, None)?;
        let item = ForeignItem {
            drawer: offer.drawer,
            token: offer.token,
            ids,
            number: self.number(),
        };
        self.plan.items.push(Item::Foreign(item));
        Ok(ids)
    }

    /// Puts the items in band order and says where each band ends. Within a band the order is that
    /// of the offers.
    pub(crate) fn finish(self) {
        let (plan, ranges) = (self.plan, &self.frozen.ranges);
        let band = |item: &Item| ranges[item.number() as usize - 1].band;
        if !plan.items.is_sorted_by_key(band) {
            // Numbers follow the order of the offers, and runs of one part that of its triangles, so
            // this is stable without allocating.
            let first = |item: &Item| match item {
                Item::Draw(draw) => (draw.elements.start, draw.instances.map(|run| run.first)),
                Item::Foreign(_) => (0, None),
            };
            plan.items
                .sort_unstable_by_key(|item| (band(item), item.number(), first(item)));
        }
        let mut start = 0;
        for end in 1..=plan.items.len() {
            let closes = plan
                .items
                .get(end)
                .is_none_or(|next| band(next) != band(&plan.items[start]));
            if closes {
                plan.bands.push(start..end);
                start = end;
            }
        }
    }

    /// The number of the item whose ids were just taken: one more than the position of its range.
    fn number(&self) -> u32 {
        self.frozen.ranges.len() as u32
    }

    fn take_ids(
        &mut self,
        count: u64,
        band: Band,
        tag: u64,
        object: Option<crate::registry::ObjectKey>,
        mesh: Option<FrozenMesh>,
    ) -> Result<IdRange, PickError> {
        let ids = self.ids.allocate(count)?;
        self.frozen.ranges.push(RangeEntry {
            ids,
            band,
            contributor: self.contributor,
            object,
            tag,
            removed: false,
            mesh,
        });
        Ok(ids)
    }

    /// The ids of the object's part before this one, where one id stands for all of an object.
    fn joined(&self, offer: &DrawOffer<'_>, count: u64) -> Option<IdRange> {
        let last = self.frozen.ranges.last().filter(|_| self.joins_parts)?;
        let same_set = match (&last.mesh.as_ref()?.instances, offer.instances) {
            (None, None) => true,
            (Some(last), Some(set)) => Arc::ptr_eq(last, set),
            _ => false,
        };
        let same = last.contributor == self.contributor
            && last.object.is_some()
            && last.object == offer.object
            && last.band == offer.band
            && u64::from(last.ids.count) == count
            && same_set;
        same.then_some(last.ids)
    }

    /// The three vertices of a hit will be readable on the CPU.
    fn has_cpu_surface(&self, offer: &DrawOffer<'_>) -> bool {
        let readable = |set: &&Arc<InstanceAsset>| set.source().cpu_rows().is_some();
        offer.mesh.cpu().is_some()
            && offer.instances.as_ref().is_none_or(readable)
            && self.options.surface == SurfaceSource::Auto
    }

    /// How many faces the ids of this draw tell apart; 0 when they do not. Face numbers that would use
    /// up more than a small share of all ids (labels of a CAD system, not counts) are left out of the
    /// ids: other objects must not lose theirs.
    fn faces_in_id(&mut self, offer: &DrawOffer<'_>, copies: u32) -> u32 {
        let strategy = self.options.strategy.get();
        if self.joins_parts || self.sees_through || !strategy.shader(false).needs_faces() {
            return 0;
        }
        let faces = match offer.mesh.packed_face_count() {
            faces if u64::from(faces) * u64::from(copies) > MOST_PACKED_IDS => 0,
            faces => faces,
        };
        self.packs_faces |= faces > 0;
        faces
    }
}

/// What is drawn is the mesh as it was given, once.
fn at_rest(offer: &DrawOffer<'_>) -> bool {
    offer.bounds == OfferBounds::OfMesh && offer.instances.is_none()
}

/// The box of object space, or of each instance's, that a draw stays within, if known.
fn local_bounds(offer: &DrawOffer<'_>) -> Option<Aabb> {
    match offer.bounds {
        OfferBounds::OfMesh => offer.mesh.culled(offer.submesh)?.bounds,
        OfferBounds::Local(bounds) => Some(bounds),
        OfferBounds::Unbounded => None,
    }
}

fn cull_mode(policy: CullPolicy, part: &SubMesh) -> CullMode {
    match policy {
        CullPolicy::None => CullMode::None,
        CullPolicy::Back => CullMode::Back,
        CullPolicy::Front => CullMode::Front,
        CullPolicy::Material if part.double_sided => CullMode::None,
        CullPolicy::Material => CullMode::Back,
    }
}
