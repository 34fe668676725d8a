//! The points count.

use crate::position::Position;
use crate::types::{Colour, Kind};

/// The points of White's and Black's men on the board, if the variant counts points.
///
/// Kings and reserves do not count. An imitator is worth more if the opponent's heavy men outnumber
/// its others, pawns and imitators among them, the king not.
#[must_use]
pub fn points<const N: usize>(position: &Position<N>) -> Option<(u32, u32)> {
    position.compiled().rules.points.as_ref()?;
    Some((side(position, Colour::White), side(position, Colour::Black)))
}

fn side<const N: usize>(position: &Position<N>, colour: Colour) -> u32 {
    let rules = &position.compiled().rules;
    let Some(rule) = &rules.points else { return 0 };
    let mut sum = 0;
    for i in 0..rules.pieces.len() {
        let kind = Kind(i as u8);
        let count = position.men(colour, kind).count();
        let value = match rule.imitator {
            Some((more, otherwise)) if Some(kind) == rules.imitator => {
                if heavy_outnumber(position, !colour, rule.heavy) {
                    more
                } else {
                    otherwise
                }
            }
            _ => rule.values[i],
        };
        sum += count * value;
    }
    sum
}

/// Whether a side's heavy men outnumber its others.
fn heavy_outnumber<const N: usize>(position: &Position<N>, colour: Colour, heavy: u32) -> bool {
    let rules = &position.compiled().rules;
    let kinds = (0..rules.pieces.len())
        .filter(|i| heavy >> i & 1 != 0)
        .map(|i| Kind(i as u8));
    let heavies: u32 = kinds.map(|k| position.men(colour, k).count()).sum();
    let others = position.all_men(colour).count() - heavies - 1;
    heavies > others
}
