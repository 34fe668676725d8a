//! The moves of game after game of a PGN, with the tags that say where a game begins.
//!
//! Comments (`{…}`, `;…`, lines that begin with `%`), variations (`(…)`, nested too), move numbers, results and annotation
//! glyphs (`$1`, `!?`) are passed over. A game ends with its result, or where the tags of another one follow upon its moves, or
//! upon an empty line upon its tags.

use std::io::BufRead;

use super::error::shown;
use super::lines::{Lines, Place};
use super::{BookError, Fault};

/// Most moves of a game: more than any has.
pub(super) const MOST_MOVES: usize = 10_000;

/// A text and the line where it stands.
pub(super) type At<T> = (u64, T);

/// What a game says about its opening.
#[derive(Debug, Default)]
pub(super) struct PgnMoves {
    pub fen: Option<At<String>>,
    pub variant: Option<At<String>>,
    pub moves: Vec<At<String>>,
    /// The first thing in it that is no PGN.
    pub fault: Option<Fault>,
    has_tags: bool,
    /// An empty line came after the tags.
    tags_over: bool,
    /// A move, a number or a result was there.
    has_text: bool,
    /// Line of the comment that is open.
    comment: Option<u64>,
    /// Lines of the variations that are open.
    variations: Vec<u64>,
}

/// Most variations within each other; deeper ones are no game's.
const MOST_NESTED: usize = 1000;

/// The line that is being read, and how much of it has been used.
pub(super) struct Cursor<R> {
    lines: Lines<R>,
    pub text: String,
    pub place: Place,
    at: usize,
    /// The line is not used up.
    pub loaded: bool,
}

impl<R: BufRead> Cursor<R> {
    pub(super) fn new(lines: Lines<R>, place: Place) -> Self {
        Cursor {
            lines,
            text: String::new(),
            place,
            at: 0,
            loaded: false,
        }
    }

    /// Reads the next line; false at the end.
    pub(super) fn load(&mut self) -> Result<bool, BookError> {
        self.at = 0;
        self.loaded = match self.lines.read(&mut self.text)? {
            Some(place) => {
                self.place = place;
                true
            }
            None => false,
        };
        Ok(self.loaded)
    }

    /// Lines read so far.
    pub(super) fn count(&self) -> u64 {
        self.lines.count()
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Where the rest of the line begins, blanks aside.
    fn here(&self) -> Place {
        let blanks = self.rest().len() - self.rest().trim_start().len();
        Place {
            offset: self.place.offset + (self.at + blanks) as u64,
            ..self.place
        }
    }
}

/// Reads the next game and says where it begins. Of its moves only the first `most` are kept.
pub(super) fn next_game<R: BufRead>(
    cursor: &mut Cursor<R>,
    most: usize,
) -> Result<Option<(Place, PgnMoves)>, BookError> {
    let mut game = PgnMoves::default();
    let mut begins = None;
    loop {
        if !cursor.loaded && !cursor.load()? {
            let game = game.ended();
            // What swallowed the rest of the file must not go unsaid.
            let place = begins.or_else(|| game.fault.is_some().then_some(cursor.place));
            return Ok(place.map(|place| (place, game)));
        }
        if cursor.at == 0 && game.comment.is_none() {
            let line = cursor.text.trim();
            if line.is_empty() || line.starts_with('%') {
                game.tags_over |= game.has_tags && line.is_empty();
                cursor.loaded = false;
                continue;
            }
            if line.starts_with('[') {
                if let Some(place) = begins
                    && (game.has_text || game.tags_over)
                {
                    return Ok(Some((place, game.ended())));
                }
                begins.get_or_insert(cursor.here());
                game.read_tags(line, cursor.place.line);
                cursor.loaded = false;
                continue;
            }
        }
        let here = cursor.here();
        let used = game.read_moves(cursor.rest(), cursor.place.line, most);
        if game.has_text {
            begins.get_or_insert(here);
        }
        match used {
            Some(bytes) => {
                cursor.at += bytes;
                cursor.loaded = !cursor.rest().trim().is_empty();
                return Ok(begins.map(|place| (place, game.ended())));
            }
            None => cursor.loaded = false,
        }
    }
}

impl PgnMoves {
    fn bad(&mut self, line: u64, problem: impl Into<String>) {
        let problem = problem.into();
        self.fault.get_or_insert(Fault { line, problem });
    }

    /// The game as far as it was read; what is still open is a fault.
    fn ended(mut self) -> Self {
        if let Some(line) = self.comment {
            self.bad(
                line,
                "a comment begins here and does not end: close it by `}`",
            );
        }
        if let Some(&line) = self.variations.last() {
            self.bad(
                line,
                "a variation begins here and does not end: close it by `)`",
            );
        }
        self
    }

    /// Reads the tags of a line.
    fn read_tags(&mut self, mut text: &str, line: u64) {
        self.has_tags = true;
        while !text.is_empty() {
            let Some((name, value, rest)) = tag(text) else {
                let problem = format!("`{}` is no tag: write [Name \"value\"]", shown(text));
                return self.bad(line, problem);
            };
            match name {
                "FEN" => self.fen = Some((line, value)),
                "Variant" => self.variant = Some((line, value)),
                _ => {}
            }
            text = rest.trim_start();
        }
    }

