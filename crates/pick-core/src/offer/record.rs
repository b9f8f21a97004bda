//! What shaders are told: of the pick once, and of each draw its matrices composed in f64.

use glam::DVec3;

use super::Offers;
use crate::contributor::DrawOffer;
use crate::depth::DepthConvention;
use crate::error::{InputError, PickError};
use crate::layout::{DrawRecord, PickUniforms, flags, frame};
use crate::mesh::SubMesh;
use crate::plan::CullMode;
use crate::rect::PixelRect;
use crate::view::View;

/// Coordinates up to here keep sub-micrometre bits in f32; larger ones are anchored near the eye.
const ANCHOR_REACH: f32 = 4096.0;

impl Offers<'_> {
    pub(super) fn record(
        &self,
        offer: &DrawOffer<'_>,
        part: &SubMesh,
        faces: u32,
        cull: CullMode,
    ) -> Result<DrawRecord, PickError> {
        let anchor = self.anchor(offer);
        let mut world_from_anchored = offer.world_from_object;
        let shifted = world_from_anchored.transform_point3(anchor.as_dvec3());
        world_from_anchored.w_axis = shifted.extend(1.0);
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
            pairs: 0,
            reserved: [0; 2],
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
        bits | offer
            .instances
            .map_or(0, |set| set.source().format().flag())
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

pub(super) fn uniforms(view: &View, region: PixelRect, margin: u32, origin: DVec3) -> PickUniforms {
    let reversed = match view.depth() {
        DepthConvention::Standard => 0,
        DepthConvention::Reversed => frame::REVERSED,
    };
    let high = origin.as_vec3();
    let rect = |r: PixelRect| [r.x as f32, r.y as f32, r.width as f32, r.height as f32];
    PickUniforms {
        origin_high: high.to_array(),
        orthographic: u32::from(view.is_orthographic()),
        origin_low: (origin - high.as_dvec3()).as_vec3().to_array(),
        origin_distance: (origin - view.eye()).dot(view.forward()) as f32,
        forward: view.forward().as_vec3().to_array(),
        frame: (margin & frame::MARGIN) | reversed,
        region: rect(region),
        viewport: rect(view.viewport()),
    }
}
