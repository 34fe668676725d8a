//! Games of a player that sees one move and the exchanges after it, and errs now and then.

use engine::movegen::Wanted;
use engine::position::Position;
use engine::types::{Move, MoveList};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::material::{Counter, Values};

/// Games are broken off here.
const MOST_PLIES: u32 = 240;
/// One move in so many is a random one.
const ERRS: u64 = 6;

/// A position of the game.
pub(crate) struct Seen<const N: usize> {
    pub(crate) position: Position<N>,
    pub(crate) ply: u32,
    /// Material after the best move and the exchanges after it.
    pub(crate) best: i32,
}

/// Plays both sides of a game.
pub(crate) struct Player<'a, const N: usize> {
    position: Position<N>,
    values: &'a Values,
    ply: u32,
}

impl<'a, const N: usize> Player<'a, N> {
    pub(crate) fn new(position: Position<N>, values: &'a Values) -> Player<'a, N> {
        Player {
            position,
            values,
            ply: 0,
        }
    }

    /// Plays a move and returns the position before it; nothing at the end of the game.
    pub(crate) fn play(&mut self, random: &mut ChaCha8Rng) -> Option<Seen<N>> {
        let mut moves = MoveList::new();
        self.position.legal_moves(Wanted::All, &mut moves);
        // A seed must give the same game however generation orders the moves.
        moves.sort_unstable_by_key(|mv| mv.bits());
        if moves.is_empty() || self.ply >= MOST_PLIES {
            return None;
        }
        let mut counter = Counter::new(self.values, u64::MAX);
        moves.sort_by_cached_key(|&mv| -counter.takes(&self.position, mv));
        let mut scored: Vec<(i32, Move)> = Vec::with_capacity(moves.len());
        let mut best = -i32::MAX;
        for &mv in &moves {
            let undo = self.position.make(mv);
            // Of moves that are worse than the best it does not matter by how much.
            let beta = if best == -i32::MAX {
                i32::MAX
            } else {
                1 - best
            };
            let value = -counter.exchanges(&mut self.position, -i32::MAX, beta);
            self.position.unmake(mv, &undo);
            best = best.max(value);
            scored.push((value, mv));
        }
        let seen = Seen {
            position: self.position.clone(),
            ply: self.ply,
            best,
        };
        if !random.next_u64().is_multiple_of(ERRS) {
            scored.retain(|s| s.0 == best);
        }
        let mv = scored[(random.next_u64() % scored.len() as u64) as usize].1;
        self.position.make(mv);
        self.ply += 1;
        Some(seen)
    }
}