    /// Reads moves. Gives the bytes used when the game's result ended it; none when all was read and the game may go on.
    fn read_moves(&mut self, text: &str, line: u64, most: usize) -> Option<usize> {
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            if self.comment.is_some() {
                let end = rest.find('}')?;
                self.comment = None;
                at += end + 1;
                continue;
            }
            let first = rest.chars().next()?;
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            match first {
                '{' => self.comment = Some(line),
                ';' => return None,
                '(' if self.variations.len() < MOST_NESTED => self.variations.push(line),
                '(' => self.bad(line, format!("more than {MOST_NESTED} nested variations")),
                ')' => {
                    if self.variations.pop().is_none() {
                        self.bad(line, "`)` without a variation: remove it");
                    }
                }
                '}' => self.bad(line, "`}` without a comment: remove it"),
                _ => {
                    let is_end = |c: char| c.is_whitespace() || "{}();".contains(c);
                    let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
                    at += word.len();
                    self.has_text = true;
                    if self.variations.is_empty() && self.read_word(word, line, most) {
                        return Some(at);
                    }
                    continue;
                }
            }
            at += 1;
        }
        None
    }

    /// Takes a word of the main line in; whether it is a result.
    fn read_word(&mut self, word: &str, line: u64, most: usize) -> bool {
        if matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2" | "1/2") {
            return true;
        }
        // `12.`, `12...` and `12.e4` have a number; castling by zeros has none.
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let mv = match digits.strip_prefix('.') {
            Some(rest) => rest.trim_start_matches('.'),
            None if digits.is_empty() => "",
            None => word,
        };
        let is_glyph = mv.starts_with('$') || mv.trim_matches(['!', '?']).is_empty();
        if !is_glyph && mv != "e.p." && self.moves.len() < most {
            self.moves.push((line, mv.to_owned()));
        }
        false
    }
}

/// Takes the tag off that a text begins with: its name, its value, and what follows.
fn tag(text: &str) -> Option<(&str, String, &str)> {
    let inner = text.strip_prefix('[')?.trim_start();
    let (name, rest) = inner.split_once(|c: char| c.is_whitespace() || c == '"')?;
    // The quote may have been what ended the name.
    let rest = match inner.as_bytes().get(name.len()) {
        Some(b'"') => rest,
        _ => rest.trim_start().strip_prefix('"')?,
    };
    let mut value = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            '"' => {
                let rest = rest[at + 1..].trim_start().strip_prefix(']')?;
                return Some((name, value, rest));
            }
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str, most: usize) -> Vec<(Place, PgnMoves)> {
        let start = Place { line: 1, offset: 0 };
        let mut cursor = Cursor::new(Lines::at(text.as_bytes(), start), start);
        let mut games = Vec::new();
        while let Some(game) = next_game(&mut cursor, most).unwrap() {
            games.push(game);
        }
        games
    }

    fn moves(game: &PgnMoves) -> Vec<&str> {
        game.moves.iter().map(|(_, mv)| mv.as_str()).collect()
    }

    const TEXT: &str = "% escaped [\n[Event \"a \\\"b\\\"\"] [Site \"?\"]\r\n[FEN \"x y\"]\n\n1. e4 {a [comment] (} e5 (1... c5 2. Nf3 (2. c3 d5) 1-0) $1 2.Nf3!? ; to the end 3. x\n\
        2... Nc6 {over\n[two] 1-0\nlines} 3. O-O 12.0-0 *\n\n1. d4 1-0 {resigned} 1. c4 1/2-1/2 {agreed}\n{twice}\n[Event \"tags only\"]\n\n[Event \"open\"]\n1. g3";

    // By hand.
    #[test]
    fn moves_are_found_among_everything_else() {
        let games = games(TEXT, 100);
        let found: Vec<_> = games.iter().map(|(_, game)| moves(game)).collect();
        let first = vec!["e4", "e5", "Nf3!?", "Nc6", "O-O", "0-0"];
        assert_eq!(found, [first, vec!["d4"], vec!["c4"], vec![], vec!["g3"]]);
        assert!(games.iter().all(|(_, game)| game.fault.is_none()));
        assert_eq!(games[0].1.fen, Some((3, "x y".to_owned())));
        assert_eq!(games[0].1.moves[3], (6, "Nc6".to_owned()));
        let lines: Vec<u64> = games.iter().map(|(place, _)| place.line).collect();
        assert_eq!(lines, [2, 10, 10, 12, 14]);
    }

    /// What an index keeps: a game read from its place on is the game.
    #[test]
    fn every_game_can_be_read_from_its_place() {
        for (place, game) in games(TEXT, 3) {
            let rest = &TEXT.as_bytes()[place.offset as usize..];
            let mut cursor = Cursor::new(Lines::at(rest, place), place);
            let (again, same) = next_game(&mut cursor, 3).unwrap().unwrap();
            assert_eq!((again, moves(&same)), (place, moves(&game)));
        }
    }

    #[test]
    fn what_is_no_pgn_is_named_with_its_line() {
        for (text, line, words) in [
            ("[Event \"x\"\n\n1. e4 *", 1, "is no tag"),
            ("[Event x]\n\n1. e4 *", 1, "is no tag"),
            ("1. e4 {open\n\n1. d4 *\n", 1, "close it by `}`"),
            ("1. e4\n(1. d4\n\n[Event \"x\"]\n\n*", 2, "close it by `)`"),
            (
                "1. e4 * {open\n\n[Event \"x\"]\n\n1. d4 *\n",
                1,
                "close it by `}`",
            ),
            ("1. e4\n) *", 2, "without a variation"),
            ("1. e4 } *", 1, "without a comment"),
        ] {
            let games = games(text, 10);
            let fault = games.iter().find_map(|(_, game)| game.fault.as_ref());
            let fault = fault.unwrap();
            assert_eq!(fault.line, line, "{text}");
            assert!(fault.problem.contains(words), "{text}: {fault}");
        }
    }

    #[test]
    fn no_more_moves_are_kept_than_asked_for() {
        let games = games("1. e4 e5 2. d4 d5 *", 3);
        assert_eq!(moves(&games[0].1), ["e4", "e5", "d4"]);
    }
}
