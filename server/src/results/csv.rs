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

/// Longest line, in bytes: so much is no game.
const LONGEST_LINE: u64 = 1 << 16;

pub(super) fn read(
    file: &str,
    reader: impl BufRead,
    into: &mut Collector,
) -> Result<(), ResultsError> {
    let mut rows = Rows::new(file, reader);
    if !rows.advance()? {
        return Ok(());
    }
    let columns = COLUMNS.map(|(_, names)| {
        let is_meant = |cell: &[u8]| {
            let mut names = names.iter();
            names.any(|name| cell.eq_ignore_ascii_case(name.as_bytes()))
        };
        (0..rows.cells()).find(|&at| is_meant(rows.cell(at)))
    });
    for ((name, names), column) in COLUMNS.iter().zip(&columns).take(3) {
        if column.is_none() {
            return Err(rows.refuse(format!(
                "no column `{name}`; begin with a header that names it (also {}), as `first,second,points`",
                names[1..].join(", ")
            )));
        }
    }
    let width = rows.cells();
    while rows.advance()? {
        if (0..rows.cells()).all(|at| rows.cell(at).is_empty()) {
            continue;
        }
        let extra = (width..rows.cells()).any(|at| !rows.cell(at).is_empty());
        if extra || columns[..3].iter().flatten().any(|&at| at >= rows.cells()) {
            return Err(rows.refuse(format!(
                "{} cells, where the header has {width}; give as many",
                rows.cells()
            )));
        }
        let cell = |column: usize| {
            let cell = columns[column].map_or(&b""[..], |at| rows.cell(at));
            engine::pgn::legible(cell)
        };
        take(&cell, into).map_err(|reason| rows.refuse(reason))?;
    }
    Ok(())
}

/// Takes in the game of a row, whose cells are by [`COLUMNS`].
fn take<'a>(
    cell: &impl Fn(usize) -> std::borrow::Cow<'a, str>,
    into: &mut Collector,
) -> Result<(), String> {
    let points = cell(2);
    let outcome = match quarters(&points).and_then(Outcome::from_quarters) {
        Some(outcome) => Some(outcome),
        None => outcome_of(&points)?,
    };
    let count = match &*cell(4) {
        "" => 1,
        text => match text.parse() {
            Ok(count @ 1..=1_000_000_000) => count,
            _ => {
                return Err(format!(
                    "`{text}` games; give a whole number from 1 to 1000000000"
                ));
            }
        },
    };
    let Some(outcome) = outcome else {
        into.add_unfinished();
        return Ok(());
    };
    let opening = cell(3);
    into.add(&Game {
        first: &cell(0),
        second: &cell(1),
        outcome,
        opening: Some(&*opening).filter(|text| !text.is_empty()),
        count,
    })
}

/// Reads row after row, each in a line.
struct Rows<'a, R> {
    file: &'a str,
    reader: R,
    /// Line of the row, from 1.
    number: u64,
    line: Vec<u8>,
    parser: Option<csv_core::Reader>,
    /// The cells, one behind the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl<'a, R: BufRead> Rows<'a, R> {
    fn new(file: &'a str, reader: R) -> Self {
        Self {
            file,
            reader,
            number: 0,
            line: Vec::new(),
            parser: None,
            text: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn refuse(&self, reason: impl Into<String>) -> ResultsError {
        ResultsError::line(self.file, self.number, reason)
    }

    /// Goes to the next row that is not empty; gives whether there is one.
    fn advance(&mut self) -> Result<bool, ResultsError> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut limited = std::io::Read::take(&mut self.reader, LONGEST_LINE);
            let length = limited
                .read_until(b'\n', &mut self.line)
                .map_err(|source| ResultsError::read(self.file, source))?;
            if length == 0 {
                return Ok(false);
            }
            if length as u64 == LONGEST_LINE {
                let reason =
                    format!("a line of more than {LONGEST_LINE} bytes; write a game a line");
                return Err(self.refuse(reason));
            }
            if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3);
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        // Within quotes they are doubled.
        let quotes = self.line.iter().filter(|&&byte| byte == b'"').count();
        if !quotes.is_multiple_of(2) {
            return Err(self.refuse(
                "a quote that is not closed in its line; close it, and double quotes within quotes",
            ));
        }
        self.split();
        Ok(true)
    }

    /// Finds the cells of the line.
    fn split(&mut self) {
        while self.line.last().is_some_and(u8::is_ascii_whitespace)
            && self.line.last() != Some(&b'\t')
        {
            self.line.pop();
        }
        let line = &mut self.line;
        let parser = self.parser.get_or_insert_with(|| {
            let delimiter = delimiter_of(line);
            csv_core::ReaderBuilder::new().delimiter(delimiter).build()
        });
        line.push(b'\n');
        // No cell is longer than the line, and there are no more than bytes in it.
        self.text.resize(line.len(), 0);
        self.ends.resize(line.len() + 1, 0);
        let (_, _, _, ends) = parser.read_record(line, &mut self.text, &mut self.ends);
        self.ends.truncate(ends);
    }

    fn cells(&self) -> usize {
        self.ends.len()
    }

    /// A cell without the blanks around it; nothing where there is none.
    fn cell(&self, at: usize) -> &[u8] {
        let begin = at
            .checked_sub(1)
            .map_or(0, |before| self.ends.get(before).copied().unwrap_or(0));
        let end = self.ends.get(at).copied().unwrap_or(begin);
        self.text.get(begin..end).unwrap_or_default().trim_ascii()
    }
}

/// The delimiter that occurs most in a header, a comma rather than others.
fn delimiter_of(header: &[u8]) -> u8 {
    let occurs = |d: &u8| (header.iter().filter(|&b| b == d).count(), *d == b',');
    [b',', b';', b'\t']
        .into_iter()
        .max_by_key(occurs)
        .unwrap_or(b',')
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
    fn a_line_has_an_end() {
        let long = format!("first,second,points\na,{},1\n", "b".repeat(70_000));
        let error = collect(&long).unwrap_err().to_string();
        assert!(
            error.contains("line 2: a line of more than 65536 bytes"),
            "{error}"
        );
        // Quotes within quotes, blanks around, and a delimiter too many that says nothing.
        let text = "first,second,points\n\"a \"\"x\"\", y\" , b ,1,\n";
        assert_eq!(collect(text).unwrap().finish().names, ["a \"x\", y", "b"]);
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
            // Blank lines and rows count as lines.
            (
                "first,second,points\n\n,,\n\na,b,x\n",
                "line 5: `x` is no result",
            ),
            (
                "first,second,points\n\"a,b,1\na,b,1\n",
                "line 2: a quote that is not closed",
            ),
            (
                "first,second,points\na,b\n",
                "line 2: 2 cells, where the header has 3",
            ),
            (
                "first,second,points\na,b,1,2\n",
                "line 2: 4 cells, where the header has 3",
            ),
        ] {
            let error = collect(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
