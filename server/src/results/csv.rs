//! Results from comma-separated values with a header, also with semicolons or tabs.

use std::io::BufRead;

use super::collector::{Collector, Game};
use super::error::{ResultsError, outcome_of, quarters};
use crate::ratings::Outcome;

/// Columns by meaning and the names that they may have.
const COLUMNS: [(&str, &[&str]); 5] = [
    ("first", &["first", "white", "player1"]),
    ("second", &["second", "black", "player2"]),
    ("points", &["points", "result", "score", "first_points"]),
    (
        "opening",
        &["opening", "opening_fen", "fen", "pair", "round"],
    ),
    ("games", &["games", "count"]),
];

pub(super) fn read(
    file: &str,
    mut reader: impl BufRead,
    into: &mut Collector,
) -> Result<(), ResultsError> {
    let begin = reader
        .fill_buf()
        .map_err(|source| ResultsError::read(file, source))?;
    let header = begin.split(|&b| b == b'\n').next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t'].into_iter().max_by_key(|d| {
        // The first of those that occur most.
        (header.iter().filter(|&b| b == d).count(), *d == b',')
    });
    let mut rows = ::csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(b','))
        .flexible(true)
        .trim(::csv::Trim::All)
        .from_reader(reader);
    let line_of = |error: &::csv::Error| error.position().map_or(1, ::csv::Position::line);
    let failed = |error: ::csv::Error| {
        let line = line_of(&error);
        match error.into_kind() {
            ::csv::ErrorKind::Io(source) => ResultsError::read(file, source),
            kind => ResultsError::line(file, line, format!("no row of results: {kind:?}")),
        }
    };
    let header = rows.byte_headers().map_err(failed)?.clone();
    let columns = COLUMNS.map(|(_, names)| {
        header.iter().position(|cell| {
            let cell = cell.strip_prefix(b"\xef\xbb\xbf").unwrap_or(cell);
            names
                .iter()
                .any(|name| cell.eq_ignore_ascii_case(name.as_bytes()))
        })
    });
    for ((name, names), column) in COLUMNS.iter().zip(&columns).take(3) {
        if column.is_none() {
            let reason = format!(
                "no column `{name}`; begin with a header that names it (also {}), as `first,second,points`",
                names[1..].join(", ")
            );
            return Err(ResultsError::line(file, 1, reason));
        }
    }
    let mut row = ::csv::ByteRecord::new();
    while rows.read_byte_record(&mut row).map_err(failed)? {
        let line = row.position().map_or(0, ::csv::Position::line);
        let refuse = |reason: String| ResultsError::line(file, line, reason);
        let cell = |column: usize| {
            let cell = columns[column]
                .and_then(|at| row.get(at))
                .unwrap_or_default();
            engine::pgn::legible(cell)
        };
        let points = cell(2);
        let outcome = match quarters(&points).and_then(Outcome::from_quarters) {
            Some(outcome) => Some(outcome),
            None => outcome_of(&points).map_err(refuse)?,
        };
        let count = match &*cell(4) {
            "" => 1,
            text => match text.parse() {
                Ok(count @ 1..=1_000_000_000) => count,
                _ => {
                    let reason =
                        format!("`{text}` games; give a whole number from 1 to 1000000000");
                    return Err(refuse(reason));
                }
            },
        };
        let Some(outcome) = outcome else {
            into.add_unfinished();
            continue;
        };
        let opening = cell(3);
        let game = Game {
            first: &cell(0),
            second: &cell(1),
            outcome,
            opening: Some(&*opening).filter(|text| !text.is_empty()),
            count,
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
        read("r.csv", text.as_bytes(), &mut collector)?;
        Ok(collector)
    }

    #[test]
    fn columns_in_any_order() {
        let text = "\u{feff}Points;White;Black;Games\r\n0.75;\"a; b\";c;\r\n1/2-1/2;c;a; b;\r\n1;c;\"a; b\";3\r\n*;c;d;\r\n";
        let error = collect(text).map(Collector::finish);
        // The third row has a semicolon too many, so that its count is `b`.
        assert!(error.is_err());
        let text = text.replace("c;a; b;\r", "c;\"a; b\";\r");
        let results = collect(&text).unwrap().finish();
        assert_eq!(results.names, ["a; b", "c"]);
        assert_eq!(results.unfinished, 1);
        let table = results.aggregates.table(0, 1);
        assert_eq!(table.near_first, [0, 0, 0, 1, 0]);
        assert_eq!(table.far_first, [0, 0, 1, 0, 3]);
    }

    #[test]
    fn names_of_an_old_encoding_stay_apart() {
        let mut collector = Collector::new(Pairing::ByOpening, Vec::new());
        let text = b"first,second,points\nM\xfcller,M\xf6ller,1\n";
        read("r.csv", &text[..], &mut collector).unwrap();
        assert_eq!(collector.finish().names, ["M\u{f6}ller", "M\u{fc}ller"]);
    }

    #[test]
    fn faults_have_a_line() {
        for (text, expected) in [
            ("first,second\na,b\n", "line 1: no column `points`"),
            (
                "first,second,points\na,b,1\na,b,2\n",
                "line 3: `2` is no result",
            ),
            (
                "first,second,points,games\na,b,1,-3\n",
                "line 2: `-3` games",
            ),
            (
                "first,second,points\na,,1\n",
                "line 2: a player without a name",
            ),
        ] {
            let error = collect(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
