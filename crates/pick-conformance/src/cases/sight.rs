//! What cases of batches, discs and areas are held against: the hits of an id image of the same pixels,
//! taken together by brute force.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};
use pick_core::{
    Answer, AreaHit, AreaHits, Backend, ContributorId, Given, Hit, NearHit, ObjectKey, PickOptions,
    PickPoint, PixelRect, Request, View, Withheld,
};

use crate::bench::{Bench, Fault, Outcome, expect, wrong};
use crate::case::{
    Camera, CaseMesh, CaseObject, CasePart, CaseScene, CaseView, Stage, quad, rows_at, scaled,
};
use crate::cases::{Dice, Shot};

/// A scene that stands, and how it is looked at.
pub(super) struct Sight {
    pub(super) stage: Stage,
    pub(super) view: View,
    pub(super) options: PickOptions,
}

/// The hits of an id image, row by row.
pub(super) struct Shown {
    pub(super) region: PixelRect,
    pub(super) hits: Vec<Option<Hit>>,
}

/// Where a hit is in the order offered: contributor, object, copy.
type Order = (u32, usize, u32);

/// A thing that an id image shows some pixels of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Thing {
    contributor: ContributorId,
    object: Option<ObjectKey>,
    tag: u64,
    instance: Given<u32>,
    pub(super) pixel_count: u32,
    near_pixel: [u32; 2],
    depth: Given<f32>,
    point: Given<DVec3>,
    distance: Given<f64>,
}

impl Sight {
    /// A scene by the bench's mode.
    pub(super) fn new<B: Backend>(
        bench: &mut Bench<'_, B>,
        scene: &CaseScene,
        view: &CaseView,
    ) -> Result<Self, Fault> {
        Ok(Self {
            stage: bench.stage(scene)?,
            view: view.build()?,
            options: bench.mode.options(),
        })
    }

    /// A shot, asked as it is.
    pub(super) fn of_shot<B: Backend>(
        bench: &mut Bench<'_, B>,
        shot: &Shot,
    ) -> Result<Self, Fault> {
        let mut sight = Self::new(bench, &shot.scene, &shot.view)?;
        sight.options = bench.options(&shot.asking);
        Ok(sight)
    }

    /// Asks, culled and brute.
    pub(super) fn ask<B: Backend, A: crate::same::Same>(
        &mut self,
        bench: &mut Bench<'_, B>,
        request: Request<A>,
    ) -> Result<Answer<A>, Fault> {
        bench.ask(&mut self.stage.scene, request.with(self.options.clone()))
    }

