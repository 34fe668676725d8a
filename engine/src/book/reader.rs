//! [`BookReader`]: opening after opening of a book, in memory that does not grow.

use std::io::BufRead;
use std::sync::Arc;

use super::error::shown;
use super::lines::{Lines, Place};
use super::pgn::{self, Cursor, MOST_MOVES, PgnMoves};
use super::{BookError, Fault, epd, play_text};
use crate::game::{Game, PlayError};
use crate::variant::Variant;

/// How a book is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BookFormat {
    /// A position a line: FEN, or EPD with operations.
    Lines,
    /// Games in PGN: a position after the moves of each.
    Pgn,
}

/// Reads a book.
///
/// A byte order mark, both kinds of line ends, empty lines and lines that begin with `#` or `;` are all right. Without a
/// format given, the first line that says something tells: tags, a move number or a comment in braces begin a PGN.
///
/// ```
/// use engine::{book::BookReader, variant::Catalog};
/// let chess = Catalog::builtin().get("chess").unwrap();
/// let text = "[White \"a\"]\n\n1. e4 e5 (1... c5) 2. Nf3 *\n";
/// let mut book = BookReader::new(text.as_bytes(), None, Some(2));
/// let entry = book.next_entry().unwrap().unwrap();
/// let game = entry.opening(&chess).unwrap();
/// assert_eq!(game.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2");
/// assert!(book.next_entry().unwrap().is_none());
/// ```
pub struct BookReader<R> {
    cursor: Cursor<R>,
    format: Option<BookFormat>,
    most_moves: usize,
}

/// One opening of a book, not yet judged.
#[derive(Debug)]
pub struct Entry {
    /// Where it begins.
    pub place: Place,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Line(String),
    Game(Box<PgnMoves>),
}

impl<R: BufRead> BookReader<R> {
    /// A reader of a whole book. `plies` bounds the moves played of each game of a PGN; none = all of them.
    pub fn new(reader: R, format: Option<BookFormat>, plies: Option<u32>) -> Self {
        Self::at(reader, format, plies, Place { line: 1, offset: 0 })
    }

    /// A reader that stands at the [place](Entry::place) of an entry.
    pub fn at(reader: R, format: Option<BookFormat>, plies: Option<u32>, place: Place) -> Self {
        let plies = plies.and_then(|plies| usize::try_from(plies).ok());
        BookReader {
            cursor: Cursor::new(Lines::at(reader, place), place),
            format,
            most_moves: plies.unwrap_or(MOST_MOVES).min(MOST_MOVES),
        }
    }

    /// How the book is written: as given, or as its first entry has told.
    pub fn format(&self) -> Option<BookFormat> {
        self.format
    }

    /// Lines read so far.
    pub fn lines(&self) -> u64 {
        self.cursor.count()
    }

    /// The next opening; none at the end.
    ///
    /// # Errors
    /// The file is no book, or cannot be read.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, BookError> {
        let format = match self.format {
            Some(format) => format,
            None => match self.find_format()? {
                Some(format) => *self.format.insert(format),
                None => return Ok(None),
            },
        };
        match format {
            BookFormat::Lines => self.next_line(),
            BookFormat::Pgn => {
                let game = pgn::next_game(&mut self.cursor, self.most_moves)?;
                Ok(game.map(|(place, game)| Entry {
                    place,
                    content: Content::Game(Box::new(game)),
                }))
            }
        }
    }

    /// Reads to the first line that says something, which stays to be read.
    fn find_format(&mut self) -> Result<Option<BookFormat>, BookError> {
        while self.cursor.loaded || self.cursor.load()? {
            let line = self.cursor.text.trim();
            if is_remark(line) || line.starts_with('%') {
                self.cursor.loaded = false;
                continue;
            }
            let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let is_pgn = line.starts_with(['[', '{'])
                || line == "*"
                || (number.len() < line.len() && number.starts_with('.'));
            return Ok(Some(if is_pgn {
                BookFormat::Pgn
            } else {
                BookFormat::Lines
            }));
        }
        Ok(None)
    }

    fn next_line(&mut self) -> Result<Option<Entry>, BookError> {
        while self.cursor.loaded || self.cursor.load()? {
            self.cursor.loaded = false;
            let line = self.cursor.text.trim();
            if !is_remark(line) {
                return Ok(Some(Entry {
                    place: self.cursor.place,
                    content: Content::Line(line.to_owned()),
                }));
            }
        }
        Ok(None)
    }
}

