//! [`TagReader`]: the tags of the games of a PGN, whatever is between them.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

/// Longest line that begins with a tag, in bytes. Lines of moves may have any length.
const LONGEST_TAG_LINE: u64 = 1 << 16;

/// Why a PGN could not be read on.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// Reading failed.
    #[error("cannot read on after line {line}")]
    Read {
        /// The last line that was read.
        line: u64,
        /// Why.
        source: io::Error,
    },
    /// A tag that is not written as `[Name "value"]`.
    #[error("line {line}: `{text}` is no tag; write [Name \"value\"]")]
    Tag {
        /// Its line, from 1.
        line: u64,
        /// How it begins.
        text: String,
    },
    /// A tag's line does not end.
    #[error("line {line}: a tag of more than {LONGEST_TAG_LINE} bytes; is this a PGN?")]
    TooLong {
        /// Its line, from 1.
        line: u64,
    },
}

/// The tags of one game that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// Line of the game's first tag, from 1.
    pub line: u64,
    /// By the tag's place in the list of those asked for: its value, and the line where it stands.
    values: Vec<Option<(String, u64)>>,
}

impl Tags {
    /// The value of the tag at a place in the list of those asked for.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&str> {
        let (value, _) = self.values.get(place)?.as_ref()?;
        Some(value)
    }

    /// The line of that tag, or of the game's first if it has none.
    #[must_use]
    pub fn line_of(&self, place: usize) -> u64 {
        let value = self.values.get(place).and_then(Option::as_ref);
        value.map_or(self.line, |&(_, line)| line)
    }
}

/// Reads the tags of game after game and skips the moves, in memory that does not grow.
///
/// A byte order mark, both kinds of line ends, several tags on a line, comments that look like tags and
/// bytes that are no UTF-8 (which become `U+FFFD`) are all right. A game ends where tags follow upon moves, or
/// upon an empty line upon tags: a game of no moves still counts.
///
/// ```
/// use engine::pgn::TagReader;
/// let text = "[White \"a\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n[White \"b\"]\n\n*\n";
/// let mut games = TagReader::new(text.as_bytes(), &["White", "Result"]);
/// assert_eq!(games.next_game().unwrap().unwrap().get(1), Some("1-0"));
/// let second = games.next_game().unwrap().unwrap();
/// assert_eq!((second.line, second.get(0), second.get(1)), (6, Some("b"), None));
/// assert!(games.next_game().unwrap().is_none());
/// ```
pub struct TagReader<'a, R> {
    reader: R,
    wanted: &'a [&'a str],
    /// Lines read so far.
    line: u64,
    buffer: Vec<u8>,
    tags: Tags,
    /// The buffer holds tags of the next game already.
    pending: bool,
}

/// What a line is.
enum Line {
    End,
    Blank,
    /// It begins with `[` and a letter, and stands in the buffer.
    Tag,
    Other,
}

impl<'a, R: BufRead> TagReader<'a, R> {
    /// A reader of these tags.
    pub fn new(reader: R, wanted: &'a [&'a str]) -> Self {
        TagReader {
            reader,
            wanted,
            line: 0,
            buffer: Vec::new(),
            tags: Tags::default(),
            pending: false,
        }
    }

    /// The tags of the next game; nothing at the end.
    ///
    /// # Errors
    /// A broken tag or a failure to read, with the line.
    pub fn next_game(&mut self) -> Result<Option<&Tags>, PgnError> {
        self.tags.values.clear();
        self.tags.values.resize(self.wanted.len(), None);
        let (mut begun, mut over) = (false, false);
        loop {
            let line = if std::mem::take(&mut self.pending) {
                Line::Tag
            } else {
                self.next_line()?
            };
            match line {
                Line::End => return Ok(begun.then_some(&self.tags)),
                Line::Blank | Line::Other => over |= begun,
                Line::Tag if over && self.is_tag() => {
                    self.pending = true;
                    return Ok(Some(&self.tags));
                }
                // Within moves only a whole tag is one: the rest is a comment.
                Line::Tag if over => {}
                Line::Tag => {
                    if !begun {
                        self.tags.line = self.line;
                    }
                    begun = true;
                    self.note()?;
                }
            }
        }
    }

    /// Whether the line in the buffer is a whole tag.
    fn is_tag(&self) -> bool {
        split(&self.buffer).is_some()
    }

    /// Takes the tags of the line in the buffer.
    fn note(&mut self) -> Result<(), PgnError> {
        let mut rest: &[u8] = &self.buffer;
        while rest.first() == Some(&b'[') {
            let Some((name, value, after)) = split(rest) else {
                let text = String::from_utf8_lossy(rest);
                return Err(PgnError::Tag {
                    line: self.line,
                    text: text.trim_end().chars().take(60).collect(),
                });
            };
            rest = after.trim_ascii_start();
            let place = self.wanted.iter().position(|w| w.as_bytes() == name);
            if let Some(place) = place {
                self.tags.values[place] = Some((unescaped(value), self.line));
            }
        }
        Ok(())
    }

    fn next_line(&mut self) -> Result<Line, PgnError> {
        let read = |line| move |source| PgnError::Read { line, source };
        let mut first = true;
        loop {
            let seen = self.reader.fill_buf().map_err(read(self.line))?;
            let Some(&byte) = seen.first() else {
                return Ok(if first { Line::End } else { Line::Blank });
            };
            if self.line == 0 && first && seen.starts_with(b"\xef\xbb\xbf") {
                self.reader.consume(3);
                continue;
            }
            if first {
                self.line += 1;
                first = false;
            }
            match byte {
                b'\n' => {
                    self.reader.consume(1);
                    return Ok(Line::Blank);
                }
                b' ' | b'\t' | b'\r' => self.reader.consume(1),
                b'[' => break,
                _ => {
                    self.reader.skip_until(b'\n').map_err(read(self.line))?;
                    return Ok(Line::Other);
                }
            }
        }
        self.buffer.clear();
        let mut limited = (&mut self.reader).take(LONGEST_TAG_LINE);
        let length = limited.read_until(b'\n', &mut self.buffer);
        let length = length.map_err(read(self.line))?;
        let is_name = self.buffer.get(1).is_some_and(u8::is_ascii_alphabetic);
        if length as u64 == LONGEST_TAG_LINE && !self.buffer.ends_with(b"\n") {
            if is_name {
                return Err(PgnError::TooLong { line: self.line });
            }
            self.reader.skip_until(b'\n').map_err(read(self.line))?;
        }
        Ok(if is_name { Line::Tag } else { Line::Other })
    }
}

