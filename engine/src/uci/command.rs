//! Reads a line of the protocol.

use std::time::Duration;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    Position(PositionCommand),
    Go(Box<GoCommand>),
    Stop,
    PonderHit,
    Quit,
    SetOption {
        name: String,
        value: String,
    },
    /// Shows the position.
    Display,
    /// An empty line, or a word that the protocol lets us pass over.
    Nothing,
}

/// `position`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PositionCommand {
    /// `None`: the start position.
    pub fen: Option<String>,
    pub moves: Vec<String>,
}

/// `go`. Times are milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GoCommand {
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    /// Moves to a mate that ends the search.
    pub mate: Option<u32>,
    pub movetime: Option<Duration>,
    pub time: [Option<Duration>; 2],
    pub increment: [Option<Duration>; 2],
    pub moves_to_go: Option<u32>,
    pub infinite: bool,
    /// The opponent is thinking: no clock runs before `ponderhit`.
    pub ponder: bool,
    pub searchmoves: Vec<String>,
}

/// A line that is no command.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum CommandError {
    #[error(
        "unknown command `{0}`; known are uci, isready, ucinewgame, setoption, position, go, ponderhit, stop, d, quit"
    )]
    Unknown(String),
    #[error("`{command}` lacks {what}")]
    Lacks {
        command: &'static str,
        what: &'static str,
    },
    #[error("`{text}` after `{word}` is no number")]
    Number { word: String, text: String },
    #[error("unknown word `{word}` after `{command}`")]
    Word { command: &'static str, word: String },
}

/// A part of a hostile line that is safe to print.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .take(60)
        .flat_map(char::escape_default)
        .collect()
}

impl Command {
    /// Reads a line.
    pub fn parse(line: &str) -> Result<Command, CommandError> {
        let mut words = line.split_ascii_whitespace();
        let Some(first) = words.next() else {
            return Ok(Command::Nothing);
        };
        let rest: Vec<&str> = words.collect();
        Ok(match first {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "position" => Command::Position(position(&rest)?),
            "go" => Command::Go(Box::new(go(&rest)?)),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "quit" => Command::Quit,
            "setoption" => set_option(&rest)?,
            "d" => Command::Display,
            "debug" | "register" => Command::Nothing,
            other => return Err(CommandError::Unknown(shown(other))),
        })
    }
}

fn position(words: &[&str]) -> Result<PositionCommand, CommandError> {
    let lacks = |what| CommandError::Lacks {
        command: "position",
        what,
    };
    let at = words
        .iter()
        .position(|&w| w == "moves")
        .unwrap_or(words.len());
    let moves = words.iter().skip(at + 1).map(|&w| w.to_owned()).collect();
    let fen = match &words[..at] {
        [] => return Err(lacks("`startpos` or `fen` and a FEN")),
        ["startpos"] => None,
        ["fen"] => return Err(lacks("the FEN")),
        ["fen", fields @ ..] => Some(fields.join(" ")),
        [other, ..] => {
            return Err(CommandError::Word {
                command: "position",
                word: shown(other),
            });
        }
    };
    Ok(PositionCommand { fen, moves })
}

/// Words of `go` that end the list of `searchmoves`.
const GO_WORDS: [&str; 12] = [
    "nodes",
    "depth",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "infinite",
    "searchmoves",
    "ponder",
    "mate",
];

fn go(words: &[&str]) -> Result<GoCommand, CommandError> {
    let mut go = GoCommand::default();
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|w| !GO_WORDS.contains(w)) {
                    go.searchmoves.push(mv.to_owned());
                }
            }
            "nodes" | "depth" | "movetime" | "wtime" | "btime" | "winc" | "binc" | "movestogo"
            | "mate" => {
                let text = words.next().ok_or(CommandError::Lacks {
                    command: "go",
                    what: "the number after its last word",
                })?;
                let number: i64 = text.parse().map_err(|_| CommandError::Number {
                    word: word.to_owned(),
                    text: shown(text),
                })?;
                go.set(word, number);
            }
            other => {
                return Err(CommandError::Word {
                    command: "go",
                    word: shown(other),
                });
            }
        }
    }
    Ok(go)
}

