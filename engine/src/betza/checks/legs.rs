//! Terms of one atom: a single leg, a hop, or legs joined by `a`.

use super::super::ast::{Atom, Lame, Mode, Modifiers, Placed, Range, Ride};
use super::super::error::BetzaError;
use super::super::plan::{Between, Leg, Turn};
use super::super::program::Stop;
use super::Checker;
use super::leg::{Place, Shape};

impl Checker<'_> {
    pub(super) fn legs(
        &self,
        legs: &[Modifiers],
        atom: &Placed<Atom>,
    ) -> Result<Vec<Leg>, BetzaError> {
        let mut shape = self.shape(atom)?;
        if shape.middle {
            self.check_middle(legs, atom)?;
        }
        if let [modifiers] = legs
            && hop(modifiers)
        {
            return self.hop_in_one(modifiers, &shape, atom);
        }
        let mut planned = Vec::new();
        for (index, modifiers) in legs.iter().enumerate() {
            let place = if index == 0 {
                Place::First
            } else {
                Place::Later
            };
            let mut leg = self.leg(modifiers, &shape, atom, place)?;
            if index > 0 {
                leg.turn = self.turn(modifiers, shape.step.all_slots(), Turn::NotBack)?;
            }
            if index + 1 == legs.len() {
                self.last_leg(modifiers, &mut leg)?;
                leg.own_half = shape.middle;
            } else {
                self.leg_before_another(modifiers, &mut leg)?;
                if modifiers.mode(Mode::HopToggle).is_some()
                    || modifiers.mode(Mode::MoveToggle).is_some()
                {
                    shape.longest = self.toggled(shape.longest, atom)?;
                }
            }
            planned.push(leg);
        }
        Ok(planned)
    }

    /// The leg that ends the move.
    fn last_leg(&self, modifiers: &Modifiers, leg: &mut Leg) -> Result<(), BetzaError> {
        self.refuse(
            modifiers,
            &[Mode::MoveToggle],
            "`y` changes the range of the legs that follow, and none does; use `m`",
        )?;
        self.refuse(
            modifiers,
            &[Mode::Hop, Mode::HopToggle],
            "the last leg of several cannot hop; write the hop as a leg of its own, as in `afpaf`",
        )?;
        leg.stop = self.stop(modifiers, &modifiers.modes, leg);
        Ok(())
    }

    /// A leg that another follows.
    fn leg_before_another(&self, modifiers: &Modifiers, leg: &mut Leg) -> Result<(), BetzaError> {
        self.refuse_locust(modifiers)?;
        self.refuse_passed(modifiers)?;
        let has = |mode| modifiers.mode(mode).is_some();
        if has(Mode::HopToggle) || has(Mode::MoveToggle) {
            self.refuse(
                modifiers,
                &[Mode::Move, Mode::Hop],
                "a leg either keeps the range (`m`, `p`) or exchanges it (`y`, `g`), not both",
            )?;
        }
        leg.over_occupied = hop(modifiers);
        leg.over_empty = !leg.over_occupied || has(Mode::Move) || has(Mode::MoveToggle);
        Ok(())
    }

    /// Refuses `nn` on a leg that another follows: only the end of a move marks what it passed.
    pub(super) fn refuse_passed(&self, modifiers: &Modifiers) -> Result<(), BetzaError> {
        match modifiers.lame {
            Some(lame) if lame.value == Lame::Passed => self.meaningless(
                lame.span,
                "only the last leg can leave squares for en passant; use `n` on this one",
            ),
            _ => Ok(()),
        }
    }

    /// The range of the legs after a `y` or `g`.
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

    /// `p` or `g` on a term of one leg: a ride up to a man, then the same ride behind it.
    fn hop_in_one(
        &self,
        modifiers: &Modifiers,
        shape: &Shape,
        atom: &Placed<Atom>,
    ) -> Result<Vec<Leg>, BetzaError> {
        self.refuse(
            modifiers,
            &[Mode::MoveToggle],
            "`y` moves to an empty square and `p` and `g` hop over a man; write legs with `a`",
        )?;
        self.refuse_passed(modifiers)?;
        let mut before = self.leg(modifiers, shape, atom, Place::First)?;
        let mut behind = before.clone();
        behind.turn = Turn::GoOn;
        behind.stop = self.stop(modifiers, &modifiers.modes, &behind);
        if behind.between == Between::IgnoreFirst {
            behind.between = Between::Any;
        }
        if let Some(toggle) = modifiers.mode(Mode::HopToggle) {
            if modifiers.mode(Mode::Hop).is_some() {
                let why =
                    "`p` keeps the range behind the hop and `g` exchanges it; write two terms";
                return self.meaningless(toggle, why);
            }
            let circular = before.ride == Some(Ride::Circular);
            let is_unlimited = circular && atom.value.range == Range::Default;
            let longest = if is_unlimited { None } else { shape.longest };
            behind.longest = self.toggled(longest, atom)?;
        }
        before.stop = Stop::default();
        before.over_occupied = true;
        Ok(vec![before, behind])
    }

    /// Range `*` is defined for a single straight leg that only moves.
    fn check_middle(&self, legs: &[Modifiers], atom: &Placed<Atom>) -> Result<(), BetzaError> {
        let plain = |leg: &Modifiers| {
            let only_moves = matches!(leg.modes[..], [mode] if mode.value == Mode::Move);
            only_moves && leg.lame.is_none() && leg.jump.is_none() && leg.ride.is_none()
        };
        match legs {
            [leg] if plain(leg) => Ok(()),
            _ => self.meaningless(atom.span, super::leg::MIDDLE),
        }
    }
}

pub(super) fn hop(modifiers: &Modifiers) -> bool {
    modifiers.mode(Mode::Hop).is_some() || modifiers.mode(Mode::HopToggle).is_some()
}
