//! [`Belief`]: what is known of all strengths, with whatever is under way counted as if it were played.

use nalgebra::DMatrix;

use crate::ratings::elo::{ELO_PER_NAT, sigmoid};
use crate::ratings::{Aggregates, ErrorBars, MAX_COVARIANCE, RatingOptions, RatingReport, rate};
use crate::schedule::History;

/// Variance, in squared natural units of strength, of what is not known at all: where a group of players stands that
/// no game joins to others. 1,000 Elo as a standard deviation.
const UNKNOWN: f64 = (1_000.0 / ELO_PER_NAT) * (1_000.0 / ELO_PER_NAT);

/// Strengths and their covariance, in natural units (173.7 Elo), by number of the player.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    players: usize,
    strengths: Vec<f64>,
    /// Row by row.
    covariance: Vec<f64>,
    /// The covariance times itself, as far as it is asked for.
    square: Option<Vec<f64>>,
    /// Variance of results relative to binomial games.
    dispersion: f64,
}

impl Belief {
    /// What the joint rating of all results says; `None` with more players than have a common covariance.
    pub fn new(history: &History) -> Option<Self> {
        let players = history.entries.len();
        if players > MAX_COVARIANCE {
            return None;
        }
        let options = RatingOptions {
            error_bars: ErrorBars::Global,
            ..RatingOptions::default()
        };
        let report = rate(&results(history), &options).ok()?;
        let mut belief = Self {
            players,
            strengths: vec![0.0; players],
            covariance: vec![0.0; players * players],
            square: None,
            // A handful of games says little about it.
            dispersion: report.dispersion.unwrap_or(1.0).clamp(0.05, 2.0),
        };
        belief.fill(&report);
        for (_, [i, j], played) in history.encounters() {
            if played.missing > 0 && i.max(j) < players && i != j {
                belief.expect(i, j, played.missing as f64);
            }
        }
        Some(belief)
    }

    /// Takes strengths and covariances over, and gives each component a place that is not known.
    fn fill(&mut self, report: &RatingReport) {
        let component = |player: usize| {
            let rated = report
                .player(player)
                .filter(|rated| rated.rating_elo.is_some());
            rated.map(|rated| rated.component)
        };
        let components: Vec<Option<usize>> = (0..self.players).map(component).collect();
        let joined = components
            .iter()
            .all(|own| own.is_some() && own == &components[0]);
        for i in 0..self.players {
            let elo = report.player(i).and_then(|rated| rated.rating_elo);
            self.strengths[i] = elo.unwrap_or(0.0) / ELO_PER_NAT;
            for j in 0..=i {
                let together =
                    i == j || (components[i].is_some() && components[i] == components[j]);
                let known = report.covariance_elo2(i, j).unwrap_or(0.0);
                let unknown = if together && !joined { UNKNOWN } else { 0.0 };
                let entry = known / (ELO_PER_NAT * ELO_PER_NAT) + unknown;
                self.covariance[i * self.players + j] = entry;
                self.covariance[j * self.players + i] = entry;
            }
        }
    }

    /// Strength in natural units.
    pub fn strength(&self, player: usize) -> f64 {
        self.strengths[player]
    }

    /// Covariances of one player with all.
    pub fn row(&self, player: usize) -> &[f64] {
        &self.covariance[player * self.players..][..self.players]
    }

    /// Variance of a difference of strengths.
    pub fn variance(&self, i: usize, j: usize) -> f64 {
        let entry = |a: usize, b: usize| self.covariance[a * self.players + b];
        (entry(i, i) + entry(j, j) - 2.0 * entry(i, j)).max(0.0)
    }

    /// Information about a difference of strengths from so many games (STATS.md 6.1: w).
    pub fn information(&self, i: usize, j: usize, games: f64) -> f64 {
        let expected = sigmoid(self.strengths[i] - self.strengths[j]);
        games * expected * (1.0 - expected) / self.dispersion
    }

    /// Prepares for [`Self::reach`], O(n^3).
    pub fn square(&mut self) {
        let matrix = DMatrix::from_row_slice(self.players, self.players, &self.covariance);
        self.square = Some((&matrix * &matrix).as_slice().to_vec());
    }

    /// Sum over all players of the squared covariances with a difference of strengths (STATS.md 6.1: |z|^2); 0 before
    /// [`Self::square`].
    pub fn reach(&self, i: usize, j: usize) -> f64 {
        let entry = |square: &Vec<f64>, a: usize, b: usize| square[a * self.players + b];
        let reach = |square| entry(square, i, i) + entry(square, j, j) - 2.0 * entry(square, i, j);
        self.square.as_ref().map_or(0.0, reach).max(0.0)
    }

    /// Counts games to come: the covariance afterwards, by J. Sherman and W. J. Morrison, "Adjustment of an inverse matrix
    /// corresponding to a change in one element of a given matrix" (Annals of Mathematical Statistics 21, 1950).
    pub fn expect(&mut self, i: usize, j: usize, games: f64) {
        let information = self.information(i, j, games);
        let fall = information / (1.0 + information * self.variance(i, j));
        let pairs = self.row(i).iter().zip(self.row(j));
        let along: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
        if let Some(square) = self.square.take() {
            self.square = Some(self.square_after(square, &along, fall));
        }
        for (row, own) in self.covariance.chunks_exact_mut(self.players).zip(&along) {
            let share = fall * own;
            row.iter_mut()
                .zip(&along)
                .for_each(|(entry, other)| *entry -= share * other);
        }
    }

