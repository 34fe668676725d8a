//! Progressive scores: the sum of the running scores after each round.

use std::collections::BTreeMap;

use crate::ratings::aggregates::Player;
use crate::ratings::outcome::Outcome;

/// One game of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundResult {
    /// Round, from 1.
    pub round: u32,
    /// The player that moved first.
    pub first: Player,
    /// Its opponent.
    pub second: Player,
    /// Outcome of the first player.
    pub outcome: Outcome,
}

/// Sum of each player's running score, in quarters, after every round in which it played.
///
/// A round missed adds nothing, so that byes do not count as games.
pub fn progressive_scores(games: &[RoundResult]) -> BTreeMap<Player, u64> {
    let mut rounds: BTreeMap<Player, BTreeMap<u32, u64>> = BTreeMap::new();
    for game in games {
        let sides = [
            (game.first, game.outcome),
            (game.second, game.outcome.reversed()),
        ];
        for (player, outcome) in sides {
            let round = rounds
                .entry(player)
                .or_default()
                .entry(game.round)
                .or_insert(0);
            *round += u64::from(outcome.quarters());
        }
    }
    // Points of a round count in it and in every round played after it.
    let sum = |rounds: BTreeMap<u32, u64>| rounds.values().rev().zip(1..).map(|(q, n)| q * n).sum();
    rounds
        .into_iter()
        .map(|(player, rounds)| (player, sum(rounds)))
        .collect()
}
