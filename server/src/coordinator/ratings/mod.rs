//! Ratings of a pool, of some tournaments or of one, derived from stored results on request.
//!
//! | module | does |
//! | --- | --- |
//! | `entrants` | who plays in a scope, by number, id and name |
//! | `question` | what is asked, checked and in one form |
//! | `games` | the games that count, now or as of a game or a time |
//! | `past` | one tournament as it was then |
//! | `cache` | answers that are kept until results of their scope change |
//! | `solve` | the solution of a question, from the cache or computed |
//! | `list`, `superiority`, `forecast` | what a solution says |
//! | `seeding` | the order of the engines of a new tournament by their ratings |
//! | `history` | a player's rating by solutions for more and more games |
//! | `head_to_head`, `cross_table`, `sprt` | what games say without one |
//! | `joint` | one verdict of several tournaments |

mod cache;
mod cross_table;
mod entrants;
mod forecast;
mod games;
mod head_to_head;
mod history;
mod joint;
mod list;
mod past;
mod question;
mod seeding;
mod solve;
mod sprt;
mod superiority;

pub(super) use cache::Caches;
pub use cross_table::CrossTable;
pub(super) use head_to_head::head_to_head;
pub(super) use question::checked_level;
pub use superiority::Superiority;
