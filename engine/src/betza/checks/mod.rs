//! Terms to [`Plan`]s: what the letters of a term mean together, and which do not go together.

mod brackets;
mod leg;
mod legs;

use super::ast::{Ast, Body, Mode, Modifiers, Term};
use super::error::{BetzaError, Problem, Span};
use super::lexer::Source;
use super::plan::Plan;
use super::program::From;

/// Plans of all terms that are not imitators.
pub(super) fn plans(source: &Source, ast: &Ast) -> Result<Vec<Plan>, BetzaError> {
    let checker = Checker { source };
    ast.terms
        .iter()
        .filter_map(|term| checker.plan(term).transpose())
        .collect()
}

/// Checks terms; knows the text for the words of an error.
struct Checker<'a> {
    source: &'a Source,
}

impl Checker<'_> {
    fn meaningless<T>(&self, span: Span, why: &'static str) -> Result<T, BetzaError> {
        Err(self.source.error(span, Problem::Meaningless(why)))
    }

    fn unsupported<T>(&self, span: Span, why: &'static str) -> Result<T, BetzaError> {
        Err(self.source.error(span, Problem::Unsupported(why)))
    }

    /// Refuses modes that have no meaning in a leg.
    fn refuse(
        &self,
        modifiers: &Modifiers,
        refused: &[Mode],
        why: &'static str,
    ) -> Result<(), BetzaError> {
        match refused.iter().find_map(|&mode| modifiers.mode(mode)) {
            Some(span) => self.meaningless(span, why),
            None => Ok(()),
        }
    }

    /// Refuses captures in a leg that another follows.
    fn refuse_locust(&self, modifiers: &Modifiers) -> Result<(), BetzaError> {
        let capture = modifiers.mode(Mode::Capture);
        match capture.or_else(|| modifiers.mode(Mode::EnPassant)) {
            Some(span) => self.unsupported(
                span,
                "taking a man on the way (locust capture) is not supported: only the last leg \
                 may capture, the others are `m` or `p`",
            ),
            None => Ok(()),
        }
    }

    fn plan(&self, term: &Term) -> Result<Option<Plan>, BetzaError> {
        let (initial, legs, ways) = match (&term.body.value, &term.ranks) {
            (Body::Imitator, Some(ranks)) => {
                return self.meaningless(ranks.span, "the imitator moves from every rank");
            }
            (Body::Imitator, None) => return Ok(None),
            (Body::Legs { legs, atom }, _) => {
                let initial = legs.first().and_then(|leg| leg.initial);
                (initial, self.legs(legs, atom)?, Vec::new())
            }
            (Body::Bracket { whole, legs }, _) => {
                let ways = whole.directions.iter().map(|way| way.value).collect();
                (whole.initial, self.bracket(whole, legs)?, ways)
            }
        };
        let from = match (initial, &term.ranks) {
            (None, None) => From::Anywhere,
            (Some(_), None) => From::StartSquare,
            (None, Some(ranks)) => From::Ranks(ranks.value.clone()),
            (Some(_), Some(ranks)) => {
                let why = "`i` already says where the move begins; write `i` or `@`";
                return self.meaningless(ranks.span, why);
            }
        };
        Ok(Some(Plan {
            from,
            legs,
            ways,
            span: term.body.span,
        }))
    }
}
