//! A leg on its own: its atom, its directions, the squares between and how it ends.

use super::super::ast::{Atom, Lame, Letter, Mode, Modifiers, Placed, Range, Ride, Suffix};
use super::super::directions::{Class, Direction, SlotSet};
use super::super::error::BetzaError;
use super::super::plan::{Between, Leg, Step, Turn};
use super::super::program::{MoveProgram, Stop};
use super::Checker;

/// Why range `*` is refused.
pub(super) const MIDDLE: &str =
    "range `*` is for a single straight leg that only moves, as in `mfW*`";

/// The longest circular ride: the eighth step would be back on the start square.
const LONGEST_CIRCLE: u8 = 7;

/// Where a leg stands in its term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    First,
    Later,
}

/// An atom with its suffixes and range applied.
pub(super) struct Shape {
    pub(super) step: Step,
    pub(super) class: Class,
    /// The most steps; `None` is without limit.
    pub(super) longest: Option<u8>,
    /// Range `*`.
    pub(super) middle: bool,
}

impl Checker<'_> {
    pub(super) fn shape(&self, atom: &Placed<Atom>) -> Result<Shape, BetzaError> {
        let (x, y) = self.lengthened(atom)?;
        let letter = atom.value.letter;
        let (step, class) = match (x, y) {
            _ if matches!(letter, Letter::K | Letter::Q) => (Step::Straight(1), Class::Octal),
            (0, length) => (Step::Straight(length), Class::Orthogonal),
            (x, y) if x == y => (Step::Straight(x), Class::Diagonal),
            (x, y) => (Step::Oblique(x, y), Class::Oblique),
        };
        let longest = match atom.value.range {
            Range::Default if !is_slider(letter) => Some(1),
            Range::Default | Range::Doubled | Range::Times(0) | Range::Middle => None,
            Range::Times(times) => Some(times),
        };
        Ok(Shape {
            step,
            class,
            longest,
            middle: atom.value.range == Range::Middle,
        })
    }

    /// The step of an atom, shorter component first, with its suffixes applied.
    fn lengthened(&self, atom: &Placed<Atom>) -> Result<(i8, i8), BetzaError> {
        let (mut x, mut y) = match atom.value.letter {
            Letter::W | Letter::R => (0, 1),
            Letter::F | Letter::B | Letter::K | Letter::Q => (1, 1),
            Letter::D => (0, 2),
            Letter::A => (2, 2),
            Letter::H => (0, 3),
            Letter::G => (3, 3),
            Letter::N => (1, 2),
            Letter::C | Letter::L => (1, 3),
            Letter::Z | Letter::J => (2, 3),
        };
        let is_leap = !is_slider(atom.value.letter) && atom.value.letter != Letter::K;
        if !atom.value.suffixes.is_empty() && !is_leap {
            return self.meaningless(
                atom.span,
                "X and Y lengthen a single step; K, Q, R and B have none; use W or F",
            );
        }
        for suffix in &atom.value.suffixes {
            (x, y) = match suffix {
                Suffix::X => (x, y + 3),
                Suffix::Y => (x + 2, y + 2),
            };
            if y > MoveProgram::LONGEST_RIDE as i8 {
                return self.meaningless(atom.span, "the step is longer than the largest board");
            }
        }
        Ok((x, y))
    }

    /// A leg as its letters describe it, with no end and no continuation yet.
    ///
    /// The turn of a later leg is not set here.
    pub(super) fn leg(
        &self,
        modifiers: &Modifiers,
        shape: &Shape,
        atom: &Placed<Atom>,
        place: Place,
    ) -> Result<Leg, BetzaError> {
        let turn = match place {
            Place::First => Turn::Into(self.directions(modifiers, shape.class)?),
            Place::Later => Turn::Outward(shape.class.slots()),
        };
        Ok(Leg {
            step: shape.step,
            turn,
            longest: self.longest(modifiers, shape, atom)?,
            as_long_as_before: place == Place::Later && modifiers.initial.is_some(),
            ride: modifiers.ride.map(|ride| ride.value),
            between: self.between(modifiers, shape)?,
            stop: Stop::default(),
            own_half: false,
            over_empty: false,
            over_occupied: false,
            span: modifiers
                .span()
                .map_or(atom.span, |span| span.to(atom.span)),
        })
    }

    /// The most steps of a leg, with what `z` and `q` make of the range.
    fn longest(
        &self,
        modifiers: &Modifiers,
        shape: &Shape,
        atom: &Placed<Atom>,
    ) -> Result<Option<u8>, BetzaError> {
        let Some(ride) = modifiers.ride else {
            return Ok(shape.longest);
        };
        let written = atom.value.range != Range::Default;
        match (ride.value, shape.longest) {
            (Ride::Circular, None) => Ok(Some(LONGEST_CIRCLE)),
            (Ride::Circular, Some(1)) if !written => Ok(Some(LONGEST_CIRCLE)),
            (_, Some(1)) => self.meaningless(
                ride.span,
                "`z` and `q` need a range of more than one step, as in `zB` or `qN4`",
            ),
            (Ride::Circular, Some(longest)) if longest > LONGEST_CIRCLE => self.meaningless(
                atom.span,
                "a circle closes with its eighth step; the longest range is 7",
            ),
            (_, longest) => Ok(longest),
        }
    }

    fn between(&self, modifiers: &Modifiers, shape: &Shape) -> Result<Between, BetzaError> {
        let neighbours = shape.step == Step::Straight(1);
        match (modifiers.lame, modifiers.jump, shape.step) {
            (None, None, _) => Ok(Between::Any),
            (Some(lame), Some(_), _) => self.meaningless(
                lame.span,
                "`n` wants empty squares and `j` occupied ones; write two terms",
            ),
            (Some(lame), _, Step::Oblique(..)) => self.meaningless(
                lame.span,
                "an oblique leap has no squares between; write its path, as `[W-F]` for the \
                 horse of xiangqi",
            ),
            (Some(lame), ..) if neighbours => self.meaningless(
                lame.span,
                "a step to a neighbouring square passes over none; remove it or use D, A, H or G",
            ),
            (Some(lame), ..) => Ok(Between::Empty {
                safe: lame.value == Lame::Safe,
            }),
            (_, Some(jump), Step::Oblique(..)) => self.meaningless(
                jump.span,
                "an oblique leap has no squares between; write its path with a hop, as `[pW-F]`",
            ),
            (_, Some(jump), _) if neighbours && shape.longest == Some(1) => self.meaningless(
                jump.span,
                "a step to a neighbouring square passes over none; remove it or give a range",
            ),
            (_, Some(jump), _) if neighbours && modifiers.ride.is_some() => self.meaningless(
                jump.span,
                "ignoring the first square is defined for straight rides only",
            ),
            (_, Some(_), _) if neighbours => Ok(Between::IgnoreFirst),
            (_, Some(_), _) => Ok(Between::Occupied),
        }
    }

    /// The ways to end that modes give; `m` and `c` where none is given.
    pub(super) fn stop(&self, modifiers: &Modifiers, modes: &[Placed<Mode>], leg: &Leg) -> Stop {
        let has = |wanted| modes.iter().any(|mode| mode.value == wanted);
        let ends = [Mode::Move, Mode::Capture, Mode::EnPassant];
        let default = !ends.into_iter().any(has);
        // `in` is the same as `nn`; on a later leg `i` has another meaning.
        let marks_passed = match modifiers.lame.map(|lame| lame.value) {
            Some(Lame::Passed) => true,
            Some(Lame::Empty) => modifiers.initial.is_some() && !leg.as_long_as_before,
            Some(Lame::Safe) | None => false,
        };
        Stop {
            quiet: default || has(Mode::Move),
            capture: default || has(Mode::Capture),
            en_passant: has(Mode::EnPassant),
            own_half: false,
            marks_passed,
        }
    }

    /// The directions of a first leg.
    fn directions(&self, modifiers: &Modifiers, class: Class) -> Result<SlotSet, BetzaError> {
        if modifiers.directions.is_empty() {
            return Ok(class.slots());
        }
        let mut slots = SlotSet::default();
        for direction in &modifiers.directions {
            match class.select(direction.value) {
                Ok(selected) => slots = slots.or(selected),
                Err(why) => return self.meaningless(direction.span, why),
            }
        }
        Ok(slots)
    }

    /// The turn of a later leg: what its letters say, or else the default.
    ///
    /// The letters mean what they mean for a king that faces along the leg before. Where the turn
    /// is between a straight and an oblique step, they mean what they mean for a knight.
    pub(super) fn turn(
        &self,
        modifiers: &Modifiers,
        slots: SlotSet,
        default: fn(SlotSet) -> Turn,
    ) -> Result<Turn, BetzaError> {
        if modifiers.directions.is_empty() {
            return Ok(default(slots));
        }
        for direction in &modifiers.directions {
            let as_oblique = Class::Oblique.select(direction.value);
            if let (Err(why), Err(_)) = (Class::Octal.select(direction.value), as_oblique) {
                return self.meaningless(direction.span, why);
            }
        }
        let letters: Vec<Direction> = modifiers.directions.iter().map(|d| d.value).collect();
        Ok(Turn::By(letters, slots))
    }
}

/// Whether the letter alone means a ride without limit.
fn is_slider(letter: Letter) -> bool {
    matches!(letter, Letter::R | Letter::B | Letter::Q)
}
