//! Pairing by information: each encounter is the one that tells most about the strengths.
//!
//! Let Cov be the covariance of the joint rating, z = Cov (e_i - e_j) for a candidate pair of players, d the variance of their
//! difference and w the information of their games. Then the sum of all variances falls by w |z|^2 / (1 + w d) (A-optimality),
//! and the logarithm of the volume of what is not known by 1/2 ln(1 + w d) (D-optimality; V. V. Fedorov, "Theory of Optimal
//! Experiments", 1972, chapter 2). After each choice Cov is what it will be when the games are played, so that encounters drawn
//! together are spread.

mod belief;
mod join;
#[cfg(test)]
mod tests;

use super::draw::{Draw, History, Step};
use super::openings::{Purpose, below, keystream};
use crate::ratings::normal;
use belief::Belief;
use join::Components;

/// What an adaptive tournament is to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// Everyone's rating: the sum of all variances falls fastest (A-optimality).
    #[default]
    Ratings,
    /// All ratings together: the volume of their common confidence region falls fastest (D-optimality). Looks at near
    /// neighbours and, in a wide field, leaves the ends of the list less sure of each other than [`Self::Ratings`].
    Volume,
    /// Who is better than whom: what is unsure about neighbours in the list falls fastest.
    Order,
}

/// A tournament whose encounters are chosen by what is known so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adaptive {
    /// Game pairs of each encounter; 0 counts as 1.
    pub pairs: u64,
    /// Game pairs of the tournament. Those that a withdrawal kept from being played are not counted.
    pub budget: u64,
    /// Encounters of 100 that are drawn at random once all players are joined, 0 to 100; usually 10. They keep the
    /// choice from trusting ratings that it never tests.
    pub random_percent: u32,
    /// What is to be found out.
    pub goal: Goal,
}

/// Under [`Goal::Order`] players meet those who are up to so many ranks away.
const NEAR: usize = 8;

/// Gains have to differ by this share to count as different, so that rounding does not choose.
const CLEARLY: f64 = 1.0 + 1e-9;

impl Adaptive {
    /// Up to `wanted` encounters to be played now.
    ///
    /// Players whom no games join to the others are joined first. Over once the budget is drawn, even if games are
    /// still under way, and while there are fewer than two players; with nothing `wanted` it waits, and else never. Takes
    /// O(n^3) steps and O(n^2) more for each encounter. Beyond [`crate::ratings::MAX_COVARIANCE`] players, where there is no
    /// covariance, all encounters are random.
    pub fn next(&self, history: &History, wanted: usize) -> Step {
        let active: Vec<usize> = history.active().collect();
        let left = self.budget.saturating_sub(drawn_pairs(history));
        if left == 0 || active.len() < 2 {
            return Step::Over;
        }
        let pairs = self.pairs.clamp(1, left);
        let wanted = (left / pairs).min(wanted as u64);
        if wanted == 0 {
            return Step::Wait;
        }
        let mut choice = Choice::new(history, active, 2.0 * pairs as f64);
        if let (Goal::Ratings, Some(belief)) = (self.goal, &mut choice.belief) {
            belief.square();
        }
        let before: u64 = history
            .draws
            .iter()
            .map(|drawn| drawn.draw.encounters.len() as u64)
            .sum();
        let encounters = (before..before + wanted).map(|number| {
            let players = choice
                .joining()
                .or_else(|| {
                    self.is_random(number)
                        .then(|| choice.random(history.seed, number))
                })
                .or_else(|| choice.best(self.goal))
                .unwrap_or_else(|| choice.random(history.seed, number));
            choice.take(players)
        });
        Step::Draw(Draw {
            encounters: encounters.collect(),
            round: history.draws.len() as u64,
            pairs,
            byes: Vec::new(),
            openings: Vec::new(),
        })
    }

    /// Whether the encounter of this number, from 0, is one of the random ones, which come at equal distances.
    fn is_random(&self, number: u64) -> bool {
        let percent = u128::from(self.random_percent.min(100));
        let due = |encounters: u64| u128::from(encounters) * percent / 100;
        due(number + 1) > due(number)
    }
}

/// Game pairs that were played or are under way, a half one as one.
fn drawn_pairs(history: &History) -> u64 {
    let games = history
        .encounters()
        .map(|(_, _, played)| played.table.games().saturating_add(played.missing));
    games
        .map(|games| games.div_ceil(2))
        .fold(0, u64::saturating_add)
}

/// What encounters are chosen by, kept up to date with each one.
struct Choice {
    active: Vec<usize>,
    belief: Option<Belief>,
    components: Components,
    /// Games of an encounter.
    games: f64,
    /// Encounters under way, by player.
    busy: Vec<u64>,
    /// Encounters that each player began.
    begun: Vec<u64>,
}

