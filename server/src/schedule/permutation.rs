//! The order of a book's openings: a permutation of any size that is computed number by number, without a table.
//!
//! # Permutation
//! That of `count` numbers from stream b is a balanced Feistel network (M. Luby and C. Rackoff, 1988) whose values outside the
//! range are sent through it again (cycle walking: J. Black and P. Rogaway, 2002):
//! - w is the least number of bits, at least 1, with 2^(2w) >= count; a number i below 2^(2w) is its upper w bits L and its lower
//!   w bits R;
//! - the keys K0 to K7 are the first eight words of stream b for purpose 5, as in [`openings`](super::openings);
//! - for each key in order: (L, R) becomes (R, L xor low w bits of mix(R + K mod 2^64)), where mix is the finalizer of
//!   SplitMix64: z = (z xor z >> 30) * 0xbf58476d1ce4e5b9; z = (z xor z >> 27) * 0x94d049bb133111eb; z xor z >> 31;
//! - what comes out is the upper w bits L and the lower w bits R; it goes in again until it is below `count`.
//!
//! # Order
//! Opening i of a random order lies in block b = i / sample at place p = i mod sample. In block 0 it is the number P(p), P being the
//! permutation of all openings from stream 0; in a later block P(Q(p)), Q being that of `sample` numbers from stream b.

use rand_chacha::rand_core::Rng;

use super::openings::{Purpose, SamplerError, keystream};

/// Rounds of the network: four make it a strong pseudorandom permutation for wide halves, more help narrow ones.
const ROUNDS: usize = 8;

/// A permutation of the numbers below a count.
#[derive(Clone, Copy, Debug)]
struct Permutation {
    count: u64,
    width: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of a stream; `count` must be 1 to 2^62.
    fn new(seed: u64, stream: u64, count: u64) -> Self {
        let mut words = keystream(seed, Purpose::Books, stream);
        let bits = u64::BITS - (count - 1).leading_zeros();
        Self {
            count,
            width: bits.div_ceil(2).max(1),
            keys: std::array::from_fn(|_| words.next_u64()),
        }
    }

    /// Where a number below the count goes.
    fn nth(&self, mut number: u64) -> u64 {
        let mask = (1 << self.width) - 1;
        loop {
            let (mut left, mut right) = (number >> self.width, number & mask);
            for key in self.keys {
                (left, right) = (right, left ^ (mix(right.wrapping_add(key)) & mask));
            }
            number = left << self.width | right;
            if number < self.count {
                return number;
            }
        }
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// In which order the openings of a book are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookOrder {
    /// As they stand in the book, beginning with this one, from 1.
    From(u64),
    /// A permutation by the seed; when all are used, another one.
    Random {
        /// The seed.
        seed: u64,
    },
}

/// The numbers of a book's openings, in the order of their use. Takes no memory.
#[derive(Clone, Copy, Debug)]
pub struct BookSampler {
    order: BookOrder,
    count: u64,
    sample: u64,
}

impl BookSampler {
    /// Most openings of a book.
    const MOST: u64 = 1 << 40;

    /// A sampler of `sample` different openings (none = all) of a book of `count`.
    pub fn new(order: BookOrder, count: u64, sample: Option<u64>) -> Result<Self, SamplerError> {
        if count == 0 {
            return Err(SamplerError::Empty);
        }
        if count > Self::MOST {
            return Err(SamplerError::TooLarge { count });
        }
        let sample = sample.unwrap_or(count);
        if sample == 0 || sample > count {
            return Err(SamplerError::Sample { sample, count });
        }
        match order {
            BookOrder::From(start) if start == 0 || start > count => {
                Err(SamplerError::Start { start, count })
            }
            _ => Ok(Self {
                order,
                count,
                sample,
            }),
        }
    }