/// Whether a line of positions says nothing.
fn is_remark(line: &str) -> bool {
    line.is_empty() || line.starts_with(['#', ';'])
}

impl Entry {
    /// The opening by the rules of a variant: a game that stands at it, without the moves that led there.
    ///
    /// # Errors
    /// Says which line is wrong, and what: no position, an illegal move, a game that is over already.
    pub fn opening(&self, variant: &Arc<Variant>) -> Result<Game, Fault> {
        let line = self.place.line;
        let begin = |line, fen: &str| {
            Game::new(variant.clone(), fen).map_err(|error| Fault {
                line,
                problem: error.to_string(),
            })
        };
        let (game, line) = match &self.content {
            Content::Line(text) => {
                let fen = epd::fen_of_line(variant.rules(), text);
                let fen = fen.map_err(|problem| Fault { line, problem })?;
                (begin(line, &fen)?, line)
            }
            Content::Game(moves) => {
                let (game, line) = played(variant, moves, line)?;
                // Players get the position as a FEN, without what was before.
                (begin(line, &game.fen())?, line)
            }
        };
        match game.end() {
            None => Ok(game),
            Some(end) => Err(Fault {
                line,
                problem: format!("the game is over before it begins ({})", end.reason),
            }),
        }
    }
}

/// Plays the moves of a PGN; gives also the line of the last one.
fn played(variant: &Arc<Variant>, pgn: &PgnMoves, first: u64) -> Result<(Game, u64), Fault> {
    if let Some(fault) = &pgn.fault {
        return Err(fault.clone());
    }
    if let Some((line, name)) = &pgn.variant {
        check_name(variant, name).map_err(|problem| Fault {
            line: *line,
            problem,
        })?;
    }
    let bad = |line, problem| Fault { line, problem };
    let mut game = match &pgn.fen {
        Some((line, fen)) => Game::new(variant.clone(), fen)
            .map_err(|error| bad(*line, format!("the tag FEN: {error}")))?,
        None if variant.setups().count > 1 => {
            let problem = format!(
                "the game has no tag FEN, and {} has many start positions: add the tag",
                variant.id()
            );
            return Err(bad(first, problem));
        }
        None => {
            let fen = variant.start_fen(variant.setups().first);
            let fen = fen.map_err(|error| bad(first, error.to_string()))?;
            Game::new(variant.clone(), &fen).map_err(|error| bad(first, error.to_string()))?
        }
    };
    let mut last = first;
    for (line, mv) in &pgn.moves {
        play_text(&mut game, mv).map_err(|error| {
            let problem = match error {
                PlayError::Illegal(mv) => {
                    format!("`{mv}` is no legal move in {}", shown(&game.fen()))
                }
                ended => ended.to_string(),
            };
            bad(*line, problem)
        })?;
        last = *line;
    }
    Ok((game, last))
}

