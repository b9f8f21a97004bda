//! Tables of text, for a person to read.

/// Rows under a head, columns as wide as their widest cell.
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// What stands where nothing is given.
pub const NOT_GIVEN: &str = "-";

impl Table {
    /// An empty table with these columns.
    pub fn new(head: &[&str]) -> Self {
        Self {
            head: head.iter().map(|cell| (*cell).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells stay empty.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        // The last cell of a row that ends early runs on over the columns it leaves empty.
        let cell_of = |row: &'_ Vec<String>, column: usize| match row.len() {
            cells if cells < self.head.len() && column + 1 == cells => None,
            _ => row.get(column).cloned(),
        };
        let width = |column: usize| {
            let cells = all().filter_map(|row| cell_of(row, column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let numeric = |column: usize| {
            let mut cells = self.rows.iter().filter_map(|row| cell_of(row, column));
            cells.all(|cell| is_number_like(&cell))
        };
        let columns: Vec<_> = (0..self.head.len())
            .map(|column| (width(column), numeric(column)))
            .collect();
        for row in all() {
            let mut line = String::new();
            for (cell, (width, numeric)) in row.iter().zip(&columns) {
                let pad = width.saturating_sub(cell.chars().count());
                let (before, after) = if *numeric { (pad, 0) } else { (0, pad) };
                let spaces = |count| " ".repeat(count);
                line += &format!("{}{cell}{}  ", spaces(before), spaces(after));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Columns of these go to the right.
fn is_number_like(cell: &str) -> bool {
    cell.is_empty()
        || cell == NOT_GIVEN
        || cell.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && !cell.contains(|c: char| c.is_ascii_alphabetic() && c != 'e' || c == ',')
}

/// A given value, or a dash.
pub fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| NOT_GIVEN.to_owned(), |value| value.to_string())
}

/// Numbers with three decimals.
pub fn numbers(values: &[f64]) -> String {
    let texts: Vec<_> = values.iter().map(|value| number(*value)).collect();
    texts.join(", ")
}

/// A number to about four digits: plain where that is short.
pub fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-3..1e7).contains(&size) => format!("{value:.3e}"),
        size if size >= 1e3 => format!("{value:.0}"),
        size if size >= 1e2 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

/// A time or a multiple, to three digits.
pub fn brief(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        _ => number(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_right_and_words_left() {
        let mut table = Table::new(&["what", "how many"]);
        table.row(vec!["a".into(), "1".into()]);
        table.row(vec!["bcdef".into(), "-".into()]);
        assert_eq!(
            table.to_string(),
            "what   how many\na             1\nbcdef         -\n"
        );
    }
}
