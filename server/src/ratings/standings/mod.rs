//! Standings: points, tie-breaks as exact integers, cross-table.

mod columns;
mod cross_table;
mod meetings;
mod order;
mod progressive;
mod rated;
mod tie_break;

pub use columns::{Columns, UnplayedRounds};
pub use cross_table::{CrossCell, CrossTable, cross_table};
pub use order::{Event, Standing, Standings, standings};
pub use progressive::{RoundResult, progressive_scores};
pub use rated::RatedColumns;
pub use tie_break::TieBreak;
