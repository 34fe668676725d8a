//! Terms to [`Plan`]s: what the letters of a leg mean together, and which do not go together.

use super::ast::{
    Ast, Atom, Body, BracketLeg, Joint, Lame, Letter, Mode, Modifiers, Placed, Range, Ride, Suffix,
    Term,
};
use super::directions::{Class, Direction, SlotSet};
use super::error::{BetzaError, Problem, Span};
use super::lexer::Source;
use super::plan::{Between, Leg, Plan, Step, Turn};
use super::program::{From, Stop};

/// The longest step or circle component that fits on a board.
const LONGEST_STEP: i8 = 15;

/// The longest circular ride: the eighth step would be back on the start square.
const LONGEST_CIRCLE: u8 = 7;

/// Plans of all terms that are not imitators.
pub(super) fn plans(source: &Source, ast: &Ast) -> Result<Vec<Plan>, BetzaError> {
    let checker = Checker { source };
    ast.terms
        .iter()
        .filter_map(|term| checker.plan(term).transpose())
        .collect()
}

struct Checker<'a> {
    source: &'a Source,
}

/// An atom with its suffixes applied.
struct Shape {
    step: Step,
    class: Class,
    longest: Option<u8>,
    middle: bool,
}

impl Checker<'_> {
    fn error<T>(&self, span: Span, problem: Problem) -> Result<T, BetzaError> {
        Err(self.source.error(span, problem))
    }

    fn meaningless<T>(&self, span: Span, why: &'static str) -> Result<T, BetzaError> {
        self.error(span, Problem::Meaningless(why))
    }

    fn plan(&self, term: &Term) -> Result<Option<Plan>, BetzaError> {
        let span = term.body.span;
        let (initial, legs, ways) = match &term.body.value {
            Body::Imitator => {
                return match &term.ranks {
                    Some(ranks) => {
                        self.meaningless(ranks.span, "the imitator moves from every rank")
                    }
                    None => Ok(None),
                };
            }
            Body::Legs { legs, atom } => {
                let initial = legs.first().and_then(|leg| leg.initial);
                (initial, self.legs(legs, atom)?, Vec::new())
            }
            Body::Bracket { whole, first, rest } => {
                self.check_whole(whole)?;
                let ways = whole.directions.iter().map(|way| way.value).collect();
                (whole.initial, self.bracket(whole, first, rest)?, ways)
            }
        };
        let from = match (initial, &term.ranks) {
            (None, None) => From::Anywhere,
            (Some(_), None) => From::StartSquare,
            (None, Some(ranks)) => From::Ranks(ranks.value.clone()),
            (Some(_), Some(ranks)) => {
                return self.meaningless(
                    ranks.span,
                    "`i` already says where the move begins; write `i` or `@`",
                );
            }
        };
        Ok(Some(Plan {
            from,
            legs,
            ways,
            span,
        }))
    }

    fn shape(&self, atom: &Placed<Atom>) -> Result<Shape, BetzaError> {
        let (mut x, mut y, octal, mut longest) = match atom.value.letter {
            Letter::W => (0, 1, false, Some(1)),
            Letter::F => (1, 1, false, Some(1)),
            Letter::D => (0, 2, false, Some(1)),
            Letter::A => (2, 2, false, Some(1)),
            Letter::H => (0, 3, false, Some(1)),
            Letter::G => (3, 3, false, Some(1)),
            Letter::N => (1, 2, false, Some(1)),
            Letter::C | Letter::L => (1, 3, false, Some(1)),
            Letter::Z | Letter::J => (2, 3, false, Some(1)),
            Letter::K => (1, 1, true, Some(1)),
            Letter::R => (0, 1, false, None),
            Letter::B => (1, 1, false, None),
            Letter::Q => (1, 1, true, None),
        };
        if !atom.value.suffixes.is_empty() && (octal || longest.is_none()) {
            return self.meaningless(
                atom.span,
                "X and Y lengthen a single step; K, Q, R and B have none; use W or F",
            );
        }
        for suffix in &atom.value.suffixes {
            match suffix {
                Suffix::X => y += 3,
                Suffix::Y => (x, y) = (x + 2, y + 2),
            }
            if y > LONGEST_STEP {
                return self
                    .meaningless(atom.span, "the step is longer than any board, 15 squares");
            }
        }
        match atom.value.range {
            Range::Default | Range::Middle => {}
            Range::Doubled | Range::Times(0) => longest = None,
            Range::Times(times) => longest = Some(times),
        }
        let middle = atom.value.range == Range::Middle;
        if middle {
            longest = None;
        }
        let (step, class) = match (octal, x, y) {
            (true, ..) => (Step::Straight(1), Class::Octal),
            (_, 0, length) => (Step::Straight(length), Class::Orthogonal),
            (_, x, y) if x == y => (Step::Straight(x), Class::Diagonal),
            (_, x, y) => (Step::Oblique(x, y), Class::Oblique),
        };
        Ok(Shape {
            step,
            class,
            longest,
            middle,
        })
    }

    /// Legs joined by `a`, or a single leg.
    fn legs(&self, legs: &[Modifiers], atom: &Placed<Atom>) -> Result<Vec<Leg>, BetzaError> {
        let mut shape = self.shape(atom)?;
        let mut planned = Vec::new();
        for (index, modifiers) in legs.iter().enumerate() {
            let is_last = index + 1 == legs.len();
            let turn = if index == 0 {
                Turn::Into(self.first_directions(modifiers, shape.class)?)
            } else {
                self.later_directions(modifiers, shape.step.all_slots())?
            };
            let mut leg = self.leg(modifiers, &shape, atom, index > 0)?;
            leg.turn = turn;
            let first_hop = hop(modifiers);
            if is_last && first_hop.is_none() {
                self.refuse(modifiers, &[Mode::MoveToggle], LAST_TOGGLE)?;
                leg.stop = self.stop(modifiers, &modifiers.modes);
                leg.own_half = shape.middle;
                self.check_middle(modifiers, atom, &shape, legs.len())?;
                planned.push(leg);
            } else if is_last && legs.len() == 1 {
                self.check_middle(modifiers, atom, &shape, 2)?;
                self.refuse(modifiers, &[Mode::MoveToggle], LAST_TOGGLE)?;
                planned.extend(self.split_hop(modifiers, &mut shape, atom, leg)?);
            } else if let (true, Some(hop)) = (is_last, first_hop) {
                let why = "the last leg of several cannot hop; write the hop as a leg of its own, \
                           as in `afpaf`";
                return self.meaningless(hop.span, why);
            } else {
                self.middle_leg(modifiers, &mut shape, atom, &mut leg)?;
                planned.push(leg);
            }
        }
        Ok(planned)
    }

    /// A leg that another follows: how it goes on, and what it does to the range.
    fn middle_leg(
        &self,
        modifiers: &Modifiers,
        shape: &mut Shape,
        atom: &Placed<Atom>,
        leg: &mut Leg,
    ) -> Result<(), BetzaError> {
        self.refuse(modifiers, &[Mode::Capture, Mode::EnPassant], LOCUST)?;
        let has = |mode| modifiers.modes.iter().any(|placed| placed.value == mode);
        let toggles = has(Mode::HopToggle) || has(Mode::MoveToggle);
        if let Some(first) = modifiers.modes.first() {
            if toggles && (has(Mode::Move) || has(Mode::Hop)) {
                return self.meaningless(
                    first.span,
                    "a leg either exchanges the range (`y`, `g`) or keeps it (`m`, `p`), not both",
                );
            }
        }
        leg.over_occupied = has(Mode::Hop) || has(Mode::HopToggle);
        leg.over_empty = !leg.over_occupied || has(Mode::Move) || has(Mode::MoveToggle);
        if shape.middle {
            return self.meaningless(atom.span, MIDDLE);
        }
        if toggles {
            shape.longest = self.toggled(shape.longest, atom)?;
        }
        Ok(())
    }

    fn toggled(&self, longest: Option<u8>, atom: &Placed<Atom>) -> Result<Option<u8>, BetzaError> {
        match longest {
            None => Ok(Some(1)),
            Some(1) => Ok(None),
            Some(_) => self.meaningless(
                atom.span,
                "`y` and `g` exchange one step and an unlimited ride; for other ranges write the \
                 legs in brackets, as `[F?R4]`",
            ),
        }
    }

    /// `p` and `g` on a term of one leg: a hop, then the same ride goes on.
    fn split_hop(
        &self,
        modifiers: &Modifiers,
        shape: &mut Shape,
        atom: &Placed<Atom>,
        mut leg: Leg,
    ) -> Result<[Leg; 2], BetzaError> {
        let toggle = modifiers
            .modes
            .iter()
            .find(|mode| mode.value == Mode::HopToggle);
        if let (Some(toggle), Some(_)) = (
            toggle,
            modifiers.modes.iter().find(|m| m.value == Mode::Hop),
        ) {
            return self.meaningless(
                toggle.span,
                "`p` and `g` exclude each other; write two terms",
            );
        }
        let mut behind = leg.clone();
        behind.turn = Turn::GoOn;
        behind.stop = self.stop(modifiers, &modifiers.modes);
        if toggle.is_some() {
            behind.longest = self.toggled(shape.longest, atom)?;
        }
        leg.stop = Stop::default();
        leg.over_occupied = true;
        leg.over_empty = false;
        Ok([leg, behind])
    }

    fn check_middle(
        &self,
        modifiers: &Modifiers,
        atom: &Placed<Atom>,
        shape: &Shape,
        legs: usize,
    ) -> Result<(), BetzaError> {
        let only_moves = matches!(
            modifiers.modes[..],
            [Placed {
                value: Mode::Move,
                ..
            }]
        );
        let plain =
            modifiers.lame.is_none() && modifiers.jump.is_none() && modifiers.ride.is_none();
        if shape.middle && !(only_moves && plain && legs == 1) {
            return self.meaningless(atom.span, MIDDLE);
        }
        Ok(())
    }

    /// Legs in brackets.
    fn bracket(
        &self,
        whole: &Modifiers,
        first: &BracketLeg,
        rest: &[(Joint, BracketLeg)],
    ) -> Result<Vec<Leg>, BetzaError> {
        let mut planned = Vec::new();
        let mut current = first;
        let mut later = rest.iter();
        loop {
            let next = later.next();
            let modifiers = &current.modifiers;
            let shape = self.shape(&current.atom)?;
            self.check_bracket_leg(whole, modifiers, &shape, current.atom.span)?;
            let mut leg = self.leg(modifiers, &shape, &current.atom, !planned.is_empty())?;
            leg.turn = if planned.is_empty() {
                if let Some(initial) = modifiers.initial {
                    return self.meaningless(initial.span, "`i` stands before the bracket");
                }
                Turn::Into(self.first_directions(modifiers, shape.class)?)
            } else if modifiers.directions.is_empty() {
                Turn::Outward(shape.class.slots())
            } else {
                self.later_directions(modifiers, shape.class.slots())?
            };
            let inherited = if modifiers.modes.is_empty() {
                &whole.modes
            } else {
                &modifiers.modes
            };
            match next {
                None => {
                    self.refuse(modifiers, &[Mode::Hop], "the last leg cannot be the hop")?;
                    leg.stop = self.stop(modifiers, inherited);
                }
                Some((joint, _)) => {
                    self.refuse(modifiers, &[Mode::Capture, Mode::EnPassant], LOCUST)?;
                    leg.over_occupied = hop(modifiers).is_some();
                    leg.over_empty = !leg.over_occupied
                        || modifiers.modes.iter().any(|mode| mode.value == Mode::Move);
                    if *joint == Joint::Optional {
                        self.refuse(modifiers, &[Mode::Hop], HOP_END)?;
                        leg.stop = self.stop(modifiers, inherited);
                    }
                }
            }
            planned.push(leg);
            match next {
                Some((_, leg)) => current = leg,
                None => return Ok(planned),
            }
        }
    }

    fn check_bracket_leg(
        &self,
        whole: &Modifiers,
        modifiers: &Modifiers,
        shape: &Shape,
        atom: Span,
    ) -> Result<(), BetzaError> {
        self.refuse(
            modifiers,
            &[Mode::MoveToggle, Mode::HopToggle],
            "legs in brackets have ranges of their own; write those instead of `y` or `g`",
        )?;
        if shape.middle {
            return self.meaningless(atom, MIDDLE);
        }
        match (whole.directions.first(), modifiers.ride) {
            (Some(_), Some(ride)) => self.meaningless(
                ride.span,
                "a ride that turns has no one direction; put the direction letters on the legs \
                 instead of before the bracket",
            ),
            _ => Ok(()),
        }
    }

    /// Modifiers before a bracket: directions, `m`, `c`, `e` and `i`.
    fn check_whole(&self, whole: &Modifiers) -> Result<(), BetzaError> {
        let why = "before a bracket stand only directions, `m`, `c`, `e` and `i`; write the others \
                   on a leg inside";
        self.refuse(whole, &[Mode::Hop, Mode::HopToggle, Mode::MoveToggle], why)?;
        let others = [
            whole.lame.map(|lame| lame.span),
            whole.jump.map(|jump| jump.span),
            whole.ride.map(|ride| ride.span),
        ];
        match others.into_iter().flatten().next() {
            Some(span) => self.meaningless(span, why),
            None => Ok(()),
        }
    }

    /// What the letters of a leg say apart from directions and modes.
    fn leg(
        &self,
        modifiers: &Modifiers,
        shape: &Shape,
        atom: &Placed<Atom>,
        is_later: bool,
    ) -> Result<Leg, BetzaError> {
        let ride = modifiers.ride.map(|ride| ride.value);
        if let Some(ride) = modifiers.ride {
            let limit = (ride.value == Ride::Circular).then_some(LONGEST_CIRCLE);
            match shape.longest {
                Some(1) if atom.value.range != Range::Default || limit.is_none() => {
                    let why = "`z` and `q` need a range of more than one step, as in `zB` or `qN4`";
                    return self.meaningless(ride.span, why);
                }
                Some(longest) if limit.is_some_and(|limit| longest > limit) => {
                    let why = "a circle closes with its eighth step; the longest range is 7";
                    return self.meaningless(atom.span, why);
                }
                _ => {}
            }
        }
        let longest = match (ride, shape.longest, atom.value.range) {
            (Some(Ride::Circular), Some(1), Range::Default) | (Some(Ride::Circular), None, _) => {
                Some(LONGEST_CIRCLE)
            }
            (_, longest, _) => longest,
        };
        Ok(Leg {
            step: shape.step,
            turn: Turn::Into(SlotSet::EMPTY),
            longest,
            as_long_as_before: is_later && modifiers.initial.is_some(),
            ride,
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

    fn between(&self, modifiers: &Modifiers, shape: &Shape) -> Result<Between, BetzaError> {
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
            (Some(lame), _, Step::Straight(1)) => self.meaningless(
                lame.span,
                "a step to a neighbouring square passes over none; remove it or use D, A, H or G",
            ),
            (Some(lame), _, _) => Ok(Between::Empty {
                safe: lame.value == Lame::Safe,
            }),
            (_, Some(jump), Step::Oblique(..)) => self.meaningless(
                jump.span,
                "an oblique leap has no squares between; write its path with a hop `p`, as \
                 `[pW-F]`",
            ),
            (_, Some(jump), Step::Straight(1)) if shape.longest == Some(1) => self.meaningless(
                jump.span,
                "a step to a neighbouring square passes over none; remove it or give a range",
            ),
            (_, Some(jump), Step::Straight(1)) if modifiers.ride.is_some() => self.meaningless(
                jump.span,
                "ignoring the first square is defined for straight rides only",
            ),
            (_, Some(_), Step::Straight(1)) => Ok(Between::IgnoreFirst),
            (_, Some(_), _) => Ok(Between::Occupied),
        }
    }

    /// The ways to end that modes give; `m` and `c` where none is given.
    fn stop(&self, modifiers: &Modifiers, modes: &[Placed<Mode>]) -> Stop {
        let has = |wanted| modes.iter().any(|mode| mode.value == wanted);
        let none = ![Mode::Move, Mode::Capture, Mode::EnPassant]
            .into_iter()
            .any(has);
        // `in` is the same as `nn`.
        let passed = match modifiers.lame.map(|lame| lame.value) {
            Some(Lame::Passed) => true,
            Some(Lame::Empty) => modifiers.initial.is_some(),
            Some(Lame::Safe) | None => false,
        };
        Stop {
            quiet: none || has(Mode::Move),
            capture: none || has(Mode::Capture),
            en_passant: has(Mode::EnPassant),
            own_half: false,
            marks_passed: passed,
        }
    }

    fn first_directions(&self, modifiers: &Modifiers, class: Class) -> Result<SlotSet, BetzaError> {
        if modifiers.directions.is_empty() {
            return Ok(class.slots());
        }
        let mut slots = SlotSet::EMPTY;
        for direction in &modifiers.directions {
            match class.select(direction.value) {
                Ok(selected) => slots = slots.or(selected),
                Err(why) => return self.meaningless(direction.span, why),
            }
        }
        Ok(slots)
    }

    /// The turn of a leg after the first: its letters, or any turn but straight back.
    fn later_directions(&self, modifiers: &Modifiers, slots: SlotSet) -> Result<Turn, BetzaError> {
        if modifiers.directions.is_empty() {
            return Ok(Turn::NotBack(slots));
        }
        // The letters of a later leg mean what they mean for a king that faces along the leg before.
        for direction in &modifiers.directions {
            let as_oblique = Class::Oblique.select(direction.value);
            if let (Err(why), Err(_)) = (Class::Octal.select(direction.value), as_oblique) {
                return self.meaningless(direction.span, why);
            }
        }
        let letters: Vec<Direction> = modifiers.directions.iter().map(|d| d.value).collect();
        Ok(Turn::By(letters, slots))
    }

    fn refuse(
        &self,
        modifiers: &Modifiers,
        refused: &[Mode],
        why: &'static str,
    ) -> Result<(), BetzaError> {
        match modifiers
            .modes
            .iter()
            .find(|mode| refused.contains(&mode.value))
        {
            Some(mode) => self.meaningless(mode.span, why),
            None => Ok(()),
        }
    }
}

const LOCUST: &str = "only the last leg may capture: taking a man on the way is not supported; use \
                      `m` or `p` on this leg";
const LAST_TOGGLE: &str = "`y` changes the range of the legs that follow, and none does; use `m`";
const HOP_END: &str = "a move cannot end on the man it hops over; write `-` after the hop";
const MIDDLE: &str = "range `*` is for a single straight leg that only moves, as in `mfW*`";

/// The hop of a leg, if it has one.
fn hop(modifiers: &Modifiers) -> Option<&Placed<Mode>> {
    modifiers
        .modes
        .iter()
        .find(|mode| matches!(mode.value, Mode::Hop | Mode::HopToggle))
}
