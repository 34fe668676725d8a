//! What a rating answers: players, first-move advantage, intervals and comparisons.

use std::collections::BTreeMap;

use super::dense::Dense;
use super::options::ErrorBars;
use crate::ratings::aggregates::Player;
use crate::ratings::elo::{ELO_PER_NAT, EloHundredths, score_of_elo};
use crate::ratings::normal;
use crate::ratings::outcome::Quarters;

/// A player that took all points or none, so that only one side of its strength is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerfectScore {
    /// All points of all games.
    WonAll,
    /// No point of any game.
    LostAll,
}

/// One player of a rating list.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedPlayer {
    /// The player.
    pub player: Player,
    /// Rating in Elo; `None` without games, or where no finite rating exists without a prior.
    pub rating_elo: Option<f64>,
    /// Half-width of the interval in Elo, relative to the component mean or to the anchors.
    pub error_elo: Option<f64>,
    /// The interval in Elo: of [`ErrorBars::Bootstrap`] and [`ErrorBars::Simulation`] from percentiles of the refits, so
    /// that it need not be symmetrical; of others the rating less and plus [`Self::error_elo`].
    pub interval_elo: Option<[f64; 2]>,
    /// Games played.
    pub games: u64,
    /// Points obtained.
    pub points: Quarters,
    /// Points expected by the model against the opponents met; with `prior_draws` 0 the points obtained, but not by model B.
    pub expected_points: Option<f64>,
    /// Component, of players joined by games or links: ratings of different components cannot be compared.
    pub component: usize,
    /// Component by games alone: between two of these the ratings compare by what links hold likely, not by results.
    pub met: usize,
    /// Strongly connected component of "took points from".
    pub strong_component: usize,
    /// Place in the component, from 1; equal ratings share it.
    pub rank: Option<usize>,
    /// Set if the player won or lost everything: the rating is then mostly the prior's doing.
    pub perfect: Option<PerfectScore>,
    /// With a perfect score, and in model A: one-sided bound in Elo at the report's level.
    pub bound_elo: Option<f64>,
    /// Probability of being stronger than the next in [`RatingReport::order`]; `None` for the last, across
    /// components and without error bars.
    pub los_next: Option<f64>,
}

/// Fits to drawn results behind error bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefitCount {
    /// Made.
    pub made: u32,
    /// Used: without a prior drawn results need not have finite ratings. With less than half there are no error bars.
    pub used: u32,
    /// Players without error bars, as their results are too much alike to be drawn from.
    pub alike: usize,
}

/// How the first-move advantage was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstMoveStatus {
    /// Estimated together with the ratings.
    Estimated,
    /// Given by the caller.
    Fixed,
    /// Taken as 0: the results cannot tell it from strength, as when everyone kept one side.
    NotIdentifiable,
    /// Taken as 0: without a prior the estimate would be infinite.
    Unbounded,
}

/// The advantage of moving first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstMoveAdvantage {
    /// Elo added to the player that moves first.
    pub elo: f64,
    /// Half-width of its interval in Elo, if estimated.
    pub error_elo: Option<f64>,
    /// Where the value is from.
    pub status: FirstMoveStatus,
}

/// A comparison of two players of one component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Rating difference in Elo.
    pub elo: f64,
    /// Half-width of its interval in Elo.
    pub error_elo: f64,
    /// Likelihood of superiority: probability that the first player is the stronger.
    pub los: f64,
    /// Whether results or links make the two comparable.
    pub basis: Basis,
}

/// What makes two players comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Games, directly or through others.
    Games,
    /// Only what a link holds likely of two versions.
    Links,
}

/// Ratings of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingReport {
    /// All players, ascending.
    pub players: Vec<RatedPlayer>,
    /// Players best first, by positions in `players`; those without a rating last. Ratings equal to 1e-6
    /// Elo keep the players' order.
    pub order: Vec<usize>,
    /// Advantage of moving first.
    pub first_move: FirstMoveAdvantage,
    /// Shape of models B (a, b) and C (ln nu1, ln nu2).
    pub shape: Option<[f64; 2]>,
    /// Variance of results relative to binomial games (phi), of model A.
    pub dispersion: Option<f64>,
    /// Number of components, of players joined by games or links.
    pub components: usize,
    /// Number of components by games alone.
    pub met: usize,
    /// Number of games.
    pub games: u64,
    /// Kind of error bars used.
    pub error_bars: ErrorBars,
    /// Refits behind them, if they are made by such.
    pub refits: Option<RefitCount>,
    /// Level of all two-sided intervals.
    pub level: f64,
    /// Log (quasi-)likelihood at the maximum, prior included.
    pub objective: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Whether the maximum was reached; if not, the ratings are the best point found.
    pub converged: bool,
    pub(super) covariance: ReportCovariance,
}

/// Where a parameter stands in a covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    At(usize),
    /// It is given and has no variance, as an anchor.
    Given,
    /// Its variance was not asked for.
    Unknown,
}

/// Covariance of the strengths, with each player's row in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReportCovariance {
    /// Natural units; `None` without error bars.
    pub matrix: Option<Dense>,
    /// Row of each player by position.
    pub rows: Vec<Row>,
    pub first_move: Row,
}

