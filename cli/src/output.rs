//! What commands print: tables for people, JSON for scripts.

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
        .set_header(header.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    for i in left..header.len() {
        if let Some(column) = table.column_mut(i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
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
