//! [`Reaches`]: where men reach, remembered by square until something changes on their ways.

use std::cell::RefCell;

use crate::attacks::{Mover, Occupancy, Targets};
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Colour, Kind, Square};

/// What the man on a square reaches, and what that depends on.
#[derive(Clone, Copy)]
struct Entry<const N: usize> {
    /// Man, type as which it moves, powers; [`NOTHING`] at first.
    key: u64,
    touched: Bitboard<N>,
    /// The squares of `touched` that were occupied.
    occupied: Bitboard<N>,
    targets: Targets<N>,
}

const NOTHING: u64 = u64::MAX;

/// A memory of where the men of a variant's positions reach, one man a square.
///
/// From a position to the next most men's ways stay as they are, so that a look at the squares they
/// depend on saves walking them again. What is remembered is exact: an entry is used only if
/// the man and all squares on its ways are as they were. Positions of one variant may share a memory.
pub struct Reaches<const N: usize> {
    entries: RefCell<Vec<Entry<N>>>,
}

impl<const N: usize> Reaches<N> {
    /// An empty memory for a board of so many squares.
    #[must_use]
    pub fn new(squares: usize) -> Reaches<N> {
        let nothing = Targets {
            quiet: Bitboard::EMPTY,
            capture: Bitboard::EMPTY,
        };
        let entry = Entry {
            key: NOTHING,
            touched: Bitboard::EMPTY,
            occupied: Bitboard::EMPTY,
            targets: nothing,
        };
        Reaches {
            entries: RefCell::new(vec![entry; squares]),
        }
    }

    /// Where the man of `kind` on `from`, which moves as `acting`, reaches by its own moves and its powers'. The
    /// two sets are not yet masked with the free squares and the enemy's men.
    #[inline]
    pub fn get(
        &self,
        position: &Position<N>,
        occupancy: &Occupancy<N>,
        (us, kind, acting): (Colour, Kind, Kind),
        from: Square,
    ) -> Targets<N> {
        let tables = &position.compiled().tables;
        let mover = if kind == acting {
            tables.kind(us, kind)
        } else {
            tables.imitation(us, acting)
        };
        let powers = position.powers(from);
        if powers == 0 && mover.only_leaps() {
            return mover.leaps(from);
        }
        let key = u64::from(kind.0) << 1
            | us.index() as u64
            | u64::from(acting.0) << 8
            | u64::from(powers) << 16;
        let entry = &mut self.entries.borrow_mut()[from.index()];
        if entry.key != key || entry.touched & occupancy.occupied != entry.occupied {
            let mut touched = Bitboard::EMPTY;
            let targets = look(position, occupancy, (us, mover, powers), from, &mut touched);
            *entry = Entry {
                key,
                touched,
                occupied: touched & occupancy.occupied,
                targets,
            };
        }
        entry.targets
    }
}

/// Walks the ways of a man.
fn look<const N: usize>(
    position: &Position<N>,
    occupancy: &Occupancy<N>,
    (us, mover, powers): (Colour, &Mover<N>, u16),
    from: Square,
    touched: &mut Bitboard<N>,
) -> Targets<N> {
    let tables = &position.compiled().tables;
    let mut targets = tables.targets_touching(mover, from, occupancy, touched);
    let mut left = powers;
    while left != 0 {
        let power = tables.power(us, left.trailing_zeros() as usize);
        let more = tables.targets_touching(power, from, occupancy, touched);
        targets.quiet |= more.quiet;
        targets.capture |= more.capture;
        left &= left - 1;
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{AnyPosition, Game};
    use crate::movegen::Wanted;
    use crate::types::MoveList;
    use crate::variant::Catalog;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    fn moves<const N: usize>(position: &Position<N>, reaches: Option<&Reaches<N>>) -> MoveList {
        let mut moves = MoveList::new();
        match reaches {
            None => position.legal_moves(Wanted::All, &mut moves),
            Some(r) => {
                position.legal_moves_with(&position.threats(), r, Wanted::Noisy, &mut moves);
                position.legal_moves_with(&position.threats(), r, Wanted::Quiet, &mut moves);
            }
        }
        moves.sort_by_key(|m| m.bits());
        moves
    }

    /// One memory through whole random games gives the moves that a fresh look gives, and each of
    /// them and nothing else of another position is legal.
    #[test]
    fn remembering_changes_nothing() {
        let catalog = Catalog::builtin();
        for id in catalog.ids() {
            let variant = catalog.get(id).unwrap();
            let squares = variant.geometry().squares();
            let (one, two, four) = (
                Reaches::new(squares),
                Reaches::new(squares),
                Reaches::new(squares),
            );
            for seed in 0..12 {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                let mut game =
                    Game::new(variant.clone(), &variant.army_fen(seed).unwrap()).unwrap();
                let mut before = MoveList::new();
                for _ in 0..120 {
                    before = match game.position() {
                        AnyPosition::One(p) => check(p, &one, &before),
                        AnyPosition::Two(p) => check(p, &two, &before),
                        AnyPosition::Four(p) => check(p, &four, &before),
                    };
                    if !game.play_random(&mut random) {
                        break;
                    }
                }
            }
        }
    }

    fn check<const N: usize>(
        position: &Position<N>,
        reaches: &Reaches<N>,
        other: &MoveList,
    ) -> MoveList {
        let fresh = moves(position, None);
        assert_eq!(moves(position, Some(reaches)), fresh, "{}", position.fen());
        let mut scratch = MoveList::new();
        for &mv in fresh.iter().chain(other) {
            let legal = position.is_legal(mv, &position.threats(), reaches, &mut scratch);
            assert_eq!(legal, fresh.contains(&mv), "{mv:?} in {}", position.fen());
        }
        fresh
    }
}
