//! Tokens to [`Ast`]: the grammar of terms, legs and brackets.

use std::ops::RangeInclusive;

use super::ast::{Ast, Atom, Body, BracketLeg, Joint, Letter, Modifiers, Placed, Range, Term};
use super::directions::{Direction, Side};
use super::error::{BetzaError, Problem, Span};
use super::lexer::{Kind, Source, Token, lex};

/// The most legs of one term.
pub const MOST_LEGS: usize = 8;

/// The most ranks that a board can have.
const MOST_RANKS: u8 = 16;

/// Reads a move text.
pub(super) fn parse(source: &Source) -> Result<Ast, BetzaError> {
    let mut parser = Parser {
        source,
        tokens: lex(source)?,
        next: 0,
    };
    let mut terms = Vec::new();
    while parser.peek().is_some() {
        terms.push(parser.term()?);
    }
    if terms.is_empty() {
        return Err(source.error(source.end(), Problem::Empty));
    }
    Ok(Ast { terms })
}

struct Parser<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    next: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.next).copied()
    }

    /// Takes the next token if it is of this kind.
    fn take(&mut self, kind: Kind) -> Option<Token> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.next += 1;
        Some(token)
    }

    fn error<T>(&self, span: Span, problem: Problem) -> Result<T, BetzaError> {
        Err(self.source.error(span, problem))
    }

    /// The error for a token that is not what the grammar needs, or for the end of the text.
    fn expected<T>(&self, what: &'static str) -> Result<T, BetzaError> {
        match self.peek() {
            Some(token) => self.error(token.span, Problem::Misplaced(what)),
            None => self.error(self.source.end(), Problem::Unfinished(what)),
        }
    }

    fn term(&mut self) -> Result<Term, BetzaError> {
        let start = self.next;
        let first = self.modifiers()?;
        let body = match self.peek().map(|token| token.kind) {
            Some(Kind::Imitator) => self.imitator(&first)?,
            Some(Kind::Open) => self.bracket(first)?,
            _ => self.legs(first)?,
        };
        let span = match (self.tokens.get(start), self.tokens.get(self.next - 1)) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => self.source.end(),
        };
        let ranks = self.ranks()?;
        Ok(Term {
            body: Placed { value: body, span },
            ranks,
        })
    }

    fn imitator(&mut self, modifiers: &Modifiers) -> Result<Body, BetzaError> {
        let forward = Modifiers {
            directions: vec![Placed {
                value: Direction::One(Side::Forward),
                span: self.source.end(),
            }],
            ..Modifiers::default()
        };
        let token = self.take(Kind::Imitator);
        match token {
            Some(token) if *modifiers != forward => self.error(
                token.span,
                Problem::Meaningless("the imitator is written `fI`, without other modifiers"),
            ),
            _ => Ok(Body::Imitator),
        }
    }

    fn legs(&mut self, first: Modifiers) -> Result<Body, BetzaError> {
        let mut legs = vec![first];
        while let Some(again) = self.take(Kind::Again) {
            if legs.len() == MOST_LEGS {
                return self.error(again.span, Problem::TooManyLegs { limit: MOST_LEGS });
            }
            legs.push(self.modifiers()?);
        }
        let atom = self.atom()?;
        Ok(Body::Legs { legs, atom })
    }

    fn bracket(&mut self, whole: Modifiers) -> Result<Body, BetzaError> {
        self.take(Kind::Open);
        let mut legs: Vec<BracketLeg> = Vec::new();
        loop {
            if legs.len() == MOST_LEGS {
                let span = self.peek().map_or(self.source.end(), |token| token.span);
                return self.error(span, Problem::TooManyLegs { limit: MOST_LEGS });
            }
            let leg = self.bracket_leg(!legs.is_empty())?;
            let is_last = leg.joint.is_none();
            legs.push(leg);
            if is_last {
                return Ok(Body::Bracket { whole, legs });
            }
        }
    }

    /// A leg in brackets with the sign behind it; `]` may stand only behind a later leg.
    fn bracket_leg(&mut self, is_later: bool) -> Result<BracketLeg, BetzaError> {
        let modifiers = self.modifiers()?;
        match self.peek().map(|token| token.kind) {
            Some(Kind::Open) => {
                return self.expected("brackets do not nest; write the legs one after another");
            }
            Some(Kind::Again) => {
                return self.expected("legs in brackets are joined by `?` or `-`, not by `a`");
            }
            _ => {}
        }
        let atom = self.atom()?;
        let joint = if self.take(Kind::Optional).is_some() {
            Some(Joint::Optional)
        } else if self.take(Kind::Dash).is_some() {
            Some(Joint::Required)
        } else if is_later && self.take(Kind::Close).is_some() {
            None
        } else if is_later {
            return self.expected("a leg in brackets is followed by `?`, `-` or `]`");
        } else {
            return self.expected("a bracket joins two legs or more with `?` or `-`");
        };
        Ok(BracketLeg {
            modifiers,
            atom,
            joint,
        })
    }

    fn atom(&mut self) -> Result<Placed<Atom>, BetzaError> {
        let Some((letter, start)) = self.letter() else {
            return self
                .expected("an atom, a capital letter such as W, is needed after the modifiers");
        };
        let mut suffixes = Vec::new();
        let mut range = Range::Default;
        let mut span = start;
        if let Some(token) = self.take(Kind::Letter(letter)) {
            range = Range::Doubled;
            span = span.to(token.span);
            self.check_doubling(letter, span)?;
        } else {
            while let Some(Token {
                kind: Kind::Suffix(suffix),
                span: end,
            }) = self.peek()
            {
                self.next += 1;
                suffixes.push(suffix);
                span = span.to(end);
            }
        }
        if let Some(token) = self.peek() {
            let written = match token.kind {
                Kind::Number(times) => Range::Times(times),
                Kind::Middle => Range::Middle,
                _ => Range::Default,
            };
            if written != Range::Default {
                if range == Range::Doubled {
                    return self.error(
                        token.span,
                        Problem::Misplaced("a doubled letter already means an unlimited range"),
                    );
                }
                self.next += 1;
                range = written;
                span = span.to(token.span);
            }
        }
        Ok(Placed {
            value: Atom {
                letter,
                suffixes,
                range,
            },
            span,
        })
    }

    fn letter(&mut self) -> Option<(Letter, Span)> {
        let token = self.peek()?;
        let Kind::Letter(letter) = token.kind else {
            return None;
        };
        self.next += 1;
        Some((letter, token.span))
    }

    /// Refuses `KK` and the like, which the notation does not define, and `NNN`.
    fn check_doubling(&self, letter: Letter, span: Span) -> Result<(), BetzaError> {
        if matches!(letter, Letter::K | Letter::Q | Letter::R | Letter::B) {
            let problem =
                Problem::Meaningless("K, Q, R and B are not doubled; an unlimited K is Q");
            return self.error(span, problem);
        }
        match self.peek() {
            Some(token) if token.kind == Kind::Letter(letter) => self.error(
                span.to(token.span),
                Problem::Meaningless("a letter is written once, or twice for an unlimited range"),
            ),
            _ => Ok(()),
        }
    }

    fn ranks(&mut self) -> Result<Option<Placed<RangeInclusive<u8>>>, BetzaError> {
        let Some(at) = self.take(Kind::Ranks) else {
            return Ok(None);
        };
        let (first, start) = self.rank()?;
        let (last, end) = match self.take(Kind::Dash) {
            Some(_) => self.rank()?,
            None => (first, start),
        };
        if first > last {
            return self.error(
                start.to(end),
                Problem::Meaningless("the first rank is beyond the last; write the smaller first"),
            );
        }
        Ok(Some(Placed {
            value: first..=last,
            span: at.span.to(end),
        }))
    }

    fn rank(&mut self) -> Result<(u8, Span), BetzaError> {
        match self.peek() {
            Some(Token {
                kind: Kind::Number(rank),
                span,
            }) => {
                self.next += 1;
                if (1..=MOST_RANKS).contains(&rank) {
                    Ok((rank, span))
                } else {
                    self.error(span, Problem::Meaningless("ranks are counted from 1 to 16"))
                }
            }
            _ => self.expected("`@` is followed by a rank or two, as in `@2` or `@3-4`"),
        }
    }

    fn modifiers(&mut self) -> Result<Modifiers, BetzaError> {
        let mut modifiers = Modifiers::default();
        while let Some(Token { kind, span }) = self.peek() {
            match kind {
                Kind::Side(_) | Kind::Half => {
                    if !modifiers.directions.is_empty() {
                        return self.error(
                            span,
                            Problem::Misplaced("the direction letters of a leg stand together"),
                        );
                    }
                    modifiers.directions = self.directions()?;
                    continue;
                }
                Kind::Mode(value) => {
                    if modifiers.modes.iter().any(|mode| mode.value == value) {
                        return self.error(span, Problem::Repeated);
                    }
                    modifiers.modes.push(Placed { value, span });
                }
                Kind::Initial => self.set(&mut modifiers.initial, (), span)?,
                Kind::Jump => self.set(&mut modifiers.jump, (), span)?,
                Kind::Lame(lame) => self.set(&mut modifiers.lame, lame, span)?,
                Kind::Ride(ride) => self.set(&mut modifiers.ride, ride, span)?,
                _ => break,
            }
            self.next += 1;
        }
        modifiers.modes.sort_by_key(|mode| mode.value);
        Ok(modifiers)
    }

    fn set<T>(
        &self,
        field: &mut Option<Placed<T>>,
        value: T,
        span: Span,
    ) -> Result<(), BetzaError> {
        if field.is_some() {
            return self.error(span, Problem::Repeated);
        }
        *field = Some(Placed { value, span });
        Ok(())
    }

    /// Groups a run of direction letters from the left: pairs where two letters pair, else singles.
    fn directions(&mut self) -> Result<Vec<Placed<Direction>>, BetzaError> {
        let mut directions = Vec::new();
        while let Some(Token { kind, span }) = self.peek() {
            let following = self.tokens.get(self.next + 1).copied();
            let next_kind = following.map(|token| token.kind);
            let (value, length) = match (kind, next_kind) {
                (Kind::Half, Some(Kind::Side(Side::Right))) => (Direction::RightHanded, 2),
                (Kind::Half, Some(Kind::Side(Side::Left))) => (Direction::LeftHanded, 2),
                (Kind::Half, _) => {
                    return self.error(
                        span,
                        Problem::Misplaced("`h` follows f, b, l or r, or comes before l or r"),
                    );
                }
                (
                    Kind::Side(side @ (Side::Forward | Side::Backward | Side::Left | Side::Right)),
                    Some(Kind::Half),
                ) => (Direction::Half(side), 2),
                (Kind::Side(side), Some(Kind::Side(next))) if side.pairs_with(next) => {
                    (Direction::Pair(side, next), 2)
                }
                (Kind::Side(side), _) => (Direction::One(side), 1),
                _ => break,
            };
            let end = match (length, following) {
                (2, Some(token)) => token.span,
                _ => span,
            };
            self.next += length;
            directions.push(Placed {
                value,
                span: span.to(end),
            });
        }
        Ok(directions)
    }
}
