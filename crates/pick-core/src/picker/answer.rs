//! From decoded pixels to each query's answer.

use std::collections::HashMap;

use super::flight::Flight;
use crate::error::PickError;
use crate::found::{AreaHit, AreaHits, NearHit};
use crate::hit::Hit;
use crate::query::{Area, Disc, Points};
use crate::reduce::{found_in_area, nearest_in_disc};
use crate::scene::Scene;

impl Flight {
    /// The hit at a pixel of the plan's region, by its place row by row.
    pub(super) fn hit_at(&self, scene: &Scene, index: usize) -> Result<Option<Hit>, PickError> {
        let Some(sample) = self.samples.get(index) else {
            return Err(PickError::broken("the strategy decoded too few pixels"));
        };
        let region = self.plan.region;
        let (column, row) = (index as u32 % region.width, index as u32 / region.width);
        let center = region.pixel_center(column, row);
        let surface = self.request.options.surface;
        let mut hit = self.frozen.resolve(&sample, center, surface)?;
        if let Some(hit) = &mut hit {
            let object = hit.object;
            hit.removed = object.is_some_and(|object| !scene.is_alive(hit.contributor, object));
        }
        Ok(hit)
    }

    /// The hit at each pixel of a batch.
    pub(super) fn hits(
        &self,
        scene: &Scene,
        points: &Points,
    ) -> Result<Vec<Option<Hit>>, PickError> {
        let region = self.plan.region;
        let pixels = points.pixels().iter();
        let hits = pixels.map(|[x, y]| {
            let (column, row) = (x - region.x, y - region.y);
            let index = row as usize * region.width as usize + column as usize;
            self.hit_at(scene, index)
        });
        hits.collect()
    }

    /// The thing in a disc.
    pub(super) fn near(&self, scene: &Scene, disc: &Disc) -> Result<Option<NearHit>, PickError> {
        let convention = self.plan.view.depth();
        let band_of = |id| self.frozen.band(id);
        let Some(index) = nearest_in_disc(&self.samples, disc, convention, band_of)? else {
            return Ok(None);
        };
        let region = disc.region();
        let (column, row) = (index as u32 % region.width, index as u32 / region.width);
        let pixel = [region.x + column, region.y + row];
        Ok(self.hit_at(scene, index)?.map(|hit| NearHit {
            hit,
            pixel,
            pixel_distance: (disc.squared_distance(pixel) as f64).sqrt(),
        }))
    }

    /// Everything in an area.
    pub(super) fn area(&self, scene: &Scene, area: &Area) -> Result<AreaHits, PickError> {
        let (ids, total) = found_in_area(&self.samples, area, self.plan.view.depth());
        let beyond = total - ids.len() as u64;
        let mut found: Vec<AreaHit> = Vec::with_capacity(ids.len());
        let mut known = HashMap::new();
        for id in &ids {
            let mut hit = self.frozen.found(id, area.region())?;
            let Some(object) = hit.object else {
                found.push(hit);
                continue;
            };
            hit.removed = !scene.is_alive(hit.contributor, object);
            // A contributor of the user's own may offer parts of an object far from each other.
            let copy = (hit.contributor, object, hit.instance);
            match known.get(&copy) {
                None => {
                    known.insert(copy, found.len());
                    found.push(hit);
                }
                Some(&at) => join(&mut found[at], hit, self.plan.view.depth()),
            }
        }
        Ok(AreaHits { found, beyond })
    }
}

/// Adds what was found of another part of the same thing.
fn join(whole: &mut AreaHit, part: AreaHit, convention: crate::DepthConvention) {
    let nearer = match (part.depth, whole.depth) {
        (Ok(part), Ok(whole)) => convention.is_nearer(part, whole),
        _ => false,
    };
    let pixel_count = whole.pixel_count + part.pixel_count;
    if nearer {
        *whole = part;
    }
    whole.pixel_count = pixel_count;
}
