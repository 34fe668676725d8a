//! The fit against numbers known beforehand, and games that cannot be learnt from.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::fit::{Problem, expected};
use super::samples::{Sample, unpacked};
use super::{GameRecord, TuneOptions, Tuner};
use crate::eval::Trace;
use crate::game::Game;
use crate::variant::Catalog;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn tuner(id: &str) -> Tuner {
    Tuner::from_rules(Catalog::builtin().get(id).unwrap())
}

/// Random games of a variant, taken in by a tuner.
fn with_random_games(id: &str, games: u64) -> Tuner {
    let variant = Catalog::builtin().get(id).unwrap();
    let mut tuner = tuner(id);
    for seed in 0..games {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let opening = variant.army_fen(seed).unwrap();
        let mut game = Game::new(variant.clone(), &opening).unwrap();
        for _ in 0..80 {
            game.play_random(&mut random);
        }
        let moves: Vec<String> = game.moves().to_vec();
        let record = GameRecord {
            opening_fen: &opening,
            moves: &moves,
            scores: &[],
            white_points: 0.25 * (seed % 5) as f64,
        };
        tuner.add(&record).unwrap();
    }
    tuner
}

#[test]
fn the_slope_is_that_of_the_value() {
    for id in ["chess", "grand-apothecary-modern", "augmenters"] {
        let tuner = with_random_games(id, 6);
        let weights = unpacked(tuner.weights());
        let terms = weights[0].len();
        for sample in tuner.samples().iter().step_by(17) {
            let mut slope = [vec![0.0; terms], vec![0.0; terms]];
            sample.add_slope(&weights, 1.0, &mut slope);
            for phase in 0..2 {
                for term in (0..terms).step_by(7) {
                    let nudged = |by: f32| {
                        let mut weights = weights.clone();
                        weights[phase][term] += by;
                        f64::from(sample.value(&weights))
                    };
                    let measured = (nudged(8.0) - nudged(-8.0)) / 16.0;
                    let off = (measured - slope[phase][term]).abs();
                    assert!(
                        off < 0.02 + 0.02 * measured.abs(),
                        "{id} {phase} {term}: {off}"
                    );
                }
            }
        }
    }
}

/// Results that follow from a rook that is worth two pawns more than the rules say make it dearer, by about
/// that.
#[test]
fn the_fit_finds_the_worth_that_results_follow_from() {
    let tuner = with_random_games("chess", 150);
    let variant = Catalog::builtin().get("chess").unwrap();
    let rook = tuner.worth_term(variant.rules().kind(b'R').unwrap());
    let centre = unpacked(tuner.weights());
    let mut truth = centre.clone();
    for phase in &mut truth {
        phase[rook] += 200.0 * 16.0;
    }
    let mut samples: Vec<Sample> = tuner.samples().to_vec();
    for sample in &mut samples {
        sample.target = expected(sample.value(&truth), 400.0);
    }
    let problem = Problem {
        samples: &samples,
        deviations: tuner.deviations(),
        centre,
        scale: 400.0,
        independent: 100_000.0,
        threads: 2,
    };
    let weights = problem.descend(250, &mut |_, _| {});
    let gained: f32 = (0..2)
        .map(|p| (weights[p][rook] - problem.centre[p][rook]) / 16.0 / 2.0)
        .sum();
    assert!((120.0..280.0).contains(&gained), "{gained}");
    assert!(problem.loss(&weights, true) < problem.loss(&problem.centre, true));
    // The same whatever the number of threads.
    let with = |threads| Problem {
        samples: &samples,
        deviations: tuner.deviations(),
        centre: problem.centre.clone(),
        threads,
        ..problem
    };
    let descended = |threads| with(threads).descend(20, &mut |_, _| {});
    assert_eq!(descended(1), descended(3));
}

#[test]
fn files_are_read_back_as_written() {
    for id in ["chess", "grand-apothecary-modern-2021", "augmenters"] {
        let variant = Catalog::builtin().get(id).unwrap();
        let (_, weights) = with_random_games(id, 20)
            .fit(
                &TuneOptions {
                    iterations: 5,
                    ..TuneOptions::default()
                },
                &mut |_, _| {},
            )
            .unwrap();
        let text = weights.to_text("a \"test\"\nof two lines");
        let read = variant.with_evaluation(&text).unwrap();
        assert_eq!(read.evaluation().weights, weights.weights());
        assert_eq!(read.hash(), variant.hash());
        let other = Catalog::builtin().get("war-of-the-roses").unwrap();
        let error = other.with_evaluation(&text).unwrap_err().to_string();
        assert!(error.contains("not for `war-of-the-roses`"), "{error}");
        for (wrong, says) in [
            (
                text.replacen("tempo = [", "tempo = [1.5, ", 1),
                "terms.tempo",
            ),
            (text.replacen("tempo", "tempi", 1), "terms.tempi"),
            (text.replacen("[terms]", "[term]", 1), "term"),
            (
                text.replacen("ranks.mg = [", "ranks.mg = [7, ", 1),
                ".ranks.mg",
            ),
            (text.replacen("schema = 1", "schema = 2", 1), "schema"),
            (text[..text.len() / 2].to_owned(), ""),
        ] {
            let error = variant
                .with_evaluation(&wrong)
                .map(|_| ())
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}

#[test]
fn games_that_cannot_be_replayed_are_refused_whole() {
    let mut tuner = tuner("chess");
    let record = |fen: &'static str, moves: &'static [String], white_points| GameRecord {
        opening_fen: fen,
        moves,
        scores: &[],
        white_points,
    };
    let moves: &'static [String] = vec!["e2e4".to_owned(), "e2e4".to_owned()].leak();
    let error = tuner
        .add(&record(START, moves, 0.5))
        .unwrap_err()
        .to_string();
    assert!(error.contains("move 2 (`e2e4`)"), "{error}");
    assert!(tuner.add(&record("nonsense", &[], 0.5)).is_err());
    assert!(
        tuner
            .add(&record(START, &[], 0.3))
            .unwrap_err()
            .to_string()
            .contains("0.3 points")
    );
    assert!(tuner.add(&record(START, &[], f64::NAN)).is_err());
    assert!(tuner.samples().is_empty());
    assert!(tuner.fit(&TuneOptions::default(), &mut |_, _| {}).is_err());
}

#[test]
fn a_term_counts_once_however_often_it_is_noted() {
    let trace = Trace {
        terms: vec![(3, 2), (1, 1), (3, -1), (1, -1)],
        scale: 64,
        phase: 256,
        ..Trace::default()
    };
    let sample = Sample::new(&trace, 0.5, false);
    assert_eq!(sample.terms(), [(3, 1)]);
}
