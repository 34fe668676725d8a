//! What is wrong with a book: with the file as a whole, or with one opening of it.

use std::{fmt, io};

use super::lines::LONGEST_LINE;

/// Why a book cannot be read any further.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// Reading failed.
    #[error("the book cannot be read on after line {line}: is its file whole?")]
    Read {
        /// The last line that was read.
        line: u64,
        /// Why.
        source: io::Error,
    },
    /// The file is packed.
    #[error("the book is compressed ({kind}): unpack it first, e.g. with `{command}`")]
    Compressed {
        /// The name of the format.
        kind: &'static str,
        /// What unpacks it.
        command: &'static str,
    },
    /// The file has two bytes a character.
    #[error("the book is UTF-16 text: save it as UTF-8")]
    Utf16,
    /// The file is no text.
    #[error("line {line} of the book has a zero byte: it is no text; write EPD, FEN or PGN")]
    Binary {
        /// The line, from 1.
        line: u64,
    },
    /// A line does not end.
    #[error(
        "line {line} of the book has more than {LONGEST_LINE} bytes: write one position a line, or a PGN with shorter lines"
    )]
    TooLong {
        /// The line, from 1.
        line: u64,
    },
    /// The file for the keys of positions failed.
    #[error("the positions of the book cannot be written to a temporary file: is the disk full?")]
    Keys(#[source] io::Error),
    /// Somebody wants no answer any more.
    #[error("the check of the book was stopped")]
    Stopped,
}

/// What is wrong with one opening of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// The beginning of a text, for messages.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .take(80)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
