//! Choices of a set-up phase: the regent's bases and the placement of the augmenters.
//!
//! What a holder is worth with a set of powers is known from the union of its moves, so that the best
//! placement is an assignment problem, solved exactly by dynamic programming over the sets of
//! augmenters given away.

use super::control::Control;
use super::info::SearchResult;
use super::score::Score;
use crate::eval::Evaluator;
use crate::notation::move_text;
use crate::position::Position;
use crate::types::{Kind, Move, MoveKind};

/// Sets of augmenters of more than so many on all slots are not looked at one by one.
const MOST_SETS: usize = 4000;

/// The best set-up action that is due.
pub(super) fn choose<const N: usize>(
    evaluator: &Evaluator<N>,
    position: &Position<N>,
    control: &mut Control<'_>,
) -> SearchResult {
    let picks = position.setup_picks();
    let best = if picks.is_empty() {
        place(evaluator, position, control)
    } else {
        pick(evaluator, position, &picks)
    };
    let text = best.map(|mv| move_text(position, mv));
    SearchResult {
        score: Score::DRAW,
        depth: 0,
        nodes: control.nodes,
        pv: text.iter().cloned().collect(),
        best: text,
    }
}

/// The pick with the most valuable regent, the first of equals.
fn pick<const N: usize>(
    evaluator: &Evaluator<N>,
    position: &Position<N>,
    picks: &[Move],
) -> Option<Move> {
    let augment = position.compiled().rules.augment.as_ref()?;
    let regent = augment.regent.as_ref()?.kind;
    let worth =
        |mv: &Move| evaluator.holder_worth(position.compiled(), regent, mv.payload() as u16);
    picks.iter().rev().max_by_key(|mv| worth(mv)).copied()
}

/// The placement with the greatest sum of the holders' worths.
fn place<const N: usize>(
    evaluator: &Evaluator<N>,
    position: &Position<N>,
    control: &mut Control<'_>,
) -> Option<Move> {
    let side = position.side_to_move();
    let slots: Vec<Slot> = position
        .slots(side)
        .into_iter()
        .map(|(square, count)| Slot {
            kind: position.man_on(square).kind(),
            bases: position.powers(square),
            count: u32::from(count),
        })
        .collect();
    let augmenters: u32 = slots.iter().map(|s| s.count).sum();
    let worths = Worths::new(evaluator, position, &slots, augmenters);
    let sets = assign(&slots, augmenters, &worths)?;
    // A placement counts as one node.
    control.take_node();
    let number = position.placement_number(&sets)?;
    Some(Move::setup(MoveKind::PlaceAugmenters, number))
}

/// A man that gets augmenters.
#[derive(Clone, Copy)]
struct Slot {
    kind: Kind,
    bases: u16,
    count: u32,
}

/// What each slot's man is worth with each set of augmenters.
struct Worths {
    /// By slot: sets of the slot's size with the worth.
    sets: Vec<Vec<(u16, i32)>>,
}

impl Worths {
    fn new<const N: usize>(
        evaluator: &Evaluator<N>,
        position: &Position<N>,
        slots: &[Slot],
        augmenters: u32,
    ) -> Worths {
        let compiled = position.compiled();
        let worth =
            |slot: &Slot, set: u16| evaluator.holder_worth(compiled, slot.kind, slot.bases | set);
        let sizes: Vec<Vec<u16>> = slots.iter().map(|s| sets_of(augmenters, s.count)).collect();
        let exact = sizes.iter().map(Vec::len).sum::<usize>() <= MOST_SETS;
        let mut sets: Vec<Vec<(u16, i32)>> = Vec::new();
        for (i, (slot, size)) in slots.iter().zip(&sizes).enumerate() {
            let twin = slots[..i]
                .iter()
                .position(|s| (s.kind, s.bases, s.count) == (slot.kind, slot.bases, slot.count));
            if let Some(twin) = twin {
                sets.push(sets[twin].clone());
            } else if exact {
                sets.push(size.iter().map(|&set| (set, worth(slot, set))).collect());
            } else {
                let single: Vec<i32> = (0..augmenters).map(|a| worth(slot, 1 << a)).collect();
                let sum = |set: u16| {
                    (0..augmenters)
                        .filter(|a| set >> a & 1 != 0)
                        .map(|a| single[a as usize])
                        .sum()
                };
                sets.push(size.iter().map(|&set| (set, sum(set))).collect());
            }
        }
        Worths { sets }
    }
}

/// All sets of `size` out of `n`, ascending.
fn sets_of(n: u32, size: u32) -> Vec<u16> {
    (0..1u32 << n)
        .filter(|s| s.count_ones() == size)
        .map(|s| s as u16)
        .collect()
}

/// The sets that give the greatest sum, every augmenter once.
fn assign(slots: &[Slot], augmenters: u32, worths: &Worths) -> Option<Vec<u16>> {
    let all = ((1u32 << augmenters) - 1) as usize;
    // By set given away so far: the greatest sum, and what the last slot got.
    let mut layers: Vec<Vec<Option<(i32, u16)>>> = Vec::new();
    let mut now: Vec<Option<i32>> = vec![None; all + 1];
    now[0] = Some(0);
    for i in 0..slots.len() {
        let mut next: Vec<Option<(i32, u16)>> = vec![None; all + 1];
        for (given, sum) in now.iter().enumerate().filter_map(|(g, s)| Some((g, (*s)?))) {
            for &(set, worth) in worths.sets[i]
                .iter()
                .filter(|(set, _)| usize::from(*set) & given == 0)
            {
                let slot = &mut next[given | usize::from(set)];
                if slot.is_none_or(|(most, _)| sum + worth > most) {
                    *slot = Some((sum + worth, set));
                }
            }
        }
        now = next.iter().map(|s| s.map(|(sum, _)| sum)).collect();
        layers.push(next);
    }
    let mut sets = Vec::new();
    let mut given = all;
    for layer in layers.iter().rev() {
        let (_, set) = layer[given]?;
        sets.push(set);
        given ^= usize::from(set);
    }
    sets.reverse();
    Some(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assignment_is_the_best_of_all() {
        let slots = [1, 3, 1].map(|count| Slot {
            kind: Kind(0),
            bases: 0,
            count,
        });
        let value = |slot: usize, set: u16| {
            i32::from(set.wrapping_mul(40_503).wrapping_add(slot as u16 * 977) >> 7)
        };
        let sets = (0..3).map(|i| {
            sets_of(5, slots[i].count)
                .into_iter()
                .map(|s| (s, value(i, s)))
                .collect()
        });
        let worths = Worths {
            sets: sets.collect(),
        };
        let found = assign(&slots, 5, &worths).unwrap();
        assert_eq!(found.iter().fold(0, |a, s| a + u32::from(*s)), 31);
        let mut best = i32::MIN;
        for a in sets_of(5, 1) {
            for b in sets_of(5, 3).into_iter().filter(|b| a & b == 0) {
                best = best.max(value(0, a) + value(1, b) + value(2, 31 ^ a ^ b));
            }
        }
        assert_eq!((0..3).map(|i| value(i, found[i])).sum::<i32>(), best);
    }
}
