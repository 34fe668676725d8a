//! Every number of the evaluation that could be tuned.
//!
//! Values are centipawns unless said otherwise. They are the same for all variants: what differs between
//! games comes from the moves of their pieces, and from the evaluation files that tuning has written.

use super::pair::Pair;
use super::terms::{GRAINS, Term, once};

/// A pawn, whatever its moves.
pub(super) const PAWN: Pair = Pair::new(90, 110);
/// Worth of a type by the squares it reaches on average, `r`: `LINEAR r + QUADRATIC r^2 / 256`.
///
/// Chosen so that the orthodox men get close to 3.3, 3.5, 5 and 9 pawns; the quadratic part stands for
/// powers that work together in one man (R. Betza's observation on compound pieces).
pub(super) const LINEAR: i32 = 74;
/// See [`LINEAR`].
pub(super) const QUADRATIC: i32 = 200;
/// Part of what open boards add to a type's worth that counts in the endgame: one in so many.
pub(super) const OPEN_PART: i32 = 5;
/// A point of the variant's points count, where there is one: values are the mean of this and of mobility's.
pub(super) const POINT: i32 = 100;
/// An imitator is worth this part of the mean type that it may imitate, in percent: the opponent chooses.
pub(super) const IMITATOR_PERCENT: i32 = 100;
/// A man that is no king or pawn counts at least this much for the phase of the game.
pub(super) const LEAST_PHASE: i32 = 300;
/// Part of a king's additional powers that counts as material, in percent.
pub(super) const KING_POWERS_PERCENT: i32 = 40;

/// Densities of the sampled occupied squares in 256ths, middle game and endgame.
pub(super) const DENSITIES: [[u64; 4]; 2] = [[110, 90, 75, 60], [50, 36, 24, 12]];
/// What a square more than the type's average is worth where a man stands, in 16ths of a centipawn.
pub(super) const STANDING: Pair = Pair::new(64, 56);
/// Most that the square is worth.
pub(super) const STANDING_MOST: i32 = 45;
/// Additional weight of a reached square for each step that it lies nearer to the centre, in 64ths.
pub(super) const CENTRE_WEIGHT: i32 = 6;
/// Additional weight of a reached square in the enemy's half, in 64ths.
pub(super) const ADVANCED_WEIGHT: i32 = 12;
/// A pawn for each rank advanced.
pub(super) const PAWN_RANK: Pair = Pair::new(2, 5);
/// A pawn for each step nearer to the middle files.
pub(super) const PAWN_CENTRE: Pair = Pair::new(3, 0);
/// The king for each rank that it leaves behind.
pub(super) const KING_RANK: Pair = Pair::new(-16, 4);
/// The king for each step nearer to the middle.
pub(super) const KING_CENTRE: Pair = Pair::new(-8, 8);

/// Part of a promotion's gain that a pawn is worth `n` ranks before it can promote, in 256ths; half of it
/// in the middle game.
pub(super) const PROMOTION_NEAR: [i32; once::RANKS_TO_GO] = [96, 72, 40, 22, 12, 6, 3];
/// Part of that which is left with a free way, with the square before the pawn not free, and with enemy
/// pawns ahead on its file or beside, in percent.
pub(super) const PROMOTION_WAYS: [i32; once::WAYS] = [100, 50, 30];
/// Whether the way is free is asked only of pawns with such hopes, in 256ths of the gain.
pub(super) const PROMOTION_HOPE: i32 = 6;
/// The unit in which a promotion's gain multiplies its terms, in centipawns.
pub(super) const GAIN_UNIT: i32 = 32;

/// Terms that a variant has once, in centipawns, unless an evaluation file says otherwise.
const ONCE: [(Term, Pair); 14] = [
    (once::TEMPO, Pair::new(TEMPO, TEMPO)),
    (once::GUARDED, Pair::new(8, 6)),
    (once::PHALANX, Pair::new(3, 2)),
    (once::ISOLATED, Pair::new(-10, -12)),
    (once::DOUBLED, Pair::new(-5, -10)),
    (once::PAWN_HITS_LIGHT, Pair::new(45, 40)),
    (once::PAWN_HITS_HEAVY, Pair::new(55, 40)),
    (once::LIGHT_HITS_HEAVY, Pair::new(25, 20)),
    (once::LOOSE_PAWN, Pair::new(6, 12)),
    (once::LOOSE_LIGHT, Pair::new(25, 20)),
    (once::LOOSE_HEAVY, Pair::new(30, 20)),
    (once::SHELTER_NEAR, Pair::new(10, 0)),
    (once::SHELTER_FAR, Pair::new(6, 0)),
    (once::UNDEVELOPED, Pair::new(-14, -8)),
];

/// Sets the terms that a variant has once, and what promotion is worth.
pub(super) fn fill_once(weights: &mut [Pair]) {
    for (term, weight) in ONCE {
        weights[term] = weight * GRAINS;
    }
    weights[once::UNIT_WEAK] = Pair::new(6, 0);
    for (way, percent) in PROMOTION_WAYS.into_iter().enumerate() {
        for (ranks, near) in PROMOTION_NEAR.into_iter().enumerate() {
            let weight = near * percent * GAIN_UNIT * GRAINS / (256 * 100);
            weights[promotion(way, ranks + 1)] = Pair::new(weight / 2, weight);
        }
    }
}

/// The term of a pawn's promotion in so many ranks, from 1.
pub(super) fn promotion(way: usize, ranks: usize) -> Term {
    once::PROMOTION + way * once::RANKS_TO_GO + ranks - 1
}

/// A square that a man reaches more than its type's average does, in 16ths of a centipawn.
pub(super) const MOBILITY: Pair = Pair::new(48, 56);
/// Units of danger for the enemy's king: a man that attacks squares next to it or under it …
pub(super) const UNIT_ATTACKER: i32 = 18;
/// … and each of these squares.
pub(super) const UNIT_HIT: i32 = 7;

/// The side to move.
pub(crate) const TEMPO: i32 = 12;
/// A lone king for each step from the middle and each step that the stronger king is near.
pub(super) const LONE_KING_EDGE: i32 = 14;
/// See [`LONE_KING_EDGE`].
pub(super) const LONE_KING_NEAR: i32 = 8;

/// Evaluation does not look at activity if all else is further than this outside the window.
pub(super) const MOST_ACTIVITY: i32 = 400;
