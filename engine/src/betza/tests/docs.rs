//! The examples of `docs/betza.md`.

use super::super::compile;
use super::ways::same_moves;

const PAGE: &str = include_str!("../../../../docs/betza.md");

/// What stands between backticks.
fn codes(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The texts in the columns of this name.
fn column(name: &str) -> Vec<&'static str> {
    let mut texts = Vec::new();
    let mut column = None;
    for line in PAGE.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        match (line.starts_with('|'), column) {
            (false, _) => column = None,
            (true, None) => {
                // The header; a table without such a column has none at this far place.
                column = cells
                    .iter()
                    .position(|&cell| cell == name)
                    .or(Some(usize::MAX));
            }
            (true, Some(index)) => {
                texts.extend(cells.get(index).into_iter().flat_map(|cell| codes(cell)))
            }
        }
    }
    texts
}

#[test]
fn every_example_compiles() {
    for (name, least) in [("text", 60), ("example", 70)] {
        let texts = column(name);
        assert!(texts.len() >= least, "{name}: {}", texts.len());
        for text in texts {
            assert!(compile(text).is_ok(), "{text}: {:?}", compile(text));
        }
    }
}

#[test]
fn every_refused_text_is_refused() {
    let texts = column("refused");
    assert!(texts.len() >= 20);
    for text in texts {
        assert!(compile(text).is_err(), "{text}");
    }
}

#[test]
fn texts_that_the_page_calls_the_same() {
    for (one, other) in [
        ("FyafsF", "[F?R]"),
        ("WyafsW", "[W?B]"),
        ("DB2afyasfF", "DB2[F-F-R]"),
        ("AR3afafyasfW", "AR3[W-W-W-B]"),
        ("afsW", "[W-F]"),
        ("afsafW", "[W-F-F]"),
        ("[pR-fR]", "pR"),
        ("pafR", "pR"),
        ("gafQ", "gQ"),
        ("W0", "R"),
        ("WW", "R"),
        ("mcN", "N"),
    ] {
        assert!(same_moves(one, other), "{one} and {other}");
    }
}
