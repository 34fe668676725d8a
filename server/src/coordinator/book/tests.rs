//! Books against the lists of their openings; indexes that are lost; books that are none.

use std::fs;
use std::num::{NonZeroU32, NonZeroU64};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

fn stored(text: &str) -> (TempDir, ArtifactFiles, BookOpenings) {
    let folder = tempfile::tempdir().unwrap();
    let files = ArtifactFiles::new(folder.path());
    let mut upload = files.upload().unwrap();
    upload.write(text.as_bytes()).unwrap();
    let (sha256, _) = upload.finish().unwrap();
    let openings = BookOpenings {
        sha256,
        order: OpeningOrder::Sequential,
        format: None,
        plies: None,
        start: None,
        sample: None,
    };
    (folder, files, openings)
}

fn open(files: &ArtifactFiles, openings: &BookOpenings) -> Result<BookFile, Error> {
    let chess = rules::builtin("chess").unwrap();
    BookFile::open(chess, openings, 5, files, &|| false)
}

fn refusal(text: &str) -> String {
    let (folder, files, openings) = stored(text);
    let error = open(&files, &openings).err().unwrap().to_string();
    // Nothing remains but the book.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    error
}

/// Different positions, with remarks and empty lines between them; and their FENs.
fn lines(count: usize) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut fens = Vec::new();
    for i in 0..count {
        let (halfmove, fullmove) = (i % 50, i + 1);
        let position = "4k3/8/8/8/8/8/P7/4K3 w - -";
        text += match i % 7 {
            0 => "# remark\n",
            3 => "\r\n",
            _ => "",
        };
        text += &match i % 2 {
            0 => format!("{position} {halfmove} {fullmove}\n"),
            _ => format!("{position} hmvc {halfmove}; id \"{i}\"; fmvn {fullmove};\r\n"),
        };
        fens.push(format!("{position} {halfmove} {fullmove}"));
    }
    (text, fens)
}

#[test]
fn a_sequential_book_is_read_in_its_order_from_anywhere() {
    let (text, fens) = lines(300);
    let (_folder, files, openings) = stored(&text);
    let book = open(&files, &openings).unwrap();
    let read = |pair: usize| book.fen(pair as u64).unwrap();
    // Forwards, backwards, in leaps, and round.
    for pair in (0..300)
        .chain((0..300).rev())
        .chain((0..300).map(|i| i * 71 % 300))
    {
        assert_eq!(read(pair), fens[pair]);
    }
    assert_eq!(read(300), fens[0]);
    assert_eq!(book.notes().len(), 1, "they differ in their counters only");
    let start = NonZeroU64::new(299);
    let from = open(&files, &BookOpenings { start, ..openings }).unwrap();
    let first = [0, 1, 2].map(|pair| from.fen(pair).unwrap());
    assert_eq!(first, [&*fens[298], &*fens[299], &*fens[0]]);
    let start = NonZeroU64::new(301);
    let error = open(&files, &BookOpenings { start, ..openings })
        .err()
        .unwrap();
    assert!(error.to_string().contains("begin with 1 to 300"), "{error}");
}