impl Choice {
    fn new(history: &History, active: Vec<usize>, games: f64) -> Self {
        let players = history.entries.len();
        let (mut busy, mut begun) = (vec![0; players], vec![0; players]);
        for (_, encounter, played) in history.encounters() {
            for (place, player) in encounter.into_iter().enumerate() {
                if player < players {
                    busy[player] += u64::from(played.missing > 0);
                    begun[player] += u64::from(place == 0);
                }
            }
        }
        Self {
            active,
            belief: Belief::new(history),
            components: Components::new(history),
            games,
            busy,
            begun,
        }
    }

    /// Counts an encounter as if it were played; its players, the one first who was so less often.
    fn take(&mut self, [i, j]: [usize; 2]) -> [usize; 2] {
        if let Some(belief) = &mut self.belief {
            belief.expect(i, j, self.games);
        }
        self.components.join(i, j);
        self.busy[i] += 1;
        self.busy[j] += 1;
        let [first, second] = if self.begun[i] <= self.begun[j] {
            [i, j]
        } else {
            [j, i]
        };
        self.begun[first] += 1;
        [first, second]
    }

    /// An encounter between players whom no games join: of those least busy the most average ones.
    fn joining(&self) -> Option<[usize; 2]> {
        let distance = |player: usize| {
            let strength = self
                .belief
                .as_ref()
                .map_or(0.0, |belief| belief.strength(player));
            // In hundredths of a natural unit, 1.7 Elo.
            (100.0 * strength.abs()) as u64
        };
        self.components
            .next(&self.active, |player| (self.busy[player], distance(player)))
    }

    /// Any two players, by the seed and the number of the encounter.
    fn random(&self, seed: u64, number: u64) -> [usize; 2] {
        let mut words = keystream(seed, Purpose::Pairings, number);
        let players = self.active.len() as u64;
        let i = below(&mut words, players);
        let j = (i + 1 + below(&mut words, players - 1)) % players;
        [self.active[i as usize], self.active[j as usize]]
    }

    /// The encounter that tells most; the first of equals, in seed order.
    fn best(&self, goal: Goal) -> Option<[usize; 2]> {
        let belief = self.belief.as_ref()?;
        match goal {
            Goal::Ratings => self.best_by(|i, j, information| {
                information * belief.reach(i, j) / (1.0 + information * belief.variance(i, j))
            }),
            // The logarithm of 1 + this is in the same order.
            Goal::Volume => self.best_by(|i, j, information| information * belief.variance(i, j)),
            Goal::Order => self.best_for_order(belief),
        }
    }

    /// The encounter with the largest gain, given players and information.
    fn best_by(&self, gain: impl Fn(usize, usize, f64) -> f64) -> Option<[usize; 2]> {
        let belief = self.belief.as_ref()?;
        let mut best = Best::default();
        for (place, &i) in self.active.iter().enumerate() {
            for &j in &self.active[place + 1..] {
                let information = belief.information(i, j, self.games);
                best.offer([i, j], gain(i, j, information));
            }
        }
        best.players
    }

    /// STATS.md 6.1: what is unsure is the sum over neighbours of variance times LOS (1 - LOS), and an encounter takes
    /// w (c' Cov (e_i - e_j))^2 / (1 + w d) off the variance of a difference c' theta.
    fn best_for_order(&self, belief: &Belief) -> Option<[usize; 2]> {
        let mut list = self.active.clone();
        list.sort_by(|&a, &b| belief.strength(b).total_cmp(&belief.strength(a)));
        let neighbours: Vec<([usize; 2], f64)> = list
            .windows(2)
            .map(|pair| {
                let (upper, lower) = (pair[0], pair[1]);
                let lead = belief.strength(upper) - belief.strength(lower);
                let error = belief.variance(upper, lower).sqrt().max(f64::MIN_POSITIVE);
                let superiority = normal::cdf(lead / error);
                ([upper, lower], superiority * (1.0 - superiority))
            })
            .collect();
        let mut best = Best::default();
        for (place, &i) in list.iter().enumerate() {
            for &j in list[place + 1..].iter().take(NEAR) {
                let (of_i, of_j) = (belief.row(i), belief.row(j));
                let falls = neighbours.iter().map(|&([upper, lower], doubt)| {
                    let shared = of_i[upper] - of_j[upper] - of_i[lower] + of_j[lower];
                    doubt * shared * shared
                });
                let information = belief.information(i, j, self.games);
                let scale = information / (1.0 + information * belief.variance(i, j));
                best.offer([i, j], scale * falls.sum::<f64>());
            }
        }
        best.players
    }
}

/// The best candidate so far.
#[derive(Default)]
struct Best {
    players: Option<[usize; 2]>,
    gain: f64,
}

impl Best {
    fn offer(&mut self, players: [usize; 2], gain: f64) {
        if self.players.is_none() || gain > self.gain * CLEARLY {
            (self.players, self.gain) = (Some(players), gain);
        }
    }
}
