//! [`Ast`]: a move text as a tree, before its modifiers are checked against each other.
//!
//! Printing a tree gives a text that reads back as the same tree.

use std::fmt;
use std::ops::RangeInclusive;

use super::directions::Direction;
use super::error::Span;

/// A value and the place in the text that it was read from.
///
/// Two of them are equal if their values are: where a token stands is not part of its meaning.
#[derive(Clone, Copy, Debug)]
pub struct Placed<T> {
    /// What was read.
    pub value: T,
    /// Where.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Placed<T> {
    fn eq(&self, other: &Placed<T>) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Placed<T> {}

/// A move text as a tree.
///
/// ```
/// let ast = engine::betza::parse("fmWcfF").unwrap();
/// assert_eq!(ast.terms.len(), 2);
/// assert_eq!(ast.to_string(), "mfWcfF");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ast {
    /// The terms; the piece has the moves of all of them.
    pub terms: Vec<Term>,
}

/// One term: modifiers, an atom or a bracket, and from which ranks it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What moves it describes.
    pub body: Placed<Body>,
    /// Suffix `@`: the ranks, counted from the owner's side, on which the move may begin.
    pub ranks: Option<Placed<RangeInclusive<u8>>>,
}

/// The moves that a term describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Legs joined by `a`, all of one atom.
    Legs {
        /// The modifiers of each leg; at least one leg.
        legs: Vec<Modifiers>,
        /// The atom whose step all legs use.
        atom: Placed<Atom>,
    },
    /// Legs in brackets, each with its own atom.
    Bracket {
        /// Modifiers before the bracket.
        whole: Modifiers,
        /// The legs; at least two.
        legs: Vec<BracketLeg>,
    },
    /// `fI`: moves as the type that the opponent moved last.
    Imitator,
}

/// A leg inside brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BracketLeg {
    /// Its modifiers.
    pub modifiers: Modifiers,
    /// Its atom.
    pub atom: Placed<Atom>,
    /// The sign behind it; none behind the last leg.
    pub joint: Option<Joint>,
}

/// The sign between two legs in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Joint {
    /// `?`: the move may end before it.
    Optional,
    /// `-`: the move must go on.
    Required,
}

/// The lower-case letters of one leg.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// `i`: from the start square; on a later leg: as long as the leg before.
    pub initial: Option<Placed<()>>,
    /// `m c e p g y`, sorted.
    pub modes: Vec<Placed<Mode>>,
    /// Direction letters, grouped from the left.
    pub directions: Vec<Placed<Direction>>,
    /// `n`, `nn` or `n!`.
    pub lame: Option<Placed<Lame>>,
    /// `j`.
    pub jump: Option<Placed<()>>,
    /// `z` or `q`.
    pub ride: Option<Placed<Ride>>,
}

impl Modifiers {
    /// The place of a mode; none if the leg does not have it.
    pub(super) fn mode(&self, wanted: Mode) -> Option<Span> {
        let found = self.modes.iter().find(|mode| mode.value == wanted)?;
        Some(found.span)
    }

    /// The place of all letters together; none if there are none.
    pub(super) fn span(&self) -> Option<Span> {
        let modes = self.modes.iter().map(|mode| mode.span);
        let directions = self.directions.iter().map(|direction| direction.span);
        let single = [
            self.initial.map(|placed| placed.span),
            self.lame.map(|placed| placed.span),
            self.jump.map(|placed| placed.span),
            self.ride.map(|placed| placed.span),
        ];
        modes
            .chain(directions)
            .chain(single.into_iter().flatten())
            .reduce(Span::to)
    }
}

/// What a leg does on the square where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// `m`: ends on an empty square.
    Move,
    /// `c`: captures an enemy man.
    Capture,
    /// `e`: captures en passant.
    EnPassant,
    /// `p`: hops over a man of either side.
    Hop,
    /// `g`: hops, and the following legs exchange one step for a ride and back.
    HopToggle,
    /// `y`: as `m`, and the following legs exchange one step for a ride and back.
    MoveToggle,
}

impl Mode {
    /// The letter that writes this mode.
    pub fn letter(self) -> char {
        match self {
            Mode::Move => 'm',
            Mode::Capture => 'c',
            Mode::EnPassant => 'e',
            Mode::Hop => 'p',
            Mode::HopToggle => 'g',
            Mode::MoveToggle => 'y',
        }
    }
}

