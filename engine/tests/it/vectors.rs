//! The rule vectors: every file of the folder, every line.
//!
//! `BROUHAHA_VECTORS` names another folder with `rules/` in it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use engine::game::{AnyPosition, Game};
use engine::perft::perft;
use engine::variant::{Catalog, Variant};
use serde_json::Value;

fn lines(name: &str) -> Vec<Value> {
    let folder = match std::env::var_os("BROUHAHA_VECTORS") {
        Some(folder) => PathBuf::from(folder).join("rules"),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/rules"),
    };
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert!(!lines.is_empty(), "{} has no cases", path.display());
    lines
}

struct Variants(BTreeMap<String, Arc<Variant>>);

impl Variants {
    fn new() -> Variants {
        Variants(BTreeMap::new())
    }

    fn get(&mut self, id: &str) -> Arc<Variant> {
        let make = || {
            Catalog::builtin()
                .get(id)
                .unwrap_or_else(|| panic!("no variant {id}"))
        };
        self.0.entry(id.to_owned()).or_insert_with(make).clone()
    }
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key]
        .as_str()
        .unwrap_or_else(|| panic!("no {key} in {case}"))
}

fn texts(value: &Value) -> Vec<String> {
    value
        .as_array()
        .map(|a| a.iter().map(|v| v.as_str().unwrap().to_owned()).collect())
        .unwrap_or_default()
}

/// Runs all cases and reports every failure, not only the first.
fn all(name: &str, mut check: impl FnMut(&Value) -> Result<(), String>) {
    let cases = lines(name);
    let failures: Vec<String> = cases
        .iter()
        .enumerate()
        .filter_map(|(i, case)| check(case).err().map(|e| format!("line {}: {e}", i + 1)))
        .collect();
    assert!(
        failures.is_empty(),
        "{name}: {} of {} cases fail:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Result<(), String> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}, wanted {wanted:?}"))
    }
}

#[test]
fn vectors_starts() {
    let mut variants = Variants::new();
    all("starts.jsonl", |case| {
        let fen = variants
            .get(text(case, "variant"))
            .start_fen(case["number"].as_u64().unwrap())
            .map_err(|e| e.to_string())?;
        equal("fen", fen.as_str(), text(case, "fen"))
    });
}

#[test]
fn vectors_moves() {
    let mut variants = Variants::new();
    all("moves.jsonl", |case| {
        let fen = text(case, "fen");
        let label = format!("{} {fen}", text(case, "variant"));
        let game = Game::new(variants.get(text(case, "variant")), fen)
            .map_err(|e| format!("{label}: {e}"))?;
        if text(case, "why") == "random game" {
            equal("fen", game.fen().as_str(), fen)?;
        }
        equal(
            &format!("check in {label}"),
            game.in_check(),
            case["check"].as_bool().unwrap(),
        )?;
        let (found, wanted) = (game.legal_moves(), texts(&case["moves"]));
        let extra: Vec<_> = found.iter().filter(|m| !wanted.contains(m)).collect();
        let missing: Vec<_> = wanted.iter().filter(|m| !found.contains(m)).collect();
        if found == wanted {
            Ok(())
        } else {
            Err(format!("{label}: extra {extra:?}, missing {missing:?}"))
        }
    });
}

#[test]
fn vectors_perft() {
    let mut variants = Variants::new();
    all("perft.jsonl", |case| {
        let variant = variants.get(text(case, "variant"));
        let position =
            AnyPosition::from_fen(&variant, text(case, "fen")).map_err(|e| e.to_string())?;
        for (i, nodes) in case["nodes"].as_array().unwrap().iter().enumerate() {
            let found = count(&position, i as u32 + 1);
            equal(
                &format!("{} {} depth {}", variant.id(), text(case, "fen"), i + 1),
                found,
                nodes.as_u64().unwrap(),
            )?;
        }
        Ok(())
    });
}

fn count(position: &AnyPosition, depth: u32) -> u64 {
    match position.clone() {
        AnyPosition::One(mut p) => perft(&mut p, depth),
        AnyPosition::Two(mut p) => perft(&mut p, depth),
        AnyPosition::Four(mut p) => perft(&mut p, depth),
    }
}

#[test]
fn vectors_plays() {
    let mut variants = Variants::new();
    all("plays.jsonl", |case| {
        let mut game = Game::new(variants.get(text(case, "variant")), text(case, "fen"))
            .map_err(|e| e.to_string())?;
        let output = engine::game::play_lines(&mut game, &texts(&case["moves"])).0;
        equal(text(case, "fen"), output, texts(&case["output"]))
    });
}

#[test]
fn vectors_games() {
    let mut variants = Variants::new();
    all("games.jsonl", |case| {
        let mut game = Game::new(variants.get(text(case, "variant")), text(case, "fen"))
            .map_err(|e| e.to_string())?;
        let fens = texts(&case["fens"]);
        for (i, mv) in texts(&case["moves"]).iter().enumerate() {
            game.play(mv)
                .map_err(|e| format!("{} ply {i}: {e} in {}", text(case, "variant"), game.fen()))?;
            if let Some(fen) = fens.get(i) {
                equal(
                    &format!("fen after ply {i}"),
                    game.fen().as_str(),
                    fen.as_str(),
                )?;
            }
        }
        equal("final", game.fen().as_str(), text(case, "final"))?;
        let end = game
            .end()
            .ok_or_else(|| format!("not over: {}", game.fen()))?;
        equal(
            "outcome",
            end.outcome.to_string().as_str(),
            text(case, "outcome"),
        )?;
        let winner = end.winner.map_or("none".to_owned(), |c| c.to_string());
        equal("winner", winner.as_str(), text(case, "winner"))?;
        equal(
            "reason",
            end.reason.to_string().as_str(),
            text(case, "reason"),
        )?;
        let wanted = match &case["count"] {
            Value::String(s) => s.clone(),
            Value::Array(a) => format!("{},{}", a[0], a[1]),
            _ => "-".to_owned(),
        };
        let found = end
            .count
            .map_or("-".to_owned(), |(w, b)| format!("{w},{b}"));
        equal("count", found, wanted)
    });
}
