//! What the plots show: how multiples of the empty pass grow with the size, a figure for each group and
//! device.

use crate::names::{BRUTE, CHANGED, EMPTY, MOVED, MOVED_CPU, PICK};
use crate::report::layout::Layout;
use crate::results::{Group, Results, Run};

/// A plot.
pub struct Figure {
    /// Its file's stem.
    pub name: String,
    /// For a person.
    pub title: String,
    /// What sizes count.
    pub unit: &'static str,
    /// What is drawn.
    pub curves: Vec<Curve>,
}

/// A line of a plot.
pub struct Curve {
    /// For the legend.
    pub label: String,
    /// Which colour: curves of one series share it.
    pub colour: usize,
    /// Drawn thin, with hollow points, beside the first of its series.
    pub is_thin: bool,
    /// Sizes and multiples of the empty pass, both above 0.
    pub points: Vec<(f64, f64)>,
}

/// What is drawn of each run of a group, with the words of the legend, what matters most first; nothing of
/// groups without sizes.
fn drawn(group: Group) -> &'static [(&'static str, &'static str)] {
    match group {
        Group::Instances | Group::Objects | Group::Triangles => {
            &[(PICK, "culled"), (BRUTE, "brute")]
        }
        Group::Changed => &[(CHANGED, "all changed"), (PICK, "unchanged")],
        Group::Moving => &[
            (MOVED, "moved and picked"),
            (MOVED_CPU, "of that on the CPU"),
        ],
        Group::Strategies | Group::Versus | Group::Hover | Group::Queries => &[],
    }
}

/// The figures of a group, a device each. One point makes no curve, and no figure.
pub fn figures(group: Group, results: &Results) -> Vec<Figure> {
    let layout = Layout::of(group);
    let figure = |label: &String| {
        let runs: Vec<&Run> = results
            .of(group)
            .filter(|run| run.device == *label)
            .collect();
        Figure {
            name: format!("{}-{}", group.name(), file_stem(label)),
            title: format!("{}, {label}", layout.title),
            unit: layout.unit,
            curves: curves(group, &runs),
        }
    };
    let labels = results.devices.iter().map(|device| &device.label);
    labels
        .map(figure)
        .filter(|figure| figure.curves.iter().any(|curve| curve.points.len() > 1))
        .collect()
}

fn curves(group: Group, runs: &[&Run]) -> Vec<Curve> {
    let mut series: Vec<&str> = Vec::new();
    for run in runs {
        if !series.contains(&run.series.as_str()) {
            series.push(&run.series);
        }
    }
    let mut curves = Vec::new();
    for (colour, series) in series.into_iter().enumerate() {
        for (at, &(name, word)) in drawn(group).iter().enumerate() {
            let point = |run: &&&Run| {
                let multiple = run.ratio(name, EMPTY)?.median;
                let is_drawable = multiple > 0.0 && multiple.is_finite() && run.size > 0;
                is_drawable.then_some((run.size as f64, multiple))
            };
            let of_series = runs.iter().filter(|run| run.series == series);
            let points: Vec<_> = of_series.filter_map(|run| point(&run)).collect();
            if !points.is_empty() {
                curves.push(Curve {
                    label: format!("{series}: {word}"),
                    colour,
                    is_thin: at > 0,
                    points,
                });
            }
        }
    }
    curves
}

/// Labels are a device's own words.
fn file_stem(label: &str) -> String {
    let safe = |c: char| match c.is_ascii_alphanumeric() {
        true => c,
        false => '-',
    };
    label.chars().map(safe).collect()
}
