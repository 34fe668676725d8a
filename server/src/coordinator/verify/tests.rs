//! Honest reports pass; forged ones are refused with their reason.

use std::num::{NonZeroU32, NonZeroU64};

use super::*;
use crate::model::{AdjudicationRule, EngineSource, EngineSpec, Limit};

const MATE: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];

/// A check of chess games under some terms.
struct Bench {
    variant: Arc<Variant>,
    opening: String,
    adjudication: Adjudication,
    max_plies: u32,
    player: Player,
}

impl Bench {
    fn new() -> Self {
        let variant = rules::builtin("chess").unwrap();
        let spec = EngineSpec {
            name: "x".into(),
            source: EngineSource::Builtin {
                build: None,
                evaluation: None,
            },
            options: Default::default(),
            limit: None,
        };
        let limit = Limit::Nodes(NonZeroU64::MIN);
        Self {
            opening: variant.start_fen(0).unwrap(),
            variant,
            adjudication: Adjudication::default(),
            max_plies: 10,
            player: Player::resolve(&spec, Some(limit), "b").unwrap(),
        }
    }

    fn verify(
        &self,
        report: &v1::GameReport,
        outcome: Outcome,
        reason: EndReason,
    ) -> Result<Verified, ReportRefusal> {
        let terms = Terms {
            variant: &self.variant,
            opening: &self.opening,
            adjudication: &self.adjudication,
            max_plies: self.max_plies,
            players: [&self.player, &self.player],
        };
        let claimed = GameResult {
            outcome,
            reason,
            count: None,
        };
        verify(&terms, report, &claimed).map_err(|refused| {
            assert!(!refused.message.is_empty());
            refused.why
        })
    }
}

fn report(moves: &[&str]) -> v1::GameReport {
    v1::GameReport {
        moves: moves.iter().map(|text| (*text).to_owned()).collect(),
        ..Default::default()
    }
}

fn with_evidence(moves: &[&str]) -> v1::GameReport {
    let evidence = v1::Evidence {
        text: "exit status 139".into(),
        ..Default::default()
    };
    v1::GameReport {
        evidence: Some(evidence),
        ..report(moves)
    }
}

fn with_scores(moves: &[&str], scores: &[i32]) -> v1::GameReport {
    let stats = v1::MoveStats {
        scores_cp: scores.to_vec(),
        ..Default::default()
    };
    v1::GameReport {
        stats: Some(stats),
        ..report(moves)
    }
}

const WHITE: Outcome = Outcome::Win(Colour::White);
const BLACK: Outcome = Outcome::Win(Colour::Black);

#[test]
fn a_mate_is_what_it_is() {
    let bench = Bench::new();
    let verified = bench
        .verify(&report(&MATE), BLACK, EndReason::Checkmate)
        .unwrap();
    assert_eq!(
        (verified.first, verified.result.outcome),
        (Colour::White, BLACK)
    );
    for (outcome, reason) in [
        (WHITE, EndReason::Checkmate),
        (Outcome::Draw, EndReason::Stalemate),
        (Outcome::Draw, EndReason::Repetition),
        // A worker cannot hide a mate behind testimony.
        (WHITE, EndReason::Crash),
        (Outcome::Draw, EndReason::Agreed),
    ] {
        assert_eq!(
            bench.verify(&with_evidence(&MATE), outcome, reason),
            Err(ReportRefusal::WrongEnd)
        );
    }
}

#[test]
fn an_end_that_the_moves_do_not_give_is_refused() {
    let bench = Bench::new();
    for reason in [
        EndReason::Checkmate,
        EndReason::Repetition,
        EndReason::BareKings,
        EndReason::MaxPlies,
    ] {
        assert_eq!(
            bench.verify(&report(&MATE[..3]), BLACK, reason),
            Err(ReportRefusal::WrongEnd)
        );
    }
    assert_eq!(
        bench.verify(
            &report(&MATE[..3]),
            Outcome::Draw,
            EndReason::AdjudicatedDraw
        ),
        Err(ReportRefusal::WrongAdjudication)
    );
}

#[test]
fn illegal_and_trailing_moves_are_refused() {
    let bench = Bench::new();
    let illegal = report(&["f2f3", "e7e5", "f3f5"]);
    assert_eq!(
        bench.verify(&illegal, BLACK, EndReason::Checkmate),
        Err(ReportRefusal::IllegalMove)
    );
    let trailing = report(&["f2f3", "e7e5", "g2g4", "d8h4", "a2a3"]);
    assert_eq!(
        bench.verify(&trailing, BLACK, EndReason::Checkmate),
        Err(ReportRefusal::TrailingMoves)
    );
}

