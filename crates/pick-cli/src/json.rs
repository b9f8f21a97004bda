//! JSON files: read whole, and errors that name the field.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::exit::Failure;

/// The text of a file.
pub fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::input(
            path.display(),
            "file",
            format!("it cannot be read as text ({error})"),
            "give the path of a JSON file",
        )
    })
}

/// Parses a whole file whose outer shape is `shape` in words.
pub fn parse<T: DeserializeOwned>(path: &Path, text: &str, shape: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| {
        let field = match error.classify() {
            Category::Syntax | Category::Eof => last_key(text, &error),
            _ => None,
        };
        Failure::input(
            path.display(),
            field.unwrap_or("the whole file"),
            error,
            format!("write {shape}"),
        )
    })
}

/// Parses the numbers of one field, `count` of them.
pub fn numbers(
    path: &Path,
    field: &str,
    raw: &RawValue,
    count: usize,
    fix: &str,
) -> Result<Vec<f64>, Failure> {
    let bad = |problem: String| Failure::input(path.display(), field, problem, fix);
    let numbers: Vec<f64> = serde_json::from_str(raw.get()).map_err(|error| bad(reason(&error)))?;
    if numbers.len() != count {
        return Err(bad(format!("{} numbers, not {count}", numbers.len())));
    }
    Ok(numbers)
}

/// What is wrong, without a line and column that count from the field's own start.
pub fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.find(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// The last key before the place where the text stopped making sense (a `NaN`, say).
fn last_key<'t>(text: &'t str, error: &serde_json::Error) -> Option<&'t str> {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().checked_sub(1)?);
    let start: usize = lines.map(str::len).sum();
    let end = (start + error.column()).min(text.len());
    let before = text.get(..end)?;
    let colon = before.rfind("\":").or_else(|| before.rfind("\" :"))?;
    let key = before[..colon].rfind('"')?;
    Some(&before[key + 1..colon])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn syntax_errors_name_the_field_they_are_in() {
        let text = "{\"view\": [1, 2],\n \"projection\": [NaN]}";
        let parsed: Result<BTreeMap<String, Box<RawValue>>, _> =
            parse(Path::new("c.json"), text, "an object");
        let message = parsed.expect_err("NaN is no JSON").to_string();
        assert!(message.starts_with("c.json: projection: "), "{message}");
        assert!(message.ends_with("; write an object"), "{message}");
    }
}
