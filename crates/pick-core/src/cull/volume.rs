//! The part of the world that a pick's pixels see, as planes.

use glam::{DMat4, DVec3, DVec4, Vec3A, Vec4, Vec4Swizzles as _};

use crate::cull::beam::{Beam, Probe};
use crate::mesh::Aabb;
use crate::rect::PixelRect;
use crate::view::View;

/// Pixels that the region is larger on each side: more than any driver snaps vertices by.
const SNAP_PX: f64 = 0.5;

/// What f32 matrices and positions on a GPU may be off, as a share of the coordinates that go in.
pub(super) const SLACK: f64 = 2e-6;

/// What f64 sums of a few terms may be off, as a share of the largest.
const F64_SLACK: f64 = 1e-15;

/// What f32 depths may be off, as a share of the distance that they are compared with.
const DEPTH_SLACK: f64 = 2.4e-7;

/// How coarse a plane may be that culling on the device compares with: its slack is twice ours.
const FINE: f64 = 8.0;

/// A box with sides along the axes in world space, as centre and half sides, never too small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedBox {
    /// Its middle.
    pub center: DVec3,
    /// Half its size along each axis.
    pub half: DVec3,
    /// How far a GPU may be off that computes in f32 what lies in it.
    pub slack: f64,
}

impl PlacedBox {
    /// The box around a local box under an affine transform. `reach` is the largest coordinate of the
    /// mesh that the local box is of.
    #[inline]
    pub fn new(local: &Aabb, reach: f32, world_from_local: &DMat4) -> Self {
        let (min, max) = (local.min.as_dvec3(), local.max.as_dvec3());
        let (middle, size) = ((min + max) * 0.5, (max - min) * 0.5);
        let columns = [
            world_from_local.x_axis.xyz(),
            world_from_local.y_axis.xyz(),
            world_from_local.z_axis.xyz(),
        ];
        let [x, y, z] = columns;
        let half = x.abs() * size.x + y.abs() * size.y + z.abs() * size.z;
        let center = world_from_local.w_axis.xyz() + x * middle.x + y * middle.y + z * middle.z;
        let largest = columns.map(|c| c.abs().max_element());
        let scale = largest[0].max(largest[1]).max(largest[2]);
        Self {
            center,
            half,
            slack: SLACK * f64::from(reach) * scale,
        }
    }
}

/// What a pick's pixels see: the inside of up to six planes, a little larger than the truth.
#[derive(Clone, Copy, Debug)]
pub struct PickVolume {
    /// Where the planes' offsets are measured from: near to what is seen, so that f64 keeps its digits.
    origin: DVec3,
    /// Inward unit normals.
    normals: [DVec3; 6],
    /// `normal . (p - origin) + offset >= 0` inside.
    offsets: [f64; 6],
    /// World units to a unit of clip space, of planes that f32 depths are compared with: a far plane a
    /// million times the near one is a coarse one.
    coarseness: [f64; 6],
    count: usize,
    /// The same as a beam, unless it is very wide.
    beam: Option<Beam>,
    /// The beam as boxes in world space meet it.
    probe: Option<Probe>,
    /// By what boxes are multiplied: 1 but for tests that must notice.
    box_scale: f64,
}