impl GoCommand {
    /// Whether the search ends by itself, pondering aside.
    pub fn is_limited(&self) -> bool {
        let limited = self.nodes.is_some()
            || self.depth.is_some()
            || self.movetime.is_some()
            || self.time.iter().any(Option::is_some);
        limited && !self.infinite
    }

    /// Whether the answer waits for `stop` though nothing is left to search.
    pub fn waits_for_stop(&self) -> bool {
        !(self.is_limited() || self.mate.is_some()) || self.infinite
    }

    /// Sets a number; negative ones (clocks that ran over) count as 0.
    fn set(&mut self, word: &str, number: i64) {
        let count = number.max(0) as u64;
        let small = count.min(u64::from(u32::MAX)) as u32;
        // A day is longer than any move; larger numbers would only overflow later.
        let time = Some(Duration::from_millis(count.min(86_400_000)));
        match word {
            "nodes" => self.nodes = Some(count),
            "depth" => self.depth = Some(small),
            "mate" => self.mate = Some(small),
            "movetime" => self.movetime = time,
            "wtime" => self.time[0] = time,
            "btime" => self.time[1] = time,
            "winc" => self.increment[0] = time,
            "binc" => self.increment[1] = time,
            _ => self.moves_to_go = Some(small).filter(|&n| n > 0),
        }
    }
}

fn set_option(words: &[&str]) -> Result<Command, CommandError> {
    let lacks = |what| CommandError::Lacks {
        command: "setoption",
        what,
    };
    let ["name", rest @ ..] = words else {
        return Err(lacks("`name`"));
    };
    let at = rest
        .iter()
        .position(|&w| w == "value")
        .unwrap_or(rest.len());
    if at == 0 {
        return Err(lacks("the option's name"));
    }
    Ok(Command::SetOption {
        name: rest[..at].join(" "),
        value: rest[(at + 1).min(rest.len())..].join(" "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_of_a_match_runner() {
        let Ok(Command::Go(go)) =
            Command::parse("go wtime 60000 btime -5 winc 100 binc 100 movestogo 40")
        else {
            panic!("no go");
        };
        assert_eq!(
            go.time,
            [Some(Duration::from_secs(60)), Some(Duration::ZERO)]
        );
        assert_eq!(
            (go.increment[1], go.moves_to_go),
            (Some(Duration::from_millis(100)), Some(40))
        );
        let Ok(Command::Go(go)) = Command::parse("go searchmoves e2e4 d2d4 nodes 99 infinite")
        else {
            panic!("no go");
        };
        assert_eq!(
            (go.searchmoves.len(), go.nodes, go.infinite),
            (2, Some(99), true)
        );
        let fen = "8/8/8/8/8/8/8/K1k5 w - - 0 1";
        assert_eq!(
            Command::parse(&format!("position  fen {fen} moves a1a2 c1c2")),
            Ok(Command::Position(PositionCommand {
                fen: Some(fen.to_owned()),
                moves: vec!["a1a2".to_owned(), "c1c2".to_owned()]
            }))
        );
        assert_eq!(
            Command::parse("setoption name Move Overhead value 30"),
            Ok(Command::SetOption {
                name: "Move Overhead".to_owned(),
                value: "30".to_owned()
            })
        );
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |line| Command::parse(line).unwrap_err().to_string();
        assert!(error("position").contains("`startpos` or `fen`"));
        assert!(error("position fen").contains("the FEN"));
        assert!(error("go nodes").contains("number"));
        assert!(error("go nodes ten").contains("`ten` after `nodes`"));
        assert!(error("xyzzy").starts_with("unknown command `xyzzy`"));
        assert!(error("setoption value 3").contains("`name`"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(line in ".{0,200}") {
            let _ = Command::parse(&line);
        }

        #[test]
        fn any_words_are_read_or_refused(words in prop::collection::vec(prop::sample::select(vec![
            "go", "position", "fen", "startpos", "moves", "setoption", "name", "value", "nodes", "depth", "wtime", "-1",
            "99999999999999999999", "searchmoves", "e2e4", "infinite", "movestogo", "0",
        ]), 0..12)) {
            let _ = Command::parse(&words.join(" "));
        }
    }
}
