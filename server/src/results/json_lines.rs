//! Results from JSON lines, as `tournament games --as json` writes them.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;

use super::collector::{Collector, Game};
use super::error::{ResultsError, quarters};
use crate::ratings::Outcome;

/// Longest line, in bytes: a game of 4,000 plies with all that is known of each move takes less than 1 MiB.
const LONGEST_LINE: u64 = 16 << 20;

/// What counts of a game.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    first: Cow<'a, str>,
    #[serde(borrow)]
    second: Cow<'a, str>,
    /// 0 to 1; nothing for a game that is not over.
    first_points: Option<f64>,
    #[serde(borrow, default)]
    opening_fen: Option<Cow<'a, str>>,
    #[serde(default = "one")]
    games: u32,
}

fn one() -> u32 {
    1
}

pub(super) fn read(
    file: &str,
    mut reader: impl BufRead,
    into: &mut Collector,
) -> Result<(), ResultsError> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut limited = std::io::Read::take(&mut reader, LONGEST_LINE);
        let length = limited
            .read_until(b'\n', &mut line)
            .map_err(|source| ResultsError::read(file, source))?;
        if length == 0 {
            break;
        }
        let refuse = |reason: String| ResultsError::line(file, number, reason);
        if length as u64 == LONGEST_LINE {
            return Err(refuse(format!(
                "a line of more than {LONGEST_LINE} bytes; write a game a line"
            )));
        }
        let text = line
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(&line)
            .trim_ascii();
        if text.is_empty() {
            continue;
        }
        let record: Record<'_> = serde_json::from_slice(text).map_err(|error| {
            refuse(format!(
                "no game: {error}; give `first`, `second` and `first_points`"
            ))
        })?;
        let Some(points) = record.first_points else {
            into.add_unfinished();
            continue;
        };
        let outcome = quarters(&points.to_string()).and_then(Outcome::from_quarters);
        let outcome = outcome.ok_or_else(|| {
            refuse(format!(
                "first_points {points}; give 0, 0.25, 0.5, 0.75 or 1"
            ))
        })?;
        let game = Game {
            first: &record.first,
            second: &record.second,
            outcome,
            opening: record.opening_fen.as_deref(),
            count: record.games,
        };
        into.add(&game).map_err(refuse)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Pairing;

    fn collect(text: &str) -> Result<Collector, ResultsError> {
        let mut collector = Collector::new(Pairing::ByOpening, Vec::new());
        read("g.jsonl", text.as_bytes(), &mut collector)?;
        Ok(collector)
    }

    #[test]
    fn games_of_ours() {
        let text = "{\"first\":\"a\",\"second\":\"b\",\"first_points\":0.75,\"opening_fen\":\"x\",\"moves\":[]}\r\n\n
{\"first\":\"b\",\"second\":\"a\",\"first_points\":0.5,\"opening_fen\":\"x\"}
{\"first\":\"b\",\"second\":\"a\",\"first_points\":null}
{\"first\":\"b\",\"second\":\"caf\\u00e9\",\"first_points\":1,\"games\":7}";
        let results = collect(text).unwrap().finish();
        assert_eq!((results.pairs, results.unfinished), (1, 1));
        assert_eq!(results.names, ["a", "b", "caf\u{e9}"]);
        assert_eq!(results.aggregates.table(0, 1).pairs[3][2], 1);
        assert_eq!(results.aggregates.table(1, 2).near_first, [0, 0, 0, 0, 7]);
    }

    #[test]
    fn faults_have_a_line() {
        for (text, expected) in [
            ("{}\n", "line 1: no game: missing field"),
            (
                "\n{\"first\":\"a\",\"second\":\"b\",\"first_points\":0.3}",
                "line 2: first_points 0.3; give",
            ),
            (
                "{\"first\":\"a\",\"second\":\"b\",\"first_points\":\"1\"}",
                "line 1: no game: invalid type",
            ),
            ("{\"first\":", "line 1: no game: EOF"),
        ] {
            let error = collect(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