impl PickVolume {
    /// What `region` sees, and `margin_px` pixels more on each side (for things whose size is told in
    /// pixels).
    pub fn new(view: &View, region: PixelRect, margin_px: f64) -> Self {
        let origin = view.ray(region.center()).origin;
        let zoom = view.zoom(region, margin_px + SNAP_PX);
        let from_origin = zoom * view.clip_from_world() * DMat4::from_translation(origin);
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| from_origin.row(row));
        let mut volume = Self::everything(origin);
        let size = |row: DVec4| {
            row.xyz()
                .abs()
                .max_element()
                .max(w.xyz().abs().max_element())
        };
        for row in [x, y] {
            volume.add(w + row, size(row), 0.0);
            volume.add(w - row, size(row), 0.0);
        }
        volume.add(z, size(z), 0.0);
        // A depth is compared with the distance itself here, which f32 rounds by a share of it.
        let length = (w - z).xyz().length();
        volume.add(w - z, size(z), size(z) / length);
        volume.beam = Beam::new(view, region, margin_px + SNAP_PX);
        volume.probe = volume.beam.as_ref().and_then(Beam::probe);
        volume
    }

    /// Everything.
    pub(crate) fn everything(origin: DVec3) -> Self {
        Self {
            origin,
            normals: [DVec3::ZERO; 6],
            offsets: [0.0; 6],
            coarseness: [0.0; 6],
            count: 0,
            beam: None,
            probe: None,
            box_scale: 1.0,
        }
    }

    /// The same, with boxes multiplied about their middles.
    pub(crate) fn scaling_boxes(self, box_scale: f64) -> Self {
        Self { box_scale, ..self }
    }

    /// By what boxes are multiplied.
    pub(crate) fn box_scale(&self) -> f64 {
        self.box_scale
    }

    /// A far plane at infinity has no normal but what rounding left of rows of this size.
    fn add(&mut self, plane: DVec4, size: f64, coarseness: f64) {
        let length = plane.xyz().length();
        if length.is_nan() || length <= size * 1e-12 {
            return;
        }
        self.normals[self.count] = plane.xyz() / length;
        self.offsets[self.count] = plane.w / length;
        self.coarseness[self.count] = coarseness;
        self.count += 1;
    }

    /// Where the planes' offsets are measured from, in world space.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The planes that f32 can compare with: unit normals that point inward, and offsets from
    /// [`PickVolume::origin`].
    pub fn planes(&self) -> impl Iterator<Item = (DVec3, f64)> {
        let (normals, offsets, coarseness) = (self.normals, self.offsets, self.coarseness);
        let fine = move |k: &usize| coarseness[*k] <= FINE;
        (0..self.count)
            .filter(fine)
            .map(move |k| (normals[k], offsets[k]))
    }

    /// False where nothing in the box can cover a picked pixel.
    #[inline]
    pub fn may_touch(&self, placed: &PlacedBox) -> bool {
        let from = placed.center - self.origin;
        let half = placed.half * self.box_scale;
        let reach = (from.abs() + half).max_element();
        let slack = self.slack(placed);
        for k in 0..self.count {
            let normal = self.normals[k];
            let inside = normal.dot(from) + self.offsets[k] + normal.abs().dot(half);
            // Not `inside < -slack`: what is not a number is kept.
            let depth = DEPTH_SLACK * self.coarseness[k] * reach;
            if inside + slack + depth < 0.0 {
                return false;
            }
        }
        true
    }

    /// How far a GPU, and f64 before it, may be off with what lies in a box.
    #[inline]
    fn slack(&self, placed: &PlacedBox) -> f64 {
        let from = (placed.center - self.origin).abs() + placed.half;
        // What f64 made of large coordinates before the origin was taken off.
        let digits = (self.origin.abs() + placed.center.abs()).max_element();
        placed.slack + SLACK * from.max_element() + F64_SLACK * digits
    }

    /// The box multiplied about its middle.
    #[inline]
    fn scaled(&self, min: Vec3A, max: Vec3A) -> (Vec3A, Vec3A) {
        if self.box_scale == 1.0 {
            return (min, max);
        }
        let (middle, half) = ((min + max) * 0.5, (max - min) * 0.5);
        let half = half * self.box_scale as f32;
        (middle - half, middle + half)
    }

    /// As [`PickVolume::may_touch`], for a box of f32 corners that are numbers; quick where it is not
    /// touched.
    #[inline]
    pub(crate) fn may_touch_corners(&self, min: Vec3A, max: Vec3A) -> bool {
        if let Some(probe) = &self.probe {
            let (min, max) = self.scaled(min, max);
            return probe.may_touch(min, max);
        }
        let (min, max) = (min.as_dvec3(), max.as_dvec3());
        self.may_touch(&PlacedBox {
            center: (min + max) * 0.5,
            half: (max - min) * 0.5,
            slack: 0.0,
        })
    }

    /// The beam as boxes in a local space meet it that a GPU loosens itself; `None` where there is none.
    pub(super) fn probe_in(&self, world_from_local: &DMat4) -> Option<Probe> {
        let beam = self.beam.as_ref()?;
        beam.probe_in(world_from_local, 0.0)
    }

    /// The volume as seen from an object, for what lies within a box of it.
    pub(crate) fn seen_from(
        &self,
        world_from_local: &DMat4,
        reach: f32,
        whole: &PlacedBox,
    ) -> Seen<'_> {
        let slack = self.slack(whole);
        let beam = self.beam.as_ref();
        Seen {
            volume: self,
            world_from_local: *world_from_local,
            reach,
            slack,
            probe: beam.and_then(|beam| beam.probe_in(world_from_local, slack)),
        }
    }
}

