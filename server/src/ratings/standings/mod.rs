//! Standings: points, tie-breaks as exact integers, cross-table.

mod columns;
mod cross_table;
mod order;
mod progressive;

pub use columns::{Columns, UnplayedRounds};
pub use cross_table::{CrossCell, CrossTable, cross_table};
pub use order::{Event, Standing, Standings, TieBreak, standings};
pub use progressive::{RoundResult, progressive_scores};
