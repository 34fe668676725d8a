//! Tournament files: good ones, round trips, and what bad ones say.

use std::num::{NonZeroU32, NonZeroU64};

use proptest::{collection::vec, option, prelude::*};

use engine::book::BookFormat;

use super::*;
use crate::model::{
    AdaptiveGoal, Adjudication, AdjudicationRule, ArtifactEngine, BookOpenings, Digest,
    EngineProtocol, EngineSource, EngineSpec, Format, FormatKind, Limit, OpeningOrder, Openings,
    Quarantine, Seeding, Sprt, SpsaParameter, SpsaSpec, Standings, UntilDecided, VariantSource,
    limit::Clock,
    normal,
    standings::{TieBreak, Unplayed},
    wire,
};
use crate::ratings::sprt::EloUnit;

const GOOD: &str = r#"schema = 1
name = "three versions"
variant = "grand-apothecary-modern"
seed = 42

[openings]
source = "setups"
sample = 20

[format]
kind = "gauntlet"
pairs = 10
challengers = ["b"]

[limit]
nodes = 20000

[[engine]]
name = "a"
builtin = true
options = { Hash = 16, Ponder = false, Style = "calm" }

[[engine]]
name = "b"
command = "other"
limit = { clock = "10+0.1" }

[adjudication.resign]
score_cp = 900
moves = 4

[sprt]
elo0 = 0.0
elo1 = 5
"#;

fn parse_text(text: &str) -> Result<TournamentSpec, String> {
    let no_file = |name: &str, _: Purpose| {
        Err(FileError::Read {
            path: name.into(),
            origin: Some("t.toml".into()),
            source: io::ErrorKind::NotFound.into(),
        })
    };
    parse(text, "t.toml", no_file).map_err(|error| error.to_string())
}

#[test]
fn a_file_says_what_it_says() {
    let spec = parse_text(GOOD).unwrap();
    assert_eq!(spec.seed, 42);
    assert_eq!(spec.batch_pairs, None);
    assert_eq!(spec.max_plies, 4000);
    assert_eq!(
        spec.openings,
        Openings::Setups {
            numbers: vec![],
            sample: NonZeroU64::new(20)
        }
    );
    assert_eq!(
        spec.format.kind,
        FormatKind::Gauntlet {
            challengers: vec![1]
        }
    );
    assert_eq!(spec.limit, NonZeroU64::new(20000).map(Limit::Nodes));
    let options: Vec<_> = spec.engines[0]
        .options
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(
        options,
        [("Hash", "16"), ("Ponder", "false"), ("Style", "calm")]
    );
    assert_eq!(
        spec.engines[1].limit,
        Some(Limit::Clock(Clock {
            base_ms: 10_000,
            increment_ms: 100
        }))
    );
    let rule = spec.adjudication.resign.unwrap();
    assert_eq!(
        (rule.score_cp, rule.moves.get(), rule.after_move),
        (900, 4, 0)
    );
    assert_eq!(spec.sprt.unwrap().elo1, 5.0);
}

/// Replaces one line of the good file and expects this error.
#[track_caller]
fn error_of(line: &str, by: &str, expected: &str) {
    assert_eq!(GOOD.matches(line).count(), 1, "`{line}` must occur once");
    let error = parse_text(&GOOD.replace(line, by)).expect_err("the file is bad");
    assert!(
        error.starts_with(expected),
        "expected `{expected}…`, got `{error}`"
    );
}

#[test]
fn unknown_keys_are_errors_with_line_and_column() {
    error_of("seed = 42", "sede = 42", "t.toml:4:1: unknown field `sede`");
    error_of(
        "sample = 20",
        "sample = 20\n  games = 5",
        "t.toml:9:3: unknown field `games`",
    );
    error_of(
        "limit = { clock = ",
        "limit = { tempo = ",
        "t.toml:26:11: unknown field `tempo`",
    );
    error_of(
        "moves = 4",
        "moves = 4\nplies = 3",
        "t.toml:31:1: unknown field `plies`",
    );
}

