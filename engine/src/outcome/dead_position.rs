//! Bare kings, and positions in which no mate is possible.

use crate::position::Position;
use crate::types::{Colour, Kind};

/// Whether nothing but the kings is on the board.
pub(super) fn bare_kings<const N: usize>(position: &Position<N>) -> bool {
    Colour::ALL
        .into_iter()
        .map(|c| position.all_men(c).count())
        .sum::<u32>()
        == 2
}

/// Whether the men are of the short list: bare kings; one knight or bishop; bishops of one square colour.
///
/// In games with augmenters only bare kings are dead.
pub(super) fn is_dead<const N: usize>(position: &Position<N>) -> bool {
    if bare_kings(position) {
        return true;
    }
    let rules = &position.compiled().rules;
    let Some(rule) = rules.ends.dead_position.filter(|_| rules.augment.is_none()) else {
        return false;
    };
    let of = |kind: Option<Kind>| match kind {
        Some(kind) => position.men(Colour::White, kind) | position.men(Colour::Black, kind),
        None => Default::default(),
    };
    let (knights, bishops) = (of(rule.knight), of(rule.bishop));
    let men = position.all_men(Colour::White).count() + position.all_men(Colour::Black).count();
    if men == 3 && knights.count() == 1 {
        return true;
    }
    let board = &rules.geometry;
    let dark = bishops
        .into_iter()
        .filter(|&s| (board.file(s) + board.rank_index(s)).is_multiple_of(2))
        .count() as u32;
    men == 2 + bishops.count() && (dark == 0 || dark == bishops.count())
}
