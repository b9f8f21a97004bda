//! The page: one file that needs nothing else, neither a script nor the network.

use crate::report::curve::figures;
use crate::report::layout::{Layout, ray_casting};
use crate::report::table::{Cell, Table};
use crate::report::text::escaped;
use crate::report::{plot, targets};
use crate::results::{Group, Results};

const STYLE: &str = include_str!("style.css");

const INTRODUCTION: &str = "\
Times are medians in microseconds. Floor: the shortest way to the device and back, 256 bytes of it read. Empty: the same \
pick with nothing to draw. Brute: everything drawn. All things of a row were timed in turns; a ratio is taken round by \
round within a row, as the median and the middle half of the rounds. Times of different rows are not comparable: other \
work may have run beside.";

/// The whole page.
///
/// # Errors
/// What the plotting library meets.
pub fn page(results: &Results) -> Result<String, String> {
    let mut body = head(results);
    body.push_str(&section("Targets", "", &targets::table(results)));
    for group in Group::ALL {
        body.push_str(&of_group(group, results)?);
    }
    let rays = ray_casting(results);
    if !rays.rows.is_empty() {
        let about = "The CPU backend draws nothing: it casts rays into trees that it builds when a scene is made, and \
                     builds anew where copies change. A peer of the others, not their measure.";
        body.push_str(&section("Casting rays on the CPU", about, &rays));
    }
    if !results.criterion.is_empty() {
        let about = "Single picks as Criterion estimates them, in microseconds: medians with 95 % confidence. Each was \
                     timed in a run of its own, so they are divided by nothing.";
        body.push_str(&section(
            "Criterion's estimates",
            about,
            &estimates(results),
        ));
    }
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width\"/>\n<title>What a pick costs</title>\n\
         <style>\n{STYLE}{}\n</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        plot::dark_style()
    ))
}

/// Where it was measured, and how to measure again.
fn head(results: &Results) -> String {
    let machine = &results.machine;
    let variables = machine.variables.iter();
    let variables: Vec<String> = variables
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let facts = [
        ("pick", results.version.clone()),
        ("sizes", results.sizes.clone()),
        ("took", format!("{:.0} s", results.seconds)),
        (
            "machine",
            format!(
                "{}, {} threads, {}",
                machine.cpu, machine.threads, machine.system
            ),
        ),
        ("environment", variables.join(" ")),
        ("again", command(results)),
    ];
    let mut table = Table::new(["", ""]);
    for (name, value) in facts {
        table.rows.push(vec![Cell::text(name), Cell::text(value)]);
    }
    let notes: String = results
        .notes
        .iter()
        .map(|note| format!("<li>{}</li>\n", escaped(note)))
        .collect();
    let notes = match notes.is_empty() {
        true => notes,
        false => format!("<h2>Not measured</h2>\n<ul>\n{notes}</ul>\n"),
    };
    format!(
        "<h1>What a pick costs</h1>\n<p>{INTRODUCTION}</p>\n{}{}{notes}",
        table.html(),
        devices(results).html()
    )
}

/// What measures the same again.
pub fn command(results: &Results) -> String {
    let option = match results.sizes.as_str() {
        "quick" => " --quick",
        "full" => " --full",
        _ => "",
    };
    format!("cargo xtask bench-report{option}")
}

/// The devices by the names that the tables use.
pub fn devices(results: &Results) -> Table {
    let mut table = Table::new([
        "device",
        "name",
        "driver",
        "API",
        "kind",
        "copies culled on it",
    ]);
    for device in &results.devices {
        let kind = match (device.backend.as_str(), device.software) {
            ("cpu", _) => "casts rays on the CPU",
            (_, true) => "rasterises on the CPU",
            (_, false) => "GPU",
        };
        let culls = if device.instance_culling { "yes" } else { "no" };
        table.rows.push(vec![
            Cell::text(&device.label),
            Cell::text(&device.device),
            Cell::text(&device.driver),
            Cell::text(&device.api),
            Cell::text(kind),
            Cell::text(culls),
        ]);
    }
    table
}

/// Table and plots; nothing where nothing was measured.
fn of_group(group: Group, results: &Results) -> Result<String, String> {
    let layout = Layout::of(group);
    let table = layout.table(group, results);
    if table.rows.is_empty() {
        return Ok(String::new());
    }
    let mut plots = String::new();
    for figure in figures(group, results) {
        let caption = escaped(&figure.title);
        let svg = plot::inline(&figure)?;
        plots.push_str(&format!(
            "<figure><figcaption>{caption}</figcaption>{svg}</figure>\n"
        ));
    }
    let section = section(layout.title, layout.about, &table);
    Ok(format!("{section}<div class=\"plots\">\n{plots}</div>\n"))
}

fn section(title: &str, about: &str, table: &Table) -> String {
    format!(
        "<h2>{}</h2>\n<p>{}</p>\n{}",
        escaped(title),
        escaped(about),
        table.html()
    )
}

/// What Criterion found.
pub fn estimates(results: &Results) -> Table {
    let mut table = Table::new(["benchmark", "median", "from", "to"]);
    for estimate in &results.criterion {
        table.rows.push(vec![
            Cell::text(&estimate.id),
            Cell::Number(Some(estimate.median)),
            Cell::Number(Some(estimate.low)),
            Cell::Number(Some(estimate.high)),
        ]);
    }
    table
}
