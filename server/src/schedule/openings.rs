//! Which opening a pair is played from: everything random about a tournament, as a function of its seed.
//!
//! # Random numbers
//! All numbers are 64-bit words of a ChaCha8 keystream (D. J. Bernstein, 2008; 8 rounds, 64-bit block
//! counter from 0, 64-bit nonce):
//! - key: bytes 0-7 the tournament's seed, bytes 8-15 a purpose (0 set-ups and lists, 1 armies, 2 games,
//!   3 pairings, 4 perturbations of SPSA, 5 books),
//!   both little-endian, bytes 16-31 zero;
//! - nonce: a stream number, little-endian;
//! - word i: bytes 8 i to 8 i + 7 of the keystream, little-endian.
//!
//! A number below n is the next word w, skipping words not below 2^64 - (2^64 mod n), and then w mod n.
//!
//! # Shuffling
//! Block b of a sampler of `count` numbers is a permutation made from stream b: start from
//! 0, 1, ..., count-1; for i = count-1 down to 1 exchange entry i with entry j, j a number below i + 1
//! (Fisher and Yates in Durstenfeld's form).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What a keystream is for, so that no two uses share numbers.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
pub(super) enum Purpose {
    Openings = 0,
    Armies = 1,
    Games = 2,
    Pairings = 3,
    Perturbations = 4,
    Books = 5,
}

pub(super) fn keystream(seed: u64, purpose: Purpose, stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
    let mut words = ChaCha8Rng::from_seed(key);
    words.set_stream(stream);
    words
}

/// The word of a keystream at a position.
fn word(seed: u64, purpose: Purpose, index: u64) -> u64 {
    let mut words = keystream(seed, purpose, 0);
    words.set_word_pos(2 * u128::from(index));
    words.next_u64()
}

/// A number below `bound`, which must not be 0.
pub(super) fn below(words: &mut ChaCha8Rng, bound: u64) -> u64 {
    // 2^64 mod bound words at the top would favour small numbers.
    let excess = (u64::MAX % bound + 1) % bound;
    loop {
        let word = words.next_u64();
        if word <= u64::MAX - excess {
            return word % bound;
        }
    }
}

/// Seed of the pair of armies with which pair `index` of a tournament starts.
///
/// For variants with more starting positions than can be shuffled: draws are independent, so that a
/// position may come twice.
pub fn army_seed(seed: u64, index: u64) -> u64 {
    word(seed, Purpose::Armies, index)
}

/// Seed for whatever engines or random opening moves of pair `index` draw.
pub fn pair_seed(seed: u64, index: u64) -> u64 {
    word(seed, Purpose::Games, index)
}

/// Largest number of openings that are shuffled.
pub const MAX_SHUFFLED: u64 = 1 << 22;

/// Why a sampler was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SamplerError {
    /// Nothing to draw from.
    #[error("there is no opening to draw from; give at least one")]
    Empty,
    /// Too many to shuffle.
    #[error(
        "{count} openings exceed the {MAX_SHUFFLED} that can be shuffled; draw armies by seed instead"
    )]
    TooMany {
        /// Openings given.
        count: u64,
    },
    /// More different openings asked for than there are.
    #[error("a sample of {sample} does not fit {count} openings; ask for 1 to {count}")]
    Sample {
        /// Asked for.
        sample: u64,
        /// Openings given.
        count: u64,
    },
    /// More openings than a book can have.
    #[error("{count} openings are too many for a book; split it")]
    TooLarge {
        /// Openings given.
        count: u64,
    },
    /// An order is to begin with an opening that is not there.
    #[error("opening {start} is to be the first of {count} openings; begin with 1 to {count}")]
    Start {
        /// Number of the first.
        start: u64,
        /// Openings given.
        count: u64,
    },
    /// The numbers do not fit 64 bits.
    #[error("{count} set-ups numbered from {first} exceed 64 bits; check the variant's numbering")]
    Numbering {
        /// First number.
        first: u64,
        /// Set-ups given.
        count: u64,
    },
}

