//! Reading what Criterion found, from the files that it leaves.

use std::path::Path;

use serde::Deserialize;

use crate::results::CriterionEstimate;

const NANOS_PER_MICRO: f64 = 1e3;

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// The newest estimate of every benchmark below a folder, in the order of their ids.
///
/// # Errors
/// What is wrong with which file.
pub fn estimates(folder: &Path) -> Result<Vec<CriterionEstimate>, String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        if folder.join("new/estimates.json").is_file() {
            found.push(estimate(&folder.join("new"))?);
            continue;
        }
        let entries = std::fs::read_dir(&folder).map_err(|error| told(&folder, &error))?;
        let paths = entries.flatten().map(|entry| entry.path());
        folders.extend(paths.filter(|path| path.is_dir()));
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

fn estimate(folder: &Path) -> Result<CriterionEstimate, String> {
    let Benchmark { full_id } = read(&folder.join("benchmark.json"))?;
    let Estimates { median } = read(&folder.join("estimates.json"))?;
    Ok(CriterionEstimate {
        id: full_id,
        median: median.point_estimate / NANOS_PER_MICRO,
        low: median.confidence_interval.lower_bound / NANOS_PER_MICRO,
        high: median.confidence_interval.upper_bound / NANOS_PER_MICRO,
    })
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|error| told(path, &error))?;
    serde_json::from_str(&text).map_err(|error| told(path, &error))
}

fn told(path: &Path, what: &dyn std::fmt::Display) -> String {
    format!("{}: {what}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ESTIMATES: &str = r#"{"mean": null, "median": {"confidence_interval":
        {"confidence_level": 0.95, "lower_bound": 1500.0, "upper_bound": 2500.0},
        "point_estimate": 2000.0, "standard_error": 1.0}}"#;

    fn planted(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("pick-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn the_newest_estimates_are_found_and_told_in_microseconds() {
        let files = [
            (
                "b/c/new/benchmark.json",
                r#"{"full_id": "b/c", "other": 1}"#,
            ),
            ("b/c/new/estimates.json", ESTIMATES),
            ("b/c/base/benchmark.json", "not read"),
            ("a/new/benchmark.json", r#"{"full_id": "a"}"#),
            ("a/new/estimates.json", ESTIMATES),
            ("report/index.html", "not read"),
        ];
        let root = planted("estimates", &files);
        let found = estimates(&root).unwrap();
        let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["a", "b/c"]);
        let one = &found[0];
        assert_eq!((one.low, one.median, one.high), (1.5, 2.0, 2.5));
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_file_that_is_none_of_criterions_is_named() {
        let files = [
            ("a/new/benchmark.json", "{}"),
            ("a/new/estimates.json", ESTIMATES),
        ];
        let root = planted("no-estimates", &files);
        let error = estimates(&root).unwrap_err();
        assert!(error.contains("benchmark.json"), "{error}");
        std::fs::remove_dir_all(&root).unwrap();
        assert!(estimates(&root).is_err());
    }
}