    /// The number of the opening of pair `index`, from 0.
    pub fn nth(&self, index: u64) -> u64 {
        let (block, place) = (index / self.sample, index % self.sample);
        match self.order {
            BookOrder::From(start) => (start - 1 + place) % self.count,
            BookOrder::Random { seed } => {
                let place = match block {
                    0 => place,
                    _ => Permutation::new(seed, block, self.sample).nth(place),
                };
                Permutation::new(seed, 0, self.count).nth(place)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn random(seed: u64, count: u64, sample: Option<u64>) -> BookSampler {
        BookSampler::new(BookOrder::Random { seed }, count, sample).unwrap()
    }

    // All expected numbers come from a program of its own, written in Python after the text above and checked against the
    // published keystream of ChaCha8 for the zero key.
    #[test]
    fn orders_are_pinned() {
        const MILLIONS: u64 = 10_000_000;
        let large = random(2024, MILLIONS, None);
        let first = [0, 1, 2, 3, MILLIONS - 1].map(|index| large.nth(index));
        assert_eq!(first, [2_054_433, 2_215_679, 278_096, 4_553_491, 9_308_293]);
        let second = [0, 1, 2].map(|number| Permutation::new(2024, 1, MILLIONS).nth(number));
        assert_eq!(second, [2_205_864, 2_523_522, 3_416_582]);
        let ten = random(u64::MAX, 10, None);
        let all: Vec<u64> = (0..10).map(|index| ten.nth(index)).collect();
        assert_eq!(all, [4, 8, 6, 1, 3, 2, 7, 5, 9, 0]);
        assert_eq!(random(7, 1, None).nth(3), 0);
        let three = [0, 1, 2].map(|number| Permutation::new(7, 3, 3).nth(number));
        assert_eq!(three, [2, 1, 0]);
        let five = random(9, 1000, Some(5));
        let thrice: Vec<u64> = (0..15).map(|index| five.nth(index)).collect();
        assert_eq!(
            thrice,
            [
                638, 528, 734, 795, 847, 528, 638, 847, 734, 795, 795, 638, 734, 528, 847
            ]
        );
    }

    #[test]
    fn a_sequential_order_begins_where_it_is_told_and_comes_round() {
        let from = |start, sample| BookSampler::new(BookOrder::From(start), 5, sample).unwrap();
        let first = |sampler: BookSampler| (0..7).map(|i| sampler.nth(i)).collect::<Vec<_>>();
        assert_eq!(first(from(1, None)), [0, 1, 2, 3, 4, 0, 1]);
        assert_eq!(first(from(4, None)), [3, 4, 0, 1, 2, 3, 4]);
        assert_eq!(first(from(4, Some(3))), [3, 4, 0, 3, 4, 0, 3]);
    }

    #[test]
    fn impossible_samplers_are_refused() {
        let refused = |order, count, sample| BookSampler::new(order, count, sample).unwrap_err();
        let start = BookOrder::From(1);
        assert_eq!(refused(start, 0, None), SamplerError::Empty);
        let (sample, count) = (6, 5);
        assert_eq!(
            refused(start, 5, Some(6)),
            SamplerError::Sample { sample, count }
        );
        let (start, count) = (6, 5);
        assert_eq!(
            refused(BookOrder::From(6), 5, None),
            SamplerError::Start { start, count }
        );
        let count = u64::MAX;
        assert_eq!(
            refused(BookOrder::Random { seed: 0 }, count, None),
            SamplerError::TooLarge { count }
        );
    }

    proptest! {
        #[test]
        fn every_block_has_each_opening_once(seed: u64, count in 1_u64..3000, part in 1_u64..=100) {
            let sample = (count * part / 100).max(1);
            let sampler = random(seed, count, Some(sample));
            let block = |block: u64| -> BTreeSet<u64> {
                (block * sample..(block + 1) * sample).map(|index| sampler.nth(index)).collect()
            };
            let first = block(0);
            prop_assert_eq!(first.len() as u64, sample);
            prop_assert!(first.iter().all(|&number| number < count));
            prop_assert_eq!(&block(1), &first);
            prop_assert_eq!(&block(77), &first);
        }
    }
}
