//! [`Rows`]: which parameters get error bars, and where they stand in the covariance.

use super::covariance::Wanted;
use super::layout::{Alpha, Layout, Slot};
use super::options::{MAX_COVARIANCE, RatingError, RatingOptions};
use super::report::Row;
use crate::ratings::pool::Pool;

/// Which parameters get error bars, and where they stand in the covariance.
pub(super) struct Rows {
    pub players: Vec<Row>,
    pub first_move: Row,
    /// Positions in the parameter vector in the order of rows, where not all are wanted.
    chosen: Option<Vec<usize>>,
}

impl Rows {
    pub fn new(pool: &Pool, layout: &Layout, options: &RatingOptions) -> Result<Self, RatingError> {
        let row = |slot: &Slot| match slot {
            Slot::Free(position) => Row::At(*position),
            Slot::Fixed(_) | Slot::Absent => Row::Given,
        };
        let mut rows = Self {
            players: layout.theta.iter().map(row).collect(),
            first_move: match layout.alpha {
                Alpha::Free(position) => Row::At(position),
                Alpha::Fixed(_) => Row::Given,
            },
            chosen: None,
        };
        let mut asked = vec![false; pool.players.len()];
        for &player in &options.error_bars_for {
            let index = pool.index_of(player);
            asked[index.ok_or(RatingError::UnknownChosen { player })?] = true;
        }
        if options.error_bars_for.is_empty() && pool.players.len() <= MAX_COVARIANCE {
            return Ok(rows);
        }
        let mut chosen = Vec::new();
        let mut choose = |row: &mut Row| {
            if let Row::At(position) = *row {
                *row = Row::At(chosen.len());
                chosen.push(position);
            }
        };
        for (row, asked) in rows.players.iter_mut().zip(asked) {
            if asked {
                choose(row);
            } else if *row != Row::Given {
                *row = Row::Unknown;
            }
        }
        choose(&mut rows.first_move);
        rows.chosen = Some(chosen);
        Ok(rows)
    }

    /// Nobody's error bars are wanted: the first move's alone are not worth their while.
    pub fn is_none(&self) -> bool {
        self.chosen.is_some() && self.is_nobodys()
    }

    fn is_nobodys(&self) -> bool {
        self.players.iter().all(|row| !matches!(row, Row::At(_)))
    }

    /// Whose results tell nothing of their spread has no error bars, nor has the first move if nobody's do. Says how many
    /// players have lost theirs.
    pub fn forget(&mut self, unknown: &[bool]) -> usize {
        let mut lost = 0;
        for (row, &unknown) in self.players.iter_mut().zip(unknown) {
            if unknown && matches!(row, Row::At(_)) {
                *row = Row::Unknown;
                lost += 1;
            }
        }
        if self.is_nobodys() && self.first_move != Row::Given {
            self.first_move = Row::Unknown;
        }
        lost
    }

    /// Positions in the parameter vector of all rows of the covariance.
    pub fn positions(&self, layout: &Layout) -> Vec<usize> {
        match &self.chosen {
            Some(chosen) => chosen.clone(),
            None => (0..layout.dimension).collect(),
        }
    }

    pub fn wanted(&self) -> Wanted<'_> {
        self.chosen.as_deref().map_or(Wanted::All, Wanted::At)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratings::{Aggregates, FirstMove, Outcome};

    #[test]
    fn one_player_of_a_large_pool_may_be_asked_for() {
        let mut games = Aggregates::new();
        for player in 0..MAX_COVARIANCE {
            games.add_single(player, player + 1, Outcome::Draw).unwrap();
        }
        let pool = Pool::new(&games);
        let rows = |first_move, error_bars_for| {
            let options = RatingOptions {
                first_move,
                error_bars_for,
                ..RatingOptions::default()
            };
            let layout = Layout::new(&pool, &options, 0).unwrap();
            Rows::new(&pool, &layout, &options).unwrap()
        };
        // Whether the first move has a row of its own or not.
        for first_move in [FirstMove::Estimated, FirstMove::Fixed { elo: 0.0 }] {
            assert!(rows(first_move, vec![]).is_none());
            let one = rows(first_move, vec![7]);
            assert!(!one.is_none());
            assert_eq!(one.players[7], Row::At(0));
            assert_eq!(one.players[8], Row::Unknown);
        }
    }
}