#[test]
fn wrong_values_are_errors_with_line_and_column() {
    error_of("schema = 1", "schema = 2", "t.toml:1:10: `schema` is 2");
    error_of("seed = 42", "seed = \"x\"", "t.toml:4:8: invalid type");
    error_of("seed = 42", "seed = = 42", "t.toml:4:8: ");
    error_of(
        "sample = 20",
        "sample = 0",
        "t.toml:8:10: `openings.sample` must be",
    );
    error_of(
        "sample = 20",
        "plies = 4",
        "t.toml:8:9: `openings.plies` goes with source = \"file\" or \"random\", not with \"setups\"",
    );
    error_of(
        "pairs = 10",
        "pairs = 0",
        "t.toml:12:9: `format.pairs` must be",
    );
    error_of(
        "\"gauntlet\"",
        "\"suiss\"",
        "t.toml:11:8: `kind` is `suiss`: it must be one of round-robin, gauntlet, head-to-head",
    );
    error_of(
        "\"gauntlet\"",
        "\"swiss\"",
        "t.toml:13:15: `format.challengers` goes only with the kind gauntlet, not with swiss",
    );
    error_of(
        "[\"b\"]",
        "[\"c\"]",
        "t.toml:13:15: `format.challengers` `c` is not",
    );
    error_of(
        "nodes = 20000",
        "nodes = 0",
        "t.toml:16:9: `limit.nodes` must be",
    );
    error_of(
        "nodes = 20000",
        "nodes = 5\ndepth = 5",
        "t.toml:15:1: `limit` must have exactly one",
    );
    error_of(
        "command = \"other\"",
        "",
        "t.toml:23:1: `engine[1]` must have exactly one",
    );
    error_of(
        "name = \"b\"",
        "name = \"a\"",
        "t.toml:13:15: `format.challengers`",
    );
    error_of(
        "\"10+0.1\"",
        "\"ten\"",
        "t.toml:26:19: `engine[1].limit.clock` `ten` is not a clock",
    );
    error_of(
        "elo1 = 5",
        "elo1 = -5",
        "t.toml:34:8: `sprt.elo1` is refused: bounds elo0 = 0 and elo1 = -5 are not ascending",
    );
    for (keys, problem) in [
        ("decide_elo = 101", "`format.decide_elo` must be 1 to 100"),
        ("decide_elo = 0", "`format.decide_elo` must be at least 1"),
        (
            "decide_elo = 20\nmost_pairs = 9",
            "`format.most_pairs` must be at least `pairs`, 10",
        ),
        (
            "most_pairs = 90",
            "`format.most_pairs` goes only with `decide_elo`",
        ),
        (
            "seeding = \"elo\"",
            "`seeding` is `elo`: it must be one of order, rating",
        ),
    ] {
        let knockout = GOOD
            .replace("kind = \"gauntlet\"", "kind = \"knockout\"")
            .replace("challengers = [\"b\"]", keys)
            .replace("[sprt]\nelo0 = 0.0\nelo1 = 5\n", "");
        let error = parse_text(&knockout).expect_err("the file is bad");
        assert!(error.contains(problem), "{error}");
    }
    error_of(
        "elo1 = 5",
        "elo1 = 200",
        "t.toml:34:8: `sprt.elo1` is refused: bound 200 is beyond +-100 normalized Elo",
    );
    error_of(
        "elo1 = 5",
        "unit = \"logistic\"\nelo1 = 2000",
        "t.toml:35:8: `sprt.elo1` is refused: bound 2000 is beyond +-1000 logistic Elo",
    );
    error_of(
        "elo1 = 5",
        "elo1 = 5\nalpha = 0.5",
        "t.toml:35:9: `sprt.alpha` is refused: error probability alpha = 0.5",
    );
    error_of(
        "moves = 4",
        "moves = 0",
        "t.toml:30:9: `adjudication.resign.moves` must be",
    );
    error_of(
        "name = \"three versions\"",
        "",
        "t.toml:1:1: missing field `name`",
    );
}

