//! Upper half against lower half, in order: the first of the upper half meets the first of the lower half that it can, and so on.

use super::field::Field;

const NONE: usize = usize::MAX;

/// Pairs those who meet within their group anew, the better ones of each pairing against the others in order, where that
/// takes no rematch.
pub(super) fn order_groups(field: &Field, mates: &mut [usize]) {
    let mut start = 0;
    while start < field.seats.len() {
        let end = start + field.seats[start].group;
        let inside = |&seat: &usize| (start..end).contains(&mates[seat]);
        let (uppers, lowers): (Vec<usize>, Vec<usize>) = (start..end)
            .filter(inside)
            .partition(|&seat| seat < mates[seat]);
        let may_meet = |a: usize, b: usize| field.met(uppers[a], lowers[b]) == 0;
        let order = first_in_order(uppers.len(), may_meet);
        for (a, b) in order.into_iter().flatten().enumerate() {
            let (upper, lower) = (uppers[a], lowers[b]);
            (mates[upper], mates[lower]) = (lower, upper);
        }
        start = end;
    }
}

/// The partner in the lower half of each member of the upper half, as an index below `size`: among all ways to pair the
/// halves up, the one that is first in the order of the first member's partner, then the second member's and so on.
///
/// `None` if the halves cannot be paired up with what `may_meet` (upper, lower) allows. Each partner that cannot be had costs one
/// search for another way, O(size^2).
fn first_in_order(size: usize, may_meet: impl Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    let mut halves = Halves {
        size,
        may_meet,
        lower_of: vec![NONE; size],
        upper_of: vec![NONE; size],
        settled: 0,
    };
    for upper in 0..size {
        let mut tried = vec![false; size];
        if !halves.place(upper, &mut tried) {
            return None;
        }
    }
    for upper in 0..size {
        halves.settle(upper);
    }
    Some(halves.lower_of)
}

struct Halves<F> {
    size: usize,
    may_meet: F,
    lower_of: Vec<usize>,
    upper_of: Vec<usize>,
    /// So many of the upper half have their final partners.
    settled: usize,
}

impl<F: Fn(usize, usize) -> bool> Halves<F> {
    /// Finds a partner for one of the upper half and others for those who are in the way (H. W. Kuhn, "The Hungarian
    /// method for the assignment problem", 1955); `false` without any change if there is none.
    fn place(&mut self, upper: usize, tried: &mut [bool]) -> bool {
        // Each step of the path: who looks, and the next partner to look at.
        let mut path = vec![(upper, 0)];
        while let Some((looking, next)) = path.last_mut() {
            let fits = |&lower: &usize| {
                let holder = self.upper_of[lower];
                let free = holder == NONE || holder >= self.settled;
                !tried[lower] && free && (self.may_meet)(*looking, lower)
            };
            let Some(lower) = (*next..self.size).find(fits) else {
                path.pop();
                continue;
            };
            tried[lower] = true;
            *next = lower + 1;
            if self.upper_of[lower] != NONE {
                let holder = self.upper_of[lower];
                path.push((holder, 0));
                continue;
            }
            for &(looking, next) in &path {
                self.lower_of[looking] = next - 1;
                self.upper_of[next - 1] = looking;
            }
            return true;
        }
        false
    }

    /// Gives one of the upper half the first partner that leaves partners for all after it.
    fn settle(&mut self, upper: usize) {
        let given = self.lower_of[upper];
        self.settled = upper + 1;
        for lower in 0..given {
            let holder = self.upper_of[lower];
            if holder <= upper || !(self.may_meet)(upper, lower) {
                continue;
            }
            (self.lower_of[upper], self.upper_of[lower]) = (lower, upper);
            self.upper_of[given] = NONE;
            if self.place(holder, &mut vec![false; self.size]) {
                return;
            }
            (self.lower_of[upper], self.upper_of[given]) = (given, upper);
            self.upper_of[lower] = holder;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::first_in_order;
    use crate::ratings::PairTable;
    use crate::schedule::{Draw, Drawn, Entry, History, Played, Step, Swiss};

    /// Eight equals, of whom some have met. The sum of squared distances would be less with 1 against 7 and 3 against 6.
    #[test]
    fn the_first_choose_first() {
        let mut history = History {
            entries: vec![Entry::default(); 8],
            ..History::default()
        };
        for encounters in [vec![[0, 4], [3, 7]], vec![[1, 4]]] {
            let played = Played {
                table: PairTable::default(),
                missing: 0,
            };
            history.draws.push(Drawn {
                results: vec![played; encounters.len()],
                draw: Draw {
                    round: history.draws.len() as u64,
                    encounters,
                    pairs: 1,
                    byes: Vec::new(),
                    openings: Vec::new(),
                },
            });
        }
        let swiss = Swiss {
            rounds: 9,
            pairs: 1,
        };
        let Step::Draw(draw) = swiss.next(&history) else {
            panic!("there are rounds left");
        };
        let pairs = draw.encounters.iter().map(|&[a, b]| [a.min(b), a.max(b)]);
        let mut pairs: Vec<[usize; 2]> = pairs.collect();
        pairs.sort_unstable();
        assert_eq!(pairs, [[0, 5], [1, 6], [2, 7], [3, 4]]);
    }

    /// The first permutation in lexicographic order that is allowed.
    fn by_trying(allowed: &[Vec<bool>], taken: &mut Vec<usize>) -> bool {
        let upper = taken.len();
        if upper == allowed.len() {
            return true;
        }
        for lower in 0..allowed.len() {
            if allowed[upper][lower] && !taken.contains(&lower) {
                taken.push(lower);
                if by_trying(allowed, taken) {
                    return true;
                }
                taken.pop();
            }
        }
        false
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn none_comes_before(size in 0usize..7, cells in proptest::collection::vec(0u8..5, 49), limit in 1u8..5) {
            let allowed: Vec<Vec<bool>> = (0..size)
                .map(|upper| (0..size).map(|lower| cells[upper * 7 + lower] < limit).collect())
                .collect();
            let mut expected = Vec::new();
            let found = by_trying(&allowed, &mut expected).then_some(expected);
            prop_assert_eq!(first_in_order(size, |upper, lower| allowed[upper][lower]), found);
        }
    }
}
