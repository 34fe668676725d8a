//! Results from PGN: ours with `Points`, anyone's with `Result`.

use std::io::BufRead;

use engine::pgn::{PgnError, TagReader};

use super::collector::{Collector, Game};
use super::error::{ResultsError, outcome_of};
use crate::ratings::Outcome;

const TAGS: [&str; 6] = ["White", "Black", "Result", "Points", "FEN", "Round"];
const WHITE: usize = 0;
const BLACK: usize = 1;
const RESULT: usize = 2;
const POINTS: usize = 3;
const FEN: usize = 4;
const ROUND: usize = 5;

pub(super) fn read(
    file: &str,
    reader: impl BufRead,
    into: &mut Collector,
) -> Result<(), ResultsError> {
    let failed = |source| match source {
        PgnError::Read { source, .. } => ResultsError::read(file, source),
        source => ResultsError::Pgn {
            file: file.to_owned(),
            source,
        },
    };
    let mut games = TagReader::new(reader, &TAGS);
    let mut opening = String::new();
    while let Some(tags) = games.next_game().map_err(failed)? {
        let refuse = |place, reason: String| ResultsError::line(file, tags.line_of(place), reason);
        let name = |place: usize| {
            let missing = || {
                let reason = format!("a game without the tag `{}`; add it", TAGS[place]);
                refuse(place, reason)
            };
            tags.get(place).ok_or_else(missing)
        };
        let outcome = |place: usize| {
            let text = tags.get(place).unwrap_or("*");
            outcome_of(text).map_err(|reason| refuse(place, reason))
        };
        let (white, black) = (name(WHITE)?, name(BLACK)?);
        let (result, points) = (outcome(RESULT)?, outcome(POINTS)?);
        let Some(for_white) = points.or(result) else {
            into.add_unfinished();
            continue;
        };
        if let (Some(result), Some(points)) = (result, points)
            && !agree(result, points)
        {
            let reason = "`Points` and `Result` name different winners; correct one".to_owned();
            return Err(refuse(POINTS, reason));
        }
        let fen = tags.get(FEN);
        let black_first = fen.is_some_and(|fen| fen.split_ascii_whitespace().nth(1) == Some("b"));
        let (first, second, outcome) = if black_first {
            (black, white, for_white.reversed())
        } else {
            (white, black, for_white)
        };
        // From the usual start, games of one round are a pair.
        let round = tags
            .get(ROUND)
            .filter(|round| !matches!(*round, "?" | "-" | ""));
        opening.clear();
        opening.push_str(fen.or(round).unwrap_or_default());
        let game = Game {
            first,
            second,
            outcome,
            opening: Some(opening.as_str()).filter(|text| !text.is_empty()),
            count: 1,
        };
        into.add(&game).map_err(|reason| refuse(WHITE, reason))?;
    }
    Ok(())
}

/// Whether the result of the standard is that of the points: a draw stands for a quarter more or less, too.
fn agree(result: Outcome, points: Outcome) -> bool {
    result == points
        || (result == Outcome::Draw && matches!(points, Outcome::Advantage | Outcome::Disadvantage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Pairing, Results};

    fn collect(text: &str) -> Result<Results, String> {
        let mut collector = Collector::new(Pairing::ByOpening, Vec::new());
        match read("games.pgn", text.as_bytes(), &mut collector) {
            Ok(()) => Ok(collector.finish()),
            Err(error) => Err(format!(
                "{error}{}",
                std::error::Error::source(&error).map_or(String::new(), |s| format!(": {s}"))
            )),
        }
    }

    #[test]
    fn points_results_and_who_moves_first() {
        let results = collect(
            "[White \"a\"]\n[Black \"b\"]\n[Result \"1/2-1/2\"]\n[Points \"0.75-0.25\"]\n[FEN \"8/8 b - -\"]\n\n*\n
[White \"b\"]\n[Black \"a\"]\n[Result \"0-1\"]\n[FEN \"8/8 b - -\"]\n\n*\n
[White \"a\"]\n[Black \"b\"]\n[Result \"*\"]\n\n*\n
[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[Round \"3\"]\n\n1-0\n
[White \"b\"]\n[Black \"a\"]\n[Result \"1/2-1/2\"]\n[Round \"3\"]\n\n1-0\n",
        )
        .unwrap();
        assert_eq!((results.pairs, results.unfinished), (2, 1));
        let table = results.aggregates.table(0, 1);
        // b moved first in the first game, as Black, and had a quarter; a in the second and won.
        assert_eq!(table.pairs[4][1], 1);
        assert_eq!(table.pairs[4][2], 1);
        assert_eq!(table.games(), 4);
    }

    #[test]
    fn names_of_an_old_encoding_stay_apart() {
        let mut collector = Collector::new(Pairing::ByOpening, Vec::new());
        let text = b"[White \"M\xfcller\"]\n[Black \"M\xf6ller\"]\n[Result \"1-0\"]\n\n1-0\n";
        read("games.pgn", &text[..], &mut collector).unwrap();
        assert_eq!(collector.finish().names, ["M\u{f6}ller", "M\u{fc}ller"]);
    }

    #[test]
    fn faults_have_a_file_and_a_line() {
        for (text, expected) in [
            (
                "[White \"a\"]\n[Result \"1-0\"]\n",
                "`games.pgn`, line 1: a game without the tag `Black`; add it",
            ),
            (
                "[White \"a\"]\n[Black \"b\"]\n[Result \"won\"]\n",
                "`games.pgn`, line 3: `won` is no result; write",
            ),
            (
                "\n[White \"a\"]\n[Black \"a\"]\n[Result \"1-0\"]\n",
                "`games.pgn`, line 2: `a` plays itself",
            ),
            (
                "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[Points \"0.25-0.75\"]\n",
                "`games.pgn`, line 4: `Points` and `Result` name different winners",
            ),
            (
                "[White \"a]\n",
                "`games.pgn`: line 1: `[White \"a]` is no tag",
            ),
        ] {
            let error = collect(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
