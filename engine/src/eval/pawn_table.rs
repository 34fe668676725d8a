//! [`PawnTable`]: what follows from where the pawns stand alone, remembered from position to position.

use std::cell::RefCell;

use super::pair::Pair;
use super::pawns::Pawns;

/// Bytes of a table, about: it is looked into at every evaluation.
const BYTES: usize = 256 << 10;

/// What is known about the pawns that a key stands for.
#[derive(Clone, Copy)]
pub(super) struct Known<const N: usize> {
    pub pawns: Pawns<N>,
    /// Their structure and the hopes of those that enemy pawns may stop, in grains.
    pub sum: Pair,
}

/// Pawns by a key of their squares, types and what they gain by promotion; the last of those that share a place.
pub(crate) struct PawnTable<const N: usize> {
    entries: RefCell<Vec<(u64, Known<N>)>>,
}

impl<const N: usize> PawnTable<N> {
    /// An empty table.
    pub fn new() -> PawnTable<N> {
        let known = Known {
            pawns: Pawns::NONE,
            sum: Pair::ZERO,
        };
        let size = std::mem::size_of::<(u64, Known<N>)>();
        let entries = (BYTES / size).next_power_of_two();
        // A key finds its place by its last bits: no key of 1 looks there at place 0.
        let mut table = vec![(0, known); entries];
        table[0].0 = 1;
        PawnTable {
            entries: RefCell::new(table),
        }
    }

    /// What is known for a key, found out if it was not.
    #[inline(always)]
    pub(super) fn get(&self, key: u64, find: impl FnOnce() -> Known<N>) -> Known<N> {
        let mut entries = self.entries.borrow_mut();
        let place = key as usize & (entries.len() - 1);
        let entry = &mut entries[place];
        if entry.0 != key {
            *entry = (key, find());
        }
        entry.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::Bitboard;
    use crate::types::Square;

    fn known(number: i32) -> Known<1> {
        let mut pawns = Pawns::NONE;
        pawns.all[0] = Bitboard::of(Square(number as u8));
        Known {
            pawns,
            sum: Pair::new(number, -number),
        }
    }

    /// Keys that share a place, 0 and 1 among them, never get what is known of one another.
    #[test]
    fn each_key_gets_its_own() {
        let table = PawnTable::<1>::new();
        let entries = table.entries.borrow().len() as u64;
        let keys = [0, 1, 2, entries, entries + 1, 2 * entries, 5 * entries + 1];
        for round in 0..3 {
            for (number, &key) in keys.iter().enumerate() {
                let got = table.get(key, || known(number as i32));
                assert_eq!(got.sum.mg, number as i32, "{key} in round {round}");
                assert_eq!(got.pawns.all, known(number as i32).pawns.all);
                table.get(key, || unreachable!("{key} is known"));
            }
        }
    }
}
