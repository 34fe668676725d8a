//! The model to and from TOML: the tournament file.
//!
//! ```toml
//! schema = 1
//! name = "first tournament"
//! variant = "grand-apothecary-modern"   # or variant_file = "my.toml"
//! seed = 1
//! batch_pairs = 4                       # may be left out
//! max_plies = 4000                      # may be left out
//!
//! [openings]                            # may be left out: all set-ups, drawn by the seed
//! source = "setups"                     # or "armies", "file", "random"
//! sample = 20                           # setups: this many different ones; or numbers = [14, 3]
//! # path = "book.epd"                   # file: FENs or EPD, one a line; or fens = ["..."]
//! # order = "random"                    # file: or "sequential"
//! # plies = 8                           # random: this many random plies ...
//! # balance = 100                       # ... and at most this many centipawns from zero
//!
//! [format]
//! kind = "round-robin"                  # or "gauntlet" (challengers = ["a"]), "head-to-head"
//! pairs = 10                            # pairs an encounter: two games each, colours reversed
//!
//! [limit]                               # one of nodes, depth, movetime_ms, clock = "10+0.1"
//! nodes = 20000
//!
//! [[engine]]                            # two or more
//! name = "a"
//! builtin = true                        # or command = "name", or artifact = "sha256"
//! # evaluation_file = "my-eval.toml"   # builtin: weights of its own, relative to this file
//! options = { Hash = 16 }
//! limit = { nodes = 40000 }             # own limit, may be left out
//!
//! [adjudication.resign]                 # and .draw, .advantage; off when left out
//! score_cp = 1000
//! moves = 4
//! after_move = 0
//!
//! [sprt]                                # first engine = base, second = candidate
//! elo0 = 0.0
//! elo1 = 5.0
//! ```

mod convert;
mod place;
mod raw;
mod read;
mod write;

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{SpecError, TournamentSpec, check};

pub use place::Place;
pub use read::Purpose;
pub use write::to_toml;

/// A tournament file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file is no TOML, or a key is unknown, missing or out of range.
    #[error("{origin}:{place}: {problem}")]
    Bad {
        /// Name of the file.
        origin: String,
        /// Line and column.
        place: Place,
        /// What is wrong and what is expected.
        problem: String,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`{}", path.display(), mentioned(origin))]
    Read {
        /// The file.
        path: PathBuf,
        /// The tournament file that names it, where it is not that file itself.
        origin: Option<String>,
        /// Why.
        source: io::Error,
    },
    /// A directory, a pipe or a device stands where a file is needed.
    #[error("`{}` is not a regular file: name one", .0.display())]
    NotAFile(PathBuf),
    /// A file is larger than such a file can be.
    #[error("`{}` has more than {most} bytes: make it smaller", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Most bytes that it may have.
        most: u64,
    },
}

fn mentioned(origin: &Option<String>) -> String {
    origin
        .as_ref()
        .map_or_else(String::new, |origin| format!(", which {origin} names"))
}

/// Reads a tournament file and the files it names, relative to its own folder.
pub fn load(path: &Path) -> Result<TournamentSpec, FileError> {
    let text = read::text(path, None, Purpose::Tournament)?;
    let origin = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new("."));
    parse(&text, &origin, |name, purpose| {
        read::text(&folder.join(name), Some(&origin), purpose)
    })
}

/// Reads an evaluation file for a built-in engine.
pub fn load_evaluation(path: &Path) -> Result<String, FileError> {
    read::text(path, None, Purpose::Evaluation)
}

/// Reads the text of a tournament file; `read` gives the text of a file it names.
pub fn parse(
    text: &str,
    origin: &str,
    read: impl FnMut(&str, Purpose) -> Result<String, FileError>,
) -> Result<TournamentSpec, FileError> {
    let bad = |place, problem| FileError::Bad {
        origin: origin.to_owned(),
        place,
        problem,
    };
    let file: raw::File = toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        bad(Place::of(text, offset), error.message().to_owned())
    })?;
    let located = |error: SpecError| {
        let offset = place::offset_of(text, &error.field);
        bad(
            Place::of(text, offset),
            format!("`{}` {}", error.field, error.problem),
        )
    };
    let spec = convert::spec(file, read).map_err(|error| match error {
        convert::Error::Spec(error) => located(error),
        convert::Error::File(error) => error,
    })?;
    check::check(&spec).map_err(located)?;
    Ok(spec)
}

#[cfg(test)]
mod tests;
