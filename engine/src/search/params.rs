//! Every number of search that could be tuned. Margins are centipawns, depths plies, reductions 1024ths of a ply.

super::tunable::parameters! {
    /// Half-width of the first aspiration window.
    aspiration = 25;
    /// Depth from which windows are narrow.
    aspiration_depth = 4;

    /// Reverse futility: deepest, and margin a ply.
    reverse_futility_depth = 7;
    reverse_futility_margin = 85;
    /// Razoring: deepest, and margin a ply.
    razor_depth = 3;
    razor_margin = 260;

    /// Null move: shallowest, reduction, one ply more for each so many plies and centipawns above beta.
    null_depth = 3;
    null_reduction = 3;
    null_per_depth = 4;
    null_per_margin = 200;
    /// From this depth on a cut by a null move is verified by a search without one.
    null_verify_depth = 10;

    /// ProbCut: shallowest, what beta is raised by, and by how much the search of a capture is shallower.
    probcut_depth = 5;
    probcut_margin = 180;
    probcut_reduction = 4;

    /// Quiet moves are left out below this depth, reductions taken off, if evaluation and margin a ply do not reach alpha.
    futility_depth = 6;
    futility_base = 90;
    futility_margin = 90;
    /// Below this depth only the first few quiet moves are looked at: `late_base + depth^2`.
    late_depth = 5;
    late_base = 6;
    /// Below this depth, reductions taken off, quiet moves whose history is worse than so much a ply are left out.
    history_pruning_depth = 4;
    history_pruning = -12000;
    /// Below this depth moves that lose more than so much a ply in exchanges are left out.
    exchange_depth = 6;
    exchange_quiet = -50;
    exchange_noisy = -90;

    /// Singular extensions: shallowest; margin below the table's score in 16ths a ply; margin of a double extension.
    singular_depth = 6;
    singular_margin = 20;
    singular_double = 20;
    /// Plies taken off a move that is not singular.
    negative_extension = 1;

    /// Shallowest depth at which checks that lose nothing are searched a ply deeper.
    check_extension_depth = 1;

    /// Shallowest depth with late-move reductions, and moves searched unreduced.
    reduction_depth = 3;
    reduction_moves = 2;
    /// `base + ln(depth) ln(count) / divisor`, the divisor in hundredths.
    reduction_base = 820;
    reduction_divisor = 220;
    /// Less or more for what is known of node and move.
    reduction_not_improving = 1024;
    reduction_pv = 1024;
    reduction_tt_pv = 600;
    reduction_cut = 1024;
    reduction_check = 1024;
    reduction_table_noisy = 700;
    reduction_refutation = 1024;
    reduction_cutoffs = 600;
    /// History that saves or costs a ply of reduction.
    history_per_ply = 14000;
    /// Moves of the root searched unreduced, and the reduction of the others in percent of that elsewhere.
    root_reduction_moves = 3;
    root_reduction = 60;
    /// After a reduced search that was too good: centipawns above the best so far (and two more a ply) from which it is
    /// searched again a ply deeper, and below which a ply shallower.
    deeper = 50;
    shallower = 8;

    /// Depth from which a position without a table move is searched a ply less deeply.
    reduce_without_move_depth = 4;

    /// Quiescence: captures are left out if evaluation, victim and this do not reach alpha.
    delta = 150;
    /// Quiescence: plies after which only recaptures are looked at.
    recaptures_after = 6;

    /// What a move earns in the histories: so much a ply of the search in which it was best, at most this.
    bonus_a_ply = 300;
    bonus_most = 2400;
    /// What capture history is divided by beside the victim's worth in 16ths of a centipawn.
    capture_history_part = 2;
    /// What a centipawn of better standing counts beside the history of a quiet move.
    step_gain = 20;
    /// What a sum of errors is divided by.
    correction_part = 24;
}

/// The largest history.
pub(super) const HISTORY_MOST: i32 = 16_384;
/// Most counters of a continuation table.
pub(super) const CONTINUATION_ENTRIES: usize = 2_500_000;
/// The largest sum of errors.
pub(super) const CORRECTION_MOST: i32 = 1024;
/// Nodes between two looks at the clock and the stop flag.
pub(super) const POLL_NODES: u64 = 128;
