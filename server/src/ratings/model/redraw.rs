//! [`Redraw`]: results drawn anew, from the results themselves or from the fitted law of outcomes.

use super::adjacent::AdjacentCategories;
use super::fit::{Fit, FitEnd, Problem, Start, places};
use super::information::System;
use super::law::OutcomeLaw;
use super::layout::Layout;
use super::options::{ErrorBars, RatingOptions};
use super::outcomes::OutcomeLikelihood;
use super::priors::Priors;
use crate::ratings::aggregates::{Aggregates, Player};
use crate::ratings::draws::Draws;
use crate::ratings::elo::sigmoid;
use crate::ratings::pair_table::PairTable;
use crate::ratings::pool::{Encounter, Pool};

/// Where results are drawn from.
pub(super) struct Redraw<'a> {
    players: usize,
    /// Those that take part.
    met: Vec<(&'a Encounter, &'a PairTable)>,
    /// Outcome shares by the fit with near and with far moving first, of the encounters that need them.
    shares: Vec<Option<[[f64; 5]; 2]>>,
    /// In which order, and seen from which side, the encounters are drawn.
    turns: Vec<Turn>,
    source: Source,
}

/// An encounter's turn to be drawn.
#[derive(Debug, Clone, Copy)]
struct Turn {
    encounter: usize,
    /// Whether far comes before near, so that the results are drawn as far sees them.
    is_reversed: bool,
}

/// What the observations of an encounter are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Results,
    Law,
}

/// Observations of one kind: game pairs, or games with one side first.
type Cells<'a> = &'a [u32];

impl<'a> Redraw<'a> {
    pub fn new<L: OutcomeLaw>(
        pool: &'a Pool,
        aggregates: &'a Aggregates,
        layout: &Layout,
        fit: &Fit,
        options: &RatingOptions,
    ) -> Self {
        let taking_part = pool
            .with_tables(aggregates)
            .filter(|(met, _)| layout.takes_part(met));
        let met: Vec<_> = taking_part.collect();
        let source = match options.error_bars {
            ErrorBars::Simulation(_) => Source::Law,
            _ => Source::Results,
        };
        let needs_law = |table: &PairTable| {
            source == Source::Law || strata(table).iter().any(|cells| sum(cells) == 1)
        };
        let base = match L::SHAPES == 0 && met.iter().any(|(_, table)| needs_law(table)) {
            true => base_shares(pool, aggregates, layout, fit, options),
            false => [0.2; 5],
        };
        let (alpha, shape) = (layout.first_move(&fit.x), layout.shape(&fit.x));
        let shares_of = |&(met, table): &(&Encounter, &PairTable)| {
            let difference = layout.strength(&fit.x, met.near) - layout.strength(&fit.x, met.far);
            let at = |eta: f64| L::forecast(eta, shape, &base).unwrap_or_else(|| certain(eta));
            needs_law(table).then(|| [at(alpha + difference), at(alpha - difference)])
        };
        Self {
            players: pool.players.len(),
            shares: met.iter().map(shares_of).collect(),
            turns: turns(pool, &met, &options.draw_order),
            met,
            source,
        }
    }

    /// Results of all encounters, drawn in the order of [`RatingOptions::draw_order`] whatever the players' numbers are: by
    /// near's outcome where near moves first, by far's where far does.
    pub fn draw(&self, draws: &mut Draws) -> Vec<[[f64; 5]; 2]> {
        let mut results = vec![[[0.0; 5]; 2]; self.met.len()];
        for turn in &self.turns {
            results[turn.encounter] = self.draw_one(turn, draws);
        }
        results
    }

    fn draw_one(&self, turn: &Turn, draws: &mut Draws) -> [[f64; 5]; 2] {
        let (met, table) = self.met[turn.encounter];
        let mut counts = [[0.0; 5]; 2];
        let turned = |[near, far]: [[f64; 5]; 2]| match turn.is_reversed {
            true => [far, near],
            false => [near, far],
        };
        let shares = self.shares[turn.encounter].map(turned);
        match (self.source, &shares) {
            (Source::Law, Some(shares)) => {
                let mut games = [met.near_games, met.far_games];
                if turn.is_reversed {
                    games.reverse();
                }
                for (side, games) in games.into_iter().enumerate() {
                    let add = |k: usize, count: u64| counts[side][k] += count as f64;
                    draws.multinomial(games, &shares[side], add);
                }
            }
            (_, shares) if turn.is_reversed => {
                resample(&table.reversed(), shares.as_ref(), draws, &mut counts);
            }
            (_, shares) => resample(table, shares.as_ref(), draws, &mut counts),
        }
        turned(counts)
    }

    /// By player, whether its results say nothing of how they vary, though drawing from the fit might seem to: it made the
    /// same points of all pairs and games against each opponent, and the same of all games against those with whom there is
    /// one observation alone.
    pub fn unvaried(&self) -> Vec<bool> {
        let mut unvaried = vec![self.source == Source::Results; self.players];
        let mut once = vec![[0; 5]; self.players];
        for (met, table) in &self.met {
            let mut outcomes = table.near_totals();
            let observations: u64 = strata(table).iter().map(|cells| sum(cells)).sum();
            if varies(table) {
                unvaried[met.near] = false;
                unvaried[met.far] = false;
            } else if observations == 1 {
                for player in [met.near, met.far] {
                    (0..5).for_each(|k| once[player][k] += outcomes[k]);
                    outcomes.reverse();
                }
            }
        }
        for (unvaried, outcomes) in unvaried.iter_mut().zip(&once) {
            *unvaried &= !is_mixed(outcomes);
        }
        unvaried
    }
}

