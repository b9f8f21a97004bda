//! Crosses with numbers, where hits are.

use crate::picture::canvas::{Canvas, Color};

const INK: Color = [1.0, 1.0, 1.0];
const RIM: Color = [0.0, 0.0, 0.0];
/// Pixels from a cross's centre to the end of an arm.
const ARM: i64 = 7;
/// Pixels that are left open around the centre, so that what was hit stays visible.
const GAP: i64 = 2;
/// Pixels of a dot of a digit.
const DOT: i64 = 2;

/// The digits 0 to 9, five rows of three dots each, the left dot in the highest bit.
const DIGITS: [[u8; 5]; 10] = [
    [7, 5, 5, 5, 7],
    [2, 6, 2, 2, 7],
    [7, 1, 7, 4, 7],
    [7, 1, 7, 1, 7],
    [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7],
    [7, 4, 7, 5, 7],
    [7, 1, 1, 2, 2],
    [7, 5, 7, 5, 7],
    [7, 5, 7, 1, 7],
];

/// Marks a pixel with a cross and a number.
pub fn mark(canvas: &mut Canvas, [x, y]: [u32; 2], number: usize) {
    let (x, y) = (i64::from(x), i64::from(y));
    let mut dots = Vec::new();
    for at in GAP..=ARM {
        dots.extend([(x - at, y), (x + at, y), (x, y - at), (x, y + at)]);
    }
    let digits: Vec<u32> = number
        .to_string()
        .chars()
        .filter_map(|c| c.to_digit(10))
        .collect();
    let width = digits.len() as i64 * 4 * DOT;
    // To the right and above, and inside the picture.
    let left = (x + ARM).min(i64::from(canvas.width) - width - 2);
    let top = (y - ARM - 5 * DOT).max(2);
    for (place, digit) in (0..).zip(digits) {
        for (row, bits) in (0..).zip(DIGITS[digit as usize]) {
            for column in (0..3).filter(|column| bits >> (2 - column) & 1 != 0) {
                let corner = (left + (place * 4 + column) * DOT, top + row * DOT);
                dots.extend((0..DOT * DOT).map(|k| (corner.0 + k % DOT, corner.1 + k / DOT)));
            }
        }
    }
    for (x, y) in &dots {
        for around in 0..9 {
            canvas.set(x + around % 3 - 1, y + around / 3 - 1, RIM);
        }
    }
    for (x, y) in dots {
        canvas.set(x, y, INK);
    }
}
