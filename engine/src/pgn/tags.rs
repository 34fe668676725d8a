//! [`TagReader`]: the tags of the games of a PGN, whatever is between them.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

use memchr::{memchr, memchr2};

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
    /// A game has a tag twice, or two games have no empty line between them.
    #[error(
        "line {line}: a second `{name}`, beside that of line {first}; remove one, or put an empty line between the games"
    )]
    Twice {
        /// Line of the second, from 1.
        line: u64,
        /// The tag.
        name: String,
        /// Line of the first.
        first: u64,
    },
    /// The tags of a game stand in a comment that the game before did not close.
    #[error(
        "line {line}: a comment that is still open at the tags of line {next}; close it by `}}`"
    )]
    Comment {
        /// Line of its `{`, from 1.
        line: u64,
        /// Line of the tags.
        next: u64,
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
/// bytes that are no UTF-8 (which are taken as Latin-1) are all right. A game ends where tags follow upon moves, or
/// upon an empty line upon tags: a game of no moves still counts.
///
/// Tags in a comment are none. But a comment in which tags follow upon an empty line, or that holds tags and does not end, was
/// not closed: that is an error, since games would be lost.
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
    comment: Comment,
}

/// A comment in braces, which may go over several lines.
#[derive(Default)]
struct Comment {
    /// Line of its `{`; none = not in a comment.
    since: Option<u64>,
    /// The first line in it that is a tag.
    tag: Option<u64>,
    /// Whether the line before was empty.
    after_blank: bool,
}

impl Comment {
    /// Takes in a part of a line of moves. `line_comment` and the answer say whether a `;` has made the rest of the line a
    /// comment.
    fn read(&mut self, mut text: &[u8], line: u64, line_comment: bool) -> bool {
        if line_comment {
            return true;
        }
        loop {
            let ends = match self.since {
                Some(_) => memchr(b'}', text),
                None => memchr2(b'{', b';', text),
            };
            let Some(end) = ends else {
                return false;
            };
            match text[end] {
                b'{' => self.since = Some(line),
                b'}' => *self = Comment::default(),
                _ => return true,
            }
            text = &text[end + 1..];
        }
    }
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
            comment: Comment::default(),
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
                Line::End => {
                    self.closed()?;
                    return Ok(begun.then_some(&self.tags));
                }
                Line::Blank => {
                    over |= begun;
                    self.comment.after_blank = true;
                }
                Line::Other => {
                    over |= begun;
                    self.comment.after_blank = false;
                }
                Line::Tag if self.comment.since.is_some() => self.commented()?,
                Line::Tag if over && self.is_tag() => {
                    self.pending = true;
                    return Ok(Some(&self.tags));
                }
                // Within moves only a whole tag is one: the rest is a comment.
                Line::Tag if over => {
                    self.moves_in_buffer();
                }
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

    /// Passes over a line of a comment that begins as a tag does.
    fn commented(&mut self) -> Result<(), PgnError> {
        if self.is_tag() {
            self.comment.tag.get_or_insert(self.line);
            if self.comment.after_blank {
                return self.closed();
            }
        }
        self.comment.after_blank = false;
        self.moves_in_buffer();
        Ok(())
    }

    /// Refuses a comment that holds tags and was not closed.
    fn closed(&self) -> Result<(), PgnError> {
        match (self.comment.since, self.comment.tag) {
            (Some(line), Some(next)) => Err(PgnError::Comment { line, next }),
            _ => Ok(()),
        }
    }

    /// Takes the line in the buffer for moves and comments. Gives whether it ends in a comment by `;`.
    fn moves_in_buffer(&mut self) -> bool {
        self.comment.read(&self.buffer, self.line, false)
    }

