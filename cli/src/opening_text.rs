//! `--openings`: where openings come from, in one word.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use proto::v1::{self, openings::Source};
use server::model::tournament_file;

/// How openings are written on a command line.
pub const SHAPE: &str = "setups, armies, random:PLIES or file:PATH[,order=sequential|random][,start=N][,sample=N][,plies=N][,format=epd|fen|pgn]";

/// Openings, and the book that the coordinator must have for them.
#[derive(Debug)]
pub struct OpeningText {
    /// Where they come from.
    pub source: Source,
    /// The file of the book.
    pub book: Option<PathBuf>,
}

/// Reads `setups`, `armies`, `random:8` or `file:book.epd,order=sequential`. A book is read for its hash.
pub fn openings(text: &str) -> Result<OpeningText> {
    let without_book = |source| OpeningText { source, book: None };
    match text.split_once(':') {
        None if text == "setups" => Ok(without_book(Source::Setups(v1::SetupOpenings::default()))),
        None if text == "armies" => Ok(without_book(Source::Armies(v1::ArmyOpenings {}))),
        Some(("random", plies)) => match plies.parse() {
            Ok(plies) => Ok(without_book(random(plies))),
            Err(_) => bail!("`{plies}` is no number of plies; write random:8"),
        },
        Some(("file", words)) => file(words),
        _ => bail!("`{text}` are no openings; write {SHAPE}"),
    }
}

fn random(plies: u32) -> Source {
    Source::Random(v1::RandomOpenings {
        plies,
        balance_cp: 0,
    })
}

fn file(text: &str) -> Result<OpeningText> {
    let (path, words) = split(text);
    if path.is_empty() {
        bail!("the path of the book is missing; write {SHAPE}");
    }
    let mut book = v1::BookOpenings::default();
    for word in words {
        take(&mut book, word)?;
    }
    let path = PathBuf::from(path);
    book.sha256 = tournament_file::book_digest(Path::new(&path))?.to_string();
    Ok(OpeningText {
        source: Source::Book(book),
        book: Some(path),
    })
}

/// The path, which may have commas, and the words behind it.
fn split(text: &str) -> (&str, Vec<&str>) {
    let mut path = text;
    let mut words = Vec::new();
    while let Some((before, word)) = path.rsplit_once(',')
        && KEYS.iter().any(|key| word.split('=').next() == Some(key))
        && word.contains('=')
    {
        words.insert(0, word);
        path = before;
    }
    (path, words)
}

const KEYS: [&str; 5] = ["order", "start", "sample", "plies", "format"];

fn take(book: &mut v1::BookOpenings, word: &str) -> Result<()> {
    let (key, value) = word.split_once('=').unwrap_or((word, ""));
    let number = || {
        let number: Option<u64> = value.parse().ok().filter(|number| *number > 0);
        number.with_context(|| format!("`{word}`: {key} must be a number from 1"))
    };
    match key {
        "order" => {
            book.order = match value {
                "sequential" => v1::OpeningOrder::Sequential,
                "random" => v1::OpeningOrder::Random,
                _ => bail!("`{word}`: order is sequential or random"),
            }
            .into();
        }
        "format" => {
            book.format = match value {
                "epd" | "fen" => v1::OpeningFormat::Lines,
                "pgn" => v1::OpeningFormat::Pgn,
                _ => bail!("`{word}`: format is epd, fen or pgn"),
            }
            .into();
        }
        "start" => book.start = number()?,
        "sample" => book.sample = number()?,
        _ => {
            let plies = u32::try_from(number()?);
            book.plies = plies
                .ok()
                .with_context(|| format!("`{word}` is too many"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_behind_a_path_belong_to_the_book() {
        let split = |text| split(text);
        assert_eq!(split("a.epd"), ("a.epd", vec![]));
        assert_eq!(
            split("a,b.epd,order=random,start=3"),
            ("a,b.epd", vec!["order=random", "start=3"])
        );
        assert_eq!(split("a,order=1,b.epd"), ("a,order=1,b.epd", vec![]));
    }

    #[test]
    fn openings_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a,b.epd");
        std::fs::write(&path, "abc").unwrap();
        let text = format!(
            "file:{},order=sequential,start=3,sample=4,plies=5,format=pgn",
            path.display()
        );
        let read = openings(&text).unwrap();
        assert_eq!(read.book, Some(path.clone()));
        let Source::Book(book) = read.source else {
            panic!("{read:?}")
        };
        // SHA-256 of "abc" (FIPS 180-2, appendix B.1).
        assert_eq!(
            book.sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!((book.start, book.sample, book.plies), (3, 4, 5));
        assert_eq!(book.order(), v1::OpeningOrder::Sequential);
        assert_eq!(book.format(), v1::OpeningFormat::Pgn);
        assert!(matches!(openings("random:8").unwrap().source, Source::Random(r) if r.plies == 8));
        assert!(matches!(
            openings("armies").unwrap().source,
            Source::Armies(_)
        ));
    }

    #[test]
    fn what_are_no_openings_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        std::fs::write(&path, "abc").unwrap();
        let with = |words: &str| format!("file:{},{words}", path.display());
        for (text, expected) in [
            ("", "are no openings"),
            ("books", "are no openings"),
            ("random:x", "random:8"),
            ("file:", "is missing"),
            ("file:none.epd", "none.epd"),
            (&with("order=up"), "sequential or random"),
            (&with("start=0"), "a number from 1"),
            (&with("plies=99999999999"), "too many"),
            (&with("format=bin"), "epd, fen or pgn"),
        ] {
            let error = openings(text).unwrap_err();
            assert!(format!("{error:#}").contains(expected), "{text}: {error:#}");
        }
    }
}
