//! Players and the game loop.
//!
//! | module | does |
//! | --- | --- |
//! | [`score`] | an engine's score and its code in reports |
//! | [`limit`] | how long a player may think, its clock, and when it counts as hanging |
//! | [`control`] | stops a game from outside and says how long its present move may last |
//! | [`player`] | what the game loop asks of a player |
//! | [`builtin`] | the engine in this process |
//! | [`child`] | an engine in a process of its own |
//! | [`uci`] | such an engine over UCI |
//! | [`xboard`] | such an engine over the XBoard protocol |
//! | [`external`] | starts one of these, by the protocol that it speaks |
//! | [`roster`] | the players that a slot keeps from game to game |
//! | [`adjudicate`] | the rules by which a game is ended early |
//! | [`ends`] | how a game ended, as reported |
//! | [`game`] | plays one game |

pub mod adjudicate;
pub mod builtin;
pub mod child;
pub mod control;
pub mod ends;
pub mod external;
pub mod game;
pub mod limit;
pub mod player;
pub mod roster;
pub mod score;
pub mod uci;
pub mod xboard;

pub use control::Control;
pub use game::{GameSetup, Observer, PlayedGame, play_game};
pub use limit::{Limit, ThinkLimit};
pub use player::{Fault, FaultKind, Player, PlayerError, Thought};
pub use roster::Roster;
pub use score::Score;
