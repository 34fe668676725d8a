//! What may be wrong with a file of results.

use crate::ratings::Outcome;

/// Why results could not be read. Says the file, the line and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file cannot be read.
    #[error("cannot read `{file}`")]
    Read {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not of its format.
    #[error("`{file}`")]
    Pgn {
        /// The file.
        file: String,
        /// Where and why.
        source: engine::pgn::PgnError,
    },
    /// Something is missing or no result.
    #[error("`{file}`, line {line}: {reason}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong and the remedy.
        reason: String,
    },
}

impl ResultsError {
    pub(super) fn read(file: &str, source: std::io::Error) -> Self {
        Self::Read {
            file: file.to_owned(),
            source,
        }
    }

    pub(super) fn line(file: &str, line: u64, reason: impl Into<String>) -> Self {
        Self::Line {
            file: file.to_owned(),
            line,
            reason: reason.into(),
        }
    }
}

/// The outcome for the first of two numbers of points, as `1-0`, `0.75-0.25`, `1/2-1/2`; `Ok(None)` for a game that is
/// not over, `*`.
pub(super) fn outcome_of(text: &str) -> Result<Option<Outcome>, String> {
    let text = text.trim();
    if matches!(text, "*" | "" | "?") {
        return Ok(None);
    }
    let refused = || {
        format!(
            "`{text}` is no result; write 1-0, 0-1, 1/2-1/2, 0.75-0.25, 0.25-0.75, or * for a game that is not over"
        )
    };
    let (left, right) = text
        .split_once(['-', ':', '\u{2013}'])
        .ok_or_else(refused)?;
    let (left, right) = (quarters(left), quarters(right));
    match (left, right) {
        (Some(left), Some(right)) if left + right == 4 => Ok(Outcome::from_quarters(left)),
        _ => Err(refused()),
    }
}

/// Quarter points of a number of points of one game.
pub(super) fn quarters(text: &str) -> Option<u8> {
    Some(match text.trim() {
        "0" | "0.0" | "0.00" => 0,
        "1/4" | "0.25" | ".25" | "\u{bc}" => 1,
        "1/2" | "0.5" | ".5" | "0.50" | "\u{bd}" => 2,
        "3/4" | "0.75" | ".75" | "\u{be}" => 3,
        "1" | "1.0" | "1.00" => 4,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_kinds() {
        for (text, expected) in [
            ("1-0", Outcome::Win),
            ("0-1", Outcome::Loss),
            (" 1/2-1/2 ", Outcome::Draw),
            ("0.5-0.5", Outcome::Draw),
            ("\u{bd}:\u{bd}", Outcome::Draw),
            ("0.75-0.25", Outcome::Advantage),
            ("1/4-3/4", Outcome::Disadvantage),
        ] {
            assert_eq!(outcome_of(text), Ok(Some(expected)), "{text}");
        }
        assert_eq!(outcome_of("*"), Ok(None));
        for text in [
            "1-1", "0-0", "2-0", "white", "1", "-", "0.3-0.7", "1-0-0", "NaN-1",
        ] {
            assert!(outcome_of(text).is_err(), "{text}");
        }
    }
}
