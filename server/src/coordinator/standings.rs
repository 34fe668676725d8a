//! The table of a tournament: points, cross-table, ratings, sequential test.

use std::{collections::BTreeMap, sync::Arc};

use proto::v1;

use super::{
    Coordinator, Error,
    marks::{columns as all_columns, tie_breaks},
    moment::{Moment, Ranked},
    ratings::{checked_level, head_to_head},
};
use crate::{
    model::{EndReason, TournamentId, TournamentState, wire},
    ratings::{
        Aggregates, FirstMoveStatus, PairTable, Player, RatingOptions, RatingReport, Standing,
        cross_table,
        sprt::{LlrMethod, SprtStatus, Verdict},
    },
};

/// A tournament at one moment, with what its table tells beside the order.
struct Snapshot {
    moment: Moment,
    sprt: Option<(SprtStatus, PairTable)>,
    stored: u32,
    total: u32,
    state: TournamentState,
}

impl Coordinator {
    /// The table of a tournament. `confidence` 0 = 0.95.
    pub async fn standings(
        self: &Arc<Self>,
        id: TournamentId,
        confidence: f64,
    ) -> Result<v1::StandingsResponse, Error> {
        let level = checked_level(confidence)?;
        self.query(move |this| this.snapshot(id)?.table(level))
            .await
    }

    fn snapshot(&self, id: TournamentId) -> Result<Snapshot, Error> {
        let state = self.state();
        let tournament = state.tournament(id)?;
        Ok(Snapshot {
            moment: Moment::of(tournament),
            sprt: tournament.sprt(),
            stored: tournament.stored(),
            total: tournament.total_games(),
            state: tournament.state(),
        })
    }
}

impl Snapshot {
    fn table(self, level: f64) -> Result<v1::StandingsResponse, Error> {
        let moment = &self.moment;
        let mut reasons: BTreeMap<EndReason, u32> = BTreeMap::new();
        for mark in moment.marks() {
            *reasons.entry(mark.score.reason).or_default() += 1;
        }
        let options = RatingOptions {
            level,
            ..RatingOptions::default()
        };
        let Ranked {
            table,
            rated,
            ordered_by,
        } = moment.ranked(&options)?;
        let order: Vec<Player> = table.rows.iter().map(|row| row.player).collect();
        let rows = table.rows.iter().enumerate();
        let has_games = rated.games > 0;
        let spec = &moment.definition.spec;
        Ok(v1::StandingsResponse {
            rows: rows
                .map(|(index, row)| self.row(row, order.get(index + 1).copied(), &rated))
                .collect(),
            cross_table: cross_cells(&moment.aggregates, &order),
            stored_games: self.stored,
            total_games: self.total,
            first_move_elo: first_move_elo(&rated).filter(|_| has_games),
            sprt: self.sprt.as_ref().map(sprt_to_wire),
            reasons: reasons
                .iter()
                .map(|(reason, &games)| v1::ReasonCount {
                    reason: reason.to_wire().into(),
                    games,
                })
                .collect(),
            state: wire::state_to_wire(self.state).into(),
            tie_breaks: tie_breaks(spec),
            unplayed: wire::unplayed_to_wire(spec.standings().unplayed).into(),
            by_percentage: table.by_percentage,
            ordered_by: ordered_by.into(),
        })
    }

    fn row(&self, row: &Standing, next: Option<Player>, rated: &RatingReport) -> v1::StandingsRow {
        let columns = &row.columns;
        let name = self
            .moment
            .definition
            .players
            .get(row.player)
            .map(|player| player.name.clone());
        let player = rated.player(row.player);
        let count = |quarters: usize| u32::try_from(columns.outcomes[quarters]).unwrap_or(u32::MAX);
        v1::StandingsRow {
            rank: u32::try_from(row.place).unwrap_or(u32::MAX),
            player: u32::try_from(row.player).unwrap_or(u32::MAX),
            name: name.unwrap_or_default(),
            games: u32::try_from(columns.games).unwrap_or(u32::MAX),
            quarters: columns.points.0,
            wins: count(4),
            advantages: count(3),
            draws: count(2),
            disadvantages: count(1),
            losses: count(0),
            sonneborn_sixteenths: u64::try_from(columns.sonneborn_berger_q16).unwrap_or(u64::MAX),
            rating: player
                .filter(|player| player.games > 0)
                .and_then(|player| player.rating_elo),
            interval: player
                .filter(|player| player.games > 0)
                .and_then(|player| player.error_elo),
            los_next: next
                .and_then(|next| rated.difference(row.player, next))
                .map(|difference| difference.los),
            columns: Some(all_columns(row, true)),
            given_quarters: row.given_q,
            withdrawn: self.moment.has_withdrawn(row.player),
        }
    }
}

/// Elo of moving first, where the games determine it.
pub(super) fn first_move_elo(rated: &RatingReport) -> Option<f64> {
    let is_known = matches!(
        rated.first_move.status,
        FirstMoveStatus::Estimated | FirstMoveStatus::Fixed
    );
    is_known.then_some(rated.first_move.elo)
}

fn cross_cells(aggregates: &Aggregates, order: &[Player]) -> Vec<v1::CrossCell> {
    let table = cross_table(aggregates, order);
    let mut cells = Vec::new();
    for (&player, row) in order.iter().zip(&table.cells) {
        for (&opponent, cell) in order.iter().zip(row) {
            cells.extend(cell.map(|cell| v1::CrossCell {
                player: u32::try_from(player).unwrap_or(u32::MAX),
                opponent: u32::try_from(opponent).unwrap_or(u32::MAX),
                games: u32::try_from(cell.games).unwrap_or(u32::MAX),
                quarters: cell.points.0,
            }));
        }
    }
    cells
}

fn sprt_to_wire((status, counted): &(SprtStatus, PairTable)) -> v1::SprtStatus {
    let verdict = match status.verdict {
        Verdict::Continue => v1::SprtVerdict::Continue,
        Verdict::Accepted => v1::SprtVerdict::Accepted,
        Verdict::Rejected => v1::SprtVerdict::Rejected,
    };
    v1::SprtStatus {
        llr: status.llr.value,
        lower: status.lower,
        upper: status.upper,
        pairs: status.observations,
        verdict: verdict.into(),
        counted: Some(head_to_head(counted, 0.95)),
        closed_form: status.llr.method == LlrMethod::ClosedForm,
        overshoot_corrected: status.corrected,
    }
}
