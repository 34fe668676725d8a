//! Who is stronger than whom: a matrix, row by row.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use proto::v1;

use super::{entrants::Entrants, question::Question, solve::Solution};
use crate::{
    coordinator::{Coordinator, Error},
    ratings::{MAX_CHOSEN, Player as Number},
};

/// Most players of a matrix.
pub(super) const MAX_MATRIX: usize = 2_000;

/// A superiority matrix, whose rows are computed when they are asked for.
pub struct Superiority {
    solution: Arc<Solution>,
    /// Players of rows and columns, best first.
    players: Vec<Number>,
}

impl Coordinator {
    /// The superiority matrix of a list's players, or of some of them.
    pub async fn superiority(
        self: &Arc<Self>,
        request: v1::SuperiorityRequest,
    ) -> Result<Superiority, Error> {
        self.query(move |this| {
            let ratings = request.ratings.unwrap_or_default();
            let mut chosen = BTreeSet::new();
            let solution = this.solve_as(&ratings, |question, entrants| {
                chosen = chosen_players(&request.players, question, entrants)?;
                Ok(())
            })?;
            let is_chosen = |player: &Number| chosen.is_empty() || chosen.contains(player);
            let mut players = solution.rated();
            players.retain(is_chosen);
            Ok(Superiority { solution, players })
        })
        .await
    }

    /// Some rows of a matrix, on a thread that may block.
    pub async fn superiority_rows(
        self: &Arc<Self>,
        table: &Arc<Superiority>,
        rows: Range<usize>,
    ) -> Result<Vec<v1::SuperiorityRow>, Error> {
        let table = table.clone();
        self.query(move |_| Ok(rows.map(|row| table.row(row)).collect()))
            .await
    }
}

/// The players named, after which a large list is asked for their error bars; none = all.
fn chosen_players(
    names: &[String],
    question: &mut Question,
    entrants: &Entrants,
) -> Result<BTreeSet<Number>, Error> {
    let rated = entrants.players.len() - question.excluded.len();
    fits(names.len(), rated)?;
    let numbers = entrants.each_once(names, "players")?;
    if let Some(&out) = numbers
        .iter()
        .find(|number| question.excluded.contains(number))
    {
        return Err(Error::Invalid(format!(
            "players: `{}` is left out by options.exclude; name players that are rated",
            entrants.name(out)
        )));
    }
    let chosen: BTreeSet<Number> = numbers.into_iter().collect();
    if !question.has_all_error_bars(entrants) {
        if chosen.len() > MAX_CHOSEN {
            return Err(Error::Invalid(format!(
                "players: {} are named, but of {rated} players only {MAX_CHOSEN} can be compared at a time; name fewer",
                chosen.len()
            )));
        }
        question.options.error_bars_for = chosen.iter().copied().collect();
    }
    Ok(chosen)
}

/// Refuses a table of too many players, of so many that are named (0 = all) among so many.
pub(super) fn fits(named: usize, all: usize) -> Result<(), Error> {
    let wanted = if named == 0 { all } else { named };
    match wanted <= MAX_MATRIX {
        true => Ok(()),
        false => Err(Error::Invalid(format!(
            "players: {wanted} are too many for a table, the limit is {MAX_MATRIX}; name some of them"
        ))),
    }
}

impl Superiority {
    /// The list of the players, best first.
    pub fn list(&self) -> v1::RatingList {
        let chosen: BTreeSet<Number> = self.players.iter().copied().collect();
        self.solution.list_of(|player| chosen.contains(&player))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.players.len()
    }

    fn row(&self, row: usize) -> v1::SuperiorityRow {
        let Some(&player) = self.players.get(row) else {
            return v1::SuperiorityRow::default();
        };
        let cell = |&other: &Number| {
            let compared = match player == other {
                true => None,
                false => self.solution.report.difference(player, other),
            };
            v1::SuperiorityCell {
                los: compared.map(|difference| difference.los),
                difference: compared.map(|difference| difference.elo),
                interval: compared.map(|difference| difference.error_elo),
                games: self.solution.games_between(player, other),
            }
        };
        v1::SuperiorityRow {
            player: self.solution.entrants.id(player),
            cells: self.players.iter().map(cell).collect(),
        }
    }
}
