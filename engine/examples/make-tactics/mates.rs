//! Mates in two to four moves: every first move, every defence and every attack looked at.

use std::collections::HashMap;

use engine::movegen::Wanted;
use engine::notation::move_text;
use engine::position::Position;
use engine::types::{Move, MoveList};

use crate::Puzzle;
use crate::material::Values;

/// Moves made in a proof at most, by the number of moves to mate: the tests repeat each proof.
const BUDGET: [u64; 5] = [0, 0, 300_000, 600_000, 1_500_000];
/// Moves made to look for a mate by checks alone, before longer mates are looked for among all moves.
const CHECKS_BUDGET: u64 = 30_000;

/// The puzzle that a position is, if its shortest mate has two to four moves and one first move only.
pub(crate) fn puzzle<const N: usize>(
    position: &Position<N>,
    values: &Values,
    wanted: &dyn Fn(&'static str) -> bool,
) -> Option<Puzzle> {
    let mut position = position.clone();
    for (moves, kind) in [(1, ""), (2, "mate-2"), (3, "mate-3"), (4, "mate-4")] {
        let longer = moves == 3 && (wanted("mate-3") || wanted("mate-4"));
        if (longer || moves == 4 && wanted(kind)) != (moves > 2)
            || moves == 3 && Prover::checks().mates(&mut position, 4) != Some(true)
        {
            return None;
        }
        let keys = Prover::all(moves).keys(&mut position, moves)?;
        match keys[..] {
            [] => {}
            [mv] if moves > 1 && wanted(kind) => {
                let rules = &position.compiled().rules;
                return Some(Puzzle {
                    variant: values.variant.to_owned(),
                    fen: position.fen(),
                    kind,
                    best: vec![move_text(&position, mv)],
                    proof: 2 * moves,
                    gain: None,
                    by: rules.piece(position.man_on(mv.from()).kind()).name.clone(),
                });
            }
            _ => return None,
        }
    }
    None
}

/// Looks for mates until its budget of moves made is spent; then it does not answer.
struct Prover {
    checks_only: bool,
    left: u64,
    known: HashMap<(u64, u32), bool>,
    /// The defence that held last, by moves left: likely to hold again.
    refuter: [Move; 8],
}

impl Prover {
    fn all(moves: u32) -> Prover {
        Prover {
            checks_only: false,
            left: BUDGET[moves.min(4) as usize].max(BUDGET[2]),
            known: HashMap::new(),
            refuter: [Move::NONE; 8],
        }
    }

    fn checks() -> Prover {
        Prover {
            checks_only: true,
            left: CHECKS_BUDGET,
            ..Prover::all(0)
        }
    }

    /// The first moves that mate in `n`.
    fn keys<const N: usize>(&mut self, position: &mut Position<N>, n: u32) -> Option<Vec<Move>> {
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::All, &mut moves);
        moves.sort_unstable_by_key(|mv| mv.bits());
        let mut keys = Vec::new();
        for mv in moves {
            let undo = position.make(mv);
            let escapes = self.escapes(position, n - 1);
            position.unmake(mv, &undo);
            if !escapes? {
                keys.push(mv);
            }
        }
        Some(keys)
    }

    /// Whether the side to move mates in `n` moves.
    fn mates<const N: usize>(&mut self, position: &mut Position<N>, n: u32) -> Option<bool> {
        let key = (position.hash(), n);
        if n > 1
            && let Some(&known) = self.known.get(&key)
        {
            return Some(known);
        }
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::All, &mut moves);
        moves.sort_unstable_by_key(|mv| mv.bits());
        let mut mates = false;
        for mv in moves {
            self.left = self.left.checked_sub(1)?;
            let undo = position.make(mv);
            let considered = !(self.checks_only || n == 1) || position.in_check();
            let escapes = if considered {
                self.escapes(position, n - 1)
            } else {
                Some(true)
            };
            position.unmake(mv, &undo);
            if !escapes? {
                mates = true;
                break;
            }
        }
        if n > 1 {
            self.known.insert(key, mates);
        }
        Some(mates)
    }

    /// Whether the side to move, with the other having `n` moves after this one, is not mated whatever happens.
    fn escapes<const N: usize>(&mut self, position: &mut Position<N>, n: u32) -> Option<bool> {
        let mut moves = MoveList::new();
        if n == 0 && !position.in_check() {
            return Some(true);
        }
        position.legal_moves(Wanted::All, &mut moves);
        if moves.is_empty() {
            return Some(!position.in_check());
        }
        if n == 0 {
            return Some(true);
        }
        moves.sort_unstable_by_key(|mv| mv.bits());
        let held = self.refuter[n as usize];
        if let Some(at) = moves.iter().position(|&m| m == held) {
            moves.swap(0, at);
        }
        for mv in moves {
            self.left = self.left.checked_sub(1)?;
            let undo = position.make(mv);
            let mates = self.mates(position, n);
            position.unmake(mv, &undo);
            if !mates? {
                self.refuter[n as usize] = mv;
                return Some(true);
            }
        }
        Some(false)
    }
}
