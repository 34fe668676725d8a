//! Points, cross-tables, rating models, intervals and sequential tests. Pure.
//!
//! Results are folded into [`Aggregates`], 35 counters a pair of players; everything here is a function of
//! those: [`rate`] and [`standings`] of a pool, [`LiveRatings`] of one that grows, [`match_report`] of two players, [`sprt`] of a histogram.

mod aggregates;
mod cells;
mod draws;
pub mod elo;
mod first_move;
pub mod fisher;
mod forecast;
pub mod glicko2;
mod match_difference;
mod match_estimate;
mod model;
pub mod normal;
mod outcome;
mod pair_table;
pub mod performance;
mod pool;
mod pooled;
pub mod sprt;
mod standings;

pub use aggregates::{AggregateError, Aggregates, Player};
pub use cells::{CellSet, Histogram, HistogramError, Law};
pub use forecast::outcome_shares;
pub use match_difference::{MatchDifference, MatchNote};
pub use match_estimate::{MatchEstimate, MatchReport, match_estimate, match_report};
pub use model::{
    AdjacentCategories, Basis, Difference, ErrorBars, FirstMove, FirstMoveAdvantage,
    FirstMoveStatus, Link, LiveRatings, MAX_CHOSEN, MAX_COVARIANCE, MIN_REFITS, Model,
    OrderedLogit, OutcomeLaw, PerfectScore, RatedPlayer, RatingError, RatingOptions, RatingReport,
    RefitCount, Refits, Term, rate, rate_again,
};
pub use outcome::{Outcome, Quarters};
pub use pair_table::PairTable;
pub use pooled::{PooledElo, pooled_elo};
pub use standings::{
    Columns, CrossCell, CrossTable, Event, RatedColumns, RoundResult, Standing, Standings,
    TieBreak, UnplayedRounds, cross_table, progressive_scores, standings,
};
