//! Opening books: files of positions (EPD, FEN) or of games (PGN), of any size.
//!
//! | module | does |
//! | --- | --- |
//! | `error` | what is wrong with a file, or with one opening of it |
//! | `lines` | lines with their places, none longer than a limit |
//! | `epd` | a line that is a FEN or an EPD record |
//! | `pgn` | the moves of game after game |
//! | `san` | moves in algebraic notation |
//! | `reader` | opening after opening of a file of either kind |
//! | `keys` | counts duplicates in bounded memory |
//! | `check` | a whole book by the rules of a variant |
//! | `make` | makes balanced books (feature `search`) |

mod check;
mod epd;
mod error;
mod keys;
mod lines;
#[cfg(feature = "search")]
mod make;
mod pgn;
mod reader;
mod san;

pub use check::{Checking, MOST_FAULTS_SHOWN, Summary, check};
pub use error::{BookError, Fault};
pub use lines::Place;
#[cfg(feature = "search")]
pub use make::{Found, MOST_PLIES, MakeError, MakeOptions, make};
pub use reader::{BookFormat, BookReader, Entry};
pub use san::play_text;
