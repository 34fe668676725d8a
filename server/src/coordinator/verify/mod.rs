//! The replay check: a worker cannot forge an outcome that the moves do not give.

use std::sync::Arc;

use proto::v1::{self, ReportRefusal};

use crate::{
    model::{
        Adjudication, Colour, EndClass, EndReason, GameResult, Outcome, Player, TournamentSpec,
        adjudicate::adjudicate,
    },
    rules::{self, Game, PlayError, Variant},
};

/// Most bytes of an evidence's text and of its log.
const MAX_EVIDENCE: (usize, usize) = (4 * 1024, 16 * 1024);
/// Most bytes of one move.
const MAX_MOVE: usize = 128;

/// What a game is checked against.
pub(super) struct Terms<'a> {
    pub(super) variant: &'a Arc<Variant>,
    pub(super) opening: &'a str,
    pub(super) adjudication: &'a Adjudication,
    pub(super) max_plies: u32,
    /// The players in the order in which they move.
    pub(super) players: [&'a Player; 2],
}

impl<'a> Terms<'a> {
    pub(super) fn new(
        spec: &'a TournamentSpec,
        variant: &'a Arc<Variant>,
        opening: &'a str,
        players: [&'a Player; 2],
    ) -> Self {
        Self {
            variant,
            opening,
            adjudication: &spec.adjudication,
            max_plies: spec.max_plies,
            players,
        }
    }
}

/// What a checked game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verified {
    /// The side that moved first.
    pub(super) first: Colour,
    /// How the game ended: derived wherever it can be.
    pub(super) result: GameResult,
}

/// Why a game was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) why: ReportRefusal,
    pub(super) message: String,
}

fn refuse<T>(why: ReportRefusal, message: impl Into<String>) -> Result<T, Refused> {
    Err(Refused {
        why,
        message: message.into(),
    })
}

/// Replays a reported game. `claimed` is what the worker says of its end.
pub(super) fn verify(
    terms: &Terms<'_>,
    report: &v1::GameReport,
    claimed: &GameResult,
) -> Result<Verified, Refused> {
    check_shape(terms, report)?;
    let mut game = rules::begin(terms.variant, terms.opening).or_else(|problem| {
        refuse(
            ReportRefusal::UnknownGame,
            format!("the opening is no position: {problem}"),
        )
    })?;
    let first = rules::side_to_move(&game);
    let scores = report
        .stats
        .as_ref()
        .map_or(&[][..], |stats| &stats.scores_cp);
    for (ply, text) in report.moves.iter().enumerate() {
        if adjudicate(
            terms.adjudication,
            first,
            scores.get(..ply).unwrap_or_default(),
        )
        .is_some()
        {
            let message = format!("the scores end the game after {ply} plies, but it goes on");
            return refuse(ReportRefusal::WrongAdjudication, message);
        }
        play(&mut game, ply, text)?;
    }
    let by_scores = adjudicate(terms.adjudication, first, scores);
    let result = derive(terms, &game, by_scores, claimed, report)?;
    if result.outcome != claimed.outcome || result.reason != claimed.reason {
        let message = format!(
            "reported as {:?} by {}, but the moves give {:?} by {}",
            claimed.outcome, claimed.reason, result.outcome, result.reason
        );
        let why = match claimed.reason.class() {
            EndClass::Adjudicated => ReportRefusal::WrongAdjudication,
            _ => ReportRefusal::WrongEnd,
        };
        return refuse(why, message);
    }
    Ok(Verified { first, result })
}

