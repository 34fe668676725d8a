//! What an engine's lines say.

use crate::play::Score;
use crate::play::child::seen::Info;

/// Scores from here on are mates: this and the number of moves (CECP section 9, "mate scores").
const MATE: i64 = 100_000;

/// A line of an engine that matters to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// `feature …`: what stands behind the word.
    Feature(String),
    /// `pong N`.
    Pong(u32),
    /// `move …`.
    Move(String),
    /// A line of thinking output.
    Thinking(Info),
    /// `offer draw`.
    DrawOffer,
    /// `resign`.
    Resign,
    /// A result, as it was written: `1-0 {White mates}`.
    Result(Claim, String),
    /// `Illegal move…` or `Error…`: the engine did not take what it was sent.
    Refused(String),
    /// Anything else.
    Other,
}

/// What a result claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// `1-0`.
    White,
    /// `0-1`.
    Black,
    /// `1/2-1/2`.
    Draw,
}

/// Reads a line.
pub fn parse(line: &str) -> Said {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "feature" => Said::Feature(rest.to_owned()),
        "pong" => rest.parse().map_or(Said::Other, Said::Pong),
        "move" => match rest.split_whitespace().next() {
            Some(text) => Said::Move(text.to_owned()),
            None => Said::Other,
        },
        "offer" if rest == "draw" => Said::DrawOffer,
        "resign" => Said::Resign,
        "1-0" => Said::Result(Claim::White, line.to_owned()),
        "0-1" => Said::Result(Claim::Black, line.to_owned()),
        "1/2-1/2" => Said::Result(Claim::Draw, line.to_owned()),
        "Illegal" | "Error" => Said::Refused(line.to_owned()),
        _ => thinking(line).map_or(Said::Other, Said::Thinking),
    }
}

/// `DEPTH SCORE TIME NODES LINE`; a sign may stand behind the depth.
fn thinking(line: &str) -> Option<Info> {
    let mut words = line.split_whitespace();
    let depth = words.next()?;
    let digits = depth.trim_end_matches(|c: char| !c.is_ascii_digit());
    let score: i64 = words.next()?.parse().ok()?;
    // Time in centiseconds.
    let _: u64 = words.next()?.parse().ok()?;
    let nodes = words.next()?.parse().ok()?;
    let pv: Vec<String> = words.map(str::to_owned).collect();
    Some(Info {
        depth: Some(digits.parse().ok()?),
        nodes: Some(nodes),
        score: score_of(score),
        pv: (!pv.is_empty()).then_some(pv),
    })
}

fn score_of(score: i64) -> Option<Score> {
    let moves = score.abs() - MATE;
    if moves >= 0 {
        let moves = i32::try_from(moves).ok()?;
        return Some(Score::Mate(if score > 0 { moves } else { -moves }));
    }
    i32::try_from(score).ok().map(Score::Cp)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_say_what_the_protocol_means() {
        let thinking = |depth, nodes, score, pv: &[&str]| {
            Said::Thinking(Info {
                depth: Some(depth),
                nodes: Some(nodes),
                score: Some(score),
                pv: Some(pv.iter().map(|text| (*text).to_owned()).collect()),
            })
        };
        for (line, said) in [
            (
                "feature ping=1 done=1",
                Said::Feature("ping=1 done=1".into()),
            ),
            ("pong 7", Said::Pong(7)),
            ("move e7e8q", Said::Move("e7e8q".into())),
            ("move", Said::Other),
            (
                "9 156 1084 48000 Nf3 Nc6",
                thinking(9, 48000, Score::Cp(156), &["Nf3", "Nc6"]),
            ),
            (
                " 9. -25 3 480 e2e4",
                thinking(9, 480, Score::Cp(-25), &["e2e4"]),
            ),
            (
                "5 100003 1 9 d8h4",
                thinking(5, 9, Score::Mate(3), &["d8h4"]),
            ),
            ("5 -100001 1 9 a", thinking(5, 9, Score::Mate(-1), &["a"])),
            ("offer draw", Said::DrawOffer),
            ("resign", Said::Resign),
            (
                "1-0 {White mates}",
                Said::Result(Claim::White, "1-0 {White mates}".into()),
            ),
            ("1/2-1/2", Said::Result(Claim::Draw, "1/2-1/2".into())),
            (
                "Illegal move: e2e5",
                Said::Refused("Illegal move: e2e5".into()),
            ),
            (
                "Error (unknown command): foo",
                Said::Refused("Error (unknown command): foo".into()),
            ),
            ("# 9 1 2 3 debug", Said::Other),
            ("telluser hello", Said::Other),
            ("9 156 1084", Said::Other),
            ("", Said::Other),
        ] {
            assert_eq!(parse(line), said, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_is_too_odd(line in ".*", words in proptest::collection::vec("(move|pong|feature|-?[0-9]{1,30}|1-0|x)", 0..12)) {
            parse(&line);
            parse(&words.join(" "));
        }
    }
}
