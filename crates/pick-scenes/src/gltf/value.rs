//! Numbers out of JSON values whose shape is not known to be right.

use serde_json::{Map, Value};

use super::Result;
use crate::error::{SceneError, SceneErrorKind};

/// `N` finite numbers under a key; none if the key is not there.
pub(super) fn numbers<const N: usize>(
    object: &Map<String, Value>,
    key: &str,
    at: impl Fn() -> String,
) -> Result<Option<[f64; N]>> {
    let Some(value) = object.get(key) else {
        return Ok(None);
    };
    let list = value.as_array().filter(|l| l.len() == N);
    let numbers = list.and_then(|l| l.iter().map(Value::as_f64).collect::<Option<Vec<_>>>());
    match numbers.and_then(|n| <[f64; N]>::try_from(n).ok()) {
        Some(numbers) => Ok(Some(numbers)),
        None => Err(SceneError::new(
            SceneErrorKind::BadValue,
            format!("{}.{key}", at()),
            format!("{} is not a list of {N} numbers", shorten(value)),
            format!("write {N} numbers"),
        )),
    }
}

/// A value as an error may quote it: never more than a line.
fn shorten(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(_) => "a string".to_owned(),
        simple => simple.to_string(),
    }
}

/// A list or object below a key, or below several, where all of them are what they should be.
pub(super) fn below<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |v, key| v.get(key))
}
