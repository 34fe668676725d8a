//! [`BetzaError`]: what is wrong with a move text, where, and what to write instead.

use std::fmt;

/// A run of characters in a move text: `start..end`, counted in characters from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// First character, counted from 0.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
}

impl Span {
    /// The smallest span that holds both.
    pub(super) fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A move text that is refused: the token, its place and the reason with a remedy.
///
/// ```
/// let error = engine::betza::compile("RcaW").unwrap_err();
/// assert_eq!(error.span.start, 1);
/// assert_eq!(error.token, "c");
/// assert!(error.to_string().starts_with("`c` at character 2: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct BetzaError {
    /// Where in the text.
    pub span: Span,
    /// The characters there.
    pub token: String,
    /// What is wrong with them.
    pub problem: Problem,
}

impl fmt::Display for BetzaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.token.is_empty() {
            write!(
                f,
                "move text at character {}: {}",
                self.span.start + 1,
                self.problem
            )
        } else {
            write!(
                f,
                "`{}` at character {}: {}",
                self.token,
                self.span.start + 1,
                self.problem
            )
        }
    }
}

/// Why a move text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No term at all.
    #[error("the move text is empty: write at least one atom, for example `K`")]
    Empty,
    /// More characters than a move text may have.
    #[error("the move text has more than {limit} characters: shorten it")]
    TooLong {
        /// The most characters that are read.
        limit: usize,
    },
    /// A character that is no token of the notation.
    #[error("not a token of the move notation: remove it")]
    Unknown,
    /// A published token that this program does not support.
    #[error("{0}")]
    Unsupported(&'static str),
    /// A known token where it cannot stand.
    #[error("cannot stand here: {0}")]
    Misplaced(&'static str),
    /// The text stops in the middle of a term.
    #[error("the text ends too early: {0}")]
    Unfinished(&'static str),
    /// A modifier that is given twice for one leg.
    #[error("given twice: write it once for each leg")]
    Repeated,
    /// A combination that has no meaning.
    #[error("has no meaning: {0}")]
    Meaningless(&'static str),
    /// More legs than a term may have.
    #[error("the term has more than {limit} legs: split the move or shorten it")]
    TooManyLegs {
        /// The most legs a term may have.
        limit: usize,
    },
    /// The expanded program is larger than allowed.
    #[error(
        "the move unfolds into more than {limit} steps: give the legs shorter ranges or fewer directions"
    )]
    TooLarge {
        /// The most steps that are unfolded.
        limit: usize,
    },
}
