//! What a man reaches by its own moves and its powers'.

use super::Position;
use crate::attacks::{Occupancy, Reach};
use crate::types::{Colour, Kind, Square};

/// Writes what the man of `kind` on `from`, which moves as `acting`, reaches.
#[inline(always)]
pub(super) fn reach<const N: usize>(
    position: &Position<N>,
    occupancy: &Occupancy<N>,
    us: Colour,
    kind: Kind,
    acting: Kind,
    from: Square,
    reach: &mut Reach<N>,
) {
    let tables = &position.compiled.tables;
    let mover = if kind == acting {
        tables.kind(us, kind)
    } else {
        tables.imitation(us, acting)
    };
    let mut found = Reach::NOTHING;
    tables.reach(mover, from, occupancy, &mut found);
    let mut left = position.powers(from);
    while left != 0 {
        let power = tables.power(us, left.trailing_zeros() as usize);
        tables.reach(power, from, occupancy, &mut found);
        left &= left - 1;
    }
    *reach = found;
}