    /// What an id image shows of these pixels.
    pub(super) fn shown<B: Backend>(
        &mut self,
        bench: &mut Bench<'_, B>,
        region: PixelRect,
    ) -> Result<Shown, Fault> {
        let request = Request::id_image(&self.view, region)?;
        let image = self.ask(bench, request)?.result;
        let region = image.region();
        let hits = (0..region.height).flat_map(|row| (0..region.width).map(move |c| (c, row)));
        Ok(Shown {
            region,
            hits: hits
                .map(|(column, row)| image.hit(column, row))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The pixels from `low` up to and including `high` that are in the viewport.
    pub(super) fn within(&self, low: [i64; 2], high: [i64; 2]) -> PixelRect {
        let viewport = self.view.viewport();
        let start = [viewport.x, viewport.y].map(i64::from);
        let size = [viewport.width, viewport.height].map(i64::from);
        let first = [0, 1].map(|axis| low[axis].clamp(start[axis], start[axis] + size[axis] - 1));
        let last = [0, 1].map(|axis| high[axis].clamp(first[axis], start[axis] + size[axis] - 1));
        let [x, y] = first.map(|value| value as u32);
        let [width, height] = [0, 1].map(|axis| (last[axis] - first[axis] + 1) as u32);
        PixelRect::new(x, y, width, height)
    }

    /// Where the hit's owner is in the order offered.
    fn order(&self, hit: &Hit) -> Order {
        let place = |object: ObjectKey| self.stage.objects.iter().position(|&key| key == object);
        let position = hit.object.map_or(hit.tag as usize, |object| {
            place(object).unwrap_or(usize::MAX)
        });
        (hit.contributor.0, position, hit.instance.unwrap_or(0))
    }

    /// A number that is less the nearer; 0 where depth is not told.
    fn nearness(&self, hit: &Hit) -> f64 {
        let depth = hit.depth.map_or(0.0, f64::from);
        match self.view.depth() {
            pick_core::DepthConvention::Standard => depth,
            pick_core::DepthConvention::Reversed => -depth,
        }
    }

    /// Asks what is in a disc, and holds the answer against an id image of its pixels.
    pub(super) fn check_near<B: Backend>(
        &mut self,
        bench: &mut Bench<'_, B>,
        center: [u32; 2],
        radius: f64,
        band: fn(&Hit) -> u32,
    ) -> Result<Option<NearHit>, Fault> {
        let [x, y] = center.map(f64::from);
        let request = Request::near(&self.view, PickPoint::target_pixels(x, y), radius)?;
        let answer = self.ask(bench, request)?;
        let [x, y] = center.map(i64::from);
        let reach = radius.floor() as i64;
        let region = self.within([x - reach, y - reach], [x + reach, y + reach]);
        expect("the disc's pixels", answer.request.query.region(), region)?;
        let shown = self.shown(bench, region)?;
        let faces_in_id = !bench.mode.is_detailed();
        let pixels = shown.pixels().map(|([px, py], hit)| {
            let (dx, dy) = (i64::from(px) - x, i64::from(py) - y);
            let squared = (dx * dx + dy * dy) as f64;
            let (contributor, object, copy) = self.order(hit);
            let face = hit.face.ok().filter(|_| faces_in_id).unwrap_or(0);
            let order = (contributor, object, hit.part, copy, face);
            let key = (u32::MAX - band(hit), squared, self.nearness(hit), order);
            (key, hit, [px, py], squared.sqrt())
        });
        // Of equals the first one, row by row.
        let best = pixels
            .filter(|((_, squared, ..), ..)| *squared <= radius * radius)
            .reduce(|best, next| if next.0 < best.0 { next } else { best });
        let told = answer.result.as_ref();
        let told = told.map(|near| (&near.hit, near.pixel, near.pixel_distance));
        let right = best.map(|(_, hit, pixel, distance)| (hit, pixel, distance));
        let what = format!("within {radius} of {center:?}");
        expect(&what, told, right)?;
        Ok(answer.result)
    }

    /// The things of those pixels that are inside, in the order offered.
    pub(super) fn things(&self, shown: &Shown, inside: impl Fn([u32; 2]) -> bool) -> Vec<Thing> {
        let mut things: BTreeMap<Order, (f64, Thing)> = BTreeMap::new();
        for (pixel, hit) in shown.pixels().filter(|(pixel, _)| inside(*pixel)) {
            let nearness = self.nearness(hit);
            let here = self.thing(pixel, hit);
            match things.entry(self.order(hit)) {
                std::collections::btree_map::Entry::Vacant(free) => {
                    free.insert((nearness, here));
                }
                std::collections::btree_map::Entry::Occupied(mut known) => {
                    let (nearest, thing) = known.get_mut();
                    let pixel_count = thing.pixel_count + 1;
                    if nearness < *nearest {
                        (*nearest, *thing) = (nearness, here);
                    }
                    thing.pixel_count = pixel_count;
                }
            }
        }
        things.into_values().map(|(_, thing)| thing).collect()
    }

    /// A single pixel of a thing.
    fn thing(&self, [x, y]: [u32; 2], hit: &Hit) -> Thing {
        let center = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
        // Of an area no triangles are known: depth is what tells the point.
        let point = hit.depth.and_then(|depth| {
            let point = self.view.unproject(center, f64::from(depth));
            let known = point.is_finite().then_some(point);
            known.ok_or(Withheld::Degenerate)
        });
        Thing {
            contributor: hit.contributor,
            object: hit.object,
            tag: hit.tag,
            instance: hit.instance,
            pixel_count: 1,
            near_pixel: [x, y],
            depth: hit.depth,
            point,
            distance: point.map(|point| (point - hit.ray.origin).length()),
        }
    }

    /// Asks what is in an area whose inside the case knows, and holds the answer against an id image of
    /// the area's pixels. Gives the answer and what is right; `None` of an area without pixels.
    pub(super) fn check_area<B: Backend>(
        &mut self,
        bench: &mut Bench<'_, B>,
        request: Result<Request<AreaHits>, pick_core::PickError>,
        inside: impl Fn([u32; 2]) -> bool,
    ) -> Result<Option<Vec<Thing>>, Fault> {
        let Some(region) = around(self.view.viewport(), &inside) else {
            crate::probe::refused("an area without pixels", request, |input| {
                matches!(input, pick_core::InputError::EmptyRegion)
            })?;
            return Ok(None);
        };
        let answer = self.ask(bench, request?)?;
        let query = &answer.request.query;
        let pick_core::Query::Area(area) = query else {
            return wrong(format!("another query: {query:?}"));
        };
        expect("the area's pixels", area.region(), region)?;
        for (x, y) in pixels_of(region) {
            let told = area.contains(x - region.x, y - region.y);
            expect("inside", (x, y, told), (x, y, inside([x, y])))?;
        }
        let shown = self.shown(bench, region)?;
        let things = self.things(&shown, inside);
        same_things(&answer.result.found, &things)?;
        expect("beyond the capacity", answer.result.beyond, 0)?;
        Ok(Some(things))
    }
}

impl Shown {
    /// The pixels that are hit, row by row.
    pub(super) fn pixels(&self) -> impl Iterator<Item = ([u32; 2], &Hit)> {
        let pixels = pixels_of(self.region).map(|(x, y)| [x, y]);
        let pairs = pixels.zip(&self.hits);
        pairs.filter_map(|(pixel, hit)| Some((pixel, hit.as_ref()?)))
    }

    /// The hit at a target pixel of the region.
    pub(super) fn at(&self, [x, y]: [u32; 2]) -> Option<&Hit> {
        let (column, row) = (x - self.region.x, y - self.region.y);
        self.hits[(row * self.region.width + column) as usize].as_ref()
    }
}

/// Row by row.
fn pixels_of(region: PixelRect) -> impl Iterator<Item = (u32, u32)> {
    let rows = region.y..region.y + region.height;
    rows.flat_map(move |y| (region.x..region.x + region.width).map(move |x| (x, y)))
}

/// The smallest rectangle around the pixels that are inside.
fn around(viewport: PixelRect, inside: &impl Fn([u32; 2]) -> bool) -> Option<PixelRect> {
    let within = pixels_of(viewport).filter(|&(x, y)| inside([x, y]));
    let ends = within.map(|(x, y)| [x, y, x, y]);
    let [left, top, right, bottom] = ends.reduce(|a, b| {
        [
            a[0].min(b[0]),
            a[1].min(b[1]),
            a[2].max(b[2]),
            a[3].max(b[3]),
        ]
    })?;
    Some(PixelRect::new(
        left,
        top,
        right - left + 1,
        bottom - top + 1,
    ))
}

/// Each thing once, in the order offered.
pub(super) fn same_things(found: &[AreaHit], right: &[Thing]) -> Outcome {
    for (told, right) in found.iter().zip(right) {
        let thing = Thing {
            contributor: told.contributor,
            object: told.object,
            tag: told.tag,
            instance: told.instance,
            pixel_count: told.pixel_count,
            near_pixel: told.near_pixel,
            depth: told.depth,
            point: told.point,
            distance: told.distance,
        };
        expect("a thing", &thing, right)?;
        let part = match told.object {
            Some(_) => Err(Withheld::WholeObject),
            None => Ok(0),
        };
        expect("its part", told.part, part)?;
        expect("removed", told.removed, false)?;
    }
    expect("things", found.len(), right.len())
}

/// Two squares of a unit, four units apart, each a part of one mesh.
pub(super) fn far_parts() -> CaseMesh {
    let mut mesh = quad(0.0..=1.0, -1.0..=0.0, 0.0);
    let other = quad(4.0..=5.0, -1.0..=0.0, 0.0);
    mesh.positions.extend(other.positions);
    (mesh.normals, mesh.uvs) = (None, None);
    mesh.indices = Some(vec![0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7]);
    mesh.parts = vec![CasePart::new(0..6), CasePart::new(6..12)];
    mesh
}

/// A camera to which a world unit is a pixel: (0, 0) is the viewport's top left corner, y runs up.
pub(super) fn flat(viewport: [u32; 4]) -> CaseView {
    let [.., width, height] = viewport.map(f64::from);
    let mut camera = Camera::field(64);
    camera.viewport = viewport;
    let middle = [width * 0.5, -height * 0.5];
    camera.eye = [middle[0], middle[1], 50.0];
    camera.target = [middle[0], middle[1], 0.0];
    camera.orthographic(height * 0.5)
}

/// Squares, parts and copies on whole pixels, at three depths, so that much is equally far from
/// anywhere.
pub(super) fn scattered(dice: &mut Dice, viewport: [u32; 4], count: u64) -> CaseScene {
    let mut scene = CaseScene::default();
    scene.meshes.push(quad(0.0..=1.0, -1.0..=0.0, 0.0));
    scene.meshes.push(far_parts());
    let [.., width, height] = viewport.map(u64::from);
    let place = |dice: &mut Dice| {
        let (x, y) = (dice.below(width) as f64, dice.below(height) as f64);
        [x, -y, [-2.0, 0.0, 2.0][dice.below(3) as usize]]
    };
    for _ in 0..2 {
        let copies = (0..6).map(|_| rows_at(place(dice).map(|c| c as f32)));
        scene.instances.push(copies.collect());
    }
    for k in 0..count {
        let mut object = CaseObject::new(dice.below(2) as usize);
        if k % 8 == 5 {
            object = object.instanced((k / 8 % 2) as usize);
        } else {
            let size = [0; 2].map(|_| 1.0 + dice.below(3) as f64);
            object = object.at(scaled([size[0], size[1], 1.0], place(dice)));
        }
        scene.add(object);
    }
    scene
}
