//! A table, and its two forms: HTML and Markdown.

use std::fmt::Write as _;

use crate::report::text::{NOTHING, count, escaped, number, quartiles};
use crate::results::Ratio;

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A name that others may search for.
    Code(String),
    /// How many.
    Count(Option<f64>),
    /// A measured number.
    Number(Option<f64>),
    /// A ratio with the middle half of its rounds.
    Ratio(Option<Ratio>),
    /// A judgement: a class of the style sheet, and the word.
    Judged(&'static str, &'static str),
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn html(&self) -> String {
        match self {
            Self::Text(text) => format!("<td>{}</td>", escaped(text)),
            Self::Code(name) => format!("<td><code>{}</code></td>", escaped(name)),
            Self::Count(value) => numeric(value.map(count)),
            Self::Number(value) => numeric(value.map(number)),
            Self::Ratio(None) => numeric(None),
            Self::Ratio(Some(ratio)) => format!(
                "<td class=\"number\"><b>{}</b> <small>{}</small></td>",
                number(ratio.median),
                quartiles(*ratio)
            ),
            Self::Judged(class, word) => format!("<td class=\"{class}\">{word}</td>"),
        }
    }

    fn markdown(&self) -> String {
        match self {
            Self::Text(text) => text.replace('|', "\\|"),
            Self::Code(name) => format!("`{}`", name.replace('|', "\\|")),
            Self::Count(value) => value.map_or(String::new(), count),
            Self::Number(value) => value.map_or(String::new(), number),
            Self::Ratio(ratio) => ratio.map_or(String::new(), |ratio| {
                format!("{} ({})", number(ratio.median), quartiles(ratio))
            }),
            Self::Judged(_, word) => (*word).to_owned(),
        }
    }
}

fn numeric(value: Option<String>) -> String {
    let value = value.unwrap_or(NOTHING.to_owned());
    format!("<td class=\"number\">{value}</td>")
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns' names.
    pub head: Vec<String>,
    /// As many cells in each as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Without rows yet.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Self {
            head: head.into_iter().map(S::into).collect(),
            rows: Vec::new(),
        }
    }

    /// For the page; it scrolls by itself where the page is too narrow.
    pub fn html(&self) -> String {
        let mut out = "<div class=\"table\"><table>\n<thead><tr>".to_owned();
        for name in &self.head {
            let _ = write!(out, "<th>{}</th>", escaped(name));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            let cells: String = row.iter().map(Cell::html).collect();
            let _ = writeln!(out, "<tr>{cells}</tr>");
        }
        out.push_str("</tbody></table></div>\n");
        out
    }

    /// For a document beside the code; columns that are empty all the way down are left out.
    pub fn markdown(&self) -> String {
        let cells = |row: &Vec<Cell>| row.iter().map(Cell::markdown).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        let told = |at: &usize| rows.iter().any(|row| !row[*at].is_empty());
        let kept: Vec<usize> = (0..self.head.len()).filter(told).collect();
        let line = |cells: &Vec<String>| {
            let cells: Vec<&str> = kept.iter().map(|at| cells[*at].as_str()).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let body: String = rows.iter().map(line).collect();
        format!("{}{}|\n{body}", line(&self.head), "|---".repeat(kept.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let ratio = Ratio {
            median: 2.0,
            low: 1.5,
            high: 2.5,
        };
        let mut table = Table::new(["name", "never", "times"]);
        table.rows.push(vec![
            Cell::Code("a|<b".to_owned()),
            Cell::Number(None),
            Cell::Ratio(Some(ratio)),
        ]);
        table
    }

    #[test]
    fn markdown_leaves_out_what_nothing_stands_in() {
        let text = table().markdown();
        assert_eq!(
            text,
            "| name | times |\n|---|---|\n| `a\\|<b` | 2.00 (1.50–2.50) |\n"
        );
    }

    #[test]
    fn html_says_where_there_is_nothing() {
        let text = table().html();
        assert!(text.contains("<code>a|&lt;b</code>"), "{text}");
        assert!(text.contains("<td class=\"number\">–</td>"), "{text}");
        assert!(
            text.contains("<b>2.00</b> <small>1.50–2.50</small>"),
            "{text}"
        );
    }
}
