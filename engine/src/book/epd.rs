//! A line that is a FEN, or an EPD record: a position without its counters, and operations.
//!
//! Of the operations of the PGN standard (S. J. Edwards, 1994, section 16.2.5) `hmvc` (plies without progress) and
//! `fmvn` (number of the move) say what the counters are; the others mean nothing to a game.

use super::error::shown;
use crate::variant::RuleSet;

/// The FEN of a line. Counters that neither the position nor an operation gives are those of a fresh game.
///
/// # Errors
/// Says which operation is not written as one. A position that is wrong is left to the rules.
pub(super) fn fen_of_line(rules: &RuleSet, line: &str) -> Result<String, String> {
    let fields = if rules.has_last_moved_field() { 5 } else { 4 };
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(rest) = words.get(fields..) else {
        return Ok(words.join(" "));
    };
    let position = words[..fields].join(" ");
    let is_counter = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    match rest {
        [] => Ok(position + " 0 1"),
        // One counter alone is no FEN, which the rules say.
        [one] if is_counter(one) => Ok(format!("{position} {one}")),
        [halfmove, fullmove, more @ ..] if is_counter(halfmove) && is_counter(fullmove) => {
            operations(&more.join(" "))?;
            Ok(format!("{position} {halfmove} {fullmove}"))
        }
        more => {
            let operations = operations(&more.join(" "))?;
            let counter = |code: &str, usual: &str| {
                let found = operations.iter().find(|(opcode, _)| opcode == code);
                found.map_or_else(|| usual.to_owned(), |(_, operand)| operand.clone())
            };
            let (halfmove, fullmove) = (counter("hmvc", "0"), counter("fmvn", "1"));
            Ok(format!("{position} {halfmove} {fullmove}"))
        }
    }
}

/// Operations and their operands: `bm Ke2; id "a; b";`.
fn operations(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut quoted = false;
        let end = rest.find(|c| {
            quoted ^= c == '"';
            c == ';' && !quoted
        });
        let Some(end) = end else {
            return Err(format!(
                "`{}` after the position is no operation: operations end with `;`, e.g. id \"x\";",
                shown(rest)
            ));
        };
        let (code, operand) = rest[..end].split_once(' ').unwrap_or((&rest[..end], ""));
        found.push((code.to_owned(), operand.trim().to_owned()));
        rest = rest[end + 1..].trim_start();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Catalog;

    #[test]
    fn lines_of_books_become_fens() {
        let chess = Catalog::builtin().get("chess").unwrap();
        let board = "4k3/8/8/8/8/8/8/4K3 w - -";
        for (line, counters) in [
            ("3 9", "3 9"),
            ("", "0 1"),
            ("bm Ke2; id \"a b\";", "0 1"),
            ("hmvc 4; fmvn 20;", "4 20"),
            ("id \"x; hmvc 7; y\"; fmvn 3;", "0 3"),
            ("3 9 id \"x\"; hmvc 4;", "3 9"),
            ("noop;", "0 1"),
            ("3", "3"),
        ] {
            let fen = fen_of_line(chess.rules(), &format!("{board} {line}"));
            assert_eq!(fen.unwrap(), format!("{board} {counters}"), "{line}");
        }
        let spaced = fen_of_line(chess.rules(), "4k3/8/8/8/8/8/8/4K3  w\t-   -");
        assert_eq!(spaced.unwrap(), format!("{board} 0 1"));
        assert_eq!(
            fen_of_line(chess.rules(), "nonsense").unwrap(),
            "nonsense",
            "the rules say what a FEN is"
        );
        for bad in ["bm Ke2", "id \"open;", "0 1 bm Ke2"] {
            let problem = fen_of_line(chess.rules(), &format!("{board} {bad}")).unwrap_err();
            assert!(problem.contains("end with `;`"), "{bad}: {problem}");
        }
    }

    #[test]
    fn a_game_with_imitators_has_a_field_more() {
        let catalog = Catalog::builtin();
        let with_field = catalog.ids().into_iter().filter_map(|id| catalog.get(id));
        let variant = with_field
            .into_iter()
            .find(|variant| variant.rules().has_last_moved_field())
            .unwrap();
        let start = variant.start_fen(variant.setups().first).unwrap();
        let short = start.strip_suffix(" 0 1").unwrap();
        let line = format!("{short} id \"x\"; fmvn 7;");
        assert_eq!(
            fen_of_line(variant.rules(), &line).unwrap(),
            format!("{short} 0 7")
        );
    }
}
