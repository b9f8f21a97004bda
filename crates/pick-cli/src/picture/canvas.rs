//! Pixels of linear light, and colours.

/// Red, green and blue, linear, 0..1.
pub type Color = [f32; 3];

/// A picture in rows from the top.
#[derive(Clone, Debug)]
pub struct Canvas {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    pixels: Vec<Color>,
}

impl Canvas {
    /// A black picture.
    pub fn new(width: u32, height: u32) -> Self {
        let count = width as usize * height as usize;
        Self {
            width,
            height,
            pixels: vec![[0.0; 3]; count],
        }
    }

    /// The colour of a pixel; black outside.
    pub fn get(&self, x: u32, y: u32) -> Color {
        let index = self.index(i64::from(x), i64::from(y));
        index.map_or([0.0; 3], |index| self.pixels[index])
    }

    /// Paints a pixel; outside nothing happens.
    pub fn set(&mut self, x: i64, y: i64, color: Color) {
        if let Some(index) = self.index(x, y) {
            self.pixels[index] = color;
        }
    }

    /// The pixels in rows.
    pub fn pixels(&self) -> &[Color] {
        &self.pixels
    }

    /// Each `factor` x `factor` block of pixels as one.
    pub fn reduced(&self, factor: u32) -> Self {
        let mut small = Self::new(self.width / factor, self.height / factor);
        let share = 1.0 / (factor * factor) as f32;
        for y in 0..small.height {
            for x in 0..small.width {
                let mut sum = [0.0; 3];
                for dy in 0..factor {
                    for dx in 0..factor {
                        let part = self.get(x * factor + dx, y * factor + dy);
                        sum = std::array::from_fn(|k| sum[k] + part[k] * share);
                    }
                }
                small.set(i64::from(x), i64::from(y), sum);
            }
        }
        small
    }

    fn index(&self, x: i64, y: i64) -> Option<usize> {
        let inside =
            (0..i64::from(self.width)).contains(&x) && (0..i64::from(self.height)).contains(&y);
        inside.then(|| y as usize * self.width as usize + x as usize)
    }
}

/// A colour from hue in turns, saturation and value, all 0..1.
pub fn hsv(hue: f32, saturation: f32, value: f32) -> Color {
    let channel = |shift: f32| {
        let sector = (shift + hue.rem_euclid(1.0) * 6.0).rem_euclid(6.0);
        let ramp = sector.min(4.0 - sector).clamp(0.0, 1.0);
        value - value * saturation * ramp
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

/// A hue for a number: neighbours are far apart, and none comes again soon.
pub fn hue_of(number: u64) -> f32 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    ((number as f64 + 0.35) * GOLDEN).fract() as f32
}

/// The same colour, brighter or darker.
pub fn scaled(color: Color, factor: f32) -> Color {
    color.map(|channel| channel * factor)
}

/// From `a` to `b`.
pub fn mixed(a: Color, b: Color, share: f32) -> Color {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share)
}

/// The byte that a screen shows as this much light (the sRGB curve).
pub fn encoded(light: f32) -> u8 {
    let light = light.clamp(0.0, 1.0);
    let signal = if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    };
    (signal * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hues_are_the_ones_that_everybody_knows() {
        assert_eq!(hsv(0.0, 1.0, 1.0), [1.0, 0.0, 0.0]);
        assert_eq!(hsv(1.0 / 3.0, 1.0, 1.0), [0.0, 1.0, 0.0]);
        let blue = hsv(2.0 / 3.0, 1.0, 1.0);
        assert!(blue[2] == 1.0 && blue[0] < 1e-5 && blue[1] < 1e-5);
        assert_eq!(hsv(0.4, 0.0, 0.5), [0.5; 3]);
    }

    #[test]
    fn what_is_outside_is_left_alone() {
        let mut canvas = Canvas::new(2, 1);
        for (x, y) in [(-1, 0), (2, 0), (0, 1), (0, -1)] {
            canvas.set(x, y, [1.0; 3]);
        }
        assert!(canvas.pixels().iter().all(|p| *p == [0.0; 3]));
    }
}