#[test]
fn a_random_order_has_each_opening_once_before_any_comes_again() {
    let (text, mut fens) = lines(150);
    let (_folder, files, openings) = stored(&text);
    let order = OpeningOrder::Random;
    let book = open(&files, &BookOpenings { order, ..openings }).unwrap();
    for block in 0..2 {
        let mut drawn: Vec<_> = (0..150)
            .map(|i| book.fen(block * 150 + i).unwrap())
            .collect();
        assert_ne!(drawn, fens);
        drawn.sort_unstable();
        fens.sort_unstable();
        assert_eq!(drawn, fens);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn games_are_read_from_their_places(
        games in proptest::collection::vec((0_usize..4, 0_usize..6), 1..200),
    ) {
        let ways = [
            ("1. e4 e5 2. Nf3", "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
            ("1. d2d4 (1. c4) d5", "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq d6 0 2"),
            ("1. Nf3 {a (\n[b] 1-0} Nf6", "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2"),
            ("1. g3; [c\n", "rnbqkbnr/pppppppp/8/8/8/6P1/PPPPPP1P/RNBQKBNR b KQkq - 0 1"),
        ];
        let frames = [("", " *\n"), ("", " 1-0 "), ("[Event \"x\"]\n\n", "\n\n"), ("\n[A \"]\"]\n[B \"\"]\n", " 0-1 {end}\n"), ("[C \"\"]\n", " 1/2-1/2\r\n\r\n"), ("% e\n", " *\n")];
        let mut text = "[First \"\"]\n\n*\n".to_owned();
        let mut fens = vec!["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"];
        for (way, frame) in games {
            // An open game ends only where tags follow: these begin a line.
            let (before, after) = frames[frame];
            if !before.is_empty() && !text.ends_with('\n') {
                text += "\n";
            }
            let before = if text.ends_with("*\n") || text.ends_with("1-0 ") { before } else { "\n[D \"\"]\n" };
            text += &format!("{before}{}{after}", ways[way].0);
            fens.push(ways[way].1);
        }
        let (_folder, files, openings) = stored(&text);
        let book = open(&files, &openings).unwrap();
        prop_assert_eq!(book.index.summary.openings, fens.len() as u64, "{}", text);
        for pair in (0..fens.len()).rev().chain(0..fens.len()) {
            prop_assert_eq!(book.fen(pair as u64).unwrap(), fens[pair]);
        }
    }
}

#[test]
fn plies_bound_the_moves_of_a_game() {
    let (_folder, files, openings) = stored("[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n");
    let plies = NonZeroU32::new(1);
    let book = open(&files, &BookOpenings { plies, ..openings }).unwrap();
    assert_eq!(
        book.fen(0).unwrap(),
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    );
}

#[test]
fn plies_do_not_go_with_positions() {
    let (_folder, files, openings) = stored(&lines(3).0);
    let plies = NonZeroU32::new(1);
    let refused = open(&files, &BookOpenings { plies, ..openings })
        .err()
        .unwrap();
    assert!(
        refused
            .to_string()
            .starts_with("openings.plies: goes with a PGN"),
        "{refused}"
    );
}

#[test]
fn an_index_that_is_lost_or_damaged_is_made_again() {
    let (text, fens) = lines(100);
    let (folder, files, openings) = stored(&text);
    drop(open(&files, &openings).unwrap());
    let index = || {
        let paths = fs::read_dir(folder.path()).unwrap();
        let mut paths = paths.map(|entry| entry.unwrap().path());
        paths.find(|path| path.extension().is_some()).unwrap()
    };
    let whole = fs::read(index()).unwrap();
    let damages: [&dyn Fn(); 3] = [
        &|| fs::remove_file(index()).unwrap(),
        &|| fs::write(index(), &whole[..whole.len() - 9]).unwrap(),
        &|| fs::write(index(), b"nonsense").unwrap(),
    ];
    for damage in damages {
        damage();
        let book = open(&files, &openings).unwrap();
        assert_eq!(book.fen(99).unwrap(), fens[99]);
        assert_eq!(fs::read(index()).unwrap(), whole);
    }
}

#[test]
fn bad_books_are_refused_with_their_lines() {
    let (good, _) = lines(5);
    let error = refusal(&format!(
        "{good}nonsense\n{good}7k/5Q2/6K1/8/8/8/8/8 b - -\n"
    ));
    assert!(
        error.contains("2 of the book's 12 openings are wrong"),
        "{error}"
    );
    // Each of the two halves has two lines more than positions.
    assert!(
        error.contains("\n  line 8: the FEN has 1 fields"),
        "{error}"
    );
    assert!(
        error.contains("\n  line 16: the game is over before it begins (stalemate)"),
        "{error}"
    );
    let error = refusal(&"x\n".repeat(25));
    assert!(
        error.contains("25 of the book's 25 openings are wrong"),
        "{error}"
    );
    assert!(
        error.contains("\n  line 10: ") && !error.contains("line 11"),
        "{error}"
    );
    assert!(error.contains("and 15 more"), "{error}");
    for (text, expected) in [
        ("", "has no opening"),
        ("# nothing\n", "has no opening"),
        ("\u{1f}\0\n", "zero byte"),
    ] {
        assert!(refusal(text).contains(expected), "{text}");
    }
    let (_folder, files, openings) = stored("");
    let sha256 = crate::model::Digest([1; 32]);
    let missing = open(&files, &BookOpenings { sha256, ..openings });
    assert!(matches!(missing, Err(Error::NotFound(_))));
}

#[test]
fn a_check_stops_when_the_coordinator_does() {
    let (text, _) = lines(5);
    let (folder, files, openings) = stored(&text);
    let chess = rules::builtin("chess").unwrap();
    let stopped = BookFile::open(chess, &openings, 5, &files, &|| true);
    assert!(matches!(stopped, Err(Error::Stopping)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
