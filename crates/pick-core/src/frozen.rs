//! The table that maps ids back, frozen with the request together with the view.

use std::sync::Arc;

use glam::{DMat4, DVec2, DVec3};

use crate::contributor::ContributorId;
use crate::error::{ErrorKind, PickError};
use crate::found::AreaHit;
use crate::hit::{Given, Hit, Surface, Withheld};
use crate::id::{Band, IdRange};
use crate::layout::{FRONT_BIT, NO_ID, NO_PRIMITIVE};
use crate::rect::PixelRect;
use crate::reduce::{FoundId, depth_of_key};
use crate::registry::ObjectKey;
use crate::request::SurfaceSource;
use crate::samples::Sample;
use crate::scene::{InstanceAsset, MeshAsset, Scene};
use crate::surface;
use crate::view::View;

/// Who owns which ids of a pick, and where everything was.
#[derive(Clone, Debug)]
pub(crate) struct Frozen {
    pub(crate) view: View,
    /// In the order offered: ids ascend, and position + 1 is the draw number.
    pub(crate) ranges: Vec<RangeEntry>,
    pub(crate) ids_are_draw_numbers: bool,
    pub(crate) depth_unreadable: bool,
}

/// One offer's ids and owner.
#[derive(Clone, Debug)]
pub(crate) struct RangeEntry {
    pub(crate) ids: IdRange,
    pub(crate) band: Band,
    pub(crate) contributor: ContributorId,
    pub(crate) object: Option<ObjectKey>,
    pub(crate) tag: u64,
    /// The object was removed before the answer came.
    pub(crate) removed: bool,
    pub(crate) mesh: Option<FrozenMesh>,
}

/// A mesh offer's geometry and place.
#[derive(Clone, Debug)]
pub(crate) struct FrozenMesh {
    pub(crate) mesh: Arc<MeshAsset>,
    pub(crate) submesh: u32,
    pub(crate) instances: Option<Arc<InstanceAsset>>,
    pub(crate) world_from_object: DMat4,
    /// Faces told apart by the id itself; 0 for none.
    pub(crate) packed_faces: u32,
}

/// What an id says beyond its owner.
struct Owned<'a> {
    entry: &'a RangeEntry,
    /// `None` where draw numbers say nothing of the copy.
    index: Option<u32>,
}

impl Frozen {
    pub(crate) fn new(view: View) -> Self {
        Self {
            view,
            ranges: Vec::new(),
            ids_are_draw_numbers: false,
            depth_unreadable: false,
        }
    }

    /// Marks what `scene` no longer holds.
    pub(crate) fn mark_removed(&mut self, scene: &Scene) {
        for entry in &mut self.ranges {
            let gone = |object| !scene.is_alive(entry.contributor, object);
            entry.removed = entry.object.is_some_and(gone);
        }
    }

    /// A texel's meaning. `None` is a miss.
    pub(crate) fn resolve(
        &self,
        sample: &Sample,
        pixel_center: DVec2,
        surface: SurfaceSource,
    ) -> Result<Option<Hit>, PickError> {
        if sample.id == NO_ID {
            return Ok(None);
        }
        let owned = self.owner(sample.id)?;
        if sample.depth.is_some_and(|depth| !depth.is_finite()) {
            return Err(PickError::broken(
                "the read-back carries a depth that is no number",
            ));
        }
        let mut hit = self.plain_hit(&owned, sample, pixel_center);
        if owned.entry.mesh.is_none() {
            surface::fill_foreign(&mut hit, sample, &self.view, pixel_center);
        }
        if let Some(mesh) = &owned.entry.mesh {
            hit.part = mesh.submesh;
            identify(&mut hit, mesh, owned.index);
            if let Some(word) = sample.primitive {
                hit.front_facing = Ok(word & FRONT_BIT != 0);
                hit.primitive = Ok(checked_primitive(word & !FRONT_BIT, mesh)?);
                surface::fill(&mut hit, mesh, sample, &self.view, pixel_center, surface);
            }
        }
        Ok(Some(hit))
    }

    /// What an id of an area means, and where its pixel is.
    pub(crate) fn found(&self, found: &FoundId, region: PixelRect) -> Result<AreaHit, PickError> {
        let (column, row) = (found.pixel % region.width, found.pixel / region.width);
        let convention = self.view.depth();
        let sample = Sample {
            id: found.id,
            depth: found.depth_key.map(|key| depth_of_key(convention, key)),
            primitive: None,
            view_distance: None,
            surface: None,
        };
        let hit = self.resolve(
            &sample,
            region.pixel_center(column, row),
            SurfaceSource::Auto,
        )?;
        let hit = hit.ok_or_else(|| PickError::broken("an area found the id of nothing"))?;
        Ok(AreaHit {
            contributor: hit.contributor,
            object: hit.object,
            removed: hit.removed,
            tag: hit.tag,
            part: match hit.object {
                Some(_) => Err(Withheld::WholeObject),
                None => Ok(hit.part),
            },
            instance: hit.instance,
            pixel_count: found.pixels,
            near_pixel: [region.x + column, region.y + row],
            depth: hit.depth,
            point: hit.point,
            distance: hit.distance,
        })
    }

