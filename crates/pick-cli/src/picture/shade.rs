//! The shaded view: a light at the eye, outlines where objects meet.

use glam::DVec3;
use pick_core::{Hit, IdImage, PickError, View};
use pick_scenes::{SceneData, SceneMaterial};

use crate::picture::canvas::{Canvas, Color, hsv, hue_of, mixed, scaled};

const SKY: Color = [0.36, 0.44, 0.56];
const HORIZON: Color = [0.86, 0.88, 0.90];
const OUTLINE: Color = [0.02, 0.02, 0.03];

/// What an outline runs between.
type Identity = (u64, u32, Option<u32>);

/// Draws an id image of the detailed strategy, each `factor` x `factor` block of it as one pixel.
///
/// # Errors
/// Texels that the pick cannot have drawn.
pub fn draw(
    image: &IdImage,
    view: &View,
    data: &SceneData,
    factor: u32,
) -> Result<Canvas, PickError> {
    let region = image.region();
    let (width, height) = (region.width, region.height);
    let mut canvas = Canvas::new(width, height);
    let mut above: Vec<Option<Identity>> = vec![None; width as usize];
    for row in 0..height {
        let mut left = None;
        let backdrop = mixed(SKY, HORIZON, row as f32 / height as f32);
        for column in 0..width {
            let hit = image.hit(column, row)?;
            let identity = hit.as_ref().map(|h| (h.tag, h.part, h.instance.ok()));
            let mut color = match &hit {
                Some(hit) => lit(hit, view, base_color(hit, data)),
                None => backdrop,
            };
            let above = &mut above[column as usize];
            let first = (row == 0, column == 0);
            if !first.0 && *above != identity || !first.1 && left != identity {
                color = mixed(color, OUTLINE, 0.75);
            }
            canvas.set(i64::from(column), i64::from(row), color);
            (*above, left) = (identity, identity);
        }
    }
    Ok(canvas.reduced(factor))
}

fn base_color(hit: &Hit, data: &SceneData) -> Color {
    let object = data.objects.get(hit.tag as usize);
    let mesh = object.and_then(|object| data.meshes.get(object.mesh));
    let part = mesh.and_then(|mesh| mesh.submeshes.get(hit.part as usize));
    let material = part
        .and_then(|part| part.material)
        .and_then(|material| data.materials.get(material as usize));
    let is_plain = |m: &&SceneMaterial| m.base_color[..3] != [1.0; 3];
    match material.filter(is_plain) {
        Some(material) => [0, 1, 2].map(|k| material.base_color[k]),
        None => hsv(hue_of(hit.tag), 0.45, 0.7),
    }
}

/// Lambert's law with the light at the eye, a little light from above, and a gloss.
fn lit(hit: &Hit, view: &View, base: Color) -> Color {
    let Ok(normal) = hit.surface.normal.or(hit.surface.face_normal) else {
        return scaled(base, 0.5);
    };
    let toward_eye = -hit.ray.direction;
    let normal = if normal.dot(toward_eye) < 0.0 {
        -normal
    } else {
        normal
    };
    let head = normal.dot(toward_eye);
    let up = view.view_from_world().inverse().transform_vector3(DVec3::Y);
    let above = 0.5 + 0.5 * normal.dot(up.normalize_or_zero());
    let light = 0.10 + 0.68 * head + 0.22 * above;
    let gloss = 0.25 * head.powi(40);
    scaled(base, light as f32).map(|channel| channel + gloss as f32)
}
