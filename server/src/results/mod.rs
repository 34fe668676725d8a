//! Results of games played anywhere, read from files into a pool that can be rated.
//!
//! - `collector`: names, game pairs, counts;
//! - `pgn`, `csv`, `json_lines`: the formats, each told by how a file begins;
//! - `error`: what may be wrong with them, and where.
//!
//! Files are read once from front to back, in memory that grows with the players and their pairs and not with the games.

mod collector;
mod csv;
mod error;
mod json_lines;
mod pgn;

use std::io::BufRead;

pub use collector::{Collector, Game, Pairing, Results};
pub use error::ResultsError;

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Tags `White`, `Black` and `Points` or `Result`.
    Pgn,
    /// A header and a line a game, or for several alike.
    Csv,
    /// An object a game, as `tournament games --as json` writes them.
    JsonLines,
}

impl Format {
    /// The format of a file that begins so: `[` is PGN, `{` JSON lines, anything else CSV.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(reader: &mut impl BufRead) -> std::io::Result<Option<Self>> {
        let begin = reader.fill_buf()?;
        let begin = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin);
        let first = begin.iter().find(|b| !b.is_ascii_whitespace());
        Ok(first.map(|first| match first {
            b'[' | b'%' | b';' => Self::Pgn,
            b'{' => Self::JsonLines,
            _ => Self::Csv,
        }))
    }
}

/// Reads the results of a file; `name` stands in errors. An empty file has none.
///
/// # Errors
/// The file cannot be read, or something in it is no result.
pub fn read(
    name: &str,
    mut reader: impl BufRead,
    into: &mut Collector,
) -> Result<(), ResultsError> {
    let format = Format::of(&mut reader).map_err(|source| ResultsError::read(name, source))?;
    match format {
        None => Ok(()),
        Some(Format::Pgn) => pgn::read(name, reader, into),
        Some(Format::Csv) => csv::read(name, reader, into),
        Some(Format::JsonLines) => json_lines::read(name, reader, into),
    }
}
