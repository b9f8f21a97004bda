//! Which pixel centres a polygon encloses.

use glam::DVec2;

use crate::error::{InputError, PickError};
use crate::rect::{PixelRect, Viewport};

/// Further away f64 cannot tell fractions of pixels apart.
const FARTHEST_PX: f64 = (1u64 << 30) as f64;

/// The smallest rectangle around the pixels that a polygon encloses by the even-odd rule, and a bit for
/// each of its pixels. A centre on an edge is inside where the edge is a left or a top one, so that
/// polygons side by side share no pixel.
///
/// # Errors
/// [`InputError::LassoPoints`] for fewer than three points, [`InputError::LassoPoint`] for one that is no
/// place, [`InputError::EmptyRegion`] where no centre is inside.
pub(super) fn enclosed(
    points: &[DVec2],
    viewport: Viewport,
) -> Result<(PixelRect, Vec<u32>), PickError> {
    check(points)?;
    let within = around(points, viewport).ok_or(InputError::EmptyRegion)?;
    let mut bits = Bits::new(within);
    for (at, &to) in points.iter().enumerate() {
        let from = points[at.checked_sub(1).unwrap_or(points.len() - 1)];
        bits.toggle_along(from, to);
    }
    bits.fill();
    bits.cropped()
}

fn check(points: &[DVec2]) -> Result<(), PickError> {
    if points.len() < 3 {
        return Err(InputError::LassoPoints {
            count: points.len(),
        }
        .into());
    }
    // What is no number is not within, either.
    let within = |p: &DVec2| p.x.abs() <= FARTHEST_PX && p.y.abs() <= FARTHEST_PX;
    match points.iter().position(|point| !within(point)) {
        None => Ok(()),
        Some(index) => Err(InputError::LassoPoint {
            index,
            x: points[index].x,
            y: points[index].y,
        }
        .into()),
    }
}

/// The pixels of the viewport that the polygon can reach.
fn around(points: &[DVec2], viewport: Viewport) -> Option<PixelRect> {
    let (min, max) = points[1..]
        .iter()
        .fold((points[0], points[0]), |(min, max), &point| {
            (min.min(point), max.max(point))
        });
    let low = |v: f64| v.floor().max(0.0) as u32; // at most FARTHEST_PX
    let high = |v: f64| v.ceil().max(0.0) as u32;
    let [left, right] = [low(min.x), high(max.x)];
    let [top, bottom] = [low(min.y), high(max.y)];
    PixelRect::new(left, top, right - left, bottom - top).intersection(viewport)
}

struct Bits {
    region: PixelRect,
    /// Words of a row.
    words: usize,
    bits: Vec<u32>,
}

impl Bits {
    fn new(region: PixelRect) -> Self {
        let words = region.width.div_ceil(32) as usize;
        Self {
            region,
            words,
            bits: vec![0; words * region.height as usize],
        }
    }

    /// Toggles, in each row whose centres the edge passes, the first pixel whose centre is not left of it.
    fn toggle_along(&mut self, from: DVec2, to: DVec2) {
        let (upper, lower) = if from.y <= to.y {
            (from, to)
        } else {
            (to, from)
        };
        let PixelRect { x, y, .. } = self.region;
        let (width, height) = (f64::from(self.region.width), f64::from(self.region.height));
        // The rows whose centres are at or below the upper end, and above the lower one.
        let row = |at: f64| (at - 0.5 - f64::from(y)).ceil().clamp(0.0, height) as u32;
        for row in row(upper.y)..row(lower.y) {
            let center_y = f64::from(y) + f64::from(row) + 0.5;
            let along = (center_y - upper.y) / (lower.y - upper.y);
            let crossing = upper.x + along * (lower.x - upper.x);
            let guess = (crossing - 0.5 - f64::from(x)).ceil().clamp(0.0, width);
            let left_of = |column: f64| {
                let center = DVec2::new(f64::from(x) + column + 0.5, center_y);
                // Below 0 where the edge, which runs down, has the centre on its left.
                (lower - upper).perp_dot(center - upper) > 0.0
            };
            // Division rounds; the sign of the product does not, for coordinates of few digits.
            let mut column = guess;
            while column > 0.0 && !left_of(column - 1.0) {
                column -= 1.0;
            }
            while column < width && left_of(column) {
                column += 1.0;
            }
            if column < width {
                let column = column as usize;
                self.bits[row as usize * self.words + column / 32] ^= 1 << (column % 32);
            }
        }
    }

