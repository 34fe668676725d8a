//! [`check`]: every opening of a book by the rules of a variant, in bounded memory, on several threads.

use std::io::{BufRead, Read, Seek, Write};
use std::sync::Arc;

use super::keys::Keys;
use super::{BookError, BookReader, Entry, Fault, Place};
use crate::types::Colour;
use crate::variant::Variant;

/// Most faults that a [`Summary`] tells one by one.
pub const MOST_FAULTS_SHOWN: usize = 10;

/// Openings that are read before they are judged, for each thread.
const AT_A_TIME: usize = 512;

/// What a check needs beside the book.
pub struct Checking<'a, F> {
    /// The variant.
    pub variant: &'a Arc<Variant>,
    /// Threads that judge.
    pub threads: usize,
    /// An empty temporary file, for the keys of the positions.
    pub keys: F,
    /// Asked now and then whether nobody wants the answer any more.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// What a book has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Lines of the file.
    pub lines: u64,
    /// Openings that can be played.
    pub openings: u64,
    /// Openings that cannot.
    pub faulty: u64,
    /// The first of what is wrong, at most [`MOST_FAULTS_SHOWN`].
    pub faults: Vec<Fault>,
    /// Openings whose position stands in the book before: the same men, side to move and rights, whatever the counters.
    pub duplicates: u64,
    /// Openings with White to move.
    pub white: u64,
    /// Openings with Black to move.
    pub black: u64,
}

/// Judges every opening; `taken` gets the place of each one that can be played, in order.
///
/// ```
/// use std::io::Cursor;
/// use engine::{book::{BookReader, Checking, check}, variant::Catalog};
/// let chess = Catalog::builtin().get("chess").unwrap();
/// let text = "4k3/8/8/8/8/8/P7/4K3 w - -\n4k3/8/8/8/8/8/P7/4K3 w - - 5 9\nnonsense\n";
/// let mut book = BookReader::new(text.as_bytes(), None, None);
/// let keys = Cursor::new(Vec::new());
/// let checking = Checking { variant: &chess, threads: 1, keys, stop: &|| false };
/// let summary = check(&mut book, checking, &mut |_| {}).unwrap();
/// assert_eq!((summary.openings, summary.duplicates, summary.faulty), (2, 1, 1));
/// assert_eq!(summary.faults[0].line, 3);
/// ```
///
/// # Errors
/// The file is no book, or cannot be read.
pub fn check<R: BufRead, F: Read + Write + Seek>(
    book: &mut BookReader<R>,
    checking: Checking<'_, F>,
    taken: &mut dyn FnMut(Place),
) -> Result<Summary, BookError> {
    let Checking {
        variant,
        threads,
        keys,
        stop,
    } = checking;
    let threads = threads.max(1);
    let mut keys = Keys::new(keys);
    let mut summary = Summary::default();
    let mut entries = Vec::new();
    loop {
        entries.clear();
        while entries.len() < AT_A_TIME * threads
            && let Some(entry) = book.next_entry()?
        {
            entries.push(entry);
        }
        if entries.is_empty() {
            break;
        }
        if stop() {
            return Err(BookError::Stopped);
        }
        for (entry, judged) in entries.iter().zip(judge(variant, &entries, threads)) {
            match judged {
                Ok((side, key)) => {
                    summary.openings += 1;
                    *match side {
                        Colour::White => &mut summary.white,
                        Colour::Black => &mut summary.black,
                    } += 1;
                    keys.push(key).map_err(BookError::Keys)?;
                    taken(entry.place);
                }
                Err(fault) => {
                    summary.faulty += 1;
                    if summary.faults.len() < MOST_FAULTS_SHOWN {
                        summary.faults.push(fault);
                    }
                }
            }
        }
    }
    summary.lines = book.lines();
    summary.duplicates = keys.duplicates().map_err(BookError::Keys)?;
    Ok(summary)
}

/// Side to move and key of an opening, or what is wrong with it.
type Judged = Result<(Colour, u64), Fault>;

/// Judges entries on several threads; the answers are in the entries' order.
fn judge(variant: &Arc<Variant>, entries: &[Entry], threads: usize) -> Vec<Judged> {
    let one = |entry: &Entry| {
        let game = entry.opening(variant)?;
        let key = game.hashes().last().copied().unwrap_or_default();
        Ok((game.side_to_move(), key))
    };
    if threads == 1 || entries.len() < threads {
        return entries.iter().map(one).collect();
    }
    let size = entries.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let parts: Vec<_> = entries
            .chunks(size)
            .map(|part| scope.spawn(move || part.iter().map(one).collect::<Vec<_>>()))
            .collect();
        let join = |part: std::thread::ScopedJoinHandle<'_, Vec<Judged>>| match part.join() {
            Ok(judged) => judged,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        parts.into_iter().flat_map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io::Cursor;

    use super::*;
    use crate::variant::Catalog;

    fn checked(text: &str, threads: usize) -> (Summary, Vec<u64>) {
        let chess = Catalog::builtin().get("chess").unwrap();
        let mut book = BookReader::new(text.as_bytes(), None, None);
        let checking = Checking {
            variant: &chess,
            threads,
            keys: Cursor::new(Vec::new()),
            stop: &|| false,
        };
        let mut lines = Vec::new();
        let summary = check(&mut book, checking, &mut |place| lines.push(place.line));
        (summary.unwrap(), lines)
    }

    #[test]
    fn counts_are_the_same_for_any_number_of_threads() {
        let mut text = String::new();
        let (mut legal, mut different) = (0, BTreeSet::new());
        for i in 0..3000_u32 {
            text += &match i % 5 {
                0 => "nonsense\n".to_owned(),
                1 => "# a remark\n".to_owned(),
                _ => {
                    legal += 1;
                    different.insert((i % 8, i / 8 % 4, i % 2));
                    pawn(i % 8, i / 8 % 4, i % 2, i % 50)
                }
            };
        }
        let (summary, lines) = checked(&text, 1);
        assert_eq!((summary.lines, summary.faulty), (3000, 600));
        assert_eq!((summary.openings, lines.len()), (legal, legal as usize));
        assert_eq!(summary.duplicates, legal - different.len() as u64);
        assert_eq!(summary.faults.len(), MOST_FAULTS_SHOWN);
        assert_eq!(summary.faults[1].line, 6);
        assert_eq!((summary.white, summary.black), (900, 900));
        for threads in [2, 3, 7] {
            assert_eq!(checked(&text, threads), (summary.clone(), lines.clone()));
        }
    }

    /// Two kings, and a white pawn on one of four ranks.
    fn pawn(file: u32, rank: u32, side: u32, halfmove: u32) -> String {
        let blanks = |n: u32| match n {
            0 => String::new(),
            n => n.to_string(),
        };
        let rank_text = format!("{}P{}", blanks(file), blanks(7 - file));
        let mut ranks = ["4k3", "8", "8", "8", "8", "8", "8", "4K3"].map(str::to_owned);
        ranks[3 + rank as usize] = rank_text;
        let side = if side == 0 { 'w' } else { 'b' };
        format!("{} {side} - - {halfmove} 1\n", ranks.join("/"))
    }

    #[test]
    fn it_stops_when_asked() {
        let chess = Catalog::builtin().get("chess").unwrap();
        let mut book = BookReader::new(&b"nonsense"[..], None, None);
        let checking = Checking {
            variant: &chess,
            threads: 1,
            keys: Cursor::new(Vec::new()),
            stop: &|| true,
        };
        let stopped = check(&mut book, checking, &mut |_| {});
        assert!(matches!(stopped, Err(BookError::Stopped)));
    }
}