/// Numbered set-ups in random order: each once, then all again in another order, and so on.
#[derive(Debug, Clone)]
pub struct SetupSampler {
    seed: u64,
    first: u64,
    /// What block 0 is shuffled from.
    count: usize,
    /// The different numbers in use, drawn by block 0.
    sample: Vec<u64>,
    /// The block computed last.
    block: (u64, Vec<u64>),
}

impl SetupSampler {
    /// A sampler of the set-ups numbered `first`, `first + 1`, ... of a variant with `count` of them.
    pub fn new(seed: u64, first: u64, count: u64) -> Result<Self, SamplerError> {
        Self::with_sample(seed, first, count, count)
    }

    /// A sampler that uses only `sample` different set-ups: the first ones of [`Self::new`]'s order.
    pub fn with_sample(
        seed: u64,
        first: u64,
        count: u64,
        sample: u64,
    ) -> Result<Self, SamplerError> {
        if count == 0 {
            return Err(SamplerError::Empty);
        }
        if count > MAX_SHUFFLED {
            return Err(SamplerError::TooMany { count });
        }
        if sample == 0 || sample > count {
            return Err(SamplerError::Sample { sample, count });
        }
        if first.checked_add(count).is_none() {
            return Err(SamplerError::Numbering { first, count });
        }
        let size = usize::try_from(count).map_err(|_| SamplerError::TooMany { count })?;
        let mut drawn = permutation(seed, 0, size);
        drawn.truncate(usize::try_from(sample).map_err(|_| SamplerError::TooMany { count })?);
        let block = (0, drawn.clone());
        Ok(Self {
            seed,
            first,
            count: size,
            sample: drawn,
            block,
        })
    }

    /// The set-up of pair `index`.
    ///
    /// Neighbouring indices are cheap; each step into another block costs a shuffle.
    pub fn nth(&mut self, index: u64) -> u64 {
        let size = self.sample.len() as u64;
        let (block, within) = (index / size, index % size);
        if self.block.0 != block {
            self.block = (block, self.shuffled(block));
        }
        self.first + self.block.1[within as usize]
    }

    /// Number of different set-ups in use.
    pub fn different(&self) -> usize {
        self.sample.len()
    }

    fn shuffled(&self, block: u64) -> Vec<u64> {
        if block == 0 {
            return self.sample.clone();
        }
        let order = permutation(self.seed, block, self.sample.len());
        if self.sample.len() == self.count {
            return order;
        }
        order
            .into_iter()
            .map(|at| self.sample[at as usize])
            .collect()
    }
}

