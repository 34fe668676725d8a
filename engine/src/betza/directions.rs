//! Direction letters: how `f`, `fr`, `fh` or `hr` select among the directions of an atom.

use std::fmt;

/// One of the directions in which a step can point, in sixteenths of a turn, clockwise from forward.
///
/// Even slots are straight (0 forward, 2 forward-right, 4 right ...); odd slots are oblique, 1 being
/// a narrow step forward to the right such as (1, 2), 3 a wide one such as (2, 1).
pub(super) type Slot = u8;

/// Number of slots.
pub(super) const SLOTS: u8 = 16;

/// A set of [`Slot`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct SlotSet(u16);

impl SlotSet {
    pub(super) const ORTHOGONAL: SlotSet = SlotSet(0x1111);
    pub(super) const DIAGONAL: SlotSet = SlotSet(0x4444);
    pub(super) const OCTAL: SlotSet = SlotSet(0x5555);
    pub(super) const OBLIQUE: SlotSet = SlotSet(0xAAAA);

    pub(super) fn of(slots: &[Slot]) -> SlotSet {
        SlotSet(slots.iter().fold(0, |set, slot| set | 1 << slot))
    }

    pub(super) fn contains(self, slot: Slot) -> bool {
        self.0 >> slot & 1 == 1
    }

    pub(super) fn and(self, other: SlotSet) -> SlotSet {
        SlotSet(self.0 & other.0)
    }

    pub(super) fn or(self, other: SlotSet) -> SlotSet {
        SlotSet(self.0 | other.0)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Slot> {
        (0..SLOTS).filter(move |&slot| self.contains(slot))
    }
}

/// A letter that names a side of the board, or two opposite ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// `f`
    Forward,
    /// `b`
    Backward,
    /// `l`
    Left,
    /// `r`
    Right,
    /// `v`: forward and backward.
    Vertical,
    /// `s`: left and right.
    Sideways,
}

impl Side {
    /// The letter that writes this side.
    pub fn letter(self) -> char {
        match self {
            Side::Forward => 'f',
            Side::Backward => 'b',
            Side::Left => 'l',
            Side::Right => 'r',
            Side::Vertical => 'v',
            Side::Sideways => 's',
        }
    }

    fn is_single(self) -> bool {
        !matches!(self, Side::Vertical | Side::Sideways)
    }

    fn is_vertical(self) -> bool {
        matches!(self, Side::Forward | Side::Backward | Side::Vertical)
    }

    /// Whether `self` followed by `next` is read as one pair, as in `fr`, `fs`, `rv` and `ff`.
    pub(super) fn pairs_with(self, next: Side) -> bool {
        let crosses = self.is_vertical() != next.is_vertical();
        self == next || crosses && (self.is_single() || next.is_single())
    }

    /// The straight orthogonal directions on this side.
    fn straight(self) -> SlotSet {
        match self {
            Side::Forward => SlotSet::of(&[0]),
            Side::Right => SlotSet::of(&[4]),
            Side::Backward => SlotSet::of(&[8]),
            Side::Left => SlotSet::of(&[12]),
            Side::Vertical => SlotSet::of(&[0, 8]),
            Side::Sideways => SlotSet::of(&[4, 12]),
        }
    }

    /// All directions that go to this side at all, straight ones excluded.
    fn half(self) -> SlotSet {
        match self {
            Side::Forward => SlotSet::of(&[1, 2, 3, 13, 14, 15]),
            Side::Right => SlotSet::of(&[1, 2, 3, 5, 6, 7]),
            Side::Backward => SlotSet::of(&[5, 6, 7, 9, 10, 11]),
            Side::Left => SlotSet::of(&[9, 10, 11, 13, 14, 15]),
            Side::Vertical | Side::Sideways => SlotSet::DIAGONAL.or(SlotSet::OBLIQUE),
        }
    }

    fn diagonal(self) -> SlotSet {
        self.half().and(SlotSet::DIAGONAL)
    }