/// Refuses a game of another variant. Chess has several names in files of other programs.
fn check_name(variant: &Variant, name: &str) -> Result<(), String> {
    const CHESS: [&str; 5] = ["chess", "standard", "normal", "from position", "orthodox"];
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    let known = is(variant.id())
        || is(variant.name())
        || name.is_empty()
        || (variant.id() == "chess" && CHESS.iter().any(|other| is(other)));
    if known {
        return Ok(());
    }
    Err(format!(
        "the game is of the variant `{}`, not of {}: remove it, or its tag if that is wrong",
        shown(name),
        variant.id()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Catalog;

    fn chess() -> Arc<Variant> {
        Catalog::builtin().get("chess").unwrap()
    }

    /// The openings of a book with their lines, or what is wrong with them.
    fn openings(text: &[u8], plies: Option<u32>) -> Vec<Result<(u64, String), String>> {
        let chess = chess();
        let mut book = BookReader::new(text, None, plies);
        let mut found = Vec::new();
        while let Some(entry) = book.next_entry().unwrap() {
            let opening = entry.opening(&chess);
            found.push(match opening {
                Ok(game) => Ok((entry.place.line, game.fen())),
                Err(fault) => Err(fault.to_string()),
            });
        }
        found
    }

    const KINGS: &str = "4k3/8/8/8/8/8/P7/4K3 w - -";

    #[test]
    fn lines_may_be_of_any_shape() {
        let text = format!(
            "\u{feff}# a book\r\n; more\n\n  {KINGS} 3 9\r\n{KINGS}\n{KINGS} id \"x\";\n\n{KINGS} 0 1"
        );
        let found: Vec<_> = openings(text.as_bytes(), None)
            .into_iter()
            .map(Result::unwrap)
            .collect();
        let at = |line, counters| (line, format!("{KINGS} {counters}"));
        assert_eq!(
            found,
            [at(4, "3 9"), at(5, "0 1"), at(6, "0 1"), at(8, "0 1")]
        );
    }

    #[test]
    fn games_begin_where_their_tags_say_and_go_as_far_as_asked() {
        let text = format!(
            "[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n\n[Variant \"Standard\"]\n[SetUp \"1\"]\n[FEN \"{KINGS} 0 1\"]\n\n1. a2a4 *\n"
        );
        let start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2";
        let found = openings(text.as_bytes(), Some(2));
        assert_eq!(found[0], Ok((1, start.to_owned())));
        assert_eq!(
            found[1],
            Ok((5, "4k3/8/8/8/P7/8/8/4K3 b - a3 0 1".to_owned())),
            "a shorter game is played to its end"
        );
        assert_eq!(found.len(), 2);
        assert!(
            openings(text.as_bytes(), None)[0]
                .as_ref()
                .unwrap()
                .1
                .starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/")
        );
    }

    #[test]
    fn faults_name_their_line() {
        let mate = "[Event \"x\"]\n\n1. f3 e5\n2. g4 Qh4# 0-1\n";
        for (text, expected) in [
            ("\nnonsense", "line 2: the FEN has 1 fields"),
            ("8/8/8/8/8/8/8/4K3 w - -", "line 1: "),
            (
                "7k/5Q2/6K1/8/8/8/8/8 b - - id \"x\";",
                "line 1: the game is over before it begins (stalemate)",
            ),
            (
                mate,
                "line 4: the game is over before it begins (checkmate)",
            ),
            (
                "1. e4\ne5 2. Ke3 *",
                "line 2: `Ke3` is no legal move in rnbqkbnr/",
            ),
            (
                "[Variant \"Atomic\"]\n\n1. e4 *",
                "line 1: the game is of the variant `Atomic`",
            ),
            ("[FEN \"x\"]\n\n*", "line 1: the tag FEN: "),
        ] {
            let found = openings(text.as_bytes(), None);
            let problem = found.last().unwrap().clone().unwrap_err();
            assert!(problem.starts_with(expected), "{text}: {problem}");
        }
    }

    #[test]
    fn files_that_are_no_books_are_refused_by_name() {
        let long = vec![b'x'; (1 << 20) + 1];
        for (bytes, expected) in [
            (&b"\x1f\x8b\x08\x00abc"[..], "gunzip"),
            (b"\x28\xb5\x2f\xfdabc\n", "unzstd"),
            (b"PK\x03\x04", "unzip"),
            (b"\xff\xfe4\x00k\x00", "UTF-8"),
            (b"\xfe\xff\x004\x00k", "UTF-8"),
            (b"# a\n4k\x003/8", "line 2 "),
            (&long, "line 1 "),
        ] {
            let mut book = BookReader::new(bytes, None, None);
            let error = book.next_entry().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let mut empty = BookReader::new(&b"\n# nothing\n"[..], None, None);
        assert!(empty.next_entry().unwrap().is_none());
    }

    #[test]
    fn a_game_of_a_variant_with_set_ups_needs_its_position() {
        let variant = Catalog::builtin().get("apothecary-modern").unwrap();
        let mut book = BookReader::new(&b"1. e4 *"[..], None, None);
        let fault = book.next_entry().unwrap().unwrap().opening(&variant);
        assert!(fault.err().unwrap().to_string().contains("add the tag"));
    }
}