    /// Makes of each toggle a run up to the next one.
    fn fill(&mut self) {
        let width = self.region.width;
        let beyond = match width % 32 {
            0 => u32::MAX,
            used => (1 << used) - 1,
        };
        for row in self.bits.chunks_exact_mut(self.words) {
            let mut inside = 0;
            for word in &mut *row {
                // The parity of all lower bits and the bit itself.
                let mut bits = *word;
                for shift in [1, 2, 4, 8, 16] {
                    bits ^= bits << shift;
                }
                *word = bits ^ inside;
                inside = if *word >> 31 != 0 { u32::MAX } else { 0 };
            }
            if let Some(last) = row.last_mut() {
                *last &= beyond;
            }
        }
    }

    /// The same, without rows and columns that have nothing inside.
    fn cropped(self) -> Result<(PixelRect, Vec<u32>), PickError> {
        let rows = || self.bits.chunks_exact(self.words);
        let has_any = |row: &[u32]| row.iter().any(|word| *word != 0);
        let Some(top) = rows().position(has_any) else {
            return Err(InputError::EmptyRegion.into());
        };
        let bottom = rows().rposition(has_any).map_or(top, |last| last) + 1;
        let mut columns = vec![0; self.words];
        for row in rows() {
            for (all, word) in columns.iter_mut().zip(row) {
                *all |= word;
            }
        }
        let first = columns.iter().position(|word| *word != 0).unwrap_or(0);
        let last = columns.iter().rposition(|word| *word != 0).unwrap_or(0);
        let left = 32 * first + columns[first].trailing_zeros() as usize;
        let right = 32 * last + 32 - columns[last].leading_zeros() as usize;
        let words = (right - left).div_ceil(32);
        let mut bits = Vec::with_capacity(words * (bottom - top));
        for row in rows().take(bottom).skip(top) {
            bits.extend((0..words).map(|word| {
                let from = left + 32 * word;
                let (at, shift) = (from / 32, from % 32);
                let low = row[at] >> shift;
                let high = row.get(at + 1).filter(|_| shift > 0);
                low | high.map_or(0, |next| next << (32 - shift))
            }));
        }
        let region = PixelRect::new(
            self.region.x + left as u32,
            self.region.y + top as u32,
            (right - left) as u32,
            (bottom - top) as u32,
        );
        Ok((region, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(points: &[[f64; 2]], viewport: Viewport) -> Result<Vec<String>, PickError> {
        let points: Vec<_> = points.iter().copied().map(DVec2::from).collect();
        let (region, bits) = enclosed(&points, viewport)?;
        let words = region.width.div_ceil(32) as usize;
        let row = |row: u32| {
            let inside = |column: u32| {
                let word = bits[row as usize * words + column as usize / 32];
                if word >> (column % 32) & 1 != 0 {
                    '#'
                } else {
                    '.'
                }
            };
            (0..region.width).map(inside).collect()
        };
        let title = format!("{} {}", region.x, region.y);
        Ok([title]
            .into_iter()
            .chain((0..region.height).map(row))
            .collect())
    }

    const FIELD: Viewport = PixelRect::new(0, 0, 100, 50);

    /// Centres on left and top edges are inside, on right and bottom ones outside.
    #[test]
    fn a_box_through_centres_has_its_left_and_top_edges() {
        let corners = [[2.5, 1.5], [5.5, 1.5], [5.5, 3.5], [2.5, 3.5]];
        assert_eq!(drawn(&corners, FIELD).unwrap(), ["2 1", "###", "###"]);
        let reversed: Vec<_> = corners.into_iter().rev().collect();
        assert_eq!(drawn(&reversed, FIELD).unwrap(), ["2 1", "###", "###"]);
    }

    #[test]
    fn what_is_enclosed_twice_is_outside() {
        let bow_tie = [[0.0, 0.0], [9.0, 8.0], [9.0, 0.0], [0.0, 8.0]];
        let rows = drawn(&bow_tie, FIELD).unwrap();
        assert_eq!((&*rows[1], &*rows[8]), ("#.......#", "#.......#"));
        let star: Vec<[f64; 2]> = (0..5)
            .map(|k| f64::from(k * 2) * std::f64::consts::TAU / 5.0)
            .map(|turn| [20.0 + 15.0 * turn.sin(), 20.0 - 15.0 * turn.cos()])
            .collect();
        let rows = drawn(&star, FIELD).unwrap();
        let middle = &rows[1 + 15];
        assert!(middle.contains("#") && middle.contains("..."), "{middle}");
    }

    /// Wide enough for more than one word, cropped in the middle of one.
    #[test]
    fn words_and_crops_keep_every_pixel() {
        let corners = [[37.0, 2.0], [90.0, 2.0], [90.0, 4.0], [37.0, 4.0]];
        let row = "#".repeat(53);
        assert_eq!(drawn(&corners, FIELD).unwrap(), ["37 2", &row, &row]);
        let overhangs = [[-50.0, -9.0], [300.0, -9.0], [300.0, 90.0], [-50.0, 90.0]];
        let row = "#".repeat(100);
        let rows = drawn(&overhangs, FIELD).unwrap();
        assert_eq!((rows.len(), &rows[50]), (51, &row));
    }

    #[test]
    fn neighbours_share_no_pixel_and_leave_none_out() {
        let corner = [13.3, 9.7];
        let around = [[2.0, 3.0], [30.5, 1.5], [33.0, 20.0], [4.5, 18.5]];
        let count = |hits: &mut Vec<u32>, points: &[[f64; 2]]| {
            let points: Vec<_> = points.iter().copied().map(DVec2::from).collect();
            let (region, bits) = enclosed(&points, FIELD).unwrap();
            let words = region.width.div_ceil(32);
            for row in 0..region.height {
                for column in 0..region.width {
                    let word = bits[(row * words + column / 32) as usize];
                    let at = (region.y + row) * 100 + region.x + column;
                    hits[at as usize] += word >> (column % 32) & 1;
                }
            }
        };
        let (mut whole, mut parts) = (vec![0; 100 * 50], vec![0; 100 * 50]);
        count(&mut whole, &around);
        for k in 0..4 {
            count(&mut parts, &[corner, around[k], around[(k + 1) % 4]]);
        }
        assert_eq!(parts, whole);
    }

    #[test]
    fn what_is_no_polygon_is_told() {
        let kind = |points: &[[f64; 2]]| drawn(points, FIELD).unwrap_err().kind().clone();
        let input = |error: InputError| crate::ErrorKind::Input(error);
        for count in 0..3 {
            let points = vec![[1.0, 2.0]; count];
            assert_eq!(kind(&points), input(InputError::LassoPoints { count }));
        }
        let far = [[0.0, 0.0], [9.0, 0.0], [f64::INFINITY, 3.0]];
        assert!(matches!(
            kind(&far),
            crate::ErrorKind::Input(InputError::LassoPoint { index: 2, .. })
        ));
        assert!(matches!(
            kind(&[[0.0, 0.0], [f64::NAN, 0.0], [5.0, 3.0]]),
            crate::ErrorKind::Input(InputError::LassoPoint { index: 1, .. })
        ));
        let flat = [[1.0, 1.0], [9.0, 1.0], [4.0, 1.0]];
        assert_eq!(kind(&flat), input(InputError::EmptyRegion));
        let outside = [[-9.0, 1.0], [-1.0, 1.0], [-4.0, 9.0]];
        assert_eq!(kind(&outside), input(InputError::EmptyRegion));
    }
}
