//! What men are worth by a variant's evaluation, for people to look at.

use std::sync::Arc;

use crate::eval::{Evaluator, GRAINS, Style};
use crate::game::{AnyPosition, Game};
use crate::position::Position;
use crate::types::{Colour, Kind};
use crate::variant::Variant;

/// Random armies over which the worth of men with powers is averaged.
const ARMIES: u64 = 100;

/// What the men of a type are worth, in centipawns, wherever they stand and whatever they reach on average.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeValue {
    /// The letter of the type in FEN.
    pub letter: char,
    /// Its name in the variant's file.
    pub name: String,
    /// By itself: middle game and endgame.
    pub alone: [f64; 2],
    /// With its augmenters and picked bases: mean of middle game and endgame over the men of 100 random armies;
    /// `None` if men of the type have none.
    pub holding: Option<f64>,
}

/// What each type but the king is worth by a variant's evaluation.
#[must_use]
pub fn values(variant: &Arc<Variant>) -> Vec<TypeValue> {
    let (rules, parameters) = (variant.rules(), variant.evaluation());
    let mut holding = vec![(0.0, 0); rules.pieces.len()];
    let armies = if rules.augment.is_some() { ARMIES } else { 0 };
    for seed in 0..armies {
        let game = variant.army_fen(seed).ok();
        let Some(game) = game.and_then(|fen| Game::new(variant.clone(), &fen).ok()) else {
            continue;
        };
        match game.position() {
            AnyPosition::One(p) => add(variant, p, &mut holding),
            AnyPosition::Two(p) => add(variant, p, &mut holding),
            AnyPosition::Four(p) => add(variant, p, &mut holding),
        }
    }
    let kinds = (0..rules.pieces.len()).map(|k| Kind(k as u8));
    kinds
        .filter(|&kind| kind != rules.king)
        .map(|kind| {
            let piece = &rules.pieces[kind.index()];
            let worth = parameters.weights[parameters.terms.worth(kind)];
            let (sum, men) = holding[kind.index()];
            TypeValue {
                letter: char::from(piece.letter),
                name: piece.name.clone(),
                alone: [worth.mg, worth.eg].map(|g| f64::from(g) / f64::from(GRAINS)),
                holding: (men > 0).then(|| sum / f64::from(men)),
            }
        })
        .collect()
}

/// Adds the holders of an army to the sums by type: their worth and their number.
fn add<const N: usize>(variant: &Arc<Variant>, position: &Position<N>, sums: &mut [(f64, u32)]) {
    let compiled = position.compiled();
    let style = Style {
        mobility: 100,
        king_safety: 100,
    };
    let evaluator = Evaluator::new(compiled, variant.evaluation().clone(), style);
    for square in Colour::ALL.into_iter().flat_map(|c| position.all_men(c)) {
        let (kind, powers) = (position.man_on(square).kind(), position.powers(square));
        if powers != 0 {
            let worth = evaluator.holder_worth(compiled, kind, powers);
            let (sum, men) = &mut sums[kind.index()];
            *sum += f64::from(worth);
            *men += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Catalog;

    fn of(id: &str) -> Vec<TypeValue> {
        values(&Catalog::builtin().get(id).unwrap())
    }

    fn of_type(values: &[TypeValue], letter: char) -> &TypeValue {
        values.iter().find(|v| v.letter == letter).unwrap()
    }

    #[test]
    fn chess_has_the_order_of_every_textbook() {
        let chess = of("chess");
        assert_eq!(chess.len(), 5);
        let mean = |letter| {
            let [mg, eg] = of_type(&chess, letter).alone;
            (mg + eg) / 2.0
        };
        let rising: Vec<f64> = "PNBRQ".chars().map(mean).collect();
        assert!(rising.is_sorted(), "{rising:?}");
        assert!(chess.iter().all(|v| v.holding.is_none()));
    }

    /// A holder moves by its base move and by those of its augmenters: it is worth more than without them. The corps
    /// and the regent are nothing without.
    #[test]
    fn augmenters_make_holders_dearer() {
        let values = of("augmenters");
        for letter in ['B', 'R'] {
            let value = of_type(&values, letter);
            let alone = (value.alone[0] + value.alone[1]) / 2.0;
            assert!(value.holding.unwrap() > alone + 20.0, "{value:?}");
        }
        let with = |letter| of_type(&values, letter).holding.unwrap();
        assert!(with('C') > 100.0 && with('E') > with('R'));
        assert_eq!(of_type(&values, 'P').holding, None);
    }
}