    /// Passes over the rest of a line of moves.
    fn skip_moves(&mut self, mut line_comment: bool) -> io::Result<()> {
        loop {
            let seen = match self.reader.fill_buf() {
                Ok(seen) => seen,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = memchr(b'\n', seen);
            let length = end.map_or(seen.len(), |end| end + 1);
            let (is_end, part) = (end.is_some() || seen.is_empty(), &seen[..length]);
            line_comment = self.comment.read(part, self.line, line_comment);
            self.reader.consume(length);
            if is_end {
                return Ok(());
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
                let value = unescaped(value);
                let slot = &mut self.tags.values[place];
                if let Some((_, first)) = slot.take() {
                    return Err(PgnError::Twice {
                        line: self.line,
                        name: self.wanted[place].to_owned(),
                        first,
                    });
                }
                *slot = Some((value, self.line));
            }
        }
        Ok(())
    }

    fn next_line(&mut self) -> Result<Line, PgnError> {
        let read = |line| move |source| PgnError::Read { line, source };
        let (mut first, mut indented) = (true, false);
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
                b' ' | b'\t' | b'\r' => {
                    indented = true;
                    self.reader.consume(1);
                }
                b'[' => break,
                // A line that a program wrote for itself (PGN standard, section 6).
                b'%' if !indented && self.comment.since.is_none() => {
                    self.reader.skip_until(b'\n').map_err(read(self.line))?;
                    return Ok(Line::Other);
                }
                _ => {
                    self.skip_moves(false).map_err(read(self.line))?;
                    return Ok(Line::Other);
                }
            }
        }
        self.buffer.clear();
        let mut limited = (&mut self.reader).take(LONGEST_TAG_LINE);
        let length = limited.read_until(b'\n', &mut self.buffer);
        let length = length.map_err(read(self.line))?;
        let is_name = self.buffer.get(1).is_some_and(u8::is_ascii_alphabetic);
        if is_name {
            let is_whole = (length as u64) < LONGEST_TAG_LINE || self.buffer.ends_with(b"\n");
            // In a comment the rest does not matter, but for the brace that ends it.
            if !is_whole && self.comment.since.is_none() {
                return Err(PgnError::TooLong { line: self.line });
            }
            if is_whole {
                return Ok(Line::Tag);
            }
        }
        let line_comment = self.moves_in_buffer();
        if !self.buffer.ends_with(b"\n") {
            self.skip_moves(line_comment).map_err(read(self.line))?;
        }
        Ok(Line::Other)
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
    fn tags_in_comments_are_none() {
        let text = "[White \"a\"]\n[Result \"1-0\"]\n\n1. e4 {as in\n[White \"b\"]\n[Result \"0-1\"] of old} e5 ; one { more\n\
                    [White \"c\"]\n\n% not { this\n1. d4 { a ; } 1-0\n[White \"d\"]\n\n{x} *\n";
        let whites = |text: &str| {
            let games = read(text.as_bytes());
            games.map(|games| {
                games
                    .into_iter()
                    .map(|(line, tags)| (line, tags[0].clone()))
                    .collect::<Vec<_>>()
            })
        };
        let expected =
            [(1, "a"), (7, "c"), (11, "d")].map(|(line, white)| (line, white.to_owned()));
        assert_eq!(whites(text).unwrap(), expected);
        // Not closed: games would be lost.
        let open = "[White \"a\"]\n\n1. e4 {oh\n1-0\n\n[White \"b\"]\n\n{x} 1-0\n";
        assert_eq!(
            whites(open).unwrap_err().to_string(),
            "line 3: a comment that is still open at the tags of line 6; close it by `}`"
        );
        let open = "[White \"a\"]\n\n1. e4 {oh\n[White \"b\"]\n1-0\n";
        assert!(matches!(
            whites(open),
            Err(PgnError::Comment { line: 3, next: 4 })
        ));
        // Cut off in its last comment: nothing is lost.
        assert_eq!(whites("[White \"a\"]\n\n1. e4 {oh").unwrap().len(), 1);
    }

    #[test]
    fn a_tag_twice_is_an_error() {
        // Whatever it says: these may be two games.
        let same = "[White \"a\"]\n[Result \"1-0\"]\n[White \"a\"]\n\n*\n";
        assert!(matches!(
            read(same.as_bytes()),
            Err(PgnError::Twice {
                line: 3,
                first: 1,
                ..
            })
        ));
        let other = "\n[White \"a\"]\n[Black \"b\"] [White \"c\"]\n\n*\n";
        assert_eq!(
            read(other.as_bytes()).unwrap_err().to_string(),
            "line 3: a second `White`, beside that of line 2; remove one, or put an empty line between the games"
        );
        // What was not asked for may be there as often as it likes.
        assert!(read(b"[Site \"x\"]\n[Site \"y\"]\n").is_ok());
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