    /// The band of an id.
    pub(crate) fn band(&self, id: u32) -> Result<Band, PickError> {
        Ok(self.owner(id)?.entry.band)
    }

    fn owner(&self, id: u32) -> Result<Owned<'_>, PickError> {
        let unknown = || {
            let handed_out = match self.ids_are_draw_numbers {
                true => self.ranges.len() as u64,
                false => self.ranges.iter().map(|r| u64::from(r.ids.count)).sum(),
            };
            PickError::new(ErrorKind::UnknownId { id, handed_out })
        };
        if self.ids_are_draw_numbers {
            let entry = self.ranges.get(id as usize - 1).ok_or_else(unknown)?;
            return Ok(Owned { entry, index: None });
        }
        let after = self.ranges.partition_point(|entry| entry.ids.first <= id);
        let entry = after.checked_sub(1).and_then(|at| self.ranges.get(at));
        let entry = entry.ok_or_else(unknown)?;
        let index = entry.ids.index_of(id).ok_or_else(unknown)?;
        Ok(Owned {
            entry,
            index: Some(index),
        })
    }

    /// What every strategy gives.
    fn plain_hit(&self, owned: &Owned<'_>, sample: &Sample, pixel_center: DVec2) -> Hit {
        let ray = self.view.ray(pixel_center);
        let no_depth = match self.depth_unreadable {
            true => Withheld::DepthUnreadable,
            false => Withheld::Strategy,
        };
        let depth = sample.depth.ok_or(no_depth);
        let point = depth.and_then(|depth| {
            let point = self.view.unproject(pixel_center, f64::from(depth));
            finite(point).ok_or(Withheld::Degenerate)
        });
        let not_a_mesh = match owned.entry.mesh {
            Some(_) => Withheld::Strategy,
            None => Withheld::NotTriangles,
        };
        Hit {
            contributor: owned.entry.contributor,
            object: owned.entry.object,
            removed: owned.entry.removed,
            tag: owned.entry.tag,
            part: owned.index.unwrap_or(0),
            instance: Err(not_a_mesh),
            primitive: Err(not_a_mesh),
            face: Err(not_a_mesh),
            depth,
            point,
            distance: point.map(|point| (point - ray.origin).length()),
            front_facing: Err(not_a_mesh),
            surface: Surface::withheld(not_a_mesh),
            ray,
        }
    }
}

fn finite(point: DVec3) -> Option<DVec3> {
    point.is_finite().then_some(point)
}

/// Instance and, where the id carries it, face.
fn identify(hit: &mut Hit, mesh: &FrozenMesh, index: Option<u32>) {
    let faces = mesh.packed_faces.max(1);
    hit.instance = match (&mesh.instances, index) {
        (None, _) => Err(Withheld::NotInstanced),
        (Some(_), None) => Err(Withheld::Strategy),
        (Some(_), Some(index)) => Ok(index / faces),
    };
    hit.face = match index {
        Some(index) if mesh.packed_faces > 0 => Ok(index % faces),
        _ => Err(Withheld::Strategy),
    };
}

fn checked_primitive(primitive: u32, mesh: &FrozenMesh) -> Result<u32, PickError> {
    let count = mesh.part_triangles();
    if primitive == NO_PRIMITIVE || primitive >= count {
        return Err(PickError::new(ErrorKind::UnknownPrimitive {
            primitive,
            count,
        }));
    }
    Ok(primitive)
}

impl FrozenMesh {
    fn part(&self) -> Option<&crate::mesh::SubMesh> {
        self.mesh.submeshes().get(self.submesh as usize)
    }

    fn part_triangles(&self) -> u32 {
        self.part().map_or(0, |part| part.triangle_count())
    }

    /// A part's triangle as a triangle of the whole mesh.
    pub(crate) fn whole_triangle(&self, primitive: u32) -> u32 {
        self.part().map_or(0, |part| part.elements.start / 3) + primitive
    }

    pub(crate) fn has_normals(&self) -> bool {
        self.part().is_some_and(|part| part.has_normals)
    }

    pub(crate) fn has_uvs(&self) -> bool {
        self.part().is_some_and(|part| part.has_uvs)
    }

    /// World from mesh space, through the instance where there is one and the CPU can read it.
    pub(crate) fn world_from_local(&self, instance: Given<u32>) -> Option<DMat4> {
        let Some(set) = &self.instances else {
            return Some(self.world_from_object);
        };
        let rows = set.source().cpu_rows()?.get(instance.ok()? as usize)?;
        let affine = crate::mesh::affine_from_rows(rows);
        Some(self.world_from_object * DMat4::from(affine))
    }
}