#[test]
fn files_named_by_the_file_are_read_and_missing_ones_named() {
    let text = GOOD
        .replace("source = \"setups\"", "source = \"file\"")
        .replace("sample = 20", "path = \"book.epd\"");
    let error = parse_text(&text).unwrap_err();
    assert_eq!(error, "cannot read `book.epd`, which t.toml names");
    let spec = parse(&text, "t.toml", |name, purpose| {
        assert_eq!((name, purpose), ("book.epd", Purpose::Openings));
        Ok("ab".repeat(32))
    })
    .unwrap();
    let book = BookOpenings {
        sha256: Digest([0xab; 32]),
        order: OpeningOrder::Random,
        format: None,
        plies: None,
        start: None,
        sample: None,
    };
    assert_eq!(spec.openings, Openings::Book(book));
}

#[test]
fn keys_of_books_are_read_and_those_that_do_not_go_are_told() {
    let table = |keys: &str| {
        let file = "source = \"file\"";
        let text = GOOD.replace("source = \"setups\"", file);
        text.replace("sample = 20", keys)
    };
    let hash = "cd".repeat(32);
    let keys = format!(
        "sha256 = \"{hash}\"\nformat = \"pgn\"\nplies = 16\norder = \"sequential\"\nstart = 3\nsample = 5"
    );
    let spec = parse_text(&table(&keys)).unwrap();
    let book = BookOpenings {
        sha256: Digest([0xcd; 32]),
        order: OpeningOrder::Sequential,
        format: Some(BookFormat::Pgn),
        plies: NonZeroU32::new(16),
        start: NonZeroU64::new(3),
        sample: NonZeroU64::new(5),
    };
    assert_eq!(spec.openings, Openings::Book(book));
    let sha256 = format!("sha256 = \"{hash}\"");
    for (keys, expected) in [
        ("".to_owned(), "`openings.path` is missing"),
        (
            format!("{sha256}\npath = \"a\""),
            "`openings.sha256` does not go with `path`",
        ),
        (
            format!("{sha256}\nfens = []"),
            "`openings.sha256` does not go with `fens`",
        ),
        (
            format!("{sha256}\nstart = 0"),
            "`openings.start` must be at least 1",
        ),
        (
            format!("{sha256}\nstart = 2"),
            "`openings.start` goes with order = \"sequential\"",
        ),
        (
            format!("{sha256}\nplies = 0"),
            "`openings.plies` must be at least 1",
        ),
        (
            format!("{sha256}\nplies = 1001"),
            "`openings.plies` must be 1 to 1000",
        ),
        (
            format!("{sha256}\nbalance = 3"),
            "`openings.balance` goes with source = \"random\"",
        ),
        (format!("{sha256}\nformat = \"bin\""), "epd, fen, pgn"),
        ("sha256 = \"xy\"".to_owned(), "`openings.sha256` "),
    ] {
        let error = parse_text(&table(&keys)).unwrap_err();
        assert!(error.contains(expected), "{keys}: {error}");
    }
}

