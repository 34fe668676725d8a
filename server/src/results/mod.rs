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
    let begin = reader.fill_buf();
    let begin = begin.map_err(|source| ResultsError::read(name, source))?;
    if let Some(reason) = no_text(begin) {
        return Err(ResultsError::line(name, 1, reason));
    }
    let format = Format::of(&mut reader).map_err(|source| ResultsError::read(name, source))?;
    match format {
        None => Ok(()),
        Some(Format::Pgn) => pgn::read(name, reader, into),
        Some(Format::Csv) => csv::read(name, reader, into),
        Some(Format::JsonLines) => json_lines::read(name, reader, into),
    }
}

/// What is to be said of a file that begins like none that is read here.
fn no_text(begin: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 6] = [
        (
            b"\x1f\x8b",
            "this is gzip; unpack it, as by `zcat FILE | brouhaha stats ratings -`",
        ),
        (
            b"BZh",
            "this is bzip2; unpack it, as by `bzcat FILE | brouhaha stats ratings -`",
        ),
        (
            b"\x28\xb5\x2f\xfd",
            "this is Zstandard; unpack it, as by `zstdcat FILE | brouhaha stats ratings -`",
        ),
        (b"PK\x03\x04", "this is a zip archive; unpack it"),
        (b"\xff\xfe", "this is UTF-16; write it as UTF-8"),
        (b"\xfe\xff", "this is UTF-16; write it as UTF-8"),
    ];
    let known = MAGIC.iter().find(|(magic, _)| begin.starts_with(magic));
    if let Some((_, reason)) = known {
        return Some(reason);
    }
    let mut words = begin.iter().filter(|byte| !byte.is_ascii_whitespace());
    let is_array = words.next() == Some(&b'[')
        && words
            .next()
            .is_some_and(|&byte| matches!(byte, b'[' | b'{' | b']' | b'"' | b'-' | b'0'..=b'9'));
    is_array.then_some(
        "this is a JSON array; write one object a line, without brackets and commas around them",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_named_with_its_remedy() {
        for (begin, says) in [
            (&b"\x1f\x8b\x08"[..], "gzip"),
            (b"\xff\xfef\0", "UTF-16"),
            (b"[1, 2]", "JSON array"),
            (b" [\n {\"first\": 1}", "JSON array"),
        ] {
            let mut collector = Collector::new(Pairing::None, Vec::new());
            let error = read("r", begin, &mut collector).unwrap_err().to_string();
            assert!(
                error.contains(says) && error.contains("`r`, line 1"),
                "{error}"
            );
        }
        let mut collector = Collector::new(Pairing::None, Vec::new());
        let pgn = b"[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1-0\n";
        read("r", &pgn[..], &mut collector).unwrap();
        assert_eq!(collector.finish().names, ["a", "b"]);
    }
}
