//! Openings to and from their messages.

use std::num::{NonZeroU32, NonZeroU64};

use engine::book::BookFormat;
use proto::v1::{self, openings as openings_source};

use crate::model::{BookOpenings, OpeningOrder, Openings, SpecError};

/// The message of openings.
pub(super) fn openings_to_wire(openings: &Openings) -> v1::Openings {
    use openings_source::Source;
    let source = match openings {
        Openings::Setups { numbers, sample } => Source::Setups(v1::SetupOpenings {
            numbers: numbers.clone(),
            sample: sample.map_or(0, NonZeroU64::get),
        }),
        Openings::Armies => Source::Armies(v1::ArmyOpenings {}),
        Openings::List { fens, order } => Source::List(v1::ListOpenings {
            fens: fens.clone(),
            order: order_to_wire(*order).into(),
        }),
        Openings::Book(book) => Source::Book(book_to_wire(book)),
        Openings::Random { plies, balance_cp } => Source::Random(v1::RandomOpenings {
            plies: *plies,
            balance_cp: balance_cp.map_or(0, NonZeroU32::get),
        }),
    };
    v1::Openings {
        source: Some(source),
    }
}

/// The openings of a message; all set-ups where nothing is said.
pub(super) fn openings_from_wire(message: Option<&v1::Openings>) -> Result<Openings, SpecError> {
    use openings_source::Source;
    let Some(source) = message.and_then(|openings| openings.source.as_ref()) else {
        return Ok(Openings::Setups {
            numbers: Vec::new(),
            sample: None,
        });
    };
    Ok(match source {
        Source::Setups(setups) => Openings::Setups {
            numbers: setups.numbers.clone(),
            sample: NonZeroU64::new(setups.sample),
        },
        Source::Armies(_) => Openings::Armies,
        Source::List(list) => {
            let order = order_from_wire(list.order)?;
            Openings::List {
                fens: list.fens.clone(),
                order,
            }
        }
        Source::Book(book) => Openings::Book(book_from_wire(book)?),
        Source::Random(random) => Openings::Random {
            plies: random.plies,
            balance_cp: NonZeroU32::new(random.balance_cp),
        },
    })
}

fn order_to_wire(order: OpeningOrder) -> v1::OpeningOrder {
    match order {
        OpeningOrder::Sequential => v1::OpeningOrder::Sequential,
        OpeningOrder::Random => v1::OpeningOrder::Random,
    }
}

fn order_from_wire(order: i32) -> Result<OpeningOrder, SpecError> {
    match v1::OpeningOrder::try_from(order) {
        Ok(v1::OpeningOrder::Sequential) => Ok(OpeningOrder::Sequential),
        Ok(v1::OpeningOrder::Random | v1::OpeningOrder::Unspecified) => Ok(OpeningOrder::Random),
        Err(_) => {
            let problem = format!("{order} is not known: sequential and random are");
            Err(SpecError::new("openings.order", problem))
        }
    }
}

fn book_to_wire(book: &BookOpenings) -> v1::BookOpenings {
    v1::BookOpenings {
        sha256: book.sha256.to_string(),
        order: order_to_wire(book.order).into(),
        format: match book.format {
            None => v1::OpeningFormat::Unspecified,
            Some(BookFormat::Lines) => v1::OpeningFormat::Lines,
            Some(BookFormat::Pgn) => v1::OpeningFormat::Pgn,
        }
        .into(),
        plies: book.plies.map_or(0, NonZeroU32::get),
        start: book.start.map_or(0, NonZeroU64::get),
        sample: book.sample.map_or(0, NonZeroU64::get),
    }
}

fn book_from_wire(message: &v1::BookOpenings) -> Result<BookOpenings, SpecError> {
    let sha256 = message.sha256.parse();
    Ok(BookOpenings {
        sha256: sha256.map_err(|error| SpecError::new("openings.sha256", format!("{error}")))?,
        order: order_from_wire(message.order)?,
        format: match v1::OpeningFormat::try_from(message.format) {
            Ok(v1::OpeningFormat::Unspecified) => None,
            Ok(v1::OpeningFormat::Lines) => Some(BookFormat::Lines),
            Ok(v1::OpeningFormat::Pgn) => Some(BookFormat::Pgn),
            Err(_) => {
                let problem = format!("{} is not known: lines and PGN are", message.format);
                return Err(SpecError::new("openings.format", problem));
            }
        },
        plies: NonZeroU32::new(message.plies),
        start: NonZeroU64::new(message.start),
        sample: NonZeroU64::new(message.sample),
    })
}
