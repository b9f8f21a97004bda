//! `--camera FILE.json`.

use std::collections::BTreeMap;
use std::path::Path;

use glam::DMat4;
use pick_core::{DepthConvention, ErrorKind, InputError, PickError, View, Viewport};
use serde_json::value::RawValue;

use crate::exit::Failure;
use crate::json;

const KEYS: [&str; 4] = ["viewport", "view", "projection", "depth"];
const SHAPE: &str = "{\"viewport\":[w,h],\"view\":[16 numbers],\"projection\":[16 numbers],\
                     \"depth\":\"standard\" or \"reversed\"}";
const VIEWPORT_FIX: &str = "write the width and height in whole pixels, such as [640, 480]";
const MATRIX_FIX: &str = "write 16 finite numbers, column by column";
const DEPTH_FIX: &str = "write \"standard\" (0 is near) or \"reversed\" (1 is near)";

type Fields = BTreeMap<String, Box<RawValue>>;

/// Reads a camera.
pub fn read(path: &Path) -> Result<View, Failure> {
    let text = json::read(path)?;
    let fields: Fields = json::parse(path, &text, SHAPE)?;
    if let Some(unknown) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(Failure::input(
            path.display(),
            unknown,
            "there is no such key",
            format!("use {}", KEYS.join(", ")),
        ));
    }
    let view = matrix(path, &fields, "view")?;
    let projection = matrix(path, &fields, "projection")?;
    let [width, height] = viewport(path, &fields)?;
    let depth = depth(path, &fields)?;
    let viewport = Viewport::new(0, 0, width, height);
    View::new(view, projection, viewport, depth).map_err(|error| refused(path, &error))
}

/// What [`read`] reads, of a view whose viewport starts at 0.
pub fn text(view: &View) -> String {
    let matrix = |matrix: DMat4| serde_json::json!(matrix.to_cols_array());
    let Viewport { width, height, .. } = view.viewport();
    let depth = match view.depth() {
        DepthConvention::Standard => "standard",
        DepthConvention::Reversed => "reversed",
    };
    let fields = serde_json::json!({
        "viewport": [width, height],
        "view": matrix(view.view_from_world()),
        "projection": matrix(view.clip_from_view()),
        "depth": depth,
    });
    fields.to_string()
}

fn field<'f>(
    path: &Path,
    fields: &'f Fields,
    key: &str,
    fix: &str,
) -> Result<&'f RawValue, Failure> {
    let found = fields.get(key).map(|raw| &**raw);
    found.ok_or_else(|| Failure::input(path.display(), key, "it is missing", fix))
}

fn matrix(path: &Path, fields: &Fields, key: &str) -> Result<DMat4, Failure> {
    let raw = field(path, fields, key, MATRIX_FIX)?;
    let numbers = json::numbers(path, key, raw, 16, MATRIX_FIX)?;
    Ok(DMat4::from_cols_slice(&numbers))
}

fn viewport(path: &Path, fields: &Fields) -> Result<[u32; 2], Failure> {
    let raw = field(path, fields, "viewport", VIEWPORT_FIX)?;
    let numbers = json::numbers(path, "viewport", raw, 2, VIEWPORT_FIX)?;
    let whole = |n: f64| n.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&n);
    match numbers.iter().find(|n| !whole(**n)) {
        Some(bad) => Err(Failure::input(
            path.display(),
            "viewport",
            format!("{bad} is not a whole number of pixels above 0"),
            VIEWPORT_FIX,
        )),
        None => Ok([numbers[0] as u32, numbers[1] as u32]),
    }
}

fn depth(path: &Path, fields: &Fields) -> Result<DepthConvention, Failure> {
    let raw = field(path, fields, "depth", DEPTH_FIX)?;
    match serde_json::from_str::<String>(raw.get()).as_deref() {
        Ok("standard") => Ok(DepthConvention::Standard),
        Ok("reversed") => Ok(DepthConvention::Reversed),
        _ => Err(Failure::input(
            path.display(),
            "depth",
            format!("{} is not a depth convention", raw.get()),
            DEPTH_FIX,
        )),
    }
}

/// The library's error, under the file's own names.
fn refused(path: &Path, error: &PickError) -> Failure {
    let (field, fix) = match error.kind() {
        ErrorKind::Input(InputError::BadMatrix { which, .. }) => match *which {
            "view_from_world" => ("view", "write a matrix that can be inverted"),
            _ => ("projection", "write a matrix that can be inverted"),
        },
        ErrorKind::Input(InputError::DepthMismatch { .. }) => (
            "depth",
            "state the other convention, or write a right-handed view and a projection to clip z 0..1",
        ),
        _ => ("viewport", VIEWPORT_FIX),
    };
    Failure::input(path.display(), field, error, fix)
}
