//! Culled answers against those of drawing everything.

use pick_core::{AreaHit, AreaHits, DrillHits, Hit, IdImage, NearHit};

use crate::bench::{Outcome, expect};

/// An answer that can be held against another of its kind, whole.
pub trait Same: pick_core::Outcome {
    /// Checks a culled answer against that of drawing everything.
    ///
    /// # Errors
    /// Names both where they differ.
    fn same(&self, brute: &Self) -> Outcome;
}

impl Same for Option<Hit> {
    fn same(&self, brute: &Self) -> Outcome {
        same_hit("culled and brute", self.as_ref(), brute.as_ref())
    }
}

impl Same for Vec<Option<Hit>> {
    fn same(&self, brute: &Self) -> Outcome {
        expect("culled and brute hits", self.len(), brute.len())?;
        let mut pairs = self.iter().zip(brute);
        let what = "culled and brute in a batch";
        pairs.try_for_each(|(told, right)| same_hit(what, told.as_ref(), right.as_ref()))
    }
}

impl Same for IdImage {
    fn same(&self, brute: &Self) -> Outcome {
        let region = self.region();
        expect("culled and brute regions", region, brute.region())?;
        for row in 0..region.height {
            for column in 0..region.width {
                let (told, right) = (self.hit(column, row)?, brute.hit(column, row)?);
                let what = "culled and brute in an image";
                same_hit(what, told.as_ref(), right.as_ref())?;
            }
        }
        Ok(())
    }
}

impl Same for Option<NearHit> {
    fn same(&self, brute: &Self) -> Outcome {
        let hit = |near: &Self| near.as_ref().map(|near| near.hit.clone());
        let place = |near: &Self| near.as_ref().map(|near| (near.pixel, near.pixel_distance));
        let what = "culled and brute in a disc";
        expect(what, place(self), place(brute))?;
        same_hit(what, hit(self).as_ref(), hit(brute).as_ref())
    }
}

impl Same for DrillHits {
    fn same(&self, brute: &Self) -> Outcome {
        let what = "culled and brute in a drill";
        let counts = |hits: &Self| (hits.hits.len(), hits.beyond);
        expect(what, counts(self), counts(brute))?;
        let mut pairs = self.hits.iter().zip(&brute.hits);
        pairs.try_for_each(|(told, right)| same_hit(what, Some(told), Some(right)))
    }
}

impl Same for AreaHits {
    fn same(&self, brute: &Self) -> Outcome {
        let what = "culled and brute in an area";
        let counts = |hits: &Self| (hits.found.len(), hits.beyond);
        expect(what, counts(self), counts(brute))?;
        for (culled, brute) in self.found.iter().zip(&brute.found) {
            if culled.depth.is_ok() && brute.depth.is_err() {
                expect(what, &untold(culled, brute), brute)?;
            } else {
                expect(what, culled, brute)?;
            }
        }
        Ok(())
    }
}

/// Without what depth alone tells, as in [`same_hit`].
fn untold(culled: &AreaHit, brute: &AreaHit) -> AreaHit {
    let mut untold = culled.clone();
    untold.near_pixel = brute.near_pixel;
    untold.depth = brute.depth;
    untold.point = brute.point;
    untold.distance = brute.distance;
    untold
}

fn same_hit(what: &str, culled: Option<&Hit>, brute: Option<&Hit>) -> Outcome {
    if culled == brute {
        return Ok(());
    }
    // With fewer bands to draw, a stencil's depth can be told where it else could not.
    if let (Some(culled), Some(brute)) = (culled, brute)
        && brute.depth.is_err()
    {
        let mut untold = culled.clone();
        untold.depth = brute.depth;
        untold.point = brute.point;
        untold.distance = brute.distance;
        return expect(what, Some(&untold), Some(brute));
    }
    expect(what, culled, brute)
}