/// The turns of the encounters by the places of their players in an order; those not in it come last, by their numbers.
fn turns(pool: &Pool, met: &[(&Encounter, &PairTable)], order: &[Player]) -> Vec<Turn> {
    let mut place: Vec<(usize, usize)> = (0..pool.players.len())
        .map(|index| (order.len(), index))
        .collect();
    for (at, &player) in order.iter().enumerate() {
        if let Some(index) = pool.index_of(player) {
            place[index] = (at, index);
        }
    }
    let ends = |turn: &Turn| {
        let (met, _) = met[turn.encounter];
        let (near, far) = (place[met.near], place[met.far]);
        (near.min(far), near.max(far))
    };
    let turn = |(encounter, (met, _)): (usize, &(&Encounter, &PairTable))| Turn {
        encounter,
        is_reversed: place[met.far] < place[met.near],
    };
    let mut turns: Vec<Turn> = met.iter().enumerate().map(turn).collect();
    turns.sort_by_key(ends);
    turns
}

fn strata(table: &PairTable) -> [Cells<'_>; 3] {
    [
        table.pairs.as_flattened(),
        &table.near_first,
        &table.far_first,
    ]
}

/// Whether points can be drawn that differ from those there are, and games that did are the reason: observations of one
/// kind that differ, or one alone of its kind, drawn from the fit, beside games of the same two players that ended otherwise.
fn varies(table: &PairTable) -> bool {
    let differ = is_mixed(&table.pair_histogram())
        || is_mixed(&table.near_first)
        || is_mixed(&table.far_first);
    differ || strata(table).iter().any(|cells| sum(cells) == 1) && is_mixed(&table.near_totals())
}

fn is_mixed<T: Copy + Default + PartialEq>(counts: &[T]) -> bool {
    counts
        .iter()
        .filter(|&&count| count != T::default())
        .count()
        > 1
}

fn sum(cells: Cells<'_>) -> u64 {
    cells.iter().map(|&count| u64::from(count)).sum()
}

/// Draws the observations of each kind with replacement.
///
/// Of m observations m - 1 are drawn and count m / (m - 1), so that the spread of few is not too small by that factor
/// (J. Rao and C. Wu, "Resampling inference with complex survey data", 1988); one alone is drawn from the law of the fit.
fn resample(
    table: &PairTable,
    shares: Option<&[[f64; 5]; 2]>,
    draws: &mut Draws,
    counts: &mut [[f64; 5]; 2],
) {
    for (kind, cells) in strata(table).into_iter().enumerate() {
        let m = sum(cells);
        if let (1, Some(shares)) = (m, shares) {
            for side in 0..2 {
                if kind == 0 || kind == side + 1 {
                    draws.multinomial(1, &shares[side], |k, _| counts[side][k] += 1.0);
                }
            }
        } else if m > 1 {
            let factor = m as f64 / (m - 1) as f64;
            let add = |cell: usize, count: u64| {
                let weight = factor * count as f64;
                match kind {
                    0 => {
                        counts[0][cell / 5] += weight;
                        counts[1][cell % 5] += weight;
                    }
                    _ => counts[kind - 1][cell] += weight,
                }
            };
            let mut weights = [0.0; 25];
            for (weight, &count) in weights.iter_mut().zip(cells) {
                *weight = f64::from(count);
            }
            draws.multinomial(m - 1, &weights[..cells.len()], add);
        }
    }
}

/// Outcome shares of a game between equals: those of adjacent categories fitted to the same results (STATS.md 1.5).
fn base_shares(
    pool: &Pool,
    aggregates: &Aggregates,
    layout: &Layout,
    fit: &Fit,
    options: &RatingOptions,
) -> [f64; 5] {
    let mut totals = [0.0; 5];
    for (_, _, table) in aggregates.tables() {
        let (near, far) = (table.near_first_totals(), table.far_first_totals());
        for k in 0..5 {
            totals[k] += (near[k] + far[k]) as f64;
        }
    }
    let start = Start::Players {
        strengths: (0..pool.players.len())
            .map(|index| layout.strength(&fit.x, index))
            .collect(),
        first_move: layout.first_move(&fit.x),
    };
    let shape = Layout::new(pool, options, AdjacentCategories::SHAPES)
        .ok()
        .and_then(|layout| {
            let places = places(pool, &layout);
            let of = System {
                layout: &layout,
                places: &places,
            };
            let priors = Priors {
                draws: options.prior_draws,
                outcomes: 1.0,
            };
            let problem =
                Problem::<OutcomeLikelihood<AdjacentCategories>>::new(pool, aggregates, of, priors);
            let fit = problem.maximise(Some(&start));
            (fit.end == FitEnd::Converged).then(|| layout.shape(&fit.x))
        });
    // Without such a fit, the shares of all games.
    let shape = shape.unwrap_or_else(|| AdjacentCategories::start(&totals));
    AdjacentCategories::shares(0.0, shape)
}

/// The outcome of a game so uneven that floating point leaves no other.
fn certain(eta: f64) -> [f64; 5] {
    let win = sigmoid(eta);
    [1.0 - win, 0.0, 0.0, 0.0, win]
}
