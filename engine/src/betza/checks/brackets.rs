//! Terms in brackets: legs with atoms of their own, joined by `?` or `-`.

use super::super::ast::{BracketLeg, Joint, Mode, Modifiers};
use super::super::error::BetzaError;
use super::super::plan::{Leg, Turn};
use super::Checker;
use super::leg::{MIDDLE, Place, Shape};

impl Checker<'_> {
    pub(super) fn bracket(
        &self,
        whole: &Modifiers,
        legs: &[BracketLeg],
    ) -> Result<Vec<Leg>, BetzaError> {
        self.check_whole(whole)?;
        let mut planned = Vec::new();
        for bracket_leg in legs {
            let modifiers = &bracket_leg.modifiers;
            let shape = self.shape(&bracket_leg.atom)?;
            let place = if planned.is_empty() {
                Place::First
            } else {
                Place::Later
            };
            self.check_bracket_leg(whole, bracket_leg, &shape, place)?;
            let mut leg = self.leg(modifiers, &shape, &bracket_leg.atom, place)?;
            if place == Place::Later {
                leg.turn = self.turn(modifiers, shape.class.slots(), Turn::Outward)?;
            }
            self.ending(whole, bracket_leg, &mut leg)?;
            planned.push(leg);
        }
        Ok(planned)
    }

    /// How a leg in brackets ends or goes on.
    fn ending(
        &self,
        whole: &Modifiers,
        bracket_leg: &BracketLeg,
        leg: &mut Leg,
    ) -> Result<(), BetzaError> {
        let modifiers = &bracket_leg.modifiers;
        let modes = if modifiers.modes.is_empty() {
            &whole.modes
        } else {
            &modifiers.modes
        };
        match bracket_leg.joint {
            None => {
                let why = "the last leg cannot be the hop; write the leg behind it, as in \
                           `[pR-fR]`";
                self.refuse(modifiers, &[Mode::Hop], why)?;
                leg.stop = self.stop(modifiers, modes, leg);
                return Ok(());
            }
            Some(Joint::Optional) => {
                let why = "a move cannot end on the man it hops over; write `-` after the hop";
                self.refuse(modifiers, &[Mode::Hop], why)?;
                leg.stop = self.stop(modifiers, modes, leg);
            }
            Some(Joint::Required) => {}
        }
        self.refuse_locust(modifiers)?;
        self.refuse_passed(modifiers)?;
        leg.over_occupied = modifiers.mode(Mode::Hop).is_some();
        leg.over_empty = !leg.over_occupied || modifiers.mode(Mode::Move).is_some();
        Ok(())
    }

    fn check_bracket_leg(
        &self,
        whole: &Modifiers,
        leg: &BracketLeg,
        shape: &Shape,
        place: Place,
    ) -> Result<(), BetzaError> {
        self.refuse(
            &leg.modifiers,
            &[Mode::MoveToggle, Mode::HopToggle],
            "legs in brackets have ranges of their own; write those instead of `y` or `g`",
        )?;
        if shape.middle {
            return self.meaningless(leg.atom.span, MIDDLE);
        }
        if let (Some(initial), Place::First) = (leg.modifiers.initial, place) {
            return self.meaningless(initial.span, "`i` stands before the bracket");
        }
        match (whole.directions.first(), leg.modifiers.ride) {
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
}
