//! Direction letters before a bracket: which of the bracket's ways they select.

use super::directions::{Class, Slot, SlotSet};
use super::error::BetzaError;
use super::expand::{Counter, start_slots};
use super::plan::Plan;

/// The directions of all legs of one way.
pub(super) type Way = Vec<Slot>;

/// Those of some ways, sorted, that have a direction in a leg and agree in all legs before it.
pub(super) fn with_direction(ways: &[Way], leg: usize, slot: Slot) -> &[Way] {
    let start = ways.partition_point(|way| way.get(leg) < Some(&slot));
    let end = ways.partition_point(|way| way.get(leg) <= Some(&slot));
    &ways[start..end]
}

/// The selected ways, sorted, or `None` if the plan has no letters before a bracket.
///
/// A way counts as one step of an atom: it goes where one step of each of its legs leads. The
/// letters then mean what they mean for an atom with those steps, so `v[F?R]` has the four narrow
/// ways of the eight.
pub(super) fn ways(plan: &Plan, counter: &mut Counter<'_>) -> Result<Option<Vec<Way>>, BetzaError> {
    if plan.ways.is_empty() {
        return Ok(None);
    }
    let mut all: Vec<Way> = vec![Vec::new()];
    for leg in &plan.legs {
        let mut longer = Vec::new();
        for way in &all {
            for slot in start_slots(leg, way.last().copied()).iter() {
                counter.count(plan.span)?;
                let mut next = way.clone();
                next.push(slot);
                longer.push(next);
            }
        }
        all = longer;
    }
    let aims: Vec<Option<Slot>> = all.iter().map(|way| aim(plan, way)).collect();
    let Some(class) = class(&aims) else {
        let why = "the ways of the bracket lead in directions of different kinds; put the \
                   direction letters on its legs";
        return counter.meaningless(plan.span, why);
    };
    let mut wanted = SlotSet::default();
    for &letters in &plan.ways {
        match class.select(letters) {
            Ok(slots) => wanted = wanted.or(slots),
            Err(why) => return counter.meaningless(plan.span, why),
        }
    }
    let selected = all
        .into_iter()
        .zip(aims)
        .filter(|(_, aim)| aim.is_some_and(|slot| wanted.contains(slot)))
        .map(|(way, _)| way);
    Ok(Some(selected.collect()))
}

/// The direction from the start to where one step of each leg leads; none if that is the start.
fn aim(plan: &Plan, way: &[Slot]) -> Option<Slot> {
    let (x, y) = plan
        .legs
        .iter()
        .zip(way)
        .map(|(leg, &slot)| leg.step.vector(slot))
        .fold((0i16, 0i16), |(x, y), step| {
            (x + i16::from(step.0), y + i16::from(step.1))
        });
    // Turn the direction into the first quarter, from forward to just before right.
    let (quarter, x, y) = match (x, y) {
        (0, 0) => return None,
        (x, y) if x >= 0 && y > 0 => (0, x, y),
        (x, y) if x > 0 => (1, -y, x),
        (x, y) if y < 0 => (2, -x, -y),
        (x, y) => (3, y, -x),
    };
    let within = match () {
        () if x == 0 => 0,
        () if x < y => 1,
        () if x == y => 2,
        () => 3,
    };
    Some(4 * quarter + within)
}

/// The class of an atom with these directions.
fn class(aims: &[Option<Slot>]) -> Option<Class> {
    let classes = [
        Class::Orthogonal,
        Class::Diagonal,
        Class::Octal,
        Class::Oblique,
    ];
    classes.into_iter().find(|class| {
        aims.iter()
            .all(|aim| aim.is_some_and(|slot| class.slots().contains(slot)))
    })
}
