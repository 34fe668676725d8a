//! [`Lines`]: the lines of a file with their places, none longer than a limit.

use std::io::{self, BufRead, Read as _};

use memchr::memchr;

use super::BookError;

/// Longest line in bytes: a PGN may have a whole game on one.
pub(super) const LONGEST_LINE: u64 = 1 << 20;

/// Where something begins in a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its line, from 1.
    pub line: u64,
    /// Its first byte, from 0.
    pub offset: u64,
}

/// How packed files begin, their names, and what unpacks them.
const PACKED: [(&[u8], &str, &str); 6] = [
    (b"\x1f\x8b", "gzip", "gunzip FILE"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unzstd FILE"),
    (b"\xfd7zXZ\0", "xz", "unxz FILE"),
    (b"BZh", "bzip2", "bunzip2 FILE"),
    (b"PK\x03\x04", "zip", "unzip FILE"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x FILE"),
];

/// Reads line after line.
pub(super) struct Lines<R> {
    reader: R,
    next: Place,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a reader that stands at a place of its file.
    pub(super) fn at(reader: R, place: Place) -> Self {
        Lines {
            reader,
            next: place,
            buffer: Vec::new(),
        }
    }

    /// Reads the next line into `text`, without its end. Bytes that are no UTF-8 become replacement characters, since
    /// names and comments of old files have them. None at the end of the file.
    pub(super) fn read(&mut self, text: &mut String) -> Result<Option<Place>, BookError> {
        let mut place = self.next;
        let failed = |source: io::Error| BookError::Read {
            line: place.line - 1,
            source,
        };
        self.buffer.clear();
        let mut limited = self.reader.by_ref().take(LONGEST_LINE + 2);
        limited
            .read_until(b'\n', &mut self.buffer)
            .map_err(failed)?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        if place.offset == 0 {
            refuse_packed(&self.buffer)?;
        }
        let line = place.line;
        if memchr(0, &self.buffer).is_some() {
            return Err(BookError::Binary { line });
        }
        if self.buffer.len() as u64 > LONGEST_LINE {
            return Err(BookError::TooLong { line });
        }
        self.next = Place {
            line: line + 1,
            offset: place.offset + self.buffer.len() as u64,
        };
        let mut bytes = &self.buffer[..];
        if place.offset == 0
            && let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf")
        {
            bytes = rest;
            place.offset = 3;
        }
        bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        text.clear();
        text.push_str(&String::from_utf8_lossy(bytes));
        Ok(Some(place))
    }

    /// Lines read so far, with those before the place where the reader stood.
    pub(super) fn count(&self) -> u64 {
        self.next.line - 1
    }
}

/// Refuses a file that begins like one that is no plain text.
fn refuse_packed(head: &[u8]) -> Result<(), BookError> {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Err(BookError::Utf16);
    }
    let packed = PACKED.iter().find(|(magic, ..)| head.starts_with(magic));
    packed.map_or(Ok(()), |&(_, kind, command)| {
        Err(BookError::Compressed { kind, command })
    })
}
