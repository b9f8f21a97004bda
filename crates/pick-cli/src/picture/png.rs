//! Writing pictures.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use crate::exit::Failure;
use crate::picture::canvas::{Canvas, encoded};

/// Writes a picture as PNG.
pub fn write(path: &Path, canvas: &Canvas) -> Result<(), Failure> {
    encode(path, canvas).map_err(|error| {
        Failure::input(
            path.display(),
            "file",
            format!("it cannot be written ({error})"),
            "name a file in a folder that exists and can be written to",
        )
    })
}

fn encode(path: &Path, canvas: &Canvas) -> Result<(), png::EncodingError> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, canvas.width, canvas.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let bytes: Vec<u8> = canvas
        .pixels()
        .iter()
        .flatten()
        .map(|c| encoded(*c))
        .collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()
}
