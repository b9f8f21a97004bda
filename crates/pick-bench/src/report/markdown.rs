//! The tables for a document beside the code.

use std::fmt::Write as _;

use crate::report::layout::{Layout, ray_casting};
use crate::report::page::{command, devices, estimates};
use crate::report::targets;
use crate::results::{Group, Results};

/// Every table that has a row, each under its heading.
pub fn tables(results: &Results) -> String {
    let machine = &results.machine;
    let mut out = format!(
        "`{}`, {} sizes, {:.0} s on {} ({} threads).\n",
        command(results),
        results.sizes,
        results.seconds,
        machine.cpu,
        machine.threads
    );
    let mut tables = vec![
        ("Devices", devices(results)),
        ("Targets", targets::table(results)),
    ];
    for group in Group::ALL {
        let layout = Layout::of(group);
        tables.push((layout.title, layout.table(group, results)));
    }
    tables.push(("Casting rays on the CPU", ray_casting(results)));
    tables.push(("Criterion's estimates", estimates(results)));
    for (title, table) in tables {
        if !table.rows.is_empty() {
            let _ = write!(out, "\n## {title}\n\n{}", table.markdown());
        }
    }
    for note in &results.notes {
        let _ = write!(out, "\nNot measured: {note}\n");
    }
    out
}
