//! The openings of a tournament file.

use std::num::{NonZeroU32, NonZeroU64};

use engine::book::BookFormat;

use super::{FileError, Purpose, convert::Error, raw};
use crate::model::{BookOpenings, Digest, OpeningOrder, Openings, SpecError};

/// Which sources each key belongs to.
const OWNERS: [(&str, &[&str]); 10] = [
    ("numbers", &["setups"]),
    ("sample", &["setups", "file"]),
    ("path", &["file"]),
    ("sha256", &["file"]),
    ("fens", &["file"]),
    ("format", &["file"]),
    ("order", &["file"]),
    ("start", &["file"]),
    ("plies", &["file", "random"]),
    ("balance", &["random"]),
];

/// The openings of the file's table; `read` gives the SHA-256 of a book it names.
pub(super) fn openings(
    raw: raw::Openings,
    read: impl FnMut(&str, Purpose) -> Result<String, FileError>,
) -> Result<Openings, Error> {
    check_keys(&raw)?;
    Ok(match raw.source {
        raw::Source::Setups => Openings::Setups {
            numbers: raw.numbers.unwrap_or_default(),
            sample: at_least_one("sample", raw.sample)?,
        },
        raw::Source::Armies => Openings::Armies,
        raw::Source::File => match raw.fens {
            Some(_) => list(raw)?,
            None => Openings::Book(book(raw, read)?),
        },
        raw::Source::Random => Openings::Random {
            plies: raw
                .plies
                .ok_or_else(|| SpecError::new("openings.plies", "is missing"))?,
            balance_cp: raw.balance.and_then(NonZeroU32::new),
        },
    })
}

/// Refuses keys that do not go with the source.
fn check_keys(raw: &raw::Openings) -> Result<(), SpecError> {
    let source = match raw.source {
        raw::Source::Setups => "setups",
        raw::Source::Armies => "armies",
        raw::Source::File => "file",
        raw::Source::Random => "random",
    };
    let given = [
        raw.numbers.is_some(),
        raw.sample.is_some(),
        raw.path.is_some(),
        raw.sha256.is_some(),
        raw.fens.is_some(),
        raw.format.is_some(),
        raw.order.is_some(),
        raw.start.is_some(),
        raw.plies.is_some(),
        raw.balance.is_some(),
    ];
    for ((key, owners), given) in OWNERS.into_iter().zip(given) {
        if given && !owners.contains(&source) {
            let owners = owners.join("\" or \"");
            let problem = format!("goes with source = \"{owners}\", not with \"{source}\"");
            return Err(SpecError::new(format!("openings.{key}"), problem));
        }
    }
    Ok(())
}

fn at_least_one(key: &str, number: Option<u64>) -> Result<Option<NonZeroU64>, SpecError> {
    let problem = || SpecError::new(format!("openings.{key}"), "must be at least 1");
    number
        .map(|number| NonZeroU64::new(number).ok_or_else(problem))
        .transpose()
}

fn order(order: Option<raw::Order>) -> OpeningOrder {
    match order {
        Some(raw::Order::Sequential) => OpeningOrder::Sequential,
        Some(raw::Order::Random) | None => OpeningOrder::Random,
    }
}

/// Positions that stand in the tournament file itself.
fn list(raw: raw::Openings) -> Result<Openings, SpecError> {
    for (key, given) in [
        ("path", raw.path.is_some()),
        ("sha256", raw.sha256.is_some()),
        ("format", raw.format.is_some()),
        ("start", raw.start.is_some()),
        ("sample", raw.sample.is_some()),
        ("plies", raw.plies.is_some()),
    ] {
        if given {
            let problem = "does not go with `fens`: leave one out";
            return Err(SpecError::new(format!("openings.{key}"), problem));
        }
    }
    Ok(Openings::List {
        order: order(raw.order),
        fens: raw.fens.unwrap_or_default(),
    })
}

fn book(
    raw: raw::Openings,
    mut read: impl FnMut(&str, Purpose) -> Result<String, FileError>,
) -> Result<BookOpenings, Error> {
    let digest = |text: String| -> Result<Digest, SpecError> {
        let digest = text.parse();
        digest.map_err(|error| SpecError::new("openings.sha256", format!("{error}")))
    };
    let sha256 = match (raw.path, raw.sha256) {
        (Some(_), Some(_)) => {
            let problem = "does not go with `path`: leave one out";
            return Err(SpecError::new("openings.sha256", problem).into());
        }
        (Some(path), None) => digest(read(&path, Purpose::Openings).map_err(Error::File)?)?,
        (None, Some(text)) => digest(text)?,
        (None, None) => {
            let problem = "is missing: name a book, a file of FENs, EPD or PGN";
            return Err(SpecError::new("openings.path", problem).into());
        }
    };
    let plies = |plies| {
        NonZeroU32::new(plies).ok_or_else(|| SpecError::new("openings.plies", "must be at least 1"))
    };
    Ok(BookOpenings {
        sha256,
        order: order(raw.order),
        format: raw.format.map(|format| match format {
            raw::BookFormat::Epd | raw::BookFormat::Fen => BookFormat::Lines,
            raw::BookFormat::Pgn => BookFormat::Pgn,
        }),
        plies: raw.plies.map(plies).transpose()?,
        start: at_least_one("start", raw.start)?,
        sample: at_least_one("sample", raw.sample)?,
    })
}
