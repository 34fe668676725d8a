//! All pairs of a tournament in order of index, and the batches that they are leased in.
//!
//! A course begins with a [`Plan`], or with nothing, and grows by every [`Draw`]. An index once given never changes its
//! meaning, so that stored games stay where they are.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

use super::{Batches, Draw, Pairing, Plan};

/// The pairs of a tournament so far. A copy is cheap: it shares what was there.
#[derive(Debug, Clone)]
pub struct Course {
    batch_pairs: NonZeroU32,
    parts: Vec<Arc<Part>>,
}

/// Pairs that became known at once. Batches never reach over the end of a part.
#[derive(Debug)]
struct Part {
    source: Source,
    first_pair: u64,
    first_batch: u64,
    batches: Batches,
    pairs: u64,
}

#[derive(Debug)]
enum Source {
    Plan(Plan),
    Draw(Draw),
}

impl Course {
    /// A course of a plan, or one that consists of draws only. Batches have `batch_pairs` pairs at most.
    pub fn new(plan: Option<Plan>, batch_pairs: NonZeroU32) -> Self {
        let mut course = Self {
            batch_pairs,
            parts: Vec::new(),
        };
        if let Some(plan) = plan {
            let pairs = plan.total_pairs();
            course.push(Source::Plan(plan), pairs);
        }
        course
    }

    /// Appends the pairs of a draw.
    pub fn extend(&mut self, draw: Draw) {
        let pairs = draw.pairs.saturating_mul(draw.encounters.len() as u64);
        self.push(Source::Draw(draw), pairs);
    }

    fn push(&mut self, source: Source, pairs: u64) {
        self.parts.push(Arc::new(Part {
            source,
            first_pair: self.total_pairs(),
            first_batch: self.batch_count(),
            batches: Batches::new(pairs, self.batch_pairs),
            pairs,
        }));
    }

    /// Number of pairs.
    pub fn total_pairs(&self) -> u64 {
        let last = self.parts.last();
        last.map_or(0, |part| part.first_pair.saturating_add(part.pairs))
    }

    /// Number of batches.
    pub fn batch_count(&self) -> u64 {
        let last = self.parts.last();
        last.map_or(0, |part| part.first_batch + part.batches.count())
    }

    /// Indices of the pairs of a batch; `None` from [`Self::batch_count`] on.
    pub fn batch(&self, index: u64) -> Option<Range<u64>> {
        let after = self.parts.partition_point(|part| part.first_batch <= index);
        // A part without pairs begins where the next one does.
        let part = self.parts.get(after.checked_sub(1)?)?;
        let within = part.batches.batch(index - part.first_batch)?;
        Some(part.first_pair + within.start..part.first_pair + within.end)
    }

    /// The batch that holds a pair; `None` beyond the last pair.
    pub fn batch_of(&self, pair: u64) -> Option<u64> {
        let (part, within) = self.part_of(pair)?;
        Some(part.first_batch + part.batches.batch_of(within)?)
    }

    /// The pair of the given index; `None` from [`Self::total_pairs`] on.
    pub fn pair(&self, index: u64) -> Option<Pairing> {
        let (part, within) = self.part_of(index)?;
        match &part.source {
            Source::Plan(plan) => Some(Pairing {
                opening: index,
                ..plan.pair(within)?
            }),
            Source::Draw(draw) => {
                let (at, cycle) = draw.place_of(within)?;
                let &[first, second] = draw.encounters.get(at)?;
                let opening = draw.openings.get(at);
                Some(Pairing {
                    first,
                    second,
                    cycle,
                    round: draw.round,
                    opening: opening.map_or(index, |first| first.saturating_add(cycle)),
                })
            }
        }
    }

