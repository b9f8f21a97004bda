//! Which pixels are asked about. A pixel that makes no sense fails alone; the others are answered.

use std::path::Path;

use pick_core::{PickPoint, View};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::args::QueryArgs;
use crate::exit::Failure;
use crate::json;
use crate::values;

const SHAPE: &str = "a list of pixels: [[x,y],[x,y]]";

/// A pixel as it was given, and where it is.
#[derive(Clone, Debug)]
pub struct Asked {
    /// As answers repeat it.
    pub given: Value,
    /// Where it is, or what is wrong with it.
    pub place: Result<PickPoint, String>,
}

impl Asked {
    /// The pixel at this place.
    pub fn at([x, y]: [f64; 2]) -> Self {
        Self {
            given: Value::Array(vec![number(x), number(y)]),
            place: Ok(PickPoint::target_pixels(x, y)),
        }
    }

    fn wrong(given: Value, problem: String) -> Self {
        Self {
            given,
            place: Err(problem),
        }
    }

    /// `--at`.
    fn flag(text: &str) -> Self {
        match values::pixel(text) {
            Ok(place) if place.iter().all(|c| c.is_finite()) => Self::at(place),
            // JSON has no such numbers: they are repeated as the user wrote them.
            Ok([x, y]) => Self {
                given: Value::from(text),
                place: Ok(PickPoint::target_pixels(x, y)),
            },
            Err(problem) => Self::wrong(text.into(), format!("--at: {problem}")),
        }
    }

    /// An element of a file.
    fn element(path: &Path, index: usize, raw: &RawValue) -> Self {
        let field = format!("[{index}]");
        let fix = "write two numbers: [x,y]";
        match json::numbers(path, &field, raw, 2, fix) {
            Ok(numbers) => Self::at([numbers[0], numbers[1]]),
            Err(failure) => {
                let given = serde_json::from_str(raw.get());
                Self::wrong(
                    given.unwrap_or_else(|_| raw.get().into()),
                    failure.to_string(),
                )
            }
        }
    }
}

/// Whole numbers without a point, so that answers repeat what was written.
fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x.abs() < 9e15 {
        Value::from(x as i64)
    } else {
        Value::from(x)
    }
}

/// The pixels that the arguments ask about; the view's centre where they name none.
pub fn asked(args: &QueryArgs, view: &View) -> Result<Vec<Asked>, Failure> {
    if let Some(path) = &args.pixels {
        let text = json::read(path)?;
        let elements: Vec<Box<RawValue>> = json::parse(path, &text, SHAPE)?;
        let elements = elements.iter().enumerate();
        return Ok(elements
            .map(|(index, raw)| Asked::element(path, index, raw))
            .collect());
    }
    if args.at.is_empty() {
        let viewport = view.viewport();
        let center = [viewport.width / 2, viewport.height / 2];
        return Ok(vec![Asked::at(center.map(f64::from))]);
    }
    Ok(args.at.iter().map(|text| Asked::flag(text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_repeated_as_they_were_written() {
        assert_eq!(Asked::flag("3,4.5").given.to_string(), "[3,4.5]");
        assert_eq!(Asked::flag("-3,0").given.to_string(), "[-3,0]");
        assert_eq!(Asked::flag("nan,0").given.to_string(), "\"nan,0\"");
        assert_eq!(Asked::flag("x,0").given.to_string(), "\"x,0\"");
    }

    #[test]
    fn a_bad_element_of_a_file_fails_alone() {
        let path = Path::new("p.json");
        let text = "[[1,2], [1], null, [1e999,0], {\"x\":1}, [5.5,-1]]";
        let list: Vec<Box<RawValue>> = json::parse(path, text, SHAPE).expect("it is JSON");
        let asked: Vec<_> = list
            .iter()
            .enumerate()
            .map(|(i, raw)| Asked::element(path, i, raw))
            .collect();
        let good: Vec<bool> = asked.iter().map(|a| a.place.is_ok()).collect();
        assert_eq!(good, [true, false, false, false, false, true]);
        for (index, bad) in asked.iter().enumerate() {
            if let Err(problem) = &bad.place {
                assert!(
                    problem.starts_with(&format!("p.json: [{index}]: ")),
                    "{problem}"
                );
                assert!(problem.ends_with("write two numbers: [x,y]"), "{problem}");
            }
        }
    }
}
