//! Taking offers in: each becomes a range of ids and a draw with its matrices composed in f64.

use std::sync::Arc;

use glam::{DMat4, DVec3};

use crate::backend::{Caps, PrimitiveIndex};
use crate::contributor::{ContributorId, DrawOffer, ForeignOffer};
use crate::cull::{CullReport, CullScratch, InstanceCull, LEAST_INSTANCES, PickVolume, PlacedBox};
use crate::error::{Capability, InputError, PickError};
use crate::frozen::{Frozen, FrozenMesh, RangeEntry};
use crate::id::{Band, IdAllocator, IdRange};
use crate::layout::{DrawRecord, PickUniforms, cull, flags};
use crate::mesh::{Aabb, InstanceFormat, SubMesh};
use crate::plan::{CullMode, Draw, ForeignItem, Indirect, InstanceRun, Item, Plan, VertexFetch};
use crate::rect::PixelRect;
use crate::request::{CullPolicy, Culling, PickOptions, PrimitiveSource, SurfaceSource};
use crate::scene::{InstanceAsset, check_transform};
use crate::view::{PickRay, View};

/// Coordinates up to here keep sub-micrometre bits in f32; larger ones are anchored near the eye.
const ANCHOR_REACH: f32 = 4096.0;

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
        plan.uniforms = uniforms(&view, region, origin);
        let zoomed_clip_from_world = plan.zoom() * view.clip_from_world();
        Self {
            caps,
            options,
            plan,
            frozen,
            scratch,
            volume: PickVolume::new(&view, region, 0.0),
            ids: IdAllocator::new(options.first_id, strategy.last_id()),
            camera: Camera {
                zoomed_clip_from_world,
                ray,
                origin,
                flips_winding: view.flips_winding(),
            },
            contributor: ContributorId(0),
            untrusted: None,
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
        self.options.culling == Culling::On
    }

    /// Offers are made for whatever a later pick may see.
    pub(crate) fn see_everything(&mut self) {
        self.volume = PickVolume::everything(self.camera.origin);
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
        let fetch = self.fetch(&offer)?;
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
        let ids = self.take_ids(count, offer.band, offer.tag, offer.object, Some(entry))?;
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
            indirect: None,
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
                Some(set) => self.instanced(&offer, set, draw),
            }
        }
        Ok(())
    }

    /// Adds an instanced draw: in as many windows as the device's bindings ask for, and of what is left
    /// by culling where the device can tell.
    fn instanced(&mut self, offer: &DrawOffer<'_>, set: &Arc<InstanceAsset>, draw: Draw) {
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
        let culls = self.culls() && self.caps.instance_culling && count >= LEAST_INSTANCES;
        offer.mesh.culled(offer.submesh).filter(|_| culls)?.bounds
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

    /// Puts the part's runs of triangles that the pick may see into the scratch. False without any.
    fn cull(&mut self, offer: &DrawOffer<'_>, part: &SubMesh) -> bool {
        let runs = &mut self.scratch.runs;
        runs.clear();
        runs.push(part.elements.clone());
        let culled = offer.mesh.culled(offer.submesh);
        let Some(culled) = culled.filter(|_| self.options.culling == Culling::On) else {
            return true;
        };
        let Some(local) = culled.bounds else {
            return true;
        };
        let reach = offer
            .mesh
            .bounds()
            .map_or(local.reach(), |whole| whole.reach());
        let bounds = match offer.instances {
            Some(set) => set.bounds_of(&local),
            None => Some((local, reach)),
        };
        let Some((bounds, reach)) = bounds else {
            return true;
        };
        let world_from_object = &offer.world_from_object;
        if !self
            .volume
            .may_touch(&PlacedBox::new(&bounds, reach, world_from_object))
        {
            return false;
        }
        if let (Some(clusters), None) = (&culled.clusters, offer.instances) {
            clusters.survivors(&self.volume, reach, world_from_object, self.scratch);
        }
        !self.scratch.runs.is_empty()
    }

    /// Offers a recording of the contributor's own.
    ///
    /// # Errors
    /// Input errors when ids run out or none are asked for.
    pub fn foreign(&mut self, offer: ForeignOffer) -> Result<IdRange, PickError> {
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
        if !strategy.shader(false).needs_faces() {
            return 0;
        }
        let faces = match offer.mesh.packed_face_count() {
            faces if u64::from(faces) * u64::from(copies) > MOST_PACKED_IDS => 0,
            faces => faces,
        };
        self.packs_faces |= faces > 0;
        faces
    }

    /// How the draw's vertices reach the shader.
    fn fetch(&mut self, offer: &DrawOffer<'_>) -> Result<VertexFetch, PickError> {
        if !self.options.strategy.get().shader(false).needs_primitive() {
            return Ok(VertexFetch::Indexed);
        }
        let created = offer.mesh.created();
        let builtin = self.caps.primitive_index;
        match self.options.primitive_source {
            PrimitiveSource::Builtin => forced_builtin(builtin),
            PrimitiveSource::Pulled if created.pulled => Ok(VertexFetch::Pulled),
            PrimitiveSource::Pulled => Err(PickError::unsupported(
                Capability::VertexPulling,
                "the device has no storage buffers in the vertex stage, or the host's buffers lack \
                 storage usage",
            )),
            PrimitiveSource::Expanded if created.expanded => Ok(VertexFetch::Expanded),
            PrimitiveSource::Expanded => Err(PickError::unsupported(
                Capability::ExpandedGeometry,
                "a de-indexed copy needs the geometry on the CPU: give the host mesh its CPU copy",
            )),
            PrimitiveSource::Auto if builtin == PrimitiveIndex::Trusted => Ok(VertexFetch::Indexed),
            PrimitiveSource::Auto if created.pulled => Ok(VertexFetch::Pulled),
            PrimitiveSource::Auto if created.expanded => Ok(VertexFetch::Expanded),
            PrimitiveSource::Auto => {
                let only_builtin = PickError::unsupported(
                    Capability::PrimitiveIndex,
                    "the device cannot be asked for the triangle, and this mesh can be neither \
                     pulled (storage usage) nor expanded (CPU copy)",
                );
                if builtin != PrimitiveIndex::Untested {
                    return Err(only_builtin);
                }
                self.untrusted.get_or_insert(only_builtin);
                Ok(VertexFetch::Indexed)
            }
        }
    }

    fn record(
        &self,
        offer: &DrawOffer<'_>,
        part: &SubMesh,
        faces: u32,
        cull: CullMode,
    ) -> Result<DrawRecord, PickError> {
        let anchor = self.anchor(offer);
        let world_from_anchored =
            offer.world_from_object * DMat4::from_translation(anchor.as_dvec3());
        let clip = (self.camera.zoomed_clip_from_world * world_from_anchored).as_mat4();
        let mut relative = world_from_anchored;
        relative.w_axis -= self.camera.origin.extend(0.0);
        let streams = offer.mesh.streams();
        let relative = relative.as_mat4();
        if !(clip.is_finite() && relative.is_finite()) {
            return Err(InputError::BadTransform {
                what: "object",
                fault: "beyond f32's range as this camera sees it",
            }
            .into());
        }
        let mirrored = offer.world_from_object.determinant() < 0.0;
        Ok(DrawRecord {
            clip_from_object: clip.to_cols_array_2d(),
            world_rows: [0, 1, 2].map(|row| relative.row(row).to_array()),
            anchor: anchor.to_array(),
            id_base: 0,
            flags: self.flags(offer, part, mirrored, cull),
            primitive_base: 0,
            first_instance: 0,
            first_element: part.elements.start,
            positions: streams.positions,
            normals: streams.normals,
            uvs: streams.uvs,
            indices: streams.indices,
            ids_per_instance: faces.max(1),
            survivors: 0,
            reserved: [0; 3],
        })
    }

    fn flags(&self, offer: &DrawOffer<'_>, part: &SubMesh, mirrored: bool, cull: CullMode) -> u32 {
        let mut bits = offer.mesh.streams().flags;
        let mut set = |on: bool, bit: u32| bits = if on { bits | bit } else { bits & !bit };
        set(mirrored != self.camera.flips_winding, flags::FLIP_FACING);
        set(cull == CullMode::Back, flags::CULL_BACK);
        set(cull == CullMode::Front, flags::CULL_FRONT);
        set(offer.instances.is_some(), flags::INSTANCED);
        if !part.has_normals {
            set(false, flags::NORMALS);
        }
        if !part.has_uvs {
            set(false, flags::UVS);
        }
        bits | offer.instances.map_or(0, |set| set.format_flag())
    }

    /// The point of object space that large coordinates are measured from: of the draw's bounds the
    /// point nearest to where the picked ray passes their centre.
    fn anchor(&self, offer: &DrawOffer<'_>) -> glam::Vec3 {
        let bounds = match offer.instances {
            Some(set) => set.translation_bounds(),
            None => offer.mesh.bounds(),
        };
        let far_out = bounds.filter(|b| b.reach() > ANCHOR_REACH);
        let Some(bounds) = far_out else {
            return glam::Vec3::ZERO;
        };
        let center = (bounds.min + bounds.max) * 0.5;
        let ray = &self.camera.ray;
        let center_in_world = offer.world_from_object.transform_point3(center.as_dvec3());
        let ahead = (center_in_world - ray.origin).dot(ray.direction).max(0.0);
        let passing = offer
            .world_from_object
            .inverse()
            .transform_point3(ray.at(ahead));
        match passing.is_finite() {
            true => bounds.clamp(passing).as_vec3(),
            false => center,
        }
    }
}