    /// The draws in order, each with the index of its first pair.
    pub fn draws(&self) -> impl Iterator<Item = (&Draw, u64)> + '_ {
        self.parts.iter().filter_map(|part| match &part.source {
            Source::Draw(draw) => Some((draw, part.first_pair)),
            Source::Plan(_) => None,
        })
    }

    /// The part that holds a pair, and the pair's index in it.
    fn part_of(&self, pair: u64) -> Option<(&Part, u64)> {
        let after = self.parts.partition_point(|part| part.first_pair <= pair);
        let part = self.parts.get(after.checked_sub(1)?)?;
        let within = pair - part.first_pair;
        (within < part.pairs).then_some((&**part, within))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::super::{Draw, Format, Plan};
    use super::Course;

    fn draw(round: u64, encounters: &[[usize; 2]], pairs: u64) -> Draw {
        Draw {
            round,
            encounters: encounters.to_vec(),
            pairs,
            byes: Vec::new(),
            openings: Vec::new(),
        }
    }

    fn size(pairs: u32) -> NonZeroU32 {
        NonZeroU32::new(pairs).unwrap()
    }

    #[test]
    fn every_pair_is_in_one_batch_and_no_batch_is_of_two_draws() {
        for batch_pairs in 1..6 {
            let plan = Plan::new(&Format::RoundRobin, 3, 2).unwrap();
            let mut course = Course::new(Some(plan), size(batch_pairs));
            course.extend(draw(1, &[[0, 3], [3, 1], [2, 3]], 2));
            course.extend(draw(1, &[], 1));
            course.extend(draw(2, &[[1, 0]], 5));
            assert_eq!(course.total_pairs(), 6 + 6 + 5);
            let ends = [6, 12, 17];
            let mut next = 0;
            for batch in 0..course.batch_count() {
                let pairs = course.batch(batch).unwrap();
                assert_eq!(pairs.start, next, "batches of {batch_pairs}");
                assert!(!pairs.is_empty() && pairs.end - pairs.start <= u64::from(batch_pairs));
                assert!(
                    !ends
                        .iter()
                        .any(|end| pairs.start < *end && *end < pairs.end)
                );
                next = pairs.end;
                for pair in pairs {
                    assert_eq!(course.batch_of(pair), Some(batch));
                }
            }
            assert_eq!(next, 17);
            assert_eq!(course.batch(course.batch_count()), None);
            assert_eq!((course.batch_of(17), course.pair(17)), (None, None));
        }
    }

    #[test]
    fn pairs_keep_their_place_when_a_course_grows() {
        let plan = Plan::new(&Format::RoundRobin, 4, 1).unwrap();
        let mut course = Course::new(Some(plan.clone()), size(4));
        let before: Vec<_> = (0..6).map(|pair| course.pair(pair)).collect();
        let copy = course.clone();
        course.extend(draw(7, &[[4, 0], [1, 4]], 2));
        assert_eq!(
            (0..6).map(|pair| course.pair(pair)).collect::<Vec<_>>(),
            before
        );
        assert_eq!(before[5], plan.pair(5));
        assert_eq!(copy.total_pairs(), 6);
        let drawn: Vec<_> = (6..10)
            .map(|pair| course.pair(pair).unwrap())
            .map(|pair| {
                (
                    pair.first,
                    pair.second,
                    pair.cycle,
                    pair.round,
                    pair.opening,
                )
            })
            .collect();
        assert_eq!(
            drawn,
            [
                (4, 0, 0, 7, 6),
                (1, 4, 0, 7, 7),
                (4, 0, 1, 7, 8),
                (1, 4, 1, 7, 9)
            ]
        );
        let first_pairs: Vec<u64> = course.draws().map(|(_, first)| first).collect();
        assert_eq!(first_pairs, [6]);
    }

    #[test]
    fn a_draw_may_number_its_openings_itself() {
        let mut course = Course::new(None, size(1));
        course.extend(Draw {
            openings: vec![40, 7],
            ..draw(0, &[[0, 1], [2, 3]], 2)
        });
        course.extend(draw(1, &[[0, 2]], 1));
        let openings: Vec<u64> = (0..5)
            .map(|pair| course.pair(pair).unwrap().opening)
            .collect();
        assert_eq!(openings, [40, 41, 7, 8, 4]);
        let first: Vec<usize> = (0..5)
            .map(|pair| course.pair(pair).unwrap().first)
            .collect();
        assert_eq!(first, [0, 0, 2, 2, 0]);
    }

    #[test]
    fn a_course_of_nothing_has_nothing() {
        let course = Course::new(None, size(3));
        assert_eq!((course.total_pairs(), course.batch_count()), (0, 0));
        assert_eq!((course.pair(0), course.batch(0)), (None, None));
    }
}
