//! What commands print: tables for people, JSON for scripts.

use std::borrow::Cow;
use std::io::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table};

/// `--format table|json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Tables for people
    Table,
    /// JSON for scripts
    Json,
}

/// The option itself.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct FormatArgument {
    /// How results are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Prints a result on standard output as it is.
///
/// # Errors
/// Standard output is closed or full.
pub fn print(text: impl std::fmt::Display) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    write!(out, "{text}")?;
    out.flush()
}

/// A table whose width does not depend on the terminal; columns after the first `left` are numbers.
pub fn table(header: &[&str], rows: Vec<Vec<String>>, left: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(comfy_table::presets::ASCII_MARKDOWN)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header.iter().map(|title| printable(title)));
    for row in rows {
        table.add_row(row.iter().map(|cell| printable(cell)));
    }
    for i in left..header.len() {
        if let Some(column) = table.column_mut(i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A text without control characters, which would have a terminal do things: names come from files of anyone.
fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) {
        let shown = |c: char| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        };
        text.chars().map(shown).collect()
    } else {
        text.into()
    }
}

/// A number of things: `1 pair`, `2 pairs`.
pub fn counted(number: u64, thing: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{end}")
}

/// A cell of comma-separated values.
pub fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Quarter points as a number.
pub fn points(quarters: u64) -> String {
    match quarters % 4 {
        0 => format!("{}", quarters / 4),
        1 => format!("{}.25", quarters / 4),
        2 => format!("{}.5", quarters / 4),
        _ => format!("{}.75", quarters / 4),
    }
}

/// A number to one decimal, or a hyphen.
pub fn tenths(value: Option<f64>) -> String {
    match value {
        // Minus zero is zero.
        Some(value) => format!("{:.1}", (value * 10.0).round() / 10.0 + 0.0),
        None => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_reaches_the_terminal_as_a_command() {
        let rows = vec![vec!["a\u{1b}[31m\nb\u{9b}c".to_owned(), "ž 1".to_owned()]];
        let shown = table(&["x", "y"], rows, 2).to_string();
        assert!(
            shown.contains("| a\u{fffd}[31m\u{fffd}b\u{fffd}c | ž 1 |"),
            "{shown}"
        );
        assert_eq!(
            (counted(1, "pair"), counted(0, "pair")),
            ("1 pair".into(), "0 pairs".into())
        );
    }

    #[test]
    fn numbers_are_short_and_stable() {
        assert_eq!(
            [0, 1, 2, 3, 4, 7].map(points),
            ["0", "0.25", "0.5", "0.75", "1", "1.75"]
        );
        assert_eq!(tenths(Some(-0.04)), "0.0");
        assert_eq!(tenths(Some(-0.06)), "-0.1");
        assert_eq!(tenths(None), "-");
    }
}
