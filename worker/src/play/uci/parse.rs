//! What an engine's lines say.

use super::options::Offer;
use crate::play::Score;
use crate::play::child::seen::Info;

/// A line of an engine that matters to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// `uciok`.
    UciOk,
    /// `readyok`.
    ReadyOk,
    /// `option name …`.
    Option(Offer),
    /// `info …` about the main line.
    Info(Info),
    /// `bestmove …`; none when there is no move in it.
    BestMove(Option<String>),
    /// Anything else.
    Other,
}

/// Reads a line.
pub fn parse(line: &str) -> Said {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("uciok") => Said::UciOk,
        Some("readyok") => Said::ReadyOk,
        Some("option") => Offer::parse(words).map_or(Said::Other, Said::Option),
        Some("info") => info(words),
        Some("bestmove") => Said::BestMove(words.next().map(str::to_owned)),
        _ => Said::Other,
    }
}

fn info<'a>(mut words: impl Iterator<Item = &'a str>) -> Said {
    let mut info = Info::default();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next().and_then(|text| text.parse().ok()),
            "nodes" => info.nodes = words.next().and_then(|text| text.parse().ok()),
            // Other lines than the best one.
            "multipv" if words.next() != Some("1") => return Said::Other,
            "score" => {
                let kind = words.next();
                let amount = words.next().and_then(|text| text.parse().ok());
                info.score = match (kind, amount) {
                    (Some("cp"), Some(cp)) => Some(Score::Cp(cp)),
                    (Some("mate"), Some(moves)) => Some(Score::Mate(moves)),
                    _ => None,
                };
            }
            "lowerbound" | "upperbound" => info.score = None,
            // Takes the rest of the line.
            "string" => break,
            "pv" => {
                info.pv = Some(words.map(str::to_owned).collect());
                break;
            }
            _ => {}
        }
    }
    if info == Info::default() {
        Said::Other
    } else {
        Said::Info(info)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_say_what_the_protocol_means() {
        let pv = |moves: &[&str]| Some(moves.iter().map(|mv| (*mv).to_owned()).collect());
        for (line, said) in [
            ("uciok", Said::UciOk),
            ("  readyok ", Said::ReadyOk),
            (
                "bestmove e2e4 ponder e7e5",
                Said::BestMove(Some("e2e4".into())),
            ),
            ("bestmove", Said::BestMove(None)),
            ("option type spin", Said::Other),
            (
                "info depth 12 seldepth 18 multipv 1 score cp -31 nodes 8123 nps 9 pv e2e4 e7e5",
                Said::Info(Info {
                    depth: Some(12),
                    nodes: Some(8123),
                    score: Some(Score::Cp(-31)),
                    pv: pv(&["e2e4", "e7e5"]),
                }),
            ),
            (
                "info depth 3 score mate -2 pv a1a2",
                Said::Info(Info {
                    depth: Some(3),
                    score: Some(Score::Mate(-2)),
                    pv: pv(&["a1a2"]),
                    ..Info::default()
                }),
            ),
            (
                "info depth 3 score cp 99 lowerbound",
                Said::Info(Info {
                    depth: Some(3),
                    ..Info::default()
                }),
            ),
            ("info depth 3 multipv 2 score cp 99", Said::Other),
            ("info string depth 9", Said::Other),
            ("info nodes nonsense", Said::Other),
            ("Stockfish by x", Said::Other),
            ("", Said::Other),
        ] {
            assert_eq!(parse(line), said, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_is_too_odd(line in ".*", words in proptest::collection::vec("(info|depth|score|cp|mate|pv|option|name|var|type|bestmove|-?[0-9]{1,30}|x)", 0..12)) {
            parse(&line);
            parse(&words.join(" "));
        }
    }
}