/// Name and value (quotes and escapes as written) of the tag that a text begins with, and what follows it.
fn split(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let inner = text.strip_prefix(b"[")?.trim_ascii_start();
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let end = inner.iter().position(|b| !is_name(b))?;
    let (name, rest) = inner.split_at(end);
    let quoted = rest.trim_ascii_start().strip_prefix(b"\"")?;
    let mut escaped = false;
    let end = quoted.iter().position(|&b| {
        let ends = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        ends
    })?;
    let rest = quoted[end + 1..].trim_ascii_start().strip_prefix(b"]")?;
    (!name.is_empty()).then_some((name, &quoted[..end], rest))
}

/// The characters of a text whose encoding is not said: UTF-8 where it is that, else ISO 8859-1 (Latin-1), which the PGN
/// standard names (S. Edwards, 1994, section 4.1). So different names stay different.
///
/// ```
/// assert_eq!(engine::pgn::legible("Müller".as_bytes()), "Müller");
/// assert_eq!(engine::pgn::legible(b"M\xfcller"), "Müller");
/// ```
pub fn legible(text: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => text.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A quoted value as it was meant.
fn unescaped(value: &[u8]) -> String {
    let text = legible(value);
    if !text.contains('\\') {
        return text.into_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        if c == '\\' && !escaped {
            escaped = true;
            continue;
        }
        // Not all programs escape backslashes: `\n` stands for itself.
        if escaped && !matches!(c, '"' | '\\') {
            plain.push('\\');
        }
        escaped = false;
        plain.push(c);
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pgn::PgnGame;

    fn read(text: &[u8]) -> Result<Vec<(u64, Vec<String>)>, PgnError> {
        let mut reader = TagReader::new(text, &["White", "Black", "Result"]);
        let mut games = Vec::new();
        while let Some(tags) = reader.next_game()? {
            let values = (0..3).map(|i| tags.get(i).unwrap_or("-").to_owned());
            games.push((tags.line, values.collect()));
        }
        Ok(games)
    }

    #[test]
    fn what_other_programs_write_is_read() {
        let text = b"\xef\xbb\xbf\r\n[Event \"x\"]\r\n[White \"a \\\"b\\\" \\\\\"] [Black \"caf\xe9\"]\r\n[Result \"1-0\"]\r\n\r\n1. e4 {
[%clk 0:01] [White \"not a tag}
} e5 1-0\r\n\r\n\r\n  [White \"c\"]\r\n[Black \"d\"]\r\n\r\n[White \"e\"]\r\n";
        let games = read(text).unwrap();
        let expected = [
            (2, vec!["a \"b\" \\", "caf\u{e9}", "1-0"]),
            (11, vec!["c", "d", "-"]),
            (14, vec!["e", "-", "-"]),
        ];
        let games: Vec<(u64, Vec<&str>)> = games
            .iter()
            .map(|(line, values)| (*line, values.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(games, expected);
    }

    #[test]
    fn broken_tags_are_errors_with_their_line() {
        for (text, line) in [
            ("\n[White \"a]\n", 2),
            ("[White a]\n", 1),
            ("[White \"a\"\n\n", 1),
            ("[White \"a\"]\n[Black \"b\\\"]\n\n*", 2),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(
                matches!(error, PgnError::Tag { line: l, .. } if l == line),
                "{text}: {error}"
            );
        }
        let long = format!("[White \"{}\"]\n", "a".repeat(70_000));
        assert!(matches!(
            read(long.as_bytes()),
            Err(PgnError::TooLong { line: 1 })
        ));
        let moves = format!(
            "[White \"a\"]\n\n{}\n[%{}\n[White \"b\"]\n",
            "e4 ".repeat(70_000),
            "x".repeat(70_000)
        );
        assert_eq!(read(moves.as_bytes()).unwrap().len(), 2);
    }

    proptest! {
        /// What is written is read, in any order of odd names.
        #[test]
        fn names_survive(names in proptest::collection::vec(("[ -~é]{1,12}", "[ -~]{1,12}"), 0..5)) {
            let mut text = String::new();
            for (white, black) in &names {
                text += &PgnGame { white, black, ..PgnGame::default() }.to_string();
            }
            let games = read(text.as_bytes()).unwrap();
            let found: Vec<_> = games.iter().map(|(_, v)| (v[0].clone(), v[1].clone())).collect();
            prop_assert_eq!(found, names);
        }

        /// Nothing that is read makes it panic or go on for ever.
        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(prop_oneof![Just(b'['), Just(b'"'), Just(b'\n'), Just(b'\\'), any::<u8>()], 0..200)) {
            let _ = read(&bytes);
        }
    }
}