fn check_shape(terms: &Terms<'_>, report: &v1::GameReport) -> Result<(), Refused> {
    let plies = report.moves.len();
    if plies > terms.max_plies as usize {
        return refuse(
            ReportRefusal::Malformed,
            format!("{plies} plies, at most {} are possible", terms.max_plies),
        );
    }
    if let Some(ply) = report.moves.iter().position(|text| text.len() > MAX_MOVE) {
        return refuse(
            ReportRefusal::Malformed,
            format!("ply {} is longer than {MAX_MOVE} bytes", ply + 1),
        );
    }
    let stats = report.stats.clone().unwrap_or_default();
    let lengths = [
        stats.scores_cp.len(),
        stats.depths.len(),
        stats.nodes.len(),
        stats.times_ms.len(),
    ];
    if let Some(length) = lengths
        .into_iter()
        .find(|&length| length != 0 && length != plies)
    {
        return refuse(
            ReportRefusal::Malformed,
            format!("a list of {length} values for {plies} plies"),
        );
    }
    let evidence = report.evidence.as_ref();
    if evidence.is_some_and(|evidence| {
        evidence.text.len() > MAX_EVIDENCE.0 || evidence.engine_log.len() > MAX_EVIDENCE.1
    }) {
        let (text, log) = MAX_EVIDENCE;
        return refuse(
            ReportRefusal::Malformed,
            format!("evidence of more than {text} bytes, or {log} of engine log"),
        );
    }
    Ok(())
}

fn play(game: &mut Game, ply: usize, text: &str) -> Result<(), Refused> {
    match game.play(text) {
        Ok(()) => Ok(()),
        Err(error @ PlayError::Illegal(_)) => refuse(
            ReportRefusal::IllegalMove,
            format!("ply {}: {error}", ply + 1),
        ),
        Err(error @ PlayError::Ended { .. }) => refuse(
            ReportRefusal::TrailingMoves,
            format!("ply {}: {error}", ply + 1),
        ),
    }
}

/// The result that the game itself gives; where it gives none, the testimony, if it is possible.
fn derive(
    terms: &Terms<'_>,
    game: &Game,
    by_scores: Option<GameResult>,
    claimed: &GameResult,
    report: &v1::GameReport,
) -> Result<GameResult, Refused> {
    if let Some(end) = rules::board_end(game).or(by_scores) {
        return Ok(end);
    }
    if report.moves.len() == terms.max_plies as usize {
        return Ok(rules::stopped(game));
    }
    match claimed.reason.class() {
        EndClass::Testimony => testimony(terms, game, claimed, report),
        EndClass::Adjudicated => refuse(
            ReportRefusal::WrongAdjudication,
            format!("the scores do not give {}", claimed.reason),
        ),
        EndClass::PlyLimit => refuse(
            ReportRefusal::WrongEnd,
            format!("{} plies are not {}", report.moves.len(), terms.max_plies),
        ),
        EndClass::Board | EndClass::Failure => refuse(
            ReportRefusal::WrongEnd,
            format!("the moves do not give {}: the game goes on", claimed.reason),
        ),
    }
}

fn testimony(
    terms: &Terms<'_>,
    game: &Game,
    claimed: &GameResult,
    report: &v1::GameReport,
) -> Result<GameResult, Refused> {
    if report
        .evidence
        .as_ref()
        .is_none_or(|evidence| evidence.text.trim().is_empty())
    {
        return refuse(
            ReportRefusal::NoEvidence,
            format!("{} needs evidence", claimed.reason),
        );
    }
    let to_move = rules::side_to_move(game);
    let is_possible = match claimed.reason {
        EndReason::Agreed => true,
        EndReason::Resign => matches!(claimed.outcome, Outcome::Win(_)),
        _ => claimed.outcome == Outcome::Win(to_move.other()),
    };
    if !is_possible {
        return refuse(
            ReportRefusal::WrongEnd,
            format!("by {} the side to move loses", claimed.reason),
        );
    }
    let mover = terms.players[report.moves.len() % 2];
    if claimed.reason == EndReason::Time && mover.limit.is_deterministic() {
        return refuse(
            ReportRefusal::WrongEnd,
            format!(
                "`{}` plays by {}: it has no time to lose",
                mover.name, mover.limit
            ),
        );
    }
    Ok(GameResult {
        count: None,
        ..*claimed
    })
}

#[cfg(test)]
mod tests;
