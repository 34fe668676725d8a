//! Every number of the evaluation that could be tuned.
//!
//! Values are centipawns unless said otherwise. They are the same for all variants: what differs between
//! games comes from the moves of their pieces.

use super::pair::Pair;

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
/// A man, not a pawn, that stands on a square that it cannot come back to.
pub(super) const UNDEVELOPED: Pair = Pair::new(-14, -8);

/// A pawn for each rank advanced.
pub(super) const PAWN_RANK: Pair = Pair::new(2, 5);
/// A pawn for each step nearer to the middle files.
pub(super) const PAWN_CENTRE: Pair = Pair::new(3, 0);
/// The king for each rank that it leaves behind.
pub(super) const KING_RANK: Pair = Pair::new(-16, 4);
/// The king for each step nearer to the middle.
pub(super) const KING_CENTRE: Pair = Pair::new(-8, 8);

/// Part of a promotion's gain that a pawn is worth `n` ranks before it can promote, in 256ths.
pub(super) const PROMOTION_NEAR: [i32; 7] = [96, 72, 40, 22, 12, 6, 3];
/// Whether the way is free is asked only of pawns with such hopes.
pub(super) const PROMOTION_HOPE: i32 = 16;
/// Part of that which is lost while the square before the pawn is not free, in percent.
pub(super) const PROMOTION_BLOCKED_PERCENT: i32 = 50;

/// Part that is left if enemy pawns stand ahead on its file or beside, in percent.
pub(super) const PROMOTION_STOPPED_PERCENT: i32 = 30;

/// A pawn that a pawn guards.
pub(super) const PAWN_GUARDED: Pair = Pair::new(8, 6);
/// A pawn without pawns of its side on the files beside.
pub(super) const PAWN_ISOLATED: Pair = Pair::new(-10, -12);
/// A pawn with another of its side on its file.
pub(super) const PAWN_DOUBLED: Pair = Pair::new(-5, -10);
/// A man, no pawn, that an enemy pawn attacks.
pub(super) const PAWN_THREAT: Pair = Pair::new(45, 40);
/// A pawn of the king's side next to it or within two ranks before it and a file beside.
pub(super) const SHELTER: i32 = 9;

/// A square that a man reaches more than its type's average does, in 16ths of a centipawn.
pub(super) const MOBILITY: Pair = Pair::new(48, 56);
/// An enemy's reached square next to the king or under it, by the attacker's worth.
pub(super) const ZONE_HIT: i32 = 6;
/// Squares of the zone hit are weighed up to this many attackers.
pub(super) const MOST_ATTACKERS: usize = 6;
/// Danger by number of attackers, in 16ths.
pub(super) const BY_ATTACKERS: [i32; MOST_ATTACKERS + 1] = [0, 4, 12, 20, 26, 30, 32];

/// The side to move.
pub(super) const TEMPO: i32 = 12;
/// A lone king for each step from the middle and each step that the stronger king is near.
pub(super) const LONE_KING_EDGE: i32 = 14;
/// See [`LONE_KING_EDGE`].
pub(super) const LONE_KING_NEAR: i32 = 8;

/// Evaluation does not look at activity if all else is further than this outside the window.
pub(super) const MOST_ACTIVITY: i32 = 300;