#[test]
fn testimony_needs_evidence_and_a_possible_loser() {
    let mut bench = Bench::new();
    let three = &MATE[..3];
    // Black is to move.
    for reason in [EndReason::Crash, EndReason::Hang, EndReason::IllegalMove] {
        assert!(bench.verify(&with_evidence(three), WHITE, reason).is_ok());
        assert_eq!(
            bench.verify(&report(three), WHITE, reason),
            Err(ReportRefusal::NoEvidence)
        );
        assert_eq!(
            bench.verify(&with_evidence(three), BLACK, reason),
            Err(ReportRefusal::WrongEnd)
        );
        assert_eq!(
            bench.verify(&with_evidence(three), Outcome::Draw, reason),
            Err(ReportRefusal::WrongEnd)
        );
    }
    assert!(
        bench
            .verify(&with_evidence(three), BLACK, EndReason::Resign)
            .is_ok()
    );
    assert!(
        bench
            .verify(&with_evidence(three), Outcome::Draw, EndReason::Agreed)
            .is_ok()
    );
    assert_eq!(
        bench.verify(&with_evidence(three), Outcome::Draw, EndReason::Resign),
        Err(ReportRefusal::WrongEnd)
    );
    // Who plays by nodes cannot lose on time.
    assert_eq!(
        bench.verify(&with_evidence(three), WHITE, EndReason::Time),
        Err(ReportRefusal::WrongEnd)
    );
    bench.player.limit = Limit::MoveTime(100);
    assert!(
        bench
            .verify(&with_evidence(three), WHITE, EndReason::Time)
            .is_ok()
    );
}

#[test]
fn the_ply_limit_is_counted() {
    let mut bench = Bench::new();
    bench.max_plies = 3;
    let verified = bench
        .verify(&report(&MATE[..3]), Outcome::Draw, EndReason::MaxPlies)
        .unwrap();
    assert_eq!(verified.result.reason, EndReason::MaxPlies);
    assert_eq!(
        bench.verify(&report(&MATE), BLACK, EndReason::Checkmate),
        Err(ReportRefusal::Malformed)
    );
    assert_eq!(
        bench.verify(&report(&MATE[..2]), Outcome::Draw, EndReason::MaxPlies),
        Err(ReportRefusal::WrongEnd)
    );
    // At the limit nothing else can have happened.
    assert_eq!(
        bench.verify(&with_evidence(&MATE[..3]), WHITE, EndReason::Crash),
        Err(ReportRefusal::WrongEnd)
    );
}

#[test]
fn a_points_count_decides_at_the_ply_limit() {
    let mut bench = Bench::new();
    bench.variant = rules::builtin("apothecary-modern").unwrap();
    bench.max_plies = 1;
    bench.opening = bench.variant.start_fen(1).unwrap();
    let game = rules::begin(&bench.variant, &bench.opening).unwrap();
    let first = game.legal_moves().first().cloned().unwrap();
    let verified = bench
        .verify(&report(&[&first]), Outcome::Draw, EndReason::MaxPlies)
        .unwrap();
    // The start is symmetrical: equal points.
    let (white, black) = verified.result.count.unwrap();
    assert_eq!(white, black);
}

#[test]
fn adjudications_are_recomputed_and_must_come_at_once() {
    let mut bench = Bench::new();
    let rule = AdjudicationRule {
        score_cp: 500,
        moves: NonZeroU32::new(1).unwrap(),
        after_move: 0,
    };
    bench.adjudication.resign = Some(rule);
    let three = &MATE[..3];
    let resign = EndReason::AdjudicatedResign;
    assert!(
        bench
            .verify(&with_scores(three, &[0, 600, -600]), BLACK, resign)
            .is_ok()
    );
    assert_eq!(
        bench.verify(&with_scores(three, &[0, 600, -600]), WHITE, resign),
        Err(ReportRefusal::WrongAdjudication)
    );
    assert_eq!(
        bench.verify(&with_scores(three, &[0, 600, -400]), BLACK, resign),
        Err(ReportRefusal::WrongAdjudication)
    );
    // It should have ended a ply before.
    assert_eq!(
        bench.verify(&with_scores(three, &[-600, 600, -600]), BLACK, resign),
        Err(ReportRefusal::WrongAdjudication)
    );
    // An end on the board goes before an adjudication on the same ply.
    assert!(
        bench
            .verify(
                &with_scores(&MATE, &[0, 0, -600, 600]),
                BLACK,
                EndReason::Checkmate
            )
            .is_ok()
    );
}

#[test]
fn lists_and_texts_have_bounds() {
    let bench = Bench::new();
    let refused = |report: &v1::GameReport| bench.verify(report, BLACK, EndReason::Checkmate);
    assert_eq!(
        refused(&with_scores(&MATE, &[0; 3])),
        Err(ReportRefusal::Malformed)
    );
    assert!(refused(&with_scores(&MATE, &[0; 4])).is_ok());
    let long = "x".repeat(200);
    assert_eq!(refused(&report(&[&long])), Err(ReportRefusal::Malformed));
    let evidence = v1::Evidence {
        engine_log: "x".repeat(20_000),
        ..Default::default()
    };
    assert_eq!(
        refused(&v1::GameReport {
            evidence: Some(evidence),
            ..report(&MATE)
        }),
        Err(ReportRefusal::Malformed)
    );
}
