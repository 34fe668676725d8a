//! The UCI front from outside: the dialogue of a match runner, and hostile input.

use std::io::{BufReader, Read};
use std::sync::mpsc;
use std::time::Duration;

use engine::uci;
use engine::variant::Catalog;
use proptest::prelude::*;

pub fn answers(input: &[u8]) -> String {
    let mut output = Vec::new();
    uci::run(input, &mut output, Catalog::builtin()).unwrap();
    String::from_utf8(output).unwrap()
}

pub fn best_moves(answers: &str) -> Vec<&str> {
    answers
        .lines()
        .filter_map(|l| l.strip_prefix("bestmove "))
        .collect()
}

#[test]
fn identifies_itself_and_its_options() {
    let said = answers(b"uci\nisready\nquit\n");
    for line in [
        "uciok",
        "readyok",
        "option name Hash type spin default 16 min 1 max 1048576",
        "option name UCI_Variant type combo default chess var chess var apothecary-modern",
        "option name VariantFile type string default <empty>",
        "option name Move Overhead type spin default 10 min 0 max 5000",
    ] {
        assert!(
            said.lines().any(|l| l.starts_with(line)),
            "{line} in {said}"
        );
    }
}

#[test]
fn plays_from_a_position_with_moves() {
    let said = answers(b"position startpos moves f2f3 e7e5 g2g4\ngo depth 2\n");
    assert_eq!(best_moves(&said), ["d8h4"]);
    assert!(said.contains("score mate 1"), "{said}");
    let said = answers(b"position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1\nd\n");
    assert!(
        said.contains("Fen: r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"),
        "{said}"
    );
}

#[test]
fn other_variants_are_chosen_by_name() {
    let said = answers(
        b"setoption name UCI_Variant value grand-apothecary-modern\nposition startpos\ngo nodes 500\n\
          setoption name UCI_Variant value augmenters\nposition startpos\ngo nodes 50\n\
          position startpos moves regent=BN regent=BR\ngo nodes 50\n",
    );
    let best = best_moves(&said);
    assert_eq!(best.len(), 3, "{said}");
    assert!(
        best[1].starts_with("regent=") && best[2].starts_with("augment="),
        "{best:?}"
    );
}

#[test]
fn troubles_are_named_and_change_nothing() {
    let said = answers(
        b"position fen 8/8/8/8/8/8/8/8 w - - 0 1\nposition startpos moves e2e5\nsetoption name Hash value 0\n\
          setoption name UCI_Variant value go\nsetoption name Nonsense value 1\nsetoption name VariantFile value /nowhere.toml\n\
          go nodes many\nxyzzy\n\xff\xfe\nd\n",
    );
    let errors = said
        .lines()
        .filter(|l| l.starts_with("info string error: "))
        .count();
    assert_eq!(errors, 9, "{said}");
    for part in [
        "e2e5",
        "`Hash`",
        "unknown variant `go`",
        "Nonsense",
        "nowhere.toml",
        "`many`",
        "xyzzy",
        "not UTF-8",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(said.contains("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
}

#[test]
fn long_lines_are_skipped() {
    let mut input = b"position startpos moves ".to_vec();
    input.extend(std::iter::repeat_n(b'x', 3 << 20));
    input.extend_from_slice(b"\nisready\n");
    let said = answers(&input);
    assert!(
        said.contains("longer than") && said.ends_with("readyok\n"),
        "{said}"
    );
}

/// An input whose end is held back until the test says so.
struct Held {
    first: std::io::Cursor<Vec<u8>>,
    rest: mpsc::Receiver<Vec<u8>>,
}

impl Read for Held {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let n = self.first.read(buffer)?;
            if n > 0 {
                return Ok(n);
            }
            match self.rest.recv() {
                Ok(more) => self.first = std::io::Cursor::new(more),
                Err(_) => return Ok(0),
            }
        }
    }
}

#[test]
fn an_infinite_search_waits_for_stop() {
    let (say, rest) = mpsc::channel();
    let input = Held {
        first: std::io::Cursor::new(Vec::new()),
        rest,
    };
    let session = std::thread::spawn(move || {
        let mut output = Vec::new();
        uci::run(BufReader::new(input), &mut output, Catalog::builtin()).unwrap();
        String::from_utf8(output).unwrap()
    });
    say.send(b"position startpos\ngo infinite\nisready\n".to_vec())
        .unwrap();
    std::thread::sleep(Duration::from_millis(50));
    say.send(b"stop\nisready\n".to_vec()).unwrap();
    // A mated position has nothing to search, and still waits.
    say.send(b"position startpos moves f2f3 e7e5 g2g4 d8h4\ngo infinite\n".to_vec())
        .unwrap();
    std::thread::sleep(Duration::from_millis(50));
    drop(say);
    let said = session.join().unwrap();
    assert_eq!(best_moves(&said).len(), 2, "{said}");
    assert_eq!(best_moves(&said)[1], "0000");
    assert_eq!(said.matches("readyok").count(), 2, "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_answered_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        answers(&bytes);
    }

    #[test]
    fn any_mixture_of_words_is_answered_or_refused(lines in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![
        "uci", "isready", "ucinewgame", "position", "startpos", "fen", "moves", "e2e4", "e7e5", "g1f3", "0000", "go",
        "depth 2", "nodes 30", "movetime 1", "wtime 1", "btime -4", "infinite", "searchmoves", "stop", "d", "setoption",
        "name", "value", "Hash", "2", "UCI_Variant", "augmenters", "war-of-the-roses", "quit", "ponderhit", "\u{1F4A9}",
        "8/8/8/8/8/8/8/K1k5 w - - 0 1",
    ]), 0..7), 0..12)) {
        let text: Vec<String> = lines.iter().map(|l| l.join(" ")).collect();
        answers(text.join("\n").as_bytes());
    }
}

/// An evaluation file that thinks much of the move scores otherwise than the built-in one; files that
/// cannot be used are named, and the weights stay.
#[test]
fn an_evaluation_file_changes_how_a_variant_is_played() {
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/evaluation/chess.toml");
    let text = std::fs::read_to_string(built_in).unwrap();
    let changed = text.replacen("tempo = [", "tempo = [4000, 4000] # [", 1);
    let path =
        std::env::temp_dir().join(format!("brouhaha-evaluation-{}.toml", std::process::id()));
    std::fs::write(&path, changed).unwrap();
    let score = |option: &str| {
        let said = answers(format!("{option}position startpos\ngo depth 1\n").as_bytes());
        let line = said
            .lines()
            .rfind(|l| l.contains(" score cp "))
            .unwrap_or_default();
        let after = line
            .split(" score cp ")
            .nth(1)
            .and_then(|l| l.split(' ').next());
        (after.and_then(|cp| cp.parse::<i32>().ok()).unwrap(), said)
    };
    let (plain, _) = score("");
    let (same, said) = score(&format!("setoption name EvalFile value {built_in}\n"));
    assert_eq!((same, said.contains("error")), (plain, false), "{said}");
    let (other, _) = score(&format!(
        "setoption name EvalFile value {}\n",
        path.display()
    ));
    assert!((other - plain).abs() > 50, "{other} {plain}");
    let wrong = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for bad in ["/nowhere.toml", wrong, env!("CARGO_MANIFEST_DIR")] {
        let (unchanged, said) = score(&format!("setoption name EvalFile value {bad}\n"));
        assert_eq!(unchanged, plain);
        assert!(
            said.contains("info string error: ") && said.contains(bad),
            "{said}"
        );
    }
    std::fs::remove_file(path).unwrap();
}
