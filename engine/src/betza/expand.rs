//! [`Plan`]s to roots: unfolds rides, turns and hops into steps.

use std::collections::HashSet;

use super::ast::Ride;
use super::directions::{Class, SLOTS, Slot, SlotSet};
use super::error::{BetzaError, Problem, Span};
use super::lexer::Source;
use super::plan::{Between, Leg, Plan, Turn};
use super::program::{MoveProgram, Node, Root, Stop};
use super::ways::{Way, ways, with_direction};

/// The most steps into which a text may unfold, those that lead off every board included.
pub const LARGEST_PROGRAM: usize = 20_000;

/// Unfolds all plans.
pub(super) fn expand(source: &Source, plans: &[Plan]) -> Result<Vec<Root>, BetzaError> {
    let mut counter = Counter { source, used: 0 };
    let mut roots = Vec::new();
    let mut seen = HashSet::new();
    for plan in plans {
        for node in Unfolder::unfold(plan, &mut counter)? {
            let root = Root {
                from: plan.from.clone(),
                node,
            };
            if seen.insert(root.clone()) {
                roots.push(root);
            }
        }
    }
    Ok(roots)
}

/// Counts the work, so that a hostile text is refused before it has cost much.
pub(super) struct Counter<'a> {
    source: &'a Source,
    used: usize,
}

impl Counter<'_> {
    pub(super) fn count(&mut self, span: Span) -> Result<(), BetzaError> {
        self.used += 1;
        if self.used > LARGEST_PROGRAM {
            let problem = Problem::TooLarge {
                limit: LARGEST_PROGRAM,
            };
            return Err(self.source.error(span, problem));
        }
        Ok(())
    }

    pub(super) fn meaningless<T>(&self, span: Span, why: &'static str) -> Result<T, BetzaError> {
        Err(self.source.error(span, Problem::Meaningless(why)))
    }
}

/// A square relative to the start, as (file, rank).
type Offset = (i8, i8);

/// How far a path has come.
#[derive(Clone, Copy)]
struct Walk {
    at: Offset,
    /// Direction of the step just made, or about to be made.
    slot: Slot,
    /// Side to which a crooked or circular ride turns: 1 clockwise, -1 anticlockwise, 0 straight.
    turning: i8,
    /// Steps made in this leg.
    steps: u8,
    /// Steps made in this ride, the part before a hop included.
    ridden: u8,
}

struct Unfolder<'p, 'c, 's> {
    plan: &'p Plan,
    counter: &'c mut Counter<'s>,
    /// For each leg: whether it was reached, and whether it had a direction to go.
    legs: Vec<(bool, bool)>,
}

impl Unfolder<'_, '_, '_> {
    fn unfold(plan: &Plan, counter: &mut Counter<'_>) -> Result<Vec<Node>, BetzaError> {
        let selected = ways(plan, counter)?;
        let mut unfolder = Unfolder {
            plan,
            counter,
            legs: vec![(false, false); plan.legs.len()],
        };
        let nodes = unfolder.leg(0, None, selected.as_deref())?;
        let stuck = unfolder.legs.iter().position(|&leg| leg == (true, false));
        if let Some(leg) = stuck.and_then(|index| plan.legs.get(index)) {
            let why = "the atom has no direction there after the leg before; `fs` bends by 45 \
                       degrees, `s` by 90";
            return counter.meaningless(leg.span, why);
        }
        if nodes.is_empty() {
            let why = "no move comes out of it: every way leads off the largest board or back to \
                       the start square";
            return counter.meaningless(plan.span, why);
        }
        Ok(nodes)
    }

    /// All ways to make the legs from `index` on.
    fn leg(
        &mut self,
        index: usize,
        before: Option<Walk>,
        selected: Option<&[Way]>,
    ) -> Result<Vec<Node>, BetzaError> {
        let Some(leg) = self.plan.legs.get(index) else {
            return Ok(Vec::new());
        };
        let mut nodes = Vec::new();
        let mut has_direction = false;
        if let (Turn::GoOn, Some(before)) = (&leg.turn, before) {
            has_direction = true;
            let walk = Walk {
                slot: next_slot(leg, before),
                steps: 0,
                ..before
            };
            nodes = self.step(index, walk, 0, None)?;
        }
        let length_before = before.map_or(0, |walk| walk.steps);
        for slot in start_slots(leg, before.map(|walk| walk.slot)).iter() {
            has_direction = true;
            let rest = selected.map(|ways| with_direction(ways, index, slot));
            if rest.is_some_and(<[Way]>::is_empty) {
                continue;
            }
            let turnings: &[i8] = if leg.ride.is_some() { &[1, -1] } else { &[0] };
            for &turning in turnings {
                let walk = Walk {
                    at: before.map_or((0, 0), |walk| walk.at),
                    slot,
                    turning,
                    steps: 0,
                    ridden: 0,
                };
                nodes.extend(self.step(index, walk, length_before, rest)?);
            }
        }
        if let Some(seen) = self.legs.get_mut(index) {
            *seen = (true, seen.1 || has_direction);
        }
        Ok(nodes)
    }

    /// The next step of a leg in `walk.slot`, and all that may follow.
    fn step(
        &mut self,
        index: usize,
        walk: Walk,
        length_before: u8,
        selected: Option<&[Way]>,
    ) -> Result<Vec<Node>, BetzaError> {
        let Some(leg) = self.plan.legs.get(index) else {
            return Ok(Vec::new());
        };
        self.counter.count(self.plan.span)?;
        let ignores_first = leg.between == Between::IgnoreFirst && walk.steps == 0;
        let (length, vector) = match leg.step.vector(walk.slot) {
            (x, y) if ignores_first => (2, (2 * x, 2 * y)),
            vector => (1, vector),
        };
        let walked = Walk {
            at: (walk.at.0 + vector.0, walk.at.1 + vector.1),
            steps: walk.steps + length,
            ridden: walk.ridden + length,
            ..walk
        };
        let limit = if leg.as_long_as_before {
            Some(length_before)
        } else {
            None
        };
        let too_long = [leg.longest, limit]
            .into_iter()
            .flatten()
            .any(|longest| walked.steps > longest);
        let circled = leg.ride == Some(Ride::Circular) && walked.ridden >= SLOTS / 2;
        if too_long || circled || !fits(walked.at) {
            return Ok(Vec::new());
        }
        let mut on_empty = Vec::new();
        let mut on_occupied = Vec::new();
        let may_end = !leg.as_long_as_before || walked.steps == length_before;
        if may_end && leg.over_empty {
            on_empty = self.leg(index + 1, Some(walked), selected)?;
        }
        if may_end && leg.over_occupied {
            on_occupied = self.leg(index + 1, Some(walked), selected)?;
        }
        let further = Walk {
            slot: next_slot(leg, walked),
            ..walked
        };
        on_empty.extend(self.step(index, further, length_before, selected)?);
        let mut stop = if may_end { leg.stop } else { Stop::default() };
        if leg.own_half && walked.steps > 1 {
            stop.own_half = true;
            stop.marks_passed = true;
        }
        let end = Node {
            step: vector,
            stop,
            safe: false,
            on_empty,
            on_occupied,
        };
        self.with_squares_between(leg, walk.at, end)
    }

    /// Puts the squares that a lame or jumping step passes over before its end.
    fn with_squares_between(
        &mut self,
        leg: &Leg,
        from: Offset,
        mut end: Node,
    ) -> Result<Vec<Node>, BetzaError> {
        let (x, y) = end.step;
        let length = x.abs().max(y.abs());
        if length < 2 || !matches!(leg.between, Between::Empty { .. } | Between::Occupied) {
            return Ok(settle(from, end));
        }
        let unit = (x / length, y / length);
        end.step = unit;
        let mut nodes = settle(along(from, unit, length - 1), end);
        for distance in (0..length - 1).rev() {
            self.counter.count(self.plan.span)?;
            let mut between = Node {
                step: unit,
                stop: Stop::default(),
                safe: leg.between == Between::Empty { safe: true },
                on_empty: Vec::new(),
                on_occupied: Vec::new(),
            };
            match leg.between {
                Between::Occupied => between.on_occupied = nodes,
                _ => between.on_empty = nodes,
            }
            nodes = settle(along(from, unit, distance), between);
        }
        Ok(nodes)
    }
}