    /// The square of the covariance less `fall` times z z', where z is `along`.
    fn square_after(&self, mut square: Vec<f64>, along: &[f64], fall: f64) -> Vec<f64> {
        let product = |row: &[f64]| row.iter().zip(along).map(|(a, b)| a * b).sum();
        let through: Vec<f64> = self
            .covariance
            .chunks_exact(self.players)
            .map(product)
            .collect();
        let length: f64 = product(along);
        // (C - f z z')^2 = C^2 - f (C z z' + z z' C) + f^2 (z' z) z z'
        let rows = square
            .chunks_exact_mut(self.players)
            .zip(along.iter().zip(&through));
        for (row, (own, own_through)) in rows {
            let (by_through, by_along) =
                (fall * own, fall * own_through - fall * fall * length * own);
            let others = along.iter().zip(&through);
            for (entry, (other, other_through)) in row.iter_mut().zip(others) {
                *entry -= by_through * other_through + by_along * other;
            }
        }
        square
    }
}

/// All results of an event.
pub(super) fn results(history: &History) -> Aggregates {
    let mut results = Aggregates::new();
    for (_, [i, j], played) in history.encounters() {
        if played.table.games() > 0 && i != j {
            // Nobody plays itself here, the only reason to refuse a table.
            let _counted = results.add_table(i, j, &played.table);
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{Belief, UNKNOWN};
    use crate::ratings::{Outcome, PairTable};
    use crate::schedule::{Draw, Drawn, Entry, History, Played};

    fn history(encounters: &[([usize; 2], u32, u64)]) -> History {
        let results = encounters.iter().map(|&(_, pairs, missing)| {
            let mut table = PairTable::default();
            for pair in 0..pairs {
                let outcome = if pair % 3 == 0 {
                    Outcome::Draw
                } else {
                    Outcome::Win
                };
                table.add_pair(outcome, Outcome::Draw);
            }
            Played { table, missing }
        });
        let draw = Draw {
            round: 0,
            encounters: encounters.iter().map(|&(players, ..)| players).collect(),
            pairs: 1,
            byes: Vec::new(),
            openings: Vec::new(),
        };
        History {
            entries: vec![Entry::default(); 4],
            draws: vec![Drawn {
                results: results.collect(),
                draw,
            }],
            ..History::default()
        }
    }

    #[test]
    fn what_is_not_joined_is_not_known() {
        let belief = Belief::new(&history(&[([0, 1], 30, 0)])).unwrap();
        assert!(belief.variance(0, 1) < 0.1);
        assert!(belief.strength(0) > 0.1);
        assert!((belief.variance(2, 3) - 2.0 * UNKNOWN).abs() < 1e-9);
        assert!(belief.variance(0, 2) > 2.0 * UNKNOWN - 1e-9);
    }

    /// 30 drawn pairs have phi = 0.5 / (30 * 0.5 + 1), which is taken for 0.05: a game of equals tells 1/4 / 0.05.
    #[test]
    fn drawn_games_tell_more() {
        let mut drawn = history(&[([0, 1], 0, 0)]);
        for _ in 0..30 {
            let table = &mut drawn.draws[0].results[0].table;
            table.add_pair(Outcome::Draw, Outcome::Draw);
        }
        let belief = Belief::new(&drawn).unwrap();
        assert!((belief.information(0, 1, 60.0) - 300.0).abs() < 1e-6);
    }

    #[test]
    fn games_under_way_count_as_if_played() {
        let none = Belief::new(&history(&[([0, 1], 30, 0), ([1, 2], 30, 0)])).unwrap();
        let under_way = Belief::new(&history(&[
            ([0, 1], 30, 0),
            ([1, 2], 30, 0),
            ([0, 2], 0, 60),
        ]))
        .unwrap();
        let (before, after) = (none.variance(0, 2), under_way.variance(0, 2));
        // Precisions add.
        let information = none.information(0, 2, 60.0);
        assert!(
            (1.0 / after - 1.0 / before - information).abs() < 1e-6,
            "{before} {after}"
        );
        // And so do the squares.
        let mut stepwise = none.clone();
        stepwise.square();
        stepwise.expect(0, 2, 60.0);
        stepwise.expect(1, 3, 8.0);
        let mut at_once = none.clone();
        at_once.expect(0, 2, 60.0);
        at_once.expect(1, 3, 8.0);
        at_once.square();
        for (i, j) in [(0, 1), (0, 3), (1, 2), (2, 3)] {
            let by_hand = at_once
                .row(i)
                .iter()
                .zip(at_once.row(j))
                .map(|(a, b)| (a - b) * (a - b));
            let (by_hand, reach) = (by_hand.sum::<f64>(), stepwise.reach(i, j));
            assert!(
                (reach / by_hand - 1.0).abs() < 1e-6,
                "{i} {j} {reach} {by_hand}"
            );
            assert!((at_once.reach(i, j) / by_hand - 1.0).abs() < 1e-6);
        }
        // Nothing is said of others' differences, but as they follow.
        assert!(under_way.variance(0, 1) < none.variance(0, 1));
        assert!((under_way.variance(0, 3) - none.variance(0, 3)).abs() < none.variance(0, 1));
    }
}
