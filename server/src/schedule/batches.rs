//! Cutting a plan into batches, the unit of a lease.

use std::num::NonZeroU32;
use std::ops::Range;

/// Consecutive pairs of a plan, cut into equal batches; the last may be shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batches {
    total_pairs: u64,
    batch_pairs: u64,
}

impl Batches {
    /// Batches of `batch_pairs` pairs out of `total_pairs`.
    pub fn new(total_pairs: u64, batch_pairs: NonZeroU32) -> Self {
        Self {
            total_pairs,
            batch_pairs: u64::from(batch_pairs.get()),
        }
    }

    /// Number of batches.
    pub fn count(&self) -> u64 {
        self.total_pairs.div_ceil(self.batch_pairs)
    }

    /// Indices of the pairs of a batch; `None` from [`Self::count`] on.
    pub fn batch(&self, index: u64) -> Option<Range<u64>> {
        let start = index.checked_mul(self.batch_pairs)?;
        let end = start.saturating_add(self.batch_pairs).min(self.total_pairs);
        (start < self.total_pairs).then_some(start..end)
    }

    /// The batch that holds a pair; `None` beyond the last pair.
    pub fn batch_of(&self, pair: u64) -> Option<u64> {
        (pair < self.total_pairs).then_some(pair / self.batch_pairs)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::Batches;

    #[test]
    fn batches_cover_every_pair_once() {
        for total in [0, 1, 7, 8, 9, 100] {
            for size in [1, 3, 8, 200] {
                let batches = Batches::new(total, NonZeroU32::new(size).unwrap());
                let pairs: Vec<u64> = (0..batches.count())
                    .flat_map(|index| batches.batch(index).unwrap())
                    .collect();
                assert_eq!(pairs, (0..total).collect::<Vec<_>>());
                assert_eq!(batches.batch(batches.count()), None);
                for pair in pairs {
                    let batch = batches.batch_of(pair).unwrap();
                    assert!(batches.batch(batch).unwrap().contains(&pair));
                }
                assert_eq!(batches.batch_of(total), None);
            }
        }
        let huge = Batches::new(u64::MAX, NonZeroU32::MAX);
        assert_eq!(huge.batch(u64::MAX), None);
        assert_eq!(huge.batch(huge.count() - 1).unwrap().end, u64::MAX);
    }
}
