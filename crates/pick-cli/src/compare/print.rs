//! The table of `compare`, for a person or a script.

use std::io::{self, Write as _};

use pick_bench::device::Device;
use serde::Serialize;

use crate::args::{Format, StrategyName};
use crate::compare::cell::{Cell, LIMIT};
use crate::exit::{Failure, Status};
use crate::table::{Table, brief, or_dash};

/// How many wrong picks of a cell are told one by one.
const TOLD: usize = 3;

const LEGEND: &str = "\
right      what the CPU backend says at the pixel's centre
ambiguous  what it says within 1/15 pixel of it (SwiftShader's sub-pixel step is 1/16), or a surface
           that it meets there at the right one's depth within 0.1 %
median, p95  microseconds from submission to answer, pipelines warm
x floor    multiples of a submission without passes that reads 256 bytes back (on the CPU backend: a
           plan of 64 pixels with nothing in it)
x empty    multiples of the same pick with nothing to draw
read back  bytes a pick; memory: what the backend holds on the device";

/// A cell with its names.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    backend: String,
    device: String,
    driver: String,
    api: String,
    strategy: Option<&'static str>,
    picks: usize,
    right: usize,
    ambiguous: usize,
    wrong: usize,
    wrong_picks: Vec<String>,
    median_micros: Option<f64>,
    p95_micros: Option<f64>,
    floor_micros: Option<f64>,
    floor_multiple: Option<f64>,
    empty_micros: Option<f64>,
    empty_multiple: Option<f64>,
    bytes_read_back: u64,
    memory_bytes: u64,
    cut_at: Option<usize>,
    unsupported: Option<String>,
    broken: Option<String>,
    #[serde(skip)]
    is_wrong: bool,
}

impl Row {
    /// A cell with its names; without a strategy it is about the whole device.
    pub fn new(
        device: &Device,
        strategy: Option<StrategyName>,
        cell: &Cell,
        floor: Option<f64>,
    ) -> Self {
        let [backend, name, driver, api] = device.names();
        let multiple = |of: Option<f64>| Some(cell.median()? / of.filter(|of| *of > 0.0)?);
        Self {
            backend,
            device: name,
            driver,
            api,
            strategy: strategy.map(StrategyName::name),
            picks: cell.right + cell.ambiguous + cell.wrong.len(),
            right: cell.right,
            ambiguous: cell.ambiguous,
            wrong: cell.wrong.len(),
            wrong_picks: cell.wrong.clone(),
            median_micros: cell.median(),
            p95_micros: cell.p95(),
            floor_micros: floor,
            floor_multiple: multiple(floor),
            empty_micros: cell.empty_micros,
            empty_multiple: multiple(cell.empty_micros),
            bytes_read_back: cell.bytes_read_back,
            memory_bytes: cell.memory_bytes,
            cut_at: cell.cut_at,
            unsupported: cell.unsupported.clone(),
            broken: cell.broken.clone(),
            is_wrong: cell.is_wrong(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![
            self.backend.clone(),
            short(&self.device).to_owned(),
            self.api.clone(),
            self.strategy.unwrap_or("all").to_owned(),
        ];
        if let Some(capability) = &self.unsupported {
            cells.push(format!("unsupported: {capability}"));
            return cells;
        }
        if let Some(fault) = &self.broken {
            cells.push(format!("broken: {fault}"));
            return cells;
        }
        cells.extend([self.right, self.ambiguous, self.wrong].map(|count| count.to_string()));
        let times = [
            self.median_micros,
            self.p95_micros,
            self.floor_multiple,
            self.empty_multiple,
        ];
        cells.extend(times.map(|time| or_dash(time.map(brief))));
        cells.push(self.bytes_read_back.to_string());
        cells.push(bytes(self.memory_bytes));
        if let Some(picks) = self.cut_at {
            cells.push(format!("cut at {picks} picks after {} s", LIMIT.as_secs()));
        }
        cells
    }
}

/// Prints rows as they come, or all of them at the end.
pub struct Printer {
    format: Format,
    rows: Vec<Row>,
    status: Status,
}

impl Printer {
    /// A printer of this format.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            rows: Vec::new(),
            status: Status::Answered,
        }
    }

    /// Adds a row.
    pub fn add(&mut self, row: Row) -> Result<(), Failure> {
        if row.is_wrong {
            self.status = self.status.and(Status::Wrong);
        }
        match self.format {
            Format::Text => self.rows.push(row),
            Format::Jsonl => {
                let text = serde_json::to_string(&row).map_err(io::Error::from)?;
                writeln!(io::stdout(), "{text}")?;
            }
        }
        Ok(())
    }

    /// Prints what is left, and says how the run ends.
    pub fn finish(self) -> Result<Status, Failure> {
        if self.format == Format::Jsonl {
            return Ok(self.status);
        }
        let mut table = Table::new(&[
            "backend",
            "device",
            "api",
            "strategy",
            "right",
            "ambiguous",
            "wrong",
            "median",
            "p95",
            "x floor",
            "x empty",
            "read back",
            "memory",
            "",
        ]);
        for row in &self.rows {
            table.row(row.cells());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{table}")?;
        for row in self.rows.iter().filter(|row| row.wrong > 0) {
            let strategy = row.strategy.unwrap_or("all");
            writeln!(
                out,
                "wrong: {} {} {strategy}:",
                row.backend,
                short(&row.device)
            )?;
            for pick in row.wrong_picks.iter().take(TOLD) {
                writeln!(out, "  {pick}")?;
            }
            if let more @ 1.. = row.wrong.saturating_sub(TOLD) {
                writeln!(out, "  and {more} more")?;
            }
        }
        let mut told = Vec::new();
        for row in &self.rows {
            let device = (row.device.clone(), row.api.clone());
            if let Some(floor) = row.floor_micros.filter(|_| !told.contains(&device)) {
                let name = short(&row.device);
                writeln!(out, "floor of {name} ({}): {} us", row.api, brief(floor))?;
                told.push(device);
            }
        }
        writeln!(out, "\n{LEGEND}")?;
        Ok(self.status)
    }
}

/// A device's name without what drivers put in brackets behind it.
fn short(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}

fn bytes(count: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = UNITS.iter().find(|(_, size)| count >= *size);
    match unit {
        Some((name, size)) => format!("{:.1} {name}", count as f64 / *size as f64),
        None => format!("{count} B"),
    }
}
