//! [`Reaches`]: where men reach, remembered by square until something changes on their ways.

use std::cell::{RefCell, RefMut};

use crate::attacks::{Occupancy, Reach, Targets};
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Colour, Kind, Square};

/// What the man on a square reaches.
#[derive(Clone, Copy)]
struct Entry<const N: usize> {
    /// Man, type as which it moves, powers; [`NOTHING`] at first.
    key: u64,
    /// The squares that the reach depends on which were occupied.
    occupied: Bitboard<N>,
    reach: Reach<N>,
}

const NOTHING: u64 = u64::MAX;

impl<const N: usize> Entry<N> {
    #[inline(always)]
    fn holds(&self, key: u64, occupancy: &Occupancy<N>) -> bool {
        self.key == key && (self.reach.touched & occupancy.occupied).equals(&self.occupied)
    }
}

/// The two last things known about a square: sibling positions differ on few ways, from which most of
/// them come back to what they were.
#[derive(Clone, Copy)]
struct Slot<const N: usize> {
    entries: [Entry<N>; 2],
    /// Which entry was used last.
    last: usize,
}

/// The slots by square.
pub(crate) struct Memory<const N: usize> {
    slots: Vec<Slot<N>>,
}

impl<const N: usize> Memory<N> {
    /// What the man of `kind` on `from`, which moves as `acting`, reaches by its own moves and its powers'.
    #[inline(always)]
    pub fn reach(
        &mut self,
        position: &Position<N>,
        occupancy: &Occupancy<N>,
        (us, kind, acting): (Colour, Kind, Kind),
        from: Square,
    ) -> &Reach<N> {
        let key = u64::from(kind.0) << 1
            | us.index() as u64
            | u64::from(acting.0) << 8
            | u64::from(position.powers(from)) << 16;
        let slot = &mut self.slots[from.index()];
        if !slot.entries[slot.last & 1].holds(key, occupancy) {
            slot.last ^= 1;
            let entry = &mut slot.entries[slot.last & 1];
            if !entry.holds(key, occupancy) {
                let kernels = &position.kernels;
                kernels.reach(
                    position,
                    occupancy,
                    us,
                    kind,
                    acting,
                    from,
                    &mut entry.reach,
                );
                entry.key = key;
                entry.occupied = entry.reach.touched & occupancy.occupied;
            }
        }
        &slot.entries[slot.last & 1].reach
    }
}

/// A memory of where the men of a variant's positions reach, two men a square.
///
/// From a position to the next most men's ways stay as they are, so that a look at the squares they
/// depend on saves walking them again. What is remembered is exact: an entry is used only if
/// the man and all squares on its ways are as they were. Positions of one variant may share a memory.
pub struct Reaches<const N: usize> {
    memory: RefCell<Memory<N>>,
}

impl<const N: usize> Reaches<N> {
    /// An empty memory for a board of so many squares.
    #[must_use]
    pub fn new(squares: usize) -> Reaches<N> {
        let entry = Entry {
            key: NOTHING,
            occupied: Bitboard::EMPTY,
            reach: Reach::NOTHING,
        };
        let slot = Slot {
            entries: [entry; 2],
            last: 0,
        };
        Reaches {
            memory: RefCell::new(Memory {
                slots: vec![slot; squares],
            }),
        }
    }

    /// Where the man of `kind` on `from`, which moves as `acting`, reaches by its own moves and its powers'. The
    /// two sets are not yet masked with the free squares and the enemy's men.
    #[inline(always)]
    pub fn get(
        &self,
        position: &Position<N>,
        occupancy: &Occupancy<N>,
        (us, kind, acting): (Colour, Kind, Kind),
        from: Square,
    ) -> Targets<N> {
        let mut memory = self.memory();
        memory
            .reach(position, occupancy, (us, kind, acting), from)
            .targets
    }

    /// The memory, for as long as a kernel works with it.
    #[inline(always)]
    pub(super) fn memory(&self) -> RefMut<'_, Memory<N>> {
        self.memory.borrow_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{AnyPosition, Game};
    use crate::movegen::Wanted;
    use crate::simd::Level;
    use crate::types::MoveList;
    use crate::variant::Catalog;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    /// The counting and the listing generator agree, and so do the kernels of all levels.
    fn agree<const N: usize>(position: &Position<N>, reaches: &Reaches<N>) {
        let mut listed = MoveList::new();
        position.legal_moves(Wanted::All, &mut listed);
        for level in Level::available() {
            let position = position.at_level(level);
            let label = || format!("{} in {}", level.name(), position.fen());
            let mut moves = MoveList::new();
            position.legal_moves(Wanted::All, &mut moves);
            assert_eq!(moves, listed, "{}", label());
            let fresh = Reaches::new(position.compiled().rules.geometry.squares());
            assert_eq!(
                position.count_legal(&fresh),
                listed.len() as u64,
                "{}",
                label()
            );
            assert_eq!(
                position.count_legal(reaches),
                listed.len() as u64,
                "{}",
                label()
            );
            assert_eq!(position.in_check(), position.threats().check, "{}", label());
        }
    }

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
        agree(position, reaches);
        let mut scratch = MoveList::new();
        for &mv in fresh.iter().chain(other) {
            let legal = position.is_legal(mv, &position.threats(), reaches, &mut scratch);
            assert_eq!(legal, fresh.contains(&mv), "{mv:?} in {}", position.fen());
        }
        fresh
    }
}