/// What the squares between must be like for a lame leap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lame {
    /// `n`: empty.
    Empty,
    /// `nn`: empty, and the mover may be captured on them en passant.
    Passed,
    /// `n!`: empty and not attacked.
    Safe,
}

/// A ride that does not go straight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ride {
    /// `z`: turns by 90 degrees, alternately to either side.
    Crooked,
    /// `q`: turns by 45 degrees, always to the same side.
    Circular,
}

/// A basic step and how often it may be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The letter.
    pub letter: Letter,
    /// `X` and `Y` after the letter, which lengthen the step.
    pub suffixes: Vec<Suffix>,
    /// How often the step may be repeated.
    pub range: Range,
}

/// How often a step may be repeated, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Range {
    /// Nothing written: the letter's own range.
    Default,
    /// The letter twice: without limit.
    Doubled,
    /// A number; 0 is without limit.
    Times(u8),
    /// `*`: up to the middle of the board.
    Middle,
}

/// A suffix that lengthens the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suffix {
    /// Three more on the longer component.
    X,
    /// Two more on both components.
    Y,
}

macro_rules! letters {
    ($($letter:ident: $what:literal),* $(,)?) => {
        /// The letter of an atom.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Letter {
            $(#[doc = $what] $letter,)*
        }

        impl Letter {
            /// The atom of a capital letter, if there is one.
            pub fn from_char(character: char) -> Option<Letter> {
                $(if stringify!($letter).starts_with(character) {
                    return Some(Letter::$letter);
                })*
                None
            }
        }

        impl fmt::Display for Letter {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Letter::$letter => stringify!($letter),)* })
            }
        }
    };
}

letters! {
    W: "Wazir, (0, 1).",
    F: "Ferz, (1, 1).",
    D: "Dabbaba, (0, 2).",
    A: "Alfil, (2, 2).",
    H: "Threeleaper, (0, 3).",
    G: "Tripper, (3, 3).",
    N: "Knight, (1, 2).",
    C: "Camel, (1, 3).",
    L: "Camel, (1, 3), by its long-leaper name.",
    Z: "Zebra, (2, 3).",
    J: "Zebra, (2, 3), by its other name.",
    K: "King: W and F.",
    R: "Rook: W without limit.",
    B: "Bishop: F without limit.",
    Q: "Queen: K without limit.",
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.terms.iter().try_for_each(|term| write!(f, "{term}"))
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.body.value {
            Body::Legs { legs, atom } => {
                for (index, leg) in legs.iter().enumerate() {
                    let joint = if index == 0 { "" } else { "a" };
                    write!(f, "{joint}{leg}")?;
                }
                write!(f, "{}", atom.value)?;
            }
            Body::Bracket { whole, legs } => {
                write!(f, "{whole}[")?;
                for leg in legs {
                    write!(f, "{}{}", leg.modifiers, leg.atom.value)?;
                    f.write_str(match leg.joint {
                        Some(Joint::Optional) => "?",
                        Some(Joint::Required) => "-",
                        None => "]",
                    })?;
                }
            }
            Body::Imitator => write!(f, "fI")?,
        }
        match self.ranks.as_ref().map(|ranks| &ranks.value) {
            None => Ok(()),
            Some(ranks) if ranks.start() == ranks.end() => write!(f, "@{}", ranks.start()),
            Some(ranks) => write!(f, "@{}-{}", ranks.start(), ranks.end()),
        }
    }
}

impl fmt::Display for Modifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.initial.is_some() {
            write!(f, "i")?;
        }
        for mode in &self.modes {
            write!(f, "{}", mode.value.letter())?;
        }
        for direction in &self.directions {
            write!(f, "{}", direction.value)?;
        }
        f.write_str(match self.lame.map(|lame| lame.value) {
            None => "",
            Some(Lame::Empty) => "n",
            Some(Lame::Passed) => "nn",
            Some(Lame::Safe) => "n!",
        })?;
        if self.jump.is_some() {
            write!(f, "j")?;
        }
        f.write_str(match self.ride.map(|ride| ride.value) {
            None => "",
            Some(Ride::Crooked) => "z",
            Some(Ride::Circular) => "q",
        })
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter)?;
        for suffix in &self.suffixes {
            f.write_str(match suffix {
                Suffix::X => "X",
                Suffix::Y => "Y",
            })?;
        }
        match self.range {
            Range::Default => Ok(()),
            Range::Doubled => write!(f, "{}", self.letter),
            Range::Times(times) => write!(f, "{times}"),
            Range::Middle => write!(f, "*"),
        }
    }
}
