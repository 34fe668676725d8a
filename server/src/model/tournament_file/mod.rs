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
//! sample = 20                           # setups, file: this many different ones; or (setups) numbers = [14, 3]
//! # path = "book.epd"                   # file: a book of FENs, EPD or PGN; or sha256 = "..." of one that the coordinator
//! #                                     # has; or fens = ["..."]
//! # format = "epd"                      # file: or "fen", "pgn"; told by how the book begins when left out
//! # order = "random"                    # file: or "sequential"
//! # start = 1                           # file, sequential: number of the first opening used
//! # plies = 16                          # file, PGN: plies played of each game; all when left out
//! # plies = 8                           # random: this many random plies ...
//! # balance = 100                       # ... and at most this many centipawns from zero
//!
//! [format]
//! kind = "round-robin"                  # or "gauntlet" (challengers = ["a"]), "head-to-head", "pyramid", "swiss",
//!                                       # "knockout", "ladder", "adaptive"
//! pairs = 10                            # pairs an encounter: two games each, colours reversed
//! # rounds = 7                          # swiss, ladder: may be left out
//! # tie_pairs = 2                       # knockout: further pairs of a level encounter, one by one
//! # third_place = true                  # knockout: whether the third place is played for
//! # seeding = "order"                   # swiss, knockout, ladder: as in this file; or "rating", as the pool has it now
//! # decide_elo = 20                     # knockout: pairs go on until a test of -20 against 20 normalized Elo decides ...
//! # most_pairs = 500                    # ... or there are so many; 50 times `pairs` when left out
//! # total_pairs = 500                   # adaptive: pairs in all
//! # random_percent = 10                 # adaptive: share of encounters drawn at random
//! # goal = "ratings"                    # adaptive: or "volume", "order"
//!
//! [limit]                               # one of nodes, depth, movetime_ms, clock = "10+0.1"
//! nodes = 20000
//!
//! [[engine]]                            # two or more
//! name = "a"
//! builtin = true                        # or command = "name", artifact = "sha256", version = "name or beginning of a hash"
//! # sha256 = "..."                      # command: its executable, and no other
//! # artifact = { linux-x86_64 = "sha256", windows-x86_64 = "sha256" }
//! # protocol = "xboard"                 # artifact: or "uci", which it is when left out
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
//! alpha = 0.05                          # probability of accepting at elo0; 0.05 when left out
//! beta = 0.05                           # probability of rejecting at elo1; 0.05 when left out
//! unit = "normalized"                   # or "logistic"; "normalized" when left out
//! overshoot_correction = true           # when left out: if a batch has more than one pair
//!
//! [quarantine]                          # may be left out: an engine's own faults stop it ...
//! faults = 10                           # ... when it has lost so many games by them,
//! percent = 25                          # more than this share of its games; 100 = never
//!
//! [standings]                           # may be left out: the format's list
//! tie_breaks = ["direct-encounter", "sonneborn-berger", "wins", "wins-second"]
//! unplayed = "not-counted"              # or "dummy"
//! ```

mod convert;
mod openings;
mod place;
mod raw;
mod read;
mod standings;
mod write;

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{Digest, EngineSpec, SpsaParameter, TournamentSpec, check};

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

/// A tournament file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What it says.
    pub spec: TournamentSpec,
    /// The book that it names, which the coordinator must have.
    pub book: Option<PathBuf>,
}

/// Reads a tournament file and the files it names, relative to its own folder. Of a book only the hash is taken.
pub fn load(path: &Path) -> Result<Loaded, FileError> {
    let text = read::text(path, None, Purpose::Tournament)?;
    let origin = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut book = None;
    let spec = parse(&text, &origin, |name, purpose| {
        let named = folder.join(name);
        if purpose == Purpose::Openings {
            let digest = read::digest(&named, Some(&origin))?;
            book = Some(named);
            return Ok(digest.to_string());
        }
        read::text(&named, Some(&origin), purpose)
    })?;
    Ok(Loaded { spec, book })
}

/// The SHA-256 of a book.
pub fn book_digest(path: &Path) -> Result<Digest, FileError> {
    read::digest(path, None)
}

/// Reads an evaluation file for a built-in engine.
pub fn load_evaluation(path: &Path) -> Result<String, FileError> {
    read::text(path, None, Purpose::Evaluation)
}

/// Reads the engines of a file that has nothing but `[[engine]]` tables, and the files that they name.
pub fn load_engines(path: &Path) -> Result<Vec<EngineSpec>, FileError> {
    let text = read::text(path, None, Purpose::Tournament)?;
    let origin = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new("."));
    let page = Page {
        text: &text,
        origin: &origin,
    };
    let file: raw::Engines = page.read()?;
    let engines = convert::engines(file.engine, |name, purpose| {
        read::text(&folder.join(name), Some(&origin), purpose)
    });
    engines.map_err(|error| page.error(error))
}

/// Reads the parameters of a tuning from a file that has nothing but `[[parameter]]` tables.
pub fn load_parameters(path: &Path) -> Result<Vec<SpsaParameter>, FileError> {
    let text = read::text(path, None, Purpose::Tournament)?;
    let origin = path.display().to_string();
    let page = Page {
        text: &text,
        origin: &origin,
    };
    let file: raw::Parameters = page.read()?;
    let parameters = convert::parameters(file.parameter);
    for (index, parameter) in parameters.iter().enumerate() {
        let checked = parameter.check(&format!("parameter[{index}]"));
        checked.map_err(|error| page.error(error.into()))?;
    }
    Ok(parameters)
}

/// Reads the text of a tournament file; `read` gives the text of a file it names, or the SHA-256 of a book.
pub fn parse(
    text: &str,
    origin: &str,
    read: impl FnMut(&str, Purpose) -> Result<String, FileError>,
) -> Result<TournamentSpec, FileError> {
    let page = Page { text, origin };
    let spec = convert::spec(page.read()?, read).map_err(|error| page.error(error))?;
    check::check(&spec).map_err(|error| page.error(error.into()))?;
    Ok(spec)
}

/// A text and where it comes from.
struct Page<'a> {
    text: &'a str,
    origin: &'a str,
}

impl Page<'_> {
    fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, FileError> {
        toml::from_str(self.text).map_err(|error: toml::de::Error| {
            let offset = error.span().map_or(0, |span| span.start);
            self.bad(offset, error.message().to_owned())
        })
    }

    /// An error with its place in the text.
    fn error(&self, error: convert::Error) -> FileError {
        match error {
            convert::Error::Spec(error) => {
                let offset = place::offset_of(self.text, &error.field);
                self.bad(offset, format!("`{}` {}", error.field, error.problem))
            }
            convert::Error::File(error) => error,
        }
    }

    fn bad(&self, offset: usize, problem: String) -> FileError {
        FileError::Bad {
            origin: self.origin.to_owned(),
            place: Place::of(self.text, offset),
            problem,
        }
    }
}

#[cfg(test)]
mod tests;
