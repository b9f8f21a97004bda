//! The part of the world that a pick's pixels see, as planes.

use glam::{DMat4, DVec3, DVec4, Vec4Swizzles as _};

use crate::cull::beam::{Beam, Edges};
use crate::mesh::Aabb;
use crate::rect::PixelRect;
use crate::view::View;

/// Pixels that the region is larger on each side: more than any driver snaps vertices by.
const SNAP_PX: f64 = 0.5;

/// What f32 matrices and positions on a GPU may be off, as a share of the coordinates that go in.
const SLACK: f64 = 2e-6;

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

    /// False where numbers overflowed: nothing can be said then.
    pub fn is_finite(&self) -> bool {
        self.center.is_finite() && self.half.is_finite() && self.slack.is_finite()
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
    count: usize,
    edges: Option<Edges>,
}

impl PickVolume {
    /// What `region` sees, and `margin_px` pixels more on each side (for things whose size is told in
    /// pixels).
    pub fn new(view: &View, region: PixelRect, margin_px: f64) -> Self {
        let origin = view.ray(region.center()).origin;
        let zoom = view.zoom(region, margin_px + SNAP_PX);
        let from_origin = zoom * view.clip_from_world() * DMat4::from_translation(origin);
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| from_origin.row(row));
        let sides = [w + x, w - x, w + y, w - y, z, w - z];
        let mut volume = Self::everything(origin);
        volume.edges = Edges::new(&from_origin.inverse(), view.depth());
        // A far plane at infinity has no normal but what rounding left.
        let sizes = [&x, &y, &z, &w].map(|row| row.xyz().abs().max_element());
        for (side, size) in sides
            .iter()
            .zip([sizes[0], sizes[0], sizes[1], sizes[1], sizes[2], sizes[2]])
        {
            volume.add(*side, size.max(sizes[3]));
        }
        volume
    }

    /// Everything.
    pub(crate) fn everything(origin: DVec3) -> Self {
        Self {
            origin,
            normals: [DVec3::ZERO; 6],
            offsets: [0.0; 6],
            count: 0,
            edges: None,
        }
    }

    fn add(&mut self, plane: DVec4, size: f64) {
        let length = plane.xyz().length();
        if length.is_nan() || length <= size * 1e-12 {
            return;
        }
        self.normals[self.count] = plane.xyz() / length;
        self.offsets[self.count] = plane.w / length;
        self.count += 1;
    }

    /// Where the planes' offsets are measured from, in world space.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// What is seen as a beam of another space.
    pub(crate) fn beam(&self, other_from_world: &DMat4) -> Beam {
        let edges = self.edges.as_ref();
        edges.map_or(Beam::EVERYTHING, |edges| {
            edges.beam(self.origin, other_from_world)
        })
    }

    /// The planes: unit normals that point inward, and offsets from [`PickVolume::origin`].
    pub fn planes(&self) -> impl Iterator<Item = (DVec3, f64)> {
        let (normals, offsets) = (self.normals, self.offsets);
        (0..self.count).map(move |k| (normals[k], offsets[k]))
    }

    /// False where nothing in the box can cover a picked pixel.
    #[inline]
    pub fn may_touch(&self, placed: &PlacedBox) -> bool {
        let from = placed.center - self.origin;
        let reach = from.abs() + placed.half;
        let slack = placed.slack + SLACK * reach.max_element();
        for k in 0..self.count {
            let normal = self.normals[k];
            let inside = normal.dot(from) + self.offsets[k] + normal.abs().dot(placed.half);
            // Not `inside < -slack`: what is not a number is kept.
            if inside + slack < 0.0 {
                return false;
            }
        }
        true
    }

    /// As [`PickVolume::may_touch`], for a box of f32 corners.
    #[inline]
    pub fn may_touch_corners(&self, min: DVec3, max: DVec3) -> bool {
        self.may_touch(&PlacedBox {
            center: (min + max) * 0.5,
            half: (max - min) * 0.5,
            slack: 0.0,
        })
    }
}
