//! Opening books: made, checked, sent to a coordinator, played; each opening once, whatever becomes of a worker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process::{Serving, brouhaha, complaint, games, json, printed};

/// A tournament of two engines on a book.
fn tournament(folder: &Path, openings: &str, pairs: usize, nodes: u32) -> PathBuf {
    let path = folder.join("t.toml");
    let text = format!(
        "schema = 1\nname = \"book\"\nvariant = \"chess\"\nseed = 3\nbatch_pairs = 2\nmax_plies = 30\n\
         [openings]\nsource = \"file\"\n{openings}\n[format]\nkind = \"head-to-head\"\npairs = {pairs}\n\
         [limit]\nnodes = {nodes}\n\
         [[engine]]\nname = \"a\"\nbuiltin = true\noptions = {{ Hash = 1 }}\n\
         [[engine]]\nname = \"b\"\nbuiltin = true\noptions = {{ Hash = 1, Contempt = 9 }}\n"
    );
    std::fs::write(&path, text).unwrap();
    path
}

fn make(output: &Path, more: &[&str]) {
    let arguments = ["book", "make", "--variant", "chess", "--plies", "5"];
    printed(
        brouhaha()
            .args(arguments)
            .args(["--balance", "80", "--nodes", "200"])
            .args(more)
            .arg("-o")
            .arg(output),
    );
}

/// The first four fields of each line: the positions, without counters and operations.
fn positions(book: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(book).unwrap();
    text.lines().map(position).collect()
}

fn position(line: &str) -> String {
    let fields: Vec<&str> = line.split(' ').take(4).collect();
    fields.join(" ")
}

fn text<'a>(game: &'a Value, key: &str) -> &'a str {
    game[key].as_str().unwrap()
}

#[test]
fn a_book_that_was_made_is_checked_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let book = at("book.epd");
    make(&book, &["--count", "12", "--threads", "1"]);
    make(&at("same.epd"), &["--count", "12", "--threads", "3"]);
    let bytes = std::fs::read(&book).unwrap();
    assert_eq!(bytes, std::fs::read(at("same.epd")).unwrap());
    make(&at("book.fen"), &["--count", "12", "--format", "fen"]);
    assert_eq!(positions(&at("book.fen")), positions(&book));

    let check = ["book", "check", "--variant", "chess", "--format", "json"];
    let checked = json(brouhaha().args(check).arg(&book));
    assert_eq!(checked["openings"], 12);
    assert_eq!(checked["duplicates"], 0);
    // Five plies after a start with White to move.
    assert_eq!(checked["black_to_move"], 12);

    let openings = format!("file:{},order=sequential,start=3", book.display());
    let compare = [
        "compare",
        "--base",
        "builtin",
        "--candidate",
        "builtin:Contempt=5",
        "--variant",
        "chess",
        "--pairs",
        "2",
        "--limit",
        "nodes=60",
        "--workers",
        "1",
        "--openings",
    ];
    printed(
        brouhaha()
            .args(compare)
            .arg(&openings)
            .arg("--data-dir")
            .arg(at("data")),
    );
    let played = games(
        brouhaha()
            .args(["tournament", "games", "1", "--as", "json", "--data-dir"])
            .arg(at("data")),
    );
    let used: Vec<String> = played
        .iter()
        .map(|game| position(text(game, "opening_fen")))
        .collect();
    let all = positions(&book);
    assert_eq!(used, [&*all[2], &*all[2], &*all[3], &*all[3]]);
    // The counters are those that EPD operations gave.
    let fens = std::fs::read_to_string(at("book.fen")).unwrap();
    assert_eq!(fens.lines().nth(2), Some(text(&played[0], "opening_fen")));
}

/// Nobody gets an opening twice, and none is lost with the worker that had it.
#[test]
fn every_opening_is_played_by_one_pair_when_a_worker_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.epd");
    make(&book, &["--count", "24"]);
    let file = tournament(
        folder.path(),
        "path = \"book.epd\"\norder = \"sequential\"",
        24,
        300,
    );
    let serving = Serving::start(&folder.path().join("data"));
    let id = serving.create(&file);
    let mut first = serving.worker("first");
    let _second = serving.worker("second");
    serving.wait_for_games(&id, 4);
    first.kill();
    let shown = serving.wait_for_games(&id, 48);
    assert_eq!(shown["state"], "finished");

    let played = games(&mut serving.command(&["tournament", "games", &id, "--as", "json"]));
    let mut by_opening: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for game in &played {
        let movers = (
            text(game, "first").to_owned(),
            text(game, "second").to_owned(),
        );
        let opening = position(text(game, "opening_fen"));
        by_opening.entry(opening).or_default().push(movers);
    }
    let mut expected = positions(&book);
    expected.sort();
    assert!(by_opening.keys().eq(&expected), "{by_opening:#?}");
    for (opening, mut movers) in by_opening {
        movers.sort();
        let both = [("a", "b"), ("b", "a")].map(|(one, two)| (one.to_owned(), two.to_owned()));
        assert_eq!(movers, both, "{opening}");
    }
}

