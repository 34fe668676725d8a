//! Move text to tokens, each with its place.

use super::ast::{Lame, Letter, Mode, Ride, Suffix};
use super::directions::Side;
use super::error::{BetzaError, Problem, Span};

/// The most characters of a move text.
pub const LONGEST_TEXT: usize = 512;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Side(Side),
    Half,
    Mode(Mode),
    Lame(Lame),
    Initial,
    Jump,
    Ride(Ride),
    Again,
    Letter(Letter),
    Imitator,
    Suffix(Suffix),
    Number(u8),
    Middle,
    Ranks,
    Optional,
    Dash,
    Open,
    Close,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// A move text as characters, for the words of an error.
pub(super) struct Source {
    characters: Vec<char>,
}

impl Source {
    pub(super) fn new(text: &str) -> Result<Source, BetzaError> {
        // One more than allowed tells that there are too many without reading the rest.
        let characters: Vec<char> = text.chars().take(LONGEST_TEXT + 1).collect();
        if characters.len() > LONGEST_TEXT {
            return Err(BetzaError {
                span: Span {
                    start: LONGEST_TEXT,
                    end: LONGEST_TEXT + 1,
                },
                token: String::new(),
                problem: Problem::TooLong {
                    limit: LONGEST_TEXT,
                },
            });
        }
        Ok(Source { characters })
    }

    pub(super) fn end(&self) -> Span {
        Span {
            start: self.characters.len(),
            end: self.characters.len(),
        }
    }

    pub(super) fn error(&self, span: Span, problem: Problem) -> BetzaError {
        BetzaError {
            span,
            token: self
                .characters
                .get(span.start..span.end)
                .map(|characters| characters.iter().collect())
                .unwrap_or_default(),
            problem,
        }
    }

    fn at(&self, index: usize) -> Option<char> {
        self.characters.get(index).copied()
    }
}

/// Reads all tokens.
pub(super) fn lex(source: &Source) -> Result<Vec<Token>, BetzaError> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(character) = source.at(start) {
        let (kind, length) = if character.is_ascii_digit() {
            number(source, start)?
        } else {
            token(source, start, character)
                .map_err(|problem| source.error(span(start, 1), problem))?
        };
        tokens.push(Token {
            kind,
            span: span(start, length),
        });
        start += length;
    }
    Ok(tokens)
}

fn span(start: usize, length: usize) -> Span {
    Span {
        start,
        end: start + length,
    }
}

fn number(source: &Source, start: usize) -> Result<(Kind, usize), BetzaError> {
    let digits: Vec<u32> = (start..)
        .map_while(|index| source.at(index).and_then(|c| c.to_digit(10)))
        .collect();
    let problem = match digits[..] {
        [ones] => return Ok((Kind::Number(ones as u8), 1)),
        [0, _] => "write the number without a leading 0",
        [tens, ones] => return Ok((Kind::Number((tens * 10 + ones) as u8), 2)),
        _ => "a number has at most two digits; 0 is an unlimited range",
    };
    Err(source.error(span(start, digits.len()), Problem::Meaningless(problem)))
}

fn token(source: &Source, start: usize, character: char) -> Result<(Kind, usize), Problem> {
    let kind = match character {
        'f' => Kind::Side(Side::Forward),
        'b' => Kind::Side(Side::Backward),
        'l' => Kind::Side(Side::Left),
        'r' => Kind::Side(Side::Right),
        'v' => Kind::Side(Side::Vertical),
        's' => Kind::Side(Side::Sideways),
        'h' => Kind::Half,
        'm' => Kind::Mode(Mode::Move),
        'c' => Kind::Mode(Mode::Capture),
        'e' => Kind::Mode(Mode::EnPassant),
        'p' => Kind::Mode(Mode::Hop),
        'g' => Kind::Mode(Mode::HopToggle),
        'y' => Kind::Mode(Mode::MoveToggle),
        'n' => {
            return Ok(match source.at(start + 1) {
                Some('n') => (Kind::Lame(Lame::Passed), 2),
                Some('!') => (Kind::Lame(Lame::Safe), 2),
                _ => (Kind::Lame(Lame::Empty), 1),
            });
        }
        'i' => Kind::Initial,
        'j' => Kind::Jump,
        'z' => Kind::Ride(Ride::Crooked),
        'q' => Kind::Ride(Ride::Circular),
        'a' => Kind::Again,
        'I' => Kind::Imitator,
        'X' => Kind::Suffix(Suffix::X),
        'Y' => Kind::Suffix(Suffix::Y),
        '*' => Kind::Middle,
        '@' => Kind::Ranks,
        '?' => Kind::Optional,
        '-' => Kind::Dash,
        '[' => Kind::Open,
        ']' => Kind::Close,
        other => match Letter::from_char(other) {
            Some(letter) => Kind::Letter(letter),
            None => return Err(unsupported(other).map_or(Problem::Unknown, Problem::Unsupported)),
        },
    };
    Ok((kind, 1))
}

/// Why a published token is not supported, and what to use instead.
fn unsupported(character: char) -> Option<&'static str> {
    Some(match character {
        'd' => "capturing one's own men is not supported: no rule set here has it; remove `d`",
        'k' => {
            "capturing only a royal piece is not supported: use `c`, the variant file says who is royal"
        }
        'u' => "unloading a captured man is not supported: remove `u`",
        'x' => {
            "relaying a move to a friendly man is not supported: give the moves to the piece \
             itself, or as an augmenter in the variant file"
        }
        'o' => "boards with joined edges are not supported: remove `o` and `oo`",
        't' => {
            "`t` of later documents is not supported: write two legs with `a` or in brackets, \
             as `[W?B]`"
        }
        'w' => "`w` has no published meaning: remove it",
        '(' | ')' => {
            "repeated groups are not supported: write the legs out, with a range where one repeats"
        }
        'U' => {
            "the universal leaper is not supported: a move must be a step of fixed length; \
             list the leaps"
        }
        'O' => {
            "castling is not a move of the notation here: it is a rule of the variant file, \
             table `castling`"
        }
        _ => return None,
    })
}
