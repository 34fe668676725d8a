//! Every number of search that could be tuned. Margins are centipawns, depths plies.

/// Half-width of the first aspiration window.
pub(super) const ASPIRATION: i32 = 25;
/// Depth from which windows are narrow.
pub(super) const ASPIRATION_DEPTH: i32 = 4;

/// Reverse futility: deepest, and margin a ply.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 7;
pub(super) const REVERSE_FUTILITY_MARGIN: i32 = 85;
/// Razoring: deepest, and margin a ply.
pub(super) const RAZOR_DEPTH: i32 = 3;
pub(super) const RAZOR_MARGIN: i32 = 260;

/// Null move: shallowest, reduction, one ply more for each so many plies and centipawns above beta.
pub(super) const NULL_DEPTH: i32 = 3;
pub(super) const NULL_REDUCTION: i32 = 3;
pub(super) const NULL_PER_DEPTH: i32 = 4;
pub(super) const NULL_PER_MARGIN: i32 = 200;
/// From this depth on a cut by a null move is verified by a search without one.
pub(super) const NULL_VERIFY_DEPTH: i32 = 10;

/// Quiet moves are left out below this depth if evaluation and margin a ply do not reach alpha.
pub(super) const FUTILITY_DEPTH: i32 = 6;
pub(super) const FUTILITY_BASE: i32 = 90;
pub(super) const FUTILITY_MARGIN: i32 = 90;
/// Below this depth only the first few quiet moves are looked at: `LATE_BASE + depth^2`.
pub(super) const LATE_DEPTH: i32 = 5;
pub(super) const LATE_BASE: i32 = 6;
/// Below this depth moves that lose more than so much a ply in exchanges are left out.
pub(super) const EXCHANGE_DEPTH: i32 = 6;
pub(super) const EXCHANGE_QUIET: i32 = -50;
pub(super) const EXCHANGE_NOISY: i32 = -90;

/// Shallowest depth with late-move reductions, and moves searched unreduced.
pub(super) const REDUCTION_DEPTH: i32 = 3;
pub(super) const REDUCTION_MOVES: usize = 3;
/// History that saves or costs a ply of reduction.
pub(super) const HISTORY_PER_PLY: i32 = 6_000;

/// Depth from which a position without a table move is searched a ply less deeply.
pub(super) const REDUCE_WITHOUT_MOVE_DEPTH: i32 = 4;

/// Quiescence: captures are left out if evaluation, victim and this do not reach alpha.
pub(super) const DELTA: i32 = 150;
/// Quiescence: plies after which only recaptures are looked at.
pub(super) const RECAPTURES_AFTER: i32 = 6;

/// The largest history.
pub(super) const HISTORY_MOST: i32 = 16_384;
/// Nodes between two looks at the clock and the stop flag.
pub(super) const POLL_NODES: u64 = 512;