/// Instances that one binding holds; a multiple of a block, so that blocks do not straddle windows.
fn window(caps: &Caps, format: InstanceFormat) -> u32 {
    let fit = caps.max_storage_binding_bytes / format.bytes();
    let fit = u32::try_from(fit).unwrap_or(u32::MAX);
    (fit / cull::BLOCK * cull::BLOCK).max(cull::BLOCK)
}

fn forced_builtin(builtin: PrimitiveIndex) -> Result<VertexFetch, PickError> {
    let lacks = |why| Err(PickError::unsupported(Capability::PrimitiveIndex, why));
    match builtin {
        PrimitiveIndex::Trusted | PrimitiveIndex::Untested => Ok(VertexFetch::Indexed),
        PrimitiveIndex::Missing => lacks("the device was made without it"),
        PrimitiveIndex::Failed => lacks("this driver's builtin failed the self-test"),
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

fn uniforms(view: &View, region: PixelRect, origin: DVec3) -> PickUniforms {
    let high = origin.as_vec3();
    let rect = |r: PixelRect| [r.x as f32, r.y as f32, r.width as f32, r.height as f32];
    PickUniforms {
        origin_high: high.to_array(),
        orthographic: u32::from(view.is_orthographic()),
        origin_low: (origin - high.as_dvec3()).as_vec3().to_array(),
        origin_distance: (origin - view.eye()).dot(view.forward()) as f32,
        forward: view.forward().as_vec3().to_array(),
        reserved: 0,
        region: rect(region),
        viewport: rect(view.viewport()),
    }
}
