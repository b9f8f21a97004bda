//! The id view: hue by object, shade by primitive.

use pick_core::{Hit, IdImage, PickError};

use crate::picture::canvas::{Canvas, Color, hsv, hue_of};

const NOTHING: Color = [0.012, 0.012, 0.015];

/// Draws an id image.
///
/// # Errors
/// Texels that the pick cannot have drawn.
pub fn draw(image: &IdImage) -> Result<Canvas, PickError> {
    let region = image.region();
    let mut canvas = Canvas::new(region.width, region.height);
    for row in 0..region.height {
        for column in 0..region.width {
            let hit = image.hit(column, row)?;
            let color = hit.as_ref().map_or(NOTHING, color);
            canvas.set(i64::from(column), i64::from(row), color);
        }
    }
    Ok(canvas)
}

/// The colour of whatever has the same object, copy, part and triangle.
fn color(hit: &Hit) -> Color {
    let triangle = hit.primitive.unwrap_or(0);
    let copy = hit.instance.unwrap_or(0);
    let shade = scrambled(triangle ^ copy.rotate_left(12) ^ hit.part.rotate_left(24));
    hsv(hue_of(hit.tag), 0.82, 0.18 + 0.62 * shade)
}

/// 0..1, far apart for numbers that are near each other.
fn scrambled(number: u32) -> f32 {
    // The finaliser of MurmurHash3: every bit of the number moves half of the result's.
    let mut h = number.wrapping_add(0x9e37_79b9);
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    ((h ^ (h >> 16)) >> 8) as f32 / (1 << 24) as f32
}
