//! Who took how many points from whom, with the standings of any scope, row by row.

use std::{ops::Range, sync::Arc};

use proto::v1;

use super::{entrants::Entrants, games::Games, question::AsOf, superiority::fits};
use crate::{
    coordinator::{
        Coordinator, Error,
        pools::{Pool, Scope},
    },
    ratings::{Event, Player as Number, Standing, Standings, TieBreak, standings},
};

/// A cross-table, whose rows are put together when they are asked for.
pub struct CrossTable {
    pool: Pool,
    entrants: Entrants,
    games: Games,
    standings: Standings,
    /// Positions in the standings of the players of rows and columns.
    shown: Vec<usize>,
}

impl Coordinator {
    /// The cross-table of a scope.
    pub async fn cross_table(
        self: &Arc<Self>,
        request: v1::CrossTableRequest,
    ) -> Result<CrossTable, Error> {
        self.query(move |this| {
            let (scope, entrants) = this.entrants(request.scope.as_ref())?;
            fits(request.players.len(), entrants.players.len())?;
            let chosen = entrants.each_once(&request.players, "players")?;
            let as_of = AsOf::from_wire(request.as_of.as_ref(), &scope)?;
            let games = this.games_as_of(&scope, &entrants, as_of)?;
            Ok(CrossTable::new(scope, entrants, games, &chosen))
        })
        .await
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

impl CrossTable {
    fn new(scope: Scope, entrants: Entrants, games: Games, chosen: &[Number]) -> Self {
        let standings = standings(&Event::new(&games.aggregates), &TieBreak::ROUND_ROBIN);
        let positions = standings.rows.iter().enumerate();
        let shown = positions
            .filter(|(_, row)| chosen.is_empty() || chosen.contains(&row.player))
            .map(|(position, _)| position)
            .collect();
        Self {
            pool: scope.pool,
            entrants,
            games,
            standings,
            shown,
        }
    }

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
        })
    }
}