#[test]
fn a_book_is_sent_once_and_the_same_book_is_the_same_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    make(&at("book.epd"), &["--count", "4"]);
    let twice = std::fs::read_to_string(at("book.epd")).unwrap().repeat(2);
    std::fs::write(at("book.epd"), &twice).unwrap();
    let file = tournament(folder.path(), "path = \"book.epd\"", 2, 50);
    let serving = Serving::start(&at("data"));
    let create = || {
        let output = serving
            .command(&["tournament", "create"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (out, err)
    };
    let (id, said) = create();
    let size = twice.len();
    assert!(said.contains(&format!("{size} bytes are with")), "{said}");
    assert!(
        said.contains("4 of the book's 8 openings are there more than once"),
        "{said}"
    );
    // Another name, the same bytes.
    std::fs::rename(at("book.epd"), at("other.epd")).unwrap();
    tournament(folder.path(), "path = \"other.epd\"", 2, 50);
    let (same, said) = create();
    assert_eq!(same, id);
    assert!(!said.contains("bytes are with"), "{said}");
    // By its hash, as `tournament show` writes it.
    let shown = printed(&mut serving.command(&["tournament", "show", id.trim()]));
    let sha256 = shown
        .lines()
        .find(|line| line.starts_with("sha256"))
        .unwrap();
    tournament(folder.path(), sha256, 2, 50);
    assert_eq!(create().0, id);
}

#[test]
fn what_is_wrong_with_a_book_is_told_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = || {
        let mut command = brouhaha();
        command
            .arg("run")
            .arg(at("t.toml"))
            .arg("--data-dir")
            .arg(at("data"));
        command
    };
    let check = |name: &str| {
        let mut command = brouhaha();
        command
            .args(["book", "check", "--variant", "chess"])
            .arg(at(name));
        command
    };
    let good = "4k3/8/8/8/8/8/P7/4K3 w - - id \"x\";\n";
    for (name, bytes, expected) in [
        (
            "bad.epd",
            format!("{good}\n{good}nonsense\n").into_bytes(),
            "line 4: the FEN has 1 fields",
        ),
        (
            "bad.pgn",
            b"[Event \"x\"]\n\n1. e4 e5\n2. Ke3 *\n".to_vec(),
            "line 4: `Ke3` is no legal move",
        ),
        ("book.gz", b"\x1f\x8b\x08\x00".to_vec(), "gunzip"),
        ("wide.txt", b"\xff\xfe8\0".to_vec(), "UTF-8"),
        ("empty.epd", b"# nothing\n".to_vec(), "has no opening"),
    ] {
        std::fs::write(at(name), bytes).unwrap();
        tournament(folder.path(), &format!("path = \"{name}\""), 1, 10);
        for said in [complaint(&mut run(), 1), complaint(&mut check(name), 1)] {
            assert!(said.contains(expected), "{name}: {said}");
        }
        assert!(complaint(&mut run(), 1).contains(name));
    }
    let said = complaint(&mut check("none.epd"), 1);
    assert!(said.contains("none.epd"), "{said}");
}

#[test]
fn a_book_that_cannot_be_made_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.epd");
    let making = |count: &str, balance: &str| {
        let mut command = brouhaha();
        command
            .args([
                "book",
                "make",
                "--variant",
                "chess",
                "--plies",
                "1",
                "--count",
                count,
            ])
            .args(["--balance", balance, "--nodes", "50", "-o"])
            .arg(&book);
        command
    };
    // Chess has 20 first moves.
    let said = complaint(&mut making("21", "0"), 1);
    assert!(said.contains("only 20 of 21 openings were found"), "{said}");
    assert!(said.contains("2000 were there already"), "{said}");
    let said = complaint(&mut making("20", "1"), 1);
    assert!(said.contains("out of balance"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Interrupted, it leaves what was there.
#[cfg(unix)]
#[test]
fn an_interrupted_book_leaves_the_old_one() {
    use crate::process::Running;
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.epd");
    std::fs::write(&book, "old").unwrap();
    let mut making = Running::start(
        brouhaha()
            .args([
                "book",
                "make",
                "--variant",
                "chess",
                "--plies",
                "8",
                "--count",
                "1000000",
            ])
            .args(["--balance", "50", "--threads", "1", "-o"])
            .arg(&book),
    );
    // It cannot have come far, whenever the signal comes.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let status = making.stop();
    assert!(!status.success());
    assert_eq!(std::fs::read_to_string(&book).unwrap(), "old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