    /// The oblique directions whose longer component goes to this side.
    fn extreme(self) -> SlotSet {
        match self {
            Side::Forward => SlotSet::of(&[1, 15]),
            Side::Right => SlotSet::of(&[3, 5]),
            Side::Backward => SlotSet::of(&[7, 9]),
            Side::Left => SlotSet::of(&[11, 13]),
            Side::Vertical => SlotSet::of(&[1, 7, 9, 15]),
            Side::Sideways => SlotSet::of(&[3, 5, 11, 13]),
        }
    }
}

/// A group of direction letters that is read as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// A letter alone, as `f`.
    One(Side),
    /// Two letters read together, as `fr`, `fs` or `ff`.
    Pair(Side, Side),
    /// A side followed by `h`, as `fh`.
    Half(Side),
    /// `hr`: the right-handed half of an oblique atom.
    RightHanded,
    /// `hl`: the left-handed half of an oblique atom.
    LeftHanded,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Direction::One(side) => write!(f, "{}", side.letter()),
            Direction::Pair(first, second) => {
                write!(f, "{}{}", first.letter(), second.letter())
            }
            Direction::Half(side) => write!(f, "{}h", side.letter()),
            Direction::RightHanded => write!(f, "hr"),
            Direction::LeftHanded => write!(f, "hl"),
        }
    }
}

/// How many directions an atom has, which decides what its direction letters mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Class {
    /// Four directions along ranks and files.
    Orthogonal,
    /// Four diagonal directions.
    Diagonal,
    /// All eight straight directions (K, Q, and every leg after the first).
    Octal,
    /// Eight oblique directions.
    Oblique,
}

impl Class {
    /// All directions of the class.
    pub(super) fn slots(self) -> SlotSet {
        match self {
            Class::Orthogonal => SlotSet::ORTHOGONAL,
            Class::Diagonal => SlotSet::DIAGONAL,
            Class::Octal => SlotSet::OCTAL,
            Class::Oblique => SlotSet::OBLIQUE,
        }
    }

    /// The directions that a group of letters selects, or why it selects none.
    pub(super) fn select(self, direction: Direction) -> Result<SlotSet, &'static str> {
        use Direction::{Half, LeftHanded, One, Pair, RightHanded};
        Ok(match (self, direction) {
            (Class::Orthogonal, One(side)) => side.straight(),
            (Class::Orthogonal, Pair(first, second)) => first.straight().or(second.straight()),
            (Class::Diagonal, One(side)) => side.diagonal(),
            (Class::Diagonal, Pair(first, second)) => first.diagonal().and(second.diagonal()),
            (Class::Octal, One(side)) => side.straight(),
            (Class::Octal, Pair(first, second)) if first == second => first.straight(),
            (Class::Octal, Pair(first, second)) => first.diagonal().and(second.diagonal()),
            (Class::Octal, Half(side)) => side.straight().or(side.diagonal()),
            (Class::Oblique, One(side)) => side.extreme(),
            (Class::Oblique, Pair(first, second)) if first == second => first.extreme(),
            (Class::Oblique, Pair(first, second)) if first.is_single() => {
                second.extreme().and(first.half())
            }
            (Class::Oblique, Pair(..)) => {
                return Err(
                    "on an oblique atom the order of two letters counts and this order is not \
                     defined; write `fs`, `bs`, `lv` or `rv`",
                );
            }
            (Class::Oblique, Half(side)) => side.half().and(SlotSet::OBLIQUE),
            (Class::Oblique, RightHanded) => SlotSet::of(&[1, 5, 9, 13]),
            (Class::Oblique, LeftHanded) => SlotSet::of(&[3, 7, 11, 15]),
            (Class::Orthogonal | Class::Diagonal, Half(_)) => {
                return Err(
                    "`h` halves an atom of eight directions; this one has four, so write \
                     single letters",
                );
            }
            (Class::Orthogonal | Class::Diagonal | Class::Octal, RightHanded | LeftHanded) => {
                return Err(
                    "only an oblique atom such as N has a right-handed and a left-handed half",
                );
            }
        })
    }
}
