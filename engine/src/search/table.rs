//! The transposition table: what earlier search found out about a position.
//!
//! Buckets of four entries fill a cache line each. An entry is two words of which the first is stored
//! XORed with the second (R. Hyatt and T. Mann, "A lockless transposition table implementation for parallel
//! search", 2002), so that threads may share a table without locks: an entry torn between two writers
//! does not match.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::memory::available_mib;
use super::score::Score;
use crate::types::Move;

/// What a stored score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    None = 0,
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl Bound {
    /// What a fail-soft score says, given the window it was searched with.
    pub fn of(score: i32, alpha: i32, beta: i32) -> Bound {
        if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

/// An entry, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// [`Move::NONE`] if there is none. It may be of another position and has to be checked before it is made.
    pub mv: Move,
    pub score: i32,
    pub evaluation: i32,
    pub depth: i32,
    pub bound: Bound,
    /// The position was searched with an open window.
    pub pv: bool,
}

/// Generations before the counter starts again.
const GENERATIONS: u8 = 32;
const WAYS: usize = 4;
/// Depth -1 and below are quiescence.
const DEPTH_OFFSET: i32 = 8;

#[derive(Default)]
#[repr(align(64))]
struct Bucket {
    words: [AtomicU64; 2 * WAYS],
}

/// A table of a fixed size.
pub(super) struct Table {
    buckets: Vec<Bucket>,
    generation: u8,
    used: bool,
}

impl Table {
    /// A table of about so many MiB, less if there is not that much memory; at least one bucket.
    pub fn new(mib: usize) -> Table {
        // Systems promise more than they have and end the process that takes them at their word.
        let most = available_mib().map_or(mib, |free| mib.min(free as usize));
        let mut wanted = (most.max(1) << 20) / size_of::<Bucket>();
        let mut buckets = Vec::new();
        while wanted > 1 && buckets.try_reserve_exact(wanted).is_err() {
            wanted /= 2;
        }
        buckets.resize_with(wanted, Bucket::default);
        Table {
            buckets,
            generation: 0,
            used: false,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if self.used {
            for word in self.buckets.iter_mut().flat_map(|b| &mut b.words) {
                *word.get_mut() = 0;
            }
        }
        self.generation = 0;
        self.used = false;
    }

    /// Begins a new search: older entries give way first.
    pub fn next_search(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
        self.used = true;
    }

    fn bucket(&self, key: u64) -> &Bucket {
        let index = ((key & 0xffff_ffff) * self.buckets.len() as u64) >> 32;
        &self.buckets[index as usize]
    }

    /// Has the bucket of a key fetched from memory while other work is done.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        // A load whose value nobody waits for; an intrinsic would be unsafe code.
        std::hint::black_box(self.bucket(key).words[0].load(Relaxed));
    }

    /// What is known about the position of a key; mate scores are given as seen from `ply` plies below the root.
    pub fn probe(&self, key: u64, ply: usize) -> Option<Found> {
        let bucket = self.bucket(key);
        for way in 0..WAYS {
            let data = bucket.words[2 * way + 1].load(Relaxed);
            let head = bucket.words[2 * way].load(Relaxed) ^ data;
            if head >> 16 == key >> 16 && data != 0 {
                return Some(Found {
                    mv: Move::from_bits(data as u32),
                    score: from_stored(i32::from((data >> 32) as i16), ply),
                    evaluation: i32::from(head as i16),
                    depth: i32::from((data >> 48) as u8) - DEPTH_OFFSET,
                    bound: bound((data >> 56) as u8 & 3),
                    pv: data >> 58 & 1 != 0,
                });
            }
        }
        None
    }

    /// Stores what was found `ply` plies below the root.
    pub fn store(&self, key: u64, ply: usize, entry: Found) {
        let bucket = self.bucket(key);
        let mut mv = entry.mv;
        let mut chosen = 0;
        let mut worst = i32::MAX;
        for way in 0..WAYS {
            let data = bucket.words[2 * way + 1].load(Relaxed);
            let head = bucket.words[2 * way].load(Relaxed) ^ data;
            let depth = i32::from((data >> 48) as u8);
            if data != 0 && head >> 16 == key >> 16 {
                // A shallow bound does not displace deeper knowledge of the same position.
                let same_search = (data >> 59) as u8 == self.generation;
                if entry.bound != Bound::Exact
                    && entry.depth + DEPTH_OFFSET + 4 < depth
                    && same_search
                {
                    return;
                }
                if mv == Move::NONE {
                    mv = Move::from_bits(data as u32);
                }
                chosen = way;
                break;
            }
            let age = i32::from((GENERATIONS + self.generation - (data >> 59) as u8) % GENERATIONS);
            let worth = if data == 0 { i32::MIN } else { depth - 8 * age };
            if worth < worst {
                worst = worth;
                chosen = way;
            }
        }
        let depth = (entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
        let score = to_stored(entry.score, ply) as i16 as u16;
        let data = u64::from(mv.bits())
            | u64::from(score) << 32
            | depth << 48
            | (entry.bound as u64) << 56
            | u64::from(entry.pv) << 58
            | u64::from(self.generation) << 59;
        let head = key >> 16 << 16 | u64::from(entry.evaluation as i16 as u16);
        bucket.words[2 * chosen].store(head ^ data, Relaxed);
        bucket.words[2 * chosen + 1].store(data, Relaxed);
    }

    /// Thousandths of a sample of entries that this search wrote.
    pub fn per_mille_full(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(256)];
        let written = |b: &Bucket| {
            (0..WAYS)
                .filter(|w| {
                    let data = b.words[2 * w + 1].load(Relaxed);
                    data != 0 && (data >> 59) as u8 == self.generation
                })
                .count()
        };
        let full: usize = sample.iter().map(written).sum();
        (full * 1000 / (sample.len() * WAYS)) as u32
    }
}

fn bound(bits: u8) -> Bound {
    match bits {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => Bound::None,
    }
}

/// Mates are stored as plies from the stored position, not from the root.
fn to_stored(score: i32, ply: usize) -> i32 {
    if score >= Score::FIRST_MATE {
        score + ply as i32
    } else if score <= -Score::FIRST_MATE {
        score - ply as i32
    } else {
        score
    }
}

fn from_stored(score: i32, ply: usize) -> i32 {
    if score >= Score::FIRST_MATE {
        score - ply as i32
    } else if score <= -Score::FIRST_MATE {
        score + ply as i32
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MoveKind, Square};
    use proptest::prelude::*;

    fn entry(score: i32, depth: i32) -> Found {
        let mv = Move::new(MoveKind::Normal, Square(3), Square(200));
        Found {
            mv,
            score,
            evaluation: -77,
            depth,
            bound: Bound::Lower,
            pv: true,
        }
    }

    proptest! {
        #[test]
        fn gives_back_what_was_stored(key: u64, score in -31_999i32..=31_999, depth in -8i32..200, ply in 0usize..60) {
            prop_assume!(score.abs() + 60 < Score::MATE);
            let table = Table::new(1);
            table.store(key, ply, entry(score, depth));
            prop_assert_eq!(table.probe(key, ply), Some(entry(score, depth)));
            prop_assert_eq!(table.probe(key ^ 1 << 40, ply), None);
        }
    }

    #[test]
    fn mates_are_seen_from_the_ply_that_asks() {
        let table = Table::new(1);
        table.store(7, 4, entry(Score::mate_in(7).0, 3));
        assert_eq!(table.probe(7, 2).unwrap().score, Score::mate_in(5).0);
    }

    #[test]
    fn clearing_forgets() {
        let mut table = Table::new(1);
        table.next_search();
        table.store(99, 0, entry(5, 3));
        table.clear();
        assert_eq!(table.probe(99, 0), None);
    }
}
