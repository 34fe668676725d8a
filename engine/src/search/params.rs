//! Every number of search that could be tuned. Margins are centipawns, depths plies, reductions 1024ths of a ply.

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

/// ProbCut: shallowest, what beta is raised by, and by how much the search of a capture is shallower.
pub(super) const PROBCUT_DEPTH: i32 = 5;
pub(super) const PROBCUT_MARGIN: i32 = 180;
pub(super) const PROBCUT_REDUCTION: i32 = 4;

/// Quiet moves are left out below this depth, reductions taken off, if evaluation and margin a ply do not reach alpha.
pub(super) const FUTILITY_DEPTH: i32 = 6;
pub(super) const FUTILITY_BASE: i32 = 90;
pub(super) const FUTILITY_MARGIN: i32 = 90;
/// Below this depth only the first few quiet moves are looked at: `LATE_BASE + depth^2`.
pub(super) const LATE_DEPTH: i32 = 5;
pub(super) const LATE_BASE: i32 = 6;
/// Below this depth, reductions taken off, quiet moves whose history is worse than so much a ply are left out.
pub(super) const HISTORY_PRUNING_DEPTH: i32 = 4;
pub(super) const HISTORY_PRUNING: i32 = -12000;
/// Below this depth moves that lose more than so much a ply in exchanges are left out.
pub(super) const EXCHANGE_DEPTH: i32 = 6;
pub(super) const EXCHANGE_QUIET: i32 = -50;
pub(super) const EXCHANGE_NOISY: i32 = -90;

/// Singular extensions: shallowest; margin below the table's score in 16ths a ply; margin of a double extension.
pub(super) const SINGULAR_DEPTH: i32 = 6;
pub(super) const SINGULAR_MARGIN: i32 = 20;
pub(super) const SINGULAR_DOUBLE: i32 = 20;
/// Plies taken off a move that is not singular.
pub(super) const NEGATIVE_EXTENSION: i32 = 1;

/// Shallowest depth with late-move reductions, and moves searched unreduced.
pub(super) const REDUCTION_DEPTH: i32 = 3;
pub(super) const REDUCTION_MOVES: i32 = 2;
/// `base + ln(depth) ln(count) / divisor`, the divisor in hundredths.
pub(super) const REDUCTION_BASE: i32 = 820;
pub(super) const REDUCTION_DIVISOR: i32 = 220;
/// Less or more for what is known of node and move.
pub(super) const REDUCTION_NOT_IMPROVING: i32 = 1024;
pub(super) const REDUCTION_PV: i32 = 1024;
pub(super) const REDUCTION_TT_PV: i32 = 600;
pub(super) const REDUCTION_CUT: i32 = 1024;
pub(super) const REDUCTION_CHECK: i32 = 1024;
pub(super) const REDUCTION_TABLE_NOISY: i32 = 700;
pub(super) const REDUCTION_REFUTATION: i32 = 1024;
pub(super) const REDUCTION_CUTOFFS: i32 = 600;
/// History that saves or costs a ply of reduction.
pub(super) const HISTORY_PER_PLY: i32 = 14000;
/// Moves of the root searched unreduced, and the reduction of the others in percent of that elsewhere.
pub(super) const ROOT_REDUCTION_MOVES: i32 = 3;
pub(super) const ROOT_REDUCTION: i32 = 60;
/// After a reduced search that was too good: centipawns above the best so far (and two more a ply) from which it is
/// searched again a ply deeper, and below which a ply shallower.
pub(super) const DEEPER: i32 = 50;
pub(super) const SHALLOWER: i32 = 8;

/// Depth from which a position without a table move is searched a ply less deeply.
pub(super) const REDUCE_WITHOUT_MOVE_DEPTH: i32 = 4;

/// Quiescence: captures are left out if evaluation, victim and this do not reach alpha.
pub(super) const DELTA: i32 = 150;
/// Quiescence: plies after which only recaptures are looked at.
pub(super) const RECAPTURES_AFTER: i32 = 6;

/// What a move earns in the histories: so much a ply of the search in which it was best, at most this.
pub(super) const BONUS_A_PLY: i32 = 300;
pub(super) const BONUS_MOST: i32 = 2400;
/// What capture history is divided by beside the victim's worth in 16ths of a centipawn.
pub(super) const CAPTURE_HISTORY_PART: i32 = 2;
/// What a centipawn of better standing counts beside the history of a quiet move.
pub(super) const STEP_GAIN: i32 = 20;
/// What a sum of errors is divided by.
pub(super) const CORRECTION_PART: i32 = 24;
/// The largest history.
pub(super) const HISTORY_MOST: i32 = 16_384;
/// Most counters of a continuation table.
pub(super) const CONTINUATION_ENTRIES: usize = 2_500_000;
/// The largest sum of errors.
pub(super) const CORRECTION_MOST: i32 = 1024;
/// Nodes between two looks at the clock and the stop flag.
pub(super) const POLL_NODES: u64 = 128;
