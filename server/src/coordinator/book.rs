//! The openings of a book that was uploaded: checked once, then read one by one, in memory that does not grow with the book.

use std::{
    fmt::Display,
    fs::File,
    io::{BufReader, Seek as _, SeekFrom},
    sync::{Arc, Mutex, PoisonError},
    thread::available_parallelism,
};

use engine::book::{BookError, BookFormat, BookReader, Checking, Place, Summary, check};

use super::Error;
use crate::{
    model::{BookOpenings, OpeningOrder, SpecError},
    rules::{self, Variant},
    schedule::permutation::{BookOrder, BookSampler},
    store::{
        ArtifactFiles, Artifacts as _, StoreError,
        books::{BookIdentity, BookIndex, STRIDE},
    },
};

/// Bytes read at a time from a book that is checked.
const READ_AHEAD: usize = 256 * 1024;

/// A book whose every opening can be played.
pub(super) struct BookFile {
    variant: Arc<Variant>,
    files: ArtifactFiles,
    identity: BookIdentity,
    index: BookIndex,
    sampler: BookSampler,
    /// Where the last opening was read: the number of the next one, and the reader that stands there.
    last: Mutex<Option<(u64, BookReader<BufReader<File>>)>>,
}

impl BookFile {
    /// Opens a book, and checks it if that was not done before. Blocks; `stop` is asked now and then whether to leave off.
    pub(super) fn open(
        variant: Arc<Variant>,
        openings: &BookOpenings,
        seed: u64,
        files: &ArtifactFiles,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, Error> {
        let identity = BookIdentity {
            sha256: openings.sha256,
            variant: rules::hash(&variant),
            format: openings.format,
            plies: openings.plies.map_or(0, Into::into),
        };
        if files.size(&identity.sha256)?.is_none() {
            let book = format!(
                "openings.sha256: the book {} (upload it as an artifact first)",
                identity.sha256
            );
            return Err(Error::NotFound(book));
        }
        let index = match files.book_index(&identity)? {
            Some(index) => index,
            None => {
                make_index(&variant, &identity, files, stop)?;
                let made = files.book_index(&identity)?;
                made.ok_or_else(|| {
                    Error::Internal("the index of a book is damaged at once".to_owned())
                })?
            }
        };
        if identity.plies > 0 && index.format == BookFormat::Lines {
            let problem = "goes with a PGN, but the book has a position a line: leave it out";
            return Err(SpecError::new("openings.plies", problem).into());
        }
        let order = match openings.order {
            OpeningOrder::Random => BookOrder::Random { seed },
            OpeningOrder::Sequential => BookOrder::From(openings.start.map_or(1, Into::into)),
        };
        let count = index.summary.openings;
        let sampler = BookSampler::new(order, count, openings.sample.map(Into::into));
        Ok(Self {
            sampler: sampler.map_err(|error| SpecError::new("openings", error.to_string()))?,
            variant,
            files: files.clone(),
            identity,
            index,
            last: Mutex::new(None),
        })
    }

    /// The opening of a pair. Blocks.
    pub(super) fn fen(&self, pair: u64) -> Result<String, Error> {
        let number = self.sampler.nth(pair);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut at, mut reader) = match last.take() {
            Some((next, reader)) if (next..next + STRIDE).contains(&number) => (next, reader),
            _ => self.reader_before(number)?,
        };
        loop {
            let entry = reader.next_entry().map_err(|error| self.changed(&error))?;
            let entry = entry.ok_or_else(|| self.changed(&"it has become shorter"))?;
            at += 1;
            if at > number {
                *last = Some((at, reader));
                let opening = entry.opening(&self.variant);
                return Ok(opening.map_err(|fault| self.changed(&fault))?.fen());
            }
        }
    }

    /// A reader that stands at most [`STRIDE`] openings before one, and the number of its next opening.
    fn reader_before(&self, number: u64) -> Result<(u64, BookReader<BufReader<File>>), Error> {
        let (offset, between) = self.index.before(number)?;
        let mut file = self.files.open(&self.identity.sha256)?;
        file.seek(SeekFrom::Start(offset))
            .map_err(|error| self.changed(&error))?;
        // Its line is not known, and nobody asks for it: everything was checked.
        let place = Place { line: 1, offset };
        let plies = Some(self.identity.plies).filter(|plies| *plies > 0);
        let format = Some(self.index.format);
        let reader = BookReader::at(BufReader::new(file), format, plies, place);
        Ok((number - between, reader))
    }

    /// A book that was checked cannot be read.
    fn changed(&self, problem: &dyn Display) -> Error {
        let path = format!("book {}", self.identity.sha256);
        StoreError::unreadable(path, problem).into()
    }

    /// What people should know about it.
    pub(super) fn notes(&self) -> Vec<String> {
        let Summary {
            openings,
            duplicates,
            ..
        } = self.index.summary;
        if duplicates == 0 {
            return Vec::new();
        }
        vec![format!(
            "{duplicates} of the book's {openings} openings are there more than once: they are played as often as they stand there"
        )]
    }
}

/// Checks a book and writes its index.
fn make_index(
    variant: &Arc<Variant>,
    identity: &BookIdentity,
    files: &ArtifactFiles,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), Error> {
    let file = BufReader::with_capacity(READ_AHEAD, files.open(&identity.sha256)?);
    let plies = Some(identity.plies).filter(|plies| *plies > 0);
    let mut reader = BookReader::new(file, identity.format, plies);
    let mut indexer = files.index_book(identity)?;
    let scratch = files.scratch()?;
    let checking = Checking {
        variant,
        threads: available_parallelism().map_or(1, usize::from),
        keys: &scratch.file,
        stop,
    };
    let mut written = Ok(());
    let checked = check(&mut reader, checking, &mut |place| {
        if written.is_ok() {
            written = indexer.push(place.offset);
        }
    });
    let summary = checked.map_err(refused)?;
    written.map_err(StoreError::io("write", "the index of a book".as_ref()))?;
    if let Some(problem) = faults(&summary) {
        return Err(SpecError::new("openings", problem).into());
    }
    let Some(format) = reader.format().filter(|_| summary.openings > 0) else {
        let problem = "the book has no opening: write a FEN or EPD a line, or games in PGN";
        return Err(SpecError::new("openings", problem).into());
    };
    Ok(indexer.finish(identity, format, &summary)?)
}

/// The refusal of a file that is no book, or the failure of the disk.
fn refused(error: BookError) -> Error {
    match error {
        BookError::Read { source, .. } => StoreError::io("read", "a book".as_ref())(source).into(),
        BookError::Keys(source) => {
            StoreError::io("write", "the keys of a book".as_ref())(source).into()
        }
        BookError::Stopped => Error::Stopping,
        other => SpecError::new("openings", other.to_string()).into(),
    }
}

/// What is wrong with the openings, the first ones one by one.
fn faults(summary: &Summary) -> Option<String> {
    if summary.faulty == 0 {
        return None;
    }
    let all = summary.openings + summary.faulty;
    let mut text = format!("{} of the book's {all} openings are wrong:", summary.faulty);
    for fault in &summary.faults {
        text += &format!("\n  {fault}");
    }
    let more = summary.faulty - summary.faults.len() as u64;
    if more > 0 {
        text += &format!(
            "\n  and {more} more; correct them, `brouhaha book check FILE` finds them without a coordinator"
        );
    }
    Some(text)
}

#[cfg(test)]
mod tests;
