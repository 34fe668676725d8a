//! Who took how many points from whom, with the standings of any scope, row by row.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use proto::v1;

use super::{entrants::Entrants, games::Games, question::AsOf, superiority::fits};
use crate::{
    coordinator::{
        Coordinator, Error,
        marks::{columns as columns_of, tie_breaks},
        moment::{Moment, by_points},
        pools::{Place, Pool},
    },
    ratings::{
        ErrorBars, Event, Player as Number, RatingOptions, Standing, Standings, TieBreak, standings,
    },
};

/// The list of [`TieBreak::ROUND_ROBIN`], for scopes that are not one tournament.
const USUAL: [v1::TieBreak; 4] = [
    v1::TieBreak::DirectEncounter,
    v1::TieBreak::SonnebornBerger,
    v1::TieBreak::Wins,
    v1::TieBreak::WinsSecond,
];

/// A cross-table, whose rows are put together when they are asked for.
pub struct CrossTable {
    pool: Pool,
    entrants: Entrants,
    games: Games,
    standings: Standings,
    ordered_by: v1::StandingsOrder,
    tie_breaks: Vec<i32>,
    /// Who has withdrawn, by number, where the scope is one tournament.
    withdrawn: Option<Vec<bool>>,
    /// Positions in the standings of the players of rows and columns.
    shown: Vec<usize>,
}

impl Coordinator {
    /// The cross-table of a scope; that of one tournament has the order of its standings, now or as they were then.
    pub async fn cross_table(
        self: &Arc<Self>,
        request: v1::CrossTableRequest,
    ) -> Result<CrossTable, Error> {
        self.query(move |this| this.tabulate(&request)).await
    }

    fn tabulate(&self, request: &v1::CrossTableRequest) -> Result<CrossTable, Error> {
        let (scope, present) = {
            let state = self.state();
            let scope = state.scope(request.scope.as_ref())?;
            let present = match scope.place {
                Place::Tournament(id) => Some(Moment::of(state.tournament(id)?)),
                Place::Pool(_) | Place::Set(_) => None,
            };
            (scope, present)
        };
        let entrants = Entrants::of(&scope);
        fits(request.players.len(), entrants.players.len())?;
        let chosen: BTreeSet<Number> = entrants
            .each_once(&request.players, "players")?
            .into_iter()
            .collect();
        let as_of = AsOf::from_wire(request.as_of.as_ref(), &scope)?;
        let (games, moment) = match (&scope.place, as_of) {
            (_, AsOf::Now) => (Games::now(&scope, &entrants), present),
            (Place::Tournament(id), _) => {
                let (games, results) = self.results_as_of(&scope, &entrants, as_of)?;
                (games, Some(Moment::of(&self.as_it_was(*id, &results)?)))
            }
            (Place::Pool(_) | Place::Set(_), _) => {
                (self.games_as_of(&scope, &entrants, as_of)?, None)
            }
        };
        let (standings, ordered_by) = in_order(moment.as_ref(), &games)?;
        let positions = standings.rows.iter().enumerate();
        let shown = positions
            .filter(|(_, row)| chosen.is_empty() || chosen.contains(&row.player))
            .map(|(position, _)| position)
            .collect();
        Ok(CrossTable {
            pool: scope.pool,
            tie_breaks: match &moment {
                Some(moment) => tie_breaks(&moment.definition.spec),
                None => USUAL.map(Into::into).to_vec(),
            },
            withdrawn: moment.map(Moment::into_withdrawn),
            entrants,
            games,
            standings,
            ordered_by,
            shown,
        })
    }

    /// Some rows of a cross-table, on a thread that may block.
    pub async fn cross_table_rows(
        self: &Arc<Self>,
        table: &Arc<CrossTable>,
        rows: Range<usize>,
    ) -> Result<Vec<v1::CrossTableRow>, Error> {
        let table = table.clone();
        self.query(move |_| Ok(rows.filter_map(|row| table.row(row)).collect()))
            .await
    }
}

/// The order of the players, that of a tournament where the scope is one.
fn in_order(
    moment: Option<&Moment>,
    games: &Games,
) -> Result<(Standings, v1::StandingsOrder), Error> {
    let Some(moment) = moment else {
        let event = Event::new(&games.aggregates);
        let table = standings(&event, &TieBreak::ROUND_ROBIN);
        let ordered_by = by_points(&table);
        return Ok((table, ordered_by));
    };
    // As in the standings but for error bars, which the order does not rest on.
    let options = RatingOptions {
        error_bars: ErrorBars::None,
        ..RatingOptions::default()
    };
    let ranked = moment.ranked(&options)?;
    Ok((ranked.table, ranked.ordered_by))
}

impl CrossTable {
    /// What the table is of.
    pub fn head(&self) -> v1::CrossTableHead {
        v1::CrossTableHead {
            pool: Some(self.pool.to_wire()),
            games: self.games.aggregates.games(),
            stored_games: self.games.stored,
            sequence: self.games.sequence,
            rows: u32::try_from(self.shown.len()).unwrap_or(u32::MAX),
            by_percentage: self.standings.by_percentage,
            notes: self.games.notes(),
            tie_breaks: self.tie_breaks.clone(),
            ordered_by: self.ordered_by.into(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.shown.len()
    }

    fn standing(&self, row: usize) -> Option<&Standing> {
        self.standings.rows.get(*self.shown.get(row)?)
    }

    fn row(&self, row: usize) -> Option<v1::CrossTableRow> {
        let standing = self.standing(row)?;
        let columns = &standing.columns;
        let cell = |(column, other): (u32, Number)| {
            let met = self.games.aggregates.table(standing.player, other);
            (met.games() > 0).then(|| v1::CrossTableCell {
                column,
                games: met.games(),
                quarters: met.near_quarters().0,
                outcomes: met.near_totals().to_vec(),
            })
        };
        let others = (0..self.shown.len()).filter_map(|other| Some(self.standing(other)?.player));
        Some(v1::CrossTableRow {
            rank: u32::try_from(standing.place).unwrap_or(u32::MAX),
            player: self.entrants.id(standing.player),
            name: self.entrants.name(standing.player).to_owned(),
            games: columns.games,
            quarters: columns.points.0,
            outcomes: columns.outcomes.to_vec(),
            cells: (0..).zip(others).filter_map(cell).collect(),
            columns: Some(columns_of(standing, self.withdrawn.is_some())),
            given_quarters: standing.given_q,
            withdrawn: (self.withdrawn.as_ref())
                .and_then(|withdrawn| withdrawn.get(standing.player).copied())
                .unwrap_or(false),
        })
    }
}
