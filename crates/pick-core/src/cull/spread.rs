//! The box around all copies of a mesh, without looking at each copy for each mesh.

use glam::Vec3;

use crate::mesh::{Aabb, HostInstances};

/// Between which numbers each entry of a set's matrices lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    low: [[f32; 4]; 3],
    high: [[f32; 4]; 3],
}

impl Spread {
    /// Of row-major 3x4 matrices; `None` without any, or where one is not finite.
    pub(crate) fn of(rows: &[[[f32; 4]; 3]]) -> Option<Self> {
        let (first, rest) = rows.split_first()?;
        let mut spread = Self {
            low: *first,
            high: *first,
        };
        for matrix in rest {
            for (row, entries) in matrix.iter().enumerate() {
                for (column, &entry) in entries.iter().enumerate() {
                    let (low, high) = (&mut spread.low[row][column], &mut spread.high[row][column]);
                    *low = low.min(entry);
                    *high = high.max(entry);
                }
            }
        }
        Some(spread)
    }

    /// Of a host's set, where the host says where its copies are and how large they get.
    pub(crate) fn of_host(host: &HostInstances) -> Option<Self> {
        let (bounds, scale) = (host.translation_bounds?, host.max_scale?);
        let row = |sign: f32, shift: f32| [sign * scale, sign * scale, sign * scale, shift];
        let rows = |sign, corner: Vec3| corner.to_array().map(|shift| row(sign, shift));
        Some(Self {
            low: rows(-1.0, bounds.min),
            high: rows(1.0, bounds.max),
        })
    }

    /// The box around all copies of `local`, by interval arithmetic, and the largest coordinate that a
    /// GPU adds up on its way there.
    pub(crate) fn around(&self, local: &Aabb) -> (Aabb, f32) {
        let (mut min, mut max, mut reach) = (Vec3::ZERO, Vec3::ZERO, 0.0f32);
        for row in 0..3 {
            let (mut low, mut high) = (self.low[row][3], self.high[row][3]);
            reach = reach.max(low.abs()).max(high.abs());
            for column in 0..3 {
                let ends = [local.min[column], local.max[column]];
                let entries = [self.low[row][column], self.high[row][column]];
                let products = [
                    entries[0] * ends[0],
                    entries[0] * ends[1],
                    entries[1] * ends[0],
                    entries[1] * ends[1],
                ];
                let least = products.into_iter().fold(f32::INFINITY, f32::min);
                let most = products.into_iter().fold(f32::NEG_INFINITY, f32::max);
                low += least;
                high += most;
                reach = reach.max(least.abs()).max(most.abs());
            }
            // What the sums of four rounded, many times over.
            let rounding = 1e-6 * (low.abs().max(high.abs()) + reach);
            min[row] = low - rounding;
            max[row] = high + rounding;
        }
        (Aabb { min, max }, reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_copy_lies_in_the_box() {
        let copies: Vec<[[f32; 4]; 3]> = (0..50)
            .map(|k| {
                let (s, c) = (k as f32).sin_cos();
                let x = k as f32 * 3.0 - 70.0;
                [[c, -s, 0.0, x], [s, c, 0.5, -x], [0.0, 0.1, c, 2.0]]
            })
            .collect();
        let local = Aabb {
            min: Vec3::new(-1.0, 2.0, 3.0),
            max: Vec3::new(2.0, 2.5, 9.0),
        };
        let (around, _) = Spread::of(&copies).unwrap().around(&local);
        for rows in &copies {
            for corner in 0..8 {
                let pick = |axis: usize| [local.min, local.max][corner >> axis & 1][axis];
                let at =
                    |row: usize| (0..3).map(|k| rows[row][k] * pick(k)).sum::<f32>() + rows[row][3];
                let point = Vec3::new(at(0), at(1), at(2));
                assert_eq!(point.clamp(around.min, around.max), point);
            }
        }
        assert!(Spread::of(&[]).is_none());
    }
}