/// Permutation of 0..count made from stream `block`.
fn permutation(seed: u64, block: u64, count: usize) -> Vec<u64> {
    let mut words = keystream(seed, Purpose::Openings, block);
    let mut numbers: Vec<u64> = (0..count as u64).collect();
    for i in (1..count).rev() {
        let j = below(&mut words, i as u64 + 1);
        numbers.swap(i, j as usize);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        MAX_SHUFFLED, Purpose, SamplerError, SetupSampler, army_seed, below, keystream, pair_seed,
    };

    fn drawn(sampler: &mut SetupSampler, indices: impl IntoIterator<Item = u64>) -> Vec<u64> {
        indices
            .into_iter()
            .map(|index| sampler.nth(index))
            .collect()
    }

    // All expected numbers come from a program of its own, written in Python after the text above and
    // checked against the published keystreams of ChaCha8 and ChaCha20 for the zero key.
    #[test]
    fn set_ups_are_pinned() {
        let mut apothecary = SetupSampler::new(2024, 1, 14_400).unwrap();
        let first = [
            6691, 4846, 1506, 1887, 12676, 2431, 6931, 3080, 7969, 4993, 11068, 7152,
        ];
        assert_eq!(drawn(&mut apothecary, 0..12), first);
        assert_eq!(drawn(&mut apothecary, [14_399]), [841]);
        assert_eq!(
            drawn(&mut apothecary, 14_400..14_404),
            [12494, 4761, 10627, 6547]
        );
        assert_eq!(drawn(&mut apothecary, [0]), [6691]);

        let mut chess960 = SetupSampler::new(0, 0, 960).unwrap();
        assert_eq!(
            drawn(&mut chess960, 0..8),
            [617, 920, 263, 181, 259, 430, 278, 710]
        );

        let mut ten = SetupSampler::new(u64::MAX, 0, 10).unwrap();
        assert_eq!(drawn(&mut ten, 0..10), [9, 3, 5, 8, 2, 4, 6, 0, 1, 7]);
        assert_eq!(drawn(&mut ten, 20..30), [8, 4, 6, 3, 7, 2, 9, 0, 1, 5]);
        assert_eq!(drawn(&mut ten, 10..20), [3, 5, 1, 0, 8, 6, 9, 2, 7, 4]);
    }

    #[test]
    fn a_sample_repeats_the_same_set_ups_in_another_order() {
        let mut five = SetupSampler::with_sample(7, 0, 960, 5).unwrap();
        assert_eq!(drawn(&mut five, 0..5), [59, 504, 547, 537, 492]);
        assert_eq!(drawn(&mut five, 5..10), [537, 547, 492, 504, 59]);
        assert_eq!(five.different(), 5);
    }

    #[test]
    fn seeds_are_pinned() {
        let armies = [0, 1, 2, 1_000].map(|index| army_seed(2024, index));
        let pinned = [
            16_171_704_922_371_291_940,
            15_799_984_606_530_597_356,
            8_582_707_604_310_644_782,
            9_823_070_813_719_063_952,
        ];
        assert_eq!(armies, pinned);
        assert_eq!(army_seed(u64::MAX, 0), 10_721_485_771_171_157_667);
        let games = [0, 1].map(|index| pair_seed(2024, index));
        assert_eq!(
            games,
            [9_963_341_359_949_405_200, 1_190_131_170_614_579_901]
        );
    }

    #[test]
    fn words_that_would_favour_small_numbers_are_skipped() {
        let mut words = keystream(5, Purpose::Openings, 0);
        let drawn: Vec<u64> = (0..4).map(|_| below(&mut words, (1 << 63) + 1)).collect();
        let pinned = [
            5_706_612_318_693_923_498,
            4_023_669_077_430_865_519,
            5_283_513_427_437_838_537,
            7_401_957_583_996_104_228,
        ];
        assert_eq!(drawn, pinned);
    }

    #[test]
    fn every_block_is_a_permutation() {
        for (first, count) in [(1, 1), (0, 2), (5, 7), (1, 14_400)] {
            let mut sampler = SetupSampler::new(99, first, count).unwrap();
            for block in 0..3 {
                let block: BTreeSet<u64> = (block * count..(block + 1) * count)
                    .map(|index| sampler.nth(index))
                    .collect();
                assert!(block.into_iter().eq(first..first + count));
            }
        }
    }

    #[test]
    fn impossible_samplers_are_refused() {
        let refused = |first, count| SetupSampler::new(0, first, count).unwrap_err();
        assert_eq!(refused(0, 0), SamplerError::Empty);
        let many = MAX_SHUFFLED + 1;
        assert_eq!(refused(0, many), SamplerError::TooMany { count: many });
        assert_eq!(
            refused(u64::MAX, 1),
            SamplerError::Numbering {
                first: u64::MAX,
                count: 1
            }
        );
        let sample = SetupSampler::with_sample(0, 0, 5, 6).unwrap_err();
        assert_eq!(
            sample,
            SamplerError::Sample {
                sample: 6,
                count: 5
            }
        );
    }
}
