//! From decoded pixels to each query's answer.

use std::collections::HashMap;

use super::flight::Flight;
use crate::depth::DepthConvention;
use crate::error::PickError;
use crate::found::{AreaHit, AreaHits, DrillHits, NearHit};
use crate::hit::Hit;
use crate::layout::reduce;
use crate::plan::{Aspect, Channel};
use crate::query::{Area, Disc, Points};
use crate::reduce::{Reduction, found_in_area, nearest_in_disc, order_of_sight, read_found};
use crate::samples::Texels;
use crate::scene::Scene;

impl Flight {
    /// The hit of a decoded pixel, which is at this place in the plan's region, row by row.
    pub(super) fn hit_at(
        &self,
        scene: &Scene,
        index: usize,
        place: u32,
    ) -> Result<Option<Hit>, PickError> {
        let Some(sample) = self.samples.get(index) else {
            return Err(PickError::broken("the strategy decoded too few pixels"));
        };
        let region = self.plan.region;
        let center = region.pixel_center(place % region.width, place / region.width);
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
        let pixels = points.pixels().iter().enumerate();
        let hits = pixels.map(|(number, [x, y])| {
            let place = (y - region.y) * region.width + (x - region.x);
            let index = match self.reduction {
                Reduction::None => place as usize,
                _ => number,
            };
            self.hit_at(scene, index, place)
        });
        hits.collect()
    }

    /// The thing in a disc.
    pub(super) fn near(
        &self,
        scene: &Scene,
        disc: &Disc,
        texels: &Texels<'_>,
    ) -> Result<Option<NearHit>, PickError> {
        let (index, place) = match self.reduction {
            Reduction::None => {
                let convention = self.plan.view.depth();
                let band_of = |id| self.frozen.band(id);
                match nearest_in_disc(&self.samples, disc, convention, band_of)? {
                    Some(index) => (index, index as u32),
                    None => return Ok(None),
                }
            }
            _ => match texels.words(Channel::NearestPlace).next() {
                Some([reduce::NOWHERE]) => return Ok(None),
                Some([place]) => (0, place),
                None => return Err(PickError::broken("no place in a disc was read back")),
            },
        };
        let region = disc.region();
        let pixel = [
            region.x + place % region.width,
            region.y + place / region.width,
        ];
        let hit = self.hit_at(scene, index, place)?;
        Ok(hit.map(|hit| NearHit {
            hit,
            pixel,
            pixel_distance: (disc.squared_distance(pixel) as f64).sqrt(),
        }))
    }

    /// Everything under a pixel.
    pub(super) fn drill(&self, scene: &Scene, most: u32) -> Result<DrillHits, PickError> {
        let band_of = |id| self.frozen.band(id);
        let order = order_of_sight(&self.samples, self.plan.view.depth(), band_of)?;
        let given = order.len().min(most as usize);
        let hits = order[..given].iter().map(|&index| {
            let hit = self.hit_at(scene, index, 0)?;
            hit.ok_or_else(|| PickError::broken("a fragment has the id of nothing"))
        });
        Ok(DrillHits {
            hits: hits.collect::<Result<_, _>>()?,
            beyond: (order.len() - given) as u64,
        })
    }

    /// Everything in an area.
    pub(super) fn area(
        &self,
        scene: &Scene,
        area: &Area,
        texels: &Texels<'_>,
    ) -> Result<AreaHits, PickError> {
        let (ids, total) = match self.reduction {
            Reduction::None => found_in_area(&self.samples, area, self.plan.view.depth()),
            _ => read_found(texels.block(Channel::FoundIds, Aspect::Color))?,
        };
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
fn join(whole: &mut AreaHit, part: AreaHit, convention: DepthConvention) {
    let nearer = match (part.depth, whole.depth) {
        (Ok(part), Ok(whole)) if part != whole => convention.is_nearer(part, whole),
        // Of equally near pixels the first in rows from the top.
        _ => rows_first(part.near_pixel) < rows_first(whole.near_pixel),
    };
    let pixel_count = whole.pixel_count + part.pixel_count;
    if nearer {
        *whole = part;
    }
    whole.pixel_count = pixel_count;
}

fn rows_first([x, y]: [u32; 2]) -> (u32, u32) {
    (y, x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contributor::ContributorId;
    use crate::hit::{Given, Withheld};

    fn part(pixels: u32, near_pixel: [u32; 2], depth: Given<f32>) -> AreaHit {
        let unknown = Withheld::DepthUnreadable;
        AreaHit {
            contributor: ContributorId(1),
            object: None,
            removed: false,
            tag: 0,
            part: Err(Withheld::WholeObject),
            instance: Err(Withheld::NotInstanced),
            pixel_count: pixels,
            near_pixel,
            depth,
            point: Err(unknown),
            distance: Err(unknown),
        }
    }

    /// Parts come in the order offered, wherever on the screen they are.
    #[test]
    fn the_nearest_pixel_of_a_thing_is_that_of_all_its_parts() {
        let unknown = Err(Withheld::DepthUnreadable);
        for (first, second, right) in [
            (([9, 9], Ok(0.5)), ([3, 12], Ok(0.25)), ([3, 12], Ok(0.25))),
            (([9, 9], Ok(0.25)), ([3, 2], Ok(0.5)), ([9, 9], Ok(0.25))),
            (([9, 9], Ok(0.5)), ([12, 3], Ok(0.5)), ([12, 3], Ok(0.5))),
            (([9, 9], Ok(0.5)), ([10, 9], Ok(0.5)), ([9, 9], Ok(0.5))),
            (([9, 9], unknown), ([12, 3], unknown), ([12, 3], unknown)),
        ] {
            let mut whole = part(4, first.0, first.1);
            let other = part(3, second.0, second.1);
            join(&mut whole, other, DepthConvention::Standard);
            assert_eq!(whole, part(7, right.0, right.1));
        }
    }
}