fn along(from: Offset, unit: (i8, i8), distance: i8) -> Offset {
    (from.0 + unit.0 * distance, from.1 + unit.1 * distance)
}

fn fits((x, y): Offset) -> bool {
    let longest = MoveProgram::LONGEST_RIDE as i8;
    x.abs() <= longest && y.abs() <= longest
}

/// The node, if it leads anywhere.
///
/// The start square is empty once the piece has left it and no move ends there, so a node on it is
/// left out and the step to it is joined to the steps behind.
fn settle(from: Offset, node: Node) -> Vec<Node> {
    let (x, y) = node.step;
    if (from.0 + x, from.1 + y) == (0, 0) {
        let mut behind = node.on_empty;
        for next in &mut behind {
            next.step = (next.step.0 + x, next.step.1 + y);
        }
        return behind;
    }
    if node.leads_nowhere() {
        Vec::new()
    } else {
        vec![node]
    }
}

/// The direction of the next step of the ride.
fn next_slot(leg: &Leg, walk: Walk) -> Slot {
    let turn = match leg.ride {
        None => 0,
        Some(Ride::Circular) => 2 * walk.turning,
        Some(Ride::Crooked) if walk.ridden % 2 == 1 => 4 * walk.turning,
        Some(Ride::Crooked) => -4 * walk.turning,
    };
    (walk.slot as i8 + turn).rem_euclid(SLOTS as i8) as Slot
}

/// The directions in which a leg may begin.
pub(super) fn start_slots(leg: &Leg, before: Option<Slot>) -> SlotSet {
    let before = before.unwrap_or(0);
    let turn = |slot: Slot| (slot + SLOTS - before) % SLOTS;
    let select = |slots: SlotSet, keep: &dyn Fn(Slot) -> bool| {
        let kept: Vec<Slot> = slots.iter().filter(|&slot| keep(slot)).collect();
        SlotSet::of(&kept)
    };
    match &leg.turn {
        Turn::Into(slots) => *slots,
        Turn::GoOn => SlotSet::default(),
        Turn::NotBack(slots) => select(*slots, &|slot| turn(slot) != SLOTS / 2),
        Turn::By(letters, slots) => select(*slots, &|slot| {
            // A turn by an odd number of sixteenths is one between a straight and an oblique step.
            let class = if turn(slot) % 2 == 0 {
                Class::Octal
            } else {
                Class::Oblique
            };
            letters.iter().any(|&letter| {
                class
                    .select(letter)
                    .is_ok_and(|turns| turns.contains(turn(slot)))
            })
        }),
        Turn::Outward(slots) => {
            let bend = |slot: Slot| turn(slot).min(SLOTS - turn(slot));
            let least = slots.iter().map(bend).min();
            select(*slots, &|slot| Some(bend(slot)) == least)
        }
    }
}
