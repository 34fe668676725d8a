//! Games as PGN: [`PgnGame`] writes them, [`TagReader`] reads the tags of files of any size.
//!
//! The tags are those of the PGN standard (S. J. Edwards, 1994) with `Variant`, `SetUp` and `FEN`. Moves are
//! written in coordinates, as everywhere here. The standard knows three results; the five-valued one
//! stands in the tag `Points` (`0.75-0.25`), and an advantage is `1/2-1/2` for those who do not read it.

mod tags;

pub use tags::{PgnError, TagReader, Tags, legible};

use std::fmt;

use crate::outcome::Outcome;
use crate::types::Colour;

/// Longest line of move text.
const LINE: usize = 79;

/// A game to be written.
#[derive(Clone, Debug, Default)]
pub struct PgnGame<'a> {
    /// Tag `Event`.
    pub event: &'a str,
    /// Tag `Site`.
    pub site: &'a str,
    /// Tag `Date`: `YYYY.MM.DD`, or empty if it is not known.
    pub date: &'a str,
    /// Tag `Round`.
    pub round: String,
    /// White's name.
    pub white: &'a str,
    /// Black's name.
    pub black: &'a str,
    /// The variant's id.
    pub variant: &'a str,
    /// The start position.
    pub fen: &'a str,
    /// The side to move in the start position; White if `None`.
    pub first: Option<Colour>,
    /// The number of the first move; 1 if 0.
    pub first_move: u16,
    /// What the game is worth, and to whom; `None`: it is not over.
    pub result: Option<(Outcome, Option<Colour>)>,
    /// Why it ended, in a word.
    pub termination: &'a str,
    /// The moves.
    pub moves: &'a [String],
    /// A comment behind each move; shorter lists leave the rest without.
    pub comments: &'a [String],
    /// Further tags.
    pub tags: Vec<(&'a str, String)>,
}

/// The game, ending with an empty line.
///
/// ```
/// use engine::{outcome::Outcome, pgn::PgnGame, types::Colour};
/// let moves = ["f2f3", "e7e5", "g2g4", "d8h4"].map(str::to_owned);
/// let game = PgnGame { white: "a", black: "b", moves: &moves, result: Some((Outcome::Win, Some(Colour::Black))), ..PgnGame::default() };
/// assert!(game.to_string().ends_with("\n1. f2f3 e7e5 2. g2g4 d8h4 0-1\n\n"));
/// ```
impl fmt::Display for PgnGame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |text: &str, unknown: &str| {
            if text.is_empty() {
                unknown.to_owned()
            } else {
                text.to_owned()
            }
        };
        let mut tags = vec![
            ("Event", known(self.event, "?")),
            ("Site", known(self.site, "?")),
            ("Date", known(self.date, "????.??.??")),
            ("Round", known(&self.round, "?")),
            ("White", known(self.white, "?")),
            ("Black", known(self.black, "?")),
            ("Result", self.result_text().to_owned()),
        ];
        if let Some(points) = self.points_text() {
            tags.push(("Points", points.to_owned()));
        }
        if !self.variant.is_empty() {
            tags.push(("Variant", self.variant.to_owned()));
        }
        if !self.fen.is_empty() {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", self.fen.to_owned()));
        }
        tags.push(("PlyCount", self.moves.len().to_string()));
        if !self.termination.is_empty() {
            tags.push(("Termination", self.termination.to_owned()));
        }
        tags.extend(self.tags.iter().cloned());
        for (name, value) in tags {
            writeln!(f, "[{name} \"{}\"]", escaped(&value))?;
        }
        writeln!(f)?;
        let mut column = 0;
        for word in self.words() {
            if column > 0 && column + 1 + word.len() > LINE {
                writeln!(f)?;
                column = 0;
            }
            if column > 0 {
                f.write_str(" ")?;
                column += 1;
            }
            f.write_str(&word)?;
            column += word.len();
        }
        f.write_str("\n\n")
    }
}

impl PgnGame<'_> {
    /// The result of the standard.
    fn result_text(&self) -> &'static str {
        match self.result {
            None => "*",
            Some((Outcome::Win, Some(Colour::White))) => "1-0",
            Some((Outcome::Win, Some(Colour::Black))) => "0-1",
            Some(_) => "1/2-1/2",
        }
    }

    /// White's and Black's points.
    fn points_text(&self) -> Option<&'static str> {
        Some(match self.result? {
            (Outcome::Win, Some(Colour::White)) => "1-0",
            (Outcome::Win, Some(Colour::Black)) => "0-1",
            (Outcome::Advantage, Some(Colour::White)) => "0.75-0.25",
            (Outcome::Advantage, Some(Colour::Black)) => "0.25-0.75",
            _ => "0.5-0.5",
        })
    }

    /// Move numbers, moves, comments and the result.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut number = u32::from(self.first_move.max(1));
        let mut white = self.first != Some(Colour::Black);
        let mut numbered = false;
        for (i, mv) in self.moves.iter().enumerate() {
            if white {
                words.push(format!("{number}."));
            } else if !numbered {
                words.push(format!("{number}..."));
            }
            numbered = true;
            words.push(mv.clone());
            if let Some(comment) = self.comments.get(i).filter(|c| !c.is_empty()) {
                // A closing brace would end the comment.
                let comment = comment.replace('}', ")").replace('{', "(");
                words.extend(
                    format!("{{{comment}}}")
                        .split_whitespace()
                        .map(str::to_owned),
                );
                numbered = false;
            }
            if !white {
                number += 1;
            }
            white = !white;
        }
        words.push(self.result_text().to_owned());
        words
    }
}

/// A tag's value as the standard quotes it, on one line.
fn escaped(value: &str) -> String {
    value
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advantage_black_first_and_comments() {
        let moves = ["a7a6", "a2a3", "a6a5"].map(str::to_owned);
        let comments = ["+0.10/3 {x}".to_owned()];
        let game = PgnGame {
            event: "a \"test\" \\",
            white: "w",
            black: "b",
            variant: "chess",
            fen: "8/8 b",
            first: Some(Colour::Black),
            first_move: 7,
            result: Some((Outcome::Advantage, Some(Colour::Black))),
            termination: "stalemate",
            moves: &moves,
            comments: &comments,
            ..PgnGame::default()
        };
        let text = game.to_string();
        for line in [
            "[Event \"a \\\"test\\\" \\\\\"]",
            "[Date \"????.??.??\"]",
            "[Result \"1/2-1/2\"]",
            "[Points \"0.25-0.75\"]",
            "[FEN \"8/8 b\"]",
            "[PlyCount \"3\"]",
            "7... a7a6 {+0.10/3 (x)} 8. a2a3 a6a5 1/2-1/2",
        ] {
            assert!(text.lines().any(|l| l == line), "{text} has no line {line}");
        }
    }

    #[test]
    fn long_games_are_wrapped() {
        let moves = vec!["a10b11".to_owned(); 200];
        let game = PgnGame {
            moves: &moves,
            ..PgnGame::default()
        };
        let text = game.to_string();
        assert!(text.lines().all(|l| l.len() <= LINE));
        assert_eq!(text.matches("a10b11").count(), 200);
    }
}
