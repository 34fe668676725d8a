//! What the search has learnt about moves and evaluations elsewhere in the tree.
//!
//! - `butterfly`: quiet moves by man and target and by origin and target;
//! - `continuation`: quiet moves after what was played one and two plies before;
//! - `capture`: captures by man, target and victim;
//! - `counter`: replies that refuted a move;
//! - `correction`: by how much evaluation errs in positions of a kind.

mod butterfly;
mod capture;
mod continuation;
mod correction;
mod counter;

pub(crate) use correction::Keys;
pub(super) use correction::Sites;

use crate::geometry::Geometry;
use crate::types::{Kind, Move, Piece, Square};
use butterfly::Butterfly;
use capture::Captures;
use continuation::Continuation;
use correction::Correction;
use counter::Counters;

/// Plies back that quiet moves are seen in the light of.
pub(super) const BACK: [usize; 2] = [1, 2];

/// What a quiet move follows: a row of each continuation table, 0 after nothing.
pub(super) type Contexts = [u16; BACK.len()];

/// Everything that one thread has learnt.
pub(super) struct History {
    butterfly: Butterfly,
    continuation: [Continuation; BACK.len()],
    captures: Captures,
    counters: Counters,
    pub correction: Correction,
}

impl History {
    /// Tables for a board and a number of types.
    pub fn new(board: &Geometry, kinds: usize) -> History {
        History {
            butterfly: Butterfly::new(kinds, board.squares()),
            continuation: BACK.map(|_| Continuation::new(board, kinds)),
            captures: Captures::new(kinds, board.squares()),
            counters: Counters::new(kinds, board.squares()),
            correction: Correction::new(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.butterfly.clear();
        self.continuation.iter_mut().for_each(Continuation::clear);
        self.captures.clear();
        self.counters.clear();
        self.correction.clear();
    }

    /// Makes what is known of quiet moves count less for the next search.
    pub fn age(&mut self) {
        self.butterfly.age();
    }

    /// The context that a man's arrival makes for later moves.
    #[inline]
    pub fn context(&self, man: Piece, to: Square) -> u16 {
        self.continuation[0].context(man, to)
    }

    /// How good a quiet move of a man has been.
    #[inline]
    pub fn quiet(&self, man: Piece, mv: Move, contexts: Contexts) -> i32 {
        let mut sum = self.butterfly.get(man, mv);
        for (table, &context) in self.continuation.iter().zip(&contexts) {
            sum += table.get(context, man, mv.to());
        }
        sum
    }

    /// Notes that a quiet move was good (or, with a negative bonus, not).
    pub fn update_quiet(&mut self, man: Piece, mv: Move, contexts: Contexts, bonus: i32) {
        self.butterfly.update(man, mv, bonus);
        self.update_continuation(man, mv.to(), contexts, bonus);
    }

    /// The same for what follows other moves alone.
    pub fn update_continuation(&mut self, man: Piece, to: Square, contexts: Contexts, bonus: i32) {
        for (table, &context) in self.continuation.iter_mut().zip(&contexts) {
            table.update(context, man, to, bonus);
        }
    }

    /// How good a capture of a type has been.
    #[inline]
    pub fn capture(&self, man: Piece, to: Square, victim: Option<Kind>) -> i32 {
        self.captures.get(man, to, victim)
    }

    /// Notes that a capture or promotion was good (or, with a negative bonus, not).
    pub fn update_capture(&mut self, man: Piece, to: Square, victim: Option<Kind>, bonus: i32) {
        self.captures.update(man, to, victim, bonus);
    }

    /// The quiet move that refuted a man's arrival on a square last.
    #[inline]
    pub fn counter(&self, man: Piece, to: Square) -> Move {
        self.counters.get(man, to)
    }

    /// Remembers a refutation.
    pub fn set_counter(&mut self, man: Piece, to: Square, reply: Move) {
        self.counters.set(man, to, reply);
    }
}

/// Moves a counter towards the bonus's sign, the less the further it is already.
#[inline]
fn gravitate(counter: &mut i16, bonus: i32, most: i32) {
    let now = i32::from(*counter);
    let bonus = bonus.clamp(-most, most);
    *counter = (now + bonus - now * bonus.abs() / most) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::params::HISTORY_MOST;

    #[test]
    fn counters_stay_within_their_bounds() {
        for sign in [1, -1] {
            let mut counter = 0;
            for _ in 0..10_000 {
                gravitate(&mut counter, sign * 1_999, HISTORY_MOST);
            }
            let reached = i32::from(counter) * sign;
            assert!(reached > HISTORY_MOST * 9 / 10 && reached <= HISTORY_MOST);
        }
    }
}