impl ReportCovariance {
    fn entry(&self, i: Row, j: Row) -> Option<f64> {
        let matrix = self.matrix.as_ref()?;
        match (i, j) {
            (Row::At(i), Row::At(j)) => Some(matrix.get(i, j)),
            (Row::Unknown, _) | (_, Row::Unknown) => None,
            _ => Some(0.0),
        }
    }

    /// Standard error in Elo from a variance, which rounding may have made slightly negative.
    fn standard_error(variance: f64) -> f64 {
        ELO_PER_NAT * variance.max(0.0).sqrt()
    }

    pub fn player_error(&self, position: usize) -> Option<f64> {
        let row = *self.rows.get(position)?;
        self.entry(row, row).map(Self::standard_error)
    }

    pub fn first_move_error(&self) -> Option<f64> {
        if self.first_move == Row::Given {
            return None;
        }
        self.entry(self.first_move, self.first_move)
            .map(Self::standard_error)
    }

    pub fn difference_error(&self, i: usize, j: usize) -> Option<f64> {
        let (i, j) = (*self.rows.get(i)?, *self.rows.get(j)?);
        let variance = self.entry(i, i)? + self.entry(j, j)? - 2.0 * self.entry(i, j)?;
        Some(Self::standard_error(variance))
    }
}

impl RatingReport {
    /// Position of a player in [`Self::players`].
    pub fn position(&self, player: Player) -> Option<usize> {
        self.players
            .binary_search_by_key(&player, |rated| rated.player)
            .ok()
    }

    /// A player's entry.
    pub fn player(&self, player: Player) -> Option<&RatedPlayer> {
        self.position(player)
            .map(|position| &self.players[position])
    }

    /// Players best first.
    pub fn ranking(&self) -> impl ExactSizeIterator<Item = &RatedPlayer> + '_ {
        self.order.iter().map(|&position| &self.players[position])
    }

    /// Ratings of all players with games, rounded once. Empty where they do not all compare, as the players form several
    /// groups that no games join, and where the maximum was not reached.
    pub fn comparable(&self) -> BTreeMap<Player, EloHundredths> {
        let with_games = || self.players.iter().filter(|player| player.games > 0);
        let Some(first) = with_games().next() else {
            return BTreeMap::new();
        };
        if !self.converged || with_games().any(|player| player.met != first.met) {
            return BTreeMap::new();
        }
        let rating = |player: &RatedPlayer| {
            let rating = EloHundredths::nearest(player.rating_elo?)?;
            Some((player.player, rating))
        };
        with_games()
            .map(rating)
            .collect::<Option<_>>()
            .unwrap_or_default()
    }

    /// Comparison of two players; `None` across components, without ratings or without error bars.
    pub fn difference(&self, i: Player, j: Player) -> Option<Difference> {
        self.difference_at(self.position(i)?, self.position(j)?)
    }

    pub(super) fn difference_at(&self, i: usize, j: usize) -> Option<Difference> {
        let (first, second) = (&self.players[i], &self.players[j]);
        let elo = first.rating_elo? - second.rating_elo?;
        if first.component != second.component {
            return None;
        }
        let error = self.covariance.difference_error(i, j)?;
        Some(Difference {
            elo,
            error_elo: normal::two_sided(self.level) * error,
            los: likelihood_of_superiority(elo, error),
            basis: if first.met == second.met {
                Basis::Games
            } else {
                Basis::Links
            },
        })
    }

    /// Standard error of a player's rating in Elo.
    pub fn standard_error_elo(&self, player: Player) -> Option<f64> {
        let position = self.position(player)?;
        self.players[position].rating_elo?;
        self.covariance.player_error(position)
    }

    /// Standard error of the first-move advantage in Elo, if it was estimated.
    pub fn first_move_standard_error_elo(&self) -> Option<f64> {
        self.covariance.first_move_error()
    }

    /// Covariance of two players' ratings in squared Elo.
    pub fn covariance_elo2(&self, i: Player, j: Player) -> Option<f64> {
        let (i, j) = (self.position(i)?, self.position(j)?);
        self.players[i].rating_elo.and(self.players[j].rating_elo)?;
        let entry = self
            .covariance
            .entry(self.covariance.rows[i], self.covariance.rows[j])?;
        Some(ELO_PER_NAT * ELO_PER_NAT * entry)
    }

    /// Points expected from one game in which `first` moves first; `None` across components, and of other models than A.
    pub fn expected_score(&self, first: Player, second: Player) -> Option<f64> {
        let (first, second) = (self.player(first)?, self.player(second)?);
        let difference = first.rating_elo? - second.rating_elo?;
        let comparable = first.component == second.component && self.shape.is_none();
        comparable.then(|| score_of_elo(difference + self.first_move.elo))
    }
}

/// Probability that a difference estimated as `elo` with the given standard error is above 0.
pub(super) fn likelihood_of_superiority(elo: f64, standard_error: f64) -> f64 {
    if standard_error > 0.0 {
        normal::cdf(elo / standard_error)
    } else if elo == 0.0 {
        0.5
    } else {
        f64::from(u8::from(elo > 0.0))
    }
}