#[test]
fn a_builtin_engine_has_the_evaluation_of_its_file() {
    let named = "builtin = true\nevaluation_file = \"eval.toml\"";
    let text = GOOD.replace("builtin = true", named);
    let error = parse_text(&text).unwrap_err();
    assert_eq!(error, "cannot read `eval.toml`, which t.toml names");
    let of = |content: &str| {
        parse(&text, "t.toml", |name, purpose| {
            assert_eq!((name, purpose), ("eval.toml", Purpose::Evaluation));
            Ok(content.to_owned())
        })
    };
    let spec = of("schema = 1\n").unwrap();
    assert_eq!(spec.engines[0].evaluation(), Some("schema = 1\n"));
    assert_eq!(spec.engines[1].evaluation(), None);
    let refused = |content: &str, expected: &str| {
        let error = of(content).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    refused(
        "",
        "t.toml:21:19: `engine[0].evaluation_file` is empty: leave it out",
    );
    refused(
        &"#".repeat(256 * 1024 + 1),
        "t.toml:21:19: `engine[0].evaluation_file` has 262145 bytes: at most 262144",
    );
}

#[test]
fn evaluations_that_do_not_go_are_told() {
    error_of(
        "builtin = true",
        "builtin = true\nevaluation_file = \"none.toml\"\nevaluation_text = \"x\"",
        "t.toml:22:19: `engine[0].evaluation_text` does not go with `evaluation_file`",
    );
    for key in ["evaluation_file", "evaluation_text"] {
        error_of(
            "command = \"other\"",
            &format!("command = \"other\"\n{key} = \"none.toml\""),
            &format!("t.toml:26:19: `engine[1].{key}` goes only with builtin = true"),
        );
    }
    error_of(
        "Style = \"calm\"",
        "EvalFile = \"a.toml\"",
        "t.toml:21:51: `engine[0].options.EvalFile` is no option of a built-in engine here: give its weights by \
         evaluation_file",
    );
    // Each small enough, together too much for a message.
    let engine = |index: usize| {
        let text = "#".repeat(250 * 1024);
        format!("[[engine]]\nname = \"e{index}\"\nbuiltin = true\nevaluation_text = \"{text}\"\n")
    };
    let text = GOOD.replace("[sprt]\nelo0 = 0.0\nelo1 = 5\n", "");
    let many: String = (0..17).map(engine).collect();
    let error = parse_text(&(text + &many)).unwrap_err();
    assert!(
        error.contains("`engine` has evaluations of 4352000 bytes together"),
        "{error}"
    );
}

#[test]
fn a_conflict_is_told_before_a_file_is_missed() {
    error_of(
        "seed = 42",
        "variant_file = \"none.toml\"",
        "t.toml:4:16: `variant_file` does not go with `variant`",
    );
    error_of(
        "[adjudication.resign]\nscore_cp = 900\nmoves = 4",
        "[adjudication]\nresign = true",
        "t.toml:29:10: invalid type: boolean `true`, expected a table with `score_cp`, `moves`",
    );
}

#[test]
fn files_are_read_only_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = GOOD
        .replace("source = \"setups\"", "source = \"file\"")
        .replace("sample = 20", "path = \"book.epd\"");
    std::fs::write(at("t.toml"), &text).unwrap();
    let error = || load(&at("t.toml")).unwrap_err().to_string();
    std::fs::create_dir(at("book.epd")).unwrap();
    assert!(
        error().ends_with("book.epd` is not a regular file: name one"),
        "{}",
        error()
    );
    std::fs::remove_dir(at("book.epd")).unwrap();
    // Of a book the hash is taken, and its path given: SHA-256 of "abc" (FIPS 180-2, appendix B.1).
    std::fs::write(at("book.epd"), "abc").unwrap();
    let loaded = load(&at("t.toml")).unwrap();
    assert_eq!(loaded.book, Some(at("book.epd")));
    let Openings::Book(book) = &loaded.spec.openings else {
        panic!("{:?}", loaded.spec.openings)
    };
    assert_eq!(
        book.sha256.to_string(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    // Positions that stand in the message itself, too many for it with the rest.
    let mut spec = loaded.spec;
    spec.openings = Openings::List {
        fens: vec!["8/".repeat(500); 17 * 1024],
        order: OpeningOrder::Random,
    };
    let refused = check::check(&spec).unwrap_err();
    assert_eq!(refused.field, "openings.fens");
    std::fs::write(at("t.toml"), "#".repeat(1024 * 1024 + 1)).unwrap();
    assert!(
        error().contains("t.toml` has more than 1048576 bytes"),
        "{}",
        error()
    );
}

#[cfg(unix)]
#[test]
fn a_device_is_not_read() {
    let error = load(Path::new("/dev/zero")).unwrap_err().to_string();
    assert_eq!(error, "`/dev/zero` is not a regular file: name one");
}

fn limits() -> impl Strategy<Value = Limit> {
    prop_oneof![
        (1..i64::MAX as u64).prop_map(|nodes| Limit::Nodes(NonZeroU64::new(nodes).unwrap())),
        (1u8..).prop_map(Limit::Depth),
        (1u32..).prop_map(Limit::MoveTime),
        (1u64..1_000_000_000, 0u64..1_000_000_000).prop_map(
            |(base_ms, increment_ms)| Limit::Clock(Clock {
                base_ms,
                increment_ms
            })
        ),
    ]
}

fn rules() -> impl Strategy<Value = AdjudicationRule> {
    (any::<u32>(), 1u32.., any::<u32>()).prop_map(|(score_cp, moves, after_move)| {
        AdjudicationRule {
            score_cp,
            moves: NonZeroU32::new(moves).unwrap(),
            after_move,
        }
    })
}

fn openings() -> impl Strategy<Value = Openings> {
    prop_oneof![
        vec(0u64..1_000_000, 0..5).prop_map(|numbers| Openings::Setups {
            numbers,
            sample: None
        }),
        (1u64..1000).prop_map(|n| Openings::Setups {
            numbers: vec![],
            sample: NonZeroU64::new(n)
        }),
        Just(Openings::Armies),
        (
            vec("[a-zA-Z0-9/ \\-\\[\\]\"'\\\\{}]{1,60}", 1..4),
            any::<bool>()
        )
            .prop_map(|(fens, sequential)| Openings::List {
                fens,
                order: if sequential {
                    OpeningOrder::Sequential
                } else {
                    OpeningOrder::Random
                },
            }),
        (
            any::<[u8; 32]>(),
            0_usize..3,
            0u32..1000,
            0i64..1000,
            0i64..=i64::MAX,
            any::<bool>()
        )
            .prop_map(
                |(sha256, format, plies, start, sample, sequential)| Openings::Book(BookOpenings {
                    sha256: Digest(sha256),
                    order: if sequential {
                        OpeningOrder::Sequential
                    } else {
                        OpeningOrder::Random
                    },
                    format: [None, Some(BookFormat::Lines), Some(BookFormat::Pgn)][format],
                    plies: NonZeroU32::new(plies),
                    start: NonZeroU64::new(start as u64).filter(|_| sequential),
                    sample: NonZeroU64::new(sample as u64),
                })
            ),
        (1u32..=200, any::<u32>()).prop_map(|(plies, balance)| Openings::Random {
            plies,
            balance_cp: NonZeroU32::new(balance)
        }),
    ]
}

fn protocol(xboard: bool) -> EngineProtocol {
    if xboard {
        EngineProtocol::Xboard
    } else {
        EngineProtocol::Uci
    }
}

fn sources() -> impl Strategy<Value = EngineSource> {
    prop_oneof![
        option::of("[ -~\n\tä✓]{1,80}").prop_map(|evaluation| EngineSource::Builtin {
            build: None,
            evaluation
        }),
        ("[a-z][a-z ]{0,8}[a-z]", option::of(any::<[u8; 32]>())).prop_map(|(name, sha256)| {
            let sha256 = sha256.map(Digest);
            EngineSource::Command { name, sha256 }
        }),
        "[a-z][a-z ]{0,8}[a-z]".prop_map(EngineSource::Version),
        (any::<[u8; 32]>(), any::<bool>()).prop_map(|(bytes, xboard)| {
            let engine = ArtifactEngine::single(Digest(bytes));
            EngineSource::Artifact(ArtifactEngine {
                protocol: protocol(xboard),
                ..engine
            })
        }),
        (
            proptest::collection::btree_map("[a-z]{1,7}-[a-z0-9_.]{1,7}", any::<[u8; 32]>(), 1..4),
            any::<bool>()
        )
            .prop_map(|(files, xboard)| {
                let file =
                    |(platform, bytes): (String, _)| (platform.parse().unwrap(), Digest(bytes));
                EngineSource::Artifact(ArtifactEngine {
                    protocol: protocol(xboard),
                    files: files.into_iter().map(file).collect(),
                })
            }),
    ]
}

prop_compose! {
    fn specs()(
        name in "[^\\p{C}\\s]{1,40}",
        text in option::of("[ -~\n\tä✓]{1,80}"),
        seed in 0..i64::MAX as u64,
        batch_pairs in 0u32..=1000,
        openings in openings(),
        kind in 0..9,
        number in option::of(1u32..500),
        percent in 0u32..=100,
        pairs in 1u32..1000,
        general in limits(),
        engines in vec((sources(), proptest::collection::btree_map("[A-Za-z ]{0,8}x", "[^\\p{C}]{0,12}", 0..3), option::of(limits())), 2..5),
        (resign, draw, advantage) in (option::of(rules()), option::of(rules()), option::of(rules())),
        sprt in option::of((-500.0f64..0.0, 0.1f64..500.0, 0.001f64..0.4, option::of(any::<bool>()))),
        max_plies in 1u32..=4000,
        standings in option::of((proptest::sample::subsequence(TieBreak::ALL.to_vec(), 1..=11), any::<bool>())),
    ) -> TournamentSpec {
        let mut engines: Vec<_> = engines.into_iter().enumerate().map(|(index, (source, options, limit))| EngineSpec {
            name: format!("engine {index}"), source, options, limit,
        }).collect();
        let kind = match kind {
            0 => FormatKind::RoundRobin,
            1 => FormatKind::Gauntlet { challengers: vec![1] },
            2 => FormatKind::Pyramid,
            3 => FormatKind::Swiss { rounds: number.and_then(NonZeroU32::new) },
            4 => FormatKind::Ladder { rounds: number.and_then(NonZeroU32::new) },
            5 => FormatKind::Knockout {
                tie_pairs: percent,
                third_place: number.is_some(),
                until: number.and_then(NonZeroU32::new).map(|most_pairs| UntilDecided {
                    elo: NonZeroU32::new(percent.max(1)).unwrap(),
                    most_pairs: most_pairs.max(NonZeroU32::new(pairs).unwrap()),
                }),
            },
            6 => FormatKind::Adaptive {
                total_pairs: NonZeroU32::new(number.unwrap_or(1)).unwrap(),
                random_percent: percent,
                goal: [AdaptiveGoal::Ratings, AdaptiveGoal::Volume, AdaptiveGoal::Order][percent as usize % 3],
            },
            7 => {
                let plus = engines[0].clone();
                engines = vec![plus.clone(), EngineSpec { name: "other".into(), ..plus }];
                FormatKind::Spsa(SpsaSpec {
                    parameters: (0..=percent % 3).map(|index| SpsaParameter {
                        name: format!("tuned {index}"),
                        value: f64::from(percent) / 3.0,
                        min: -i64::from(pairs),
                        max: 100,
                        c_end: 0.5 + f64::from(percent) / 7.0,
                        r_end: f64::from(percent + 1) / 1000.0,
                    }).collect(),
                    total_pairs: NonZeroU32::new(number.unwrap_or(1)).unwrap(),
                    ahead: NonZeroU32::new(percent.max(1)).unwrap(),
                })
            }
            _ => { engines.truncate(2); FormatKind::HeadToHead }
        };
        let batch_pairs = if matches!(kind, FormatKind::Spsa(_)) { 1 } else { batch_pairs };
        let seeds = matches!(kind, FormatKind::Swiss { .. } | FormatKind::Knockout { .. } | FormatKind::Ladder { .. });
        let seeding = if seeds && percent % 2 == 0 { Seeding::Rating } else { Seeding::Order };
        let planned = matches!(
            kind,
            FormatKind::RoundRobin | FormatKind::Gauntlet { .. } | FormatKind::Pyramid | FormatKind::HeadToHead
        );
        let sprt = sprt.filter(|_| planned && engines.len() == 2).map(|(elo0, elo1, alpha, corrected)| Sprt {
            elo0, elo1, alpha, beta: alpha / 2.0, unit: EloUnit::Logistic, overshoot_correction: corrected,
        });
        TournamentSpec {
            name,
            variant: VariantSource { id: "chess".into(), text },
            seed,
            batch_pairs: NonZeroU32::new(batch_pairs),
            openings,
            format: Format { kind, pairs: NonZeroU32::new(pairs).unwrap(), seeding },
            limit: Some(general),
            engines,
            adjudication: Adjudication { resign, draw, advantage },
            sprt,
            max_plies,
            standings: standings.map(|(tie_breaks, dummy)| Standings {
                tie_breaks,
                unplayed: if dummy { Unplayed::Dummy } else { Unplayed::NotCounted },
            }),
            quarantine: number.and_then(NonZeroU32::new).map(|faults| Quarantine {
                faults,
                percent: percent.try_into().unwrap(),
            }),
        }
    }
}

fn with_standings(table: &str) -> Result<TournamentSpec, String> {
    parse_text(&format!("{GOOD}\n[standings]\n{table}\n"))
}

#[test]
fn tie_breaks_are_read_in_their_order() {
    let given = with_standings("tie_breaks = [\"koya\", \"buchholz-cut-1\"]\nunplayed = \"dummy\"");
    let standings = Standings {
        tie_breaks: vec![TieBreak::Koya, TieBreak::BuchholzCut1],
        unplayed: Unplayed::Dummy,
    };
    assert_eq!(given.unwrap().standings(), standings);
    // Half of it is enough, and none.
    let half = with_standings("unplayed = \"dummy\"").unwrap().standings();
    let usual = parse_text(GOOD).unwrap().standings();
    assert_eq!(
        (half.tie_breaks, half.unplayed),
        (usual.tie_breaks.clone(), Unplayed::Dummy)
    );
    let names: Vec<_> = usual.tie_breaks.iter().map(|one| one.text()).collect();
    assert_eq!(
        names,
        [
            "direct-encounter",
            "sonneborn-berger",
            "wins",
            "wins-second"
        ]
    );
}

#[test]
fn tie_breaks_that_do_not_exist_or_come_twice_are_refused_by_name_and_place() {
    let lines = GOOD.lines().count() + 3;
    for (table, column, words) in [
        (
            "tie_breaks = [\"wins\", \"luck\"]",
            23,
            "`luck`: it must be one of direct-encounter, sonneborn-berger, wins,",
        ),
        (
            "tie_breaks = [\"wins\", \"koya\", \"wins\"]",
            31,
            "names `wins` twice",
        ),
        ("tie_breaks = []", 14, "is empty"),
        (
            "unplayed = \"draw\"",
            12,
            "`draw`: it must be one of not-counted, dummy",
        ),
    ] {
        let error = with_standings(table).unwrap_err();
        assert!(
            error.starts_with(&format!("t.toml:{lines}:{column}:")),
            "{error}"
        );
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn the_usual_tie_breaks_written_out_are_the_same_tournament() {
    let hash = |spec: &TournamentSpec| normal::spec_hash(spec, &Digest([1; 32]), &[]);
    let plain = parse_text(GOOD).unwrap();
    // As files written before there were tie-breaks.
    assert_eq!(wire::spec_to_wire(&plain).standings, None);
    let usual = with_standings(
        "tie_breaks = [\"direct-encounter\", \"sonneborn-berger\", \"wins\", \"wins-second\"]",
    );
    assert_eq!(hash(&usual.unwrap()), hash(&plain));
    let other = with_standings("tie_breaks = [\"sonneborn-berger\"]");
    assert_ne!(hash(&other.unwrap()), hash(&plain));
}

proptest! {
    #[test]
    fn every_specification_survives_toml_and_the_wire(spec in specs()) {
        let text = to_toml(&spec).unwrap();
        let read = parse_text(&text);
        prop_assert_eq!(read.as_ref(), Ok(&spec), "{}", text);
        let message = wire::spec_to_wire(&spec);
        prop_assert_eq!(wire::spec_from_wire(&message), Ok(spec));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[ -~\n]{0,200}") {
        let _ = parse_text(&text);
    }

    #[test]
    fn no_damage_to_a_good_file_makes_the_reader_panic(at in 0..GOOD.len(), by in "[ -~\n\u{e4}]{0,3}", cut in 0usize..4) {
        let end = (at + cut).min(GOOD.len());
        let _ = parse_text(&format!("{}{by}{}", &GOOD[..at], &GOOD[end..]));
    }
}