/// A pick volume as seen from an object.
pub(crate) struct Seen<'a> {
    volume: &'a PickVolume,
    world_from_local: DMat4,
    reach: f32,
    /// How far a GPU may be off in world space.
    slack: f64,
    probe: Option<Probe>,
}

impl Seen<'_> {
    /// False where nothing in a box of the object's space can cover a picked pixel.
    #[inline]
    pub(crate) fn may_touch(&self, min: Vec3A, max: Vec3A) -> bool {
        if let Some(probe) = &self.probe {
            let (min, max) = self.volume.scaled(min, max);
            return probe.may_touch(min, max);
        }
        let local = Aabb {
            min: min.into(),
            max: max.into(),
        };
        let placed = PlacedBox::new(&local, self.reach, &self.world_from_local);
        self.volume.may_touch(&placed)
    }

    /// The planes as triangles of the object's space meet them; `None` beyond what f32 can tell.
    pub(crate) fn sieve(&self) -> Option<Sieve> {
        let [x, y, z, w] = [0, 1, 2, 3].map(|k| self.world_from_local.col(k).truncate());
        let mut columns = [[0.0f32; 4]; 4];
        for plane in 0..4 {
            // Planes that there are not have everything inside.
            let mut factors = [0.0, 0.0, 0.0, 1.0];
            if plane < self.volume.count && self.volume.coarseness[plane] == 0.0 {
                let normal = self.volume.normals[plane];
                let offset = normal.dot(w - self.volume.origin) + self.volume.offsets[plane];
                let [x, y, z] = [x, y, z].map(|axis| normal.dot(axis));
                let sum = (x.abs() + y.abs() + z.abs()) * f64::from(self.reach) + offset.abs();
                if sum.is_nan() || sum > 1e30 {
                    return None;
                }
                factors = [x, y, z, offset + self.slack + sum * 1e-6];
            }
            for (column, factor) in columns.iter_mut().zip(factors) {
                column[plane] = factor as f32;
            }
        }
        Some(Sieve {
            columns: columns.map(Vec4::from_array),
        })
    }
}

/// Up to four planes of a volume as triangles of an object meet them, in f32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sieve {
    columns: [Vec4; 4],
}

impl Sieve {
    /// False where all three corners are outside the same plane, so that nothing between them can cover a
    /// picked pixel.
    #[inline]
    pub(crate) fn may_touch(&self, corners: [[f32; 3]; 3]) -> bool {
        let [x, y, z, w] = self.columns;
        let [a, b, c] = corners.map(|p| x * p[0] + y * p[1] + z * p[2] + w);
        !a.max(b).max(c).cmplt(Vec4::ZERO).any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DepthConvention;
    use crate::projection::{DepthRange, look_at, perspective};

    fn sees(near: f64, far: f64, depth: DepthConvention, distance: f64) -> bool {
        let camera = look_at(DVec3::ZERO, DVec3::NEG_Z, DVec3::Y).unwrap();
        let range = DepthRange::new(near, far);
        let projection = perspective(1.0, 1.0, range, depth).unwrap();
        let view = View::new(camera, projection, PixelRect::new(0, 0, 64, 64), depth).unwrap();
        let volume = PickVolume::new(&view, PixelRect::new(31, 31, 1, 1), 0.0);
        volume.may_touch(&PlacedBox {
            center: DVec3::new(0.0, 0.0, -distance),
            half: DVec3::ZERO,
            slack: 0.0,
        })
    }

    /// Beyond the far plane nothing is kept but what depths in f32 cannot tell from it: with standard
    /// depth and a near plane a millionth of the far one, that is a few percent.
    #[test]
    fn the_far_plane_is_as_sharp_as_depths_are() {
        let (standard, reversed) = (DepthConvention::Standard, DepthConvention::Reversed);
        for (depth, near, kept, dropped) in [
            (standard, 1.0, 99.99, 100.1),
            (standard, 1e-4, 103.0, 1000.0),
            (reversed, 1.0, 99.99, 100.1),
            (reversed, 1e-4, 99.99, 100.1),
        ] {
            assert!(sees(near, 100.0, depth, kept), "{depth:?} {near} {kept}");
            assert!(
                !sees(near, 100.0, depth, dropped),
                "{depth:?} {near} {dropped}"
            );
        }
    }
}
