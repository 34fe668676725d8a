//! Who plays whom in which order.

use super::berger::{berger_rounds, boards, encounter};

/// Who meets whom. Players are numbered from 0 in seed order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Everyone meets everyone.
    RoundRobin,
    /// Each challenger meets everyone who is no challenger.
    Gauntlet {
        /// The challengers: at least one player and not all.
        challengers: Vec<usize>,
    },
    /// Two players meet.
    HeadToHead,
    /// Everyone meets everyone, player by player: the second meets the first, the third those two, and so on, so that each
    /// round adds a player to a finished round robin.
    Pyramid,
}

/// One game pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// The player that moves first in the first game of the pair.
    pub first: usize,
    /// The player that moves first in the second game.
    pub second: usize,
    /// Cycle, from 0: in each, all encounters are played once.
    pub cycle: u64,
    /// Round of the cycle, from 0.
    pub round: u64,
    /// Number of the opening: every pair of a plan has its own.
    pub opening: u64,
}

/// Why a plan was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Too few players for any encounter.
    #[error("{players} players cannot meet; enter at least 2")]
    TooFewPlayers {
        /// Players given.
        players: usize,
    },
    /// Head to head with more than two.
    #[error("head to head takes 2 players, not {players}; use a round robin or a gauntlet")]
    NotTwoPlayers {
        /// Players given.
        players: usize,
    },
    /// A challenger that is not entered, or is named twice.
    #[error("challenger {challenger} is not one of the {players} players or is named twice")]
    BadChallenger {
        /// The challenger.
        challenger: usize,
        /// Players given.
        players: usize,
    },
    /// No challenger, or nobody left to challenge.
    #[error(
        "a gauntlet of {challengers} challengers among {players} players has no encounter; name at least one and not all"
    )]
    NoField {
        /// Challengers given.
        challengers: usize,
        /// Players given.
        players: usize,
    },
    /// No pair is to be played.
    #[error("0 pairs an encounter are nothing to play; give at least 1")]
    NoPairs,
}

/// All pairs of a tournament, in the order in which they are to be played.
///
/// Encounters are interleaved: all of them are played once, round by round, before any is played again, so
/// that early results stay comparable. Any pair is found in constant time and memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    shape: Shape,
    pairs: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    RoundRobin {
        players: usize,
    },
    Pyramid {
        players: usize,
    },
    Gauntlet {
        challengers: Vec<usize>,
        field: Vec<usize>,
    },
}

impl Plan {
    /// A plan of `pairs` game pairs for every encounter of `players` players.
    pub fn new(format: &Format, players: usize, pairs: u32) -> Result<Self, PlanError> {
        if players < 2 {
            return Err(PlanError::TooFewPlayers { players });
        }
        if pairs == 0 {
            return Err(PlanError::NoPairs);
        }
        let shape = match format {
            Format::RoundRobin => Shape::RoundRobin { players },
            Format::HeadToHead if players != 2 => return Err(PlanError::NotTwoPlayers { players }),
            Format::HeadToHead => Shape::RoundRobin { players },
            Format::Pyramid => Shape::Pyramid { players },
            Format::Gauntlet { challengers } => gauntlet(challengers, players)?,
        };
        Ok(Self {
            shape,
            pairs: u64::from(pairs),
        })
    }

    /// Number of encounters, each played `pairs` times.
    pub fn encounters(&self) -> u64 {
        let count = match &self.shape {
            Shape::RoundRobin { players } => boards(*players) * berger_rounds(*players),
            Shape::Pyramid { players } => players * (players - 1) / 2,
            Shape::Gauntlet { challengers, field } => challengers.len() * field.len(),
        };
        count as u64
    }

    /// Number of rounds of a cycle.
    pub fn rounds(&self) -> u64 {
        let last = self.encounters().saturating_sub(1);
        self.pair(last).map_or(0, |pair| pair.round + 1)
    }

    /// Number of game pairs.
    pub fn total_pairs(&self) -> u64 {
        self.encounters().saturating_mul(self.pairs)
    }

    /// The pair of the given index; `None` from [`Self::total_pairs`] on.
    pub fn pair(&self, index: u64) -> Option<Pairing> {
        if index >= self.total_pairs() {
            return None;
        }
        let cycle = index / self.encounters();
        let within = usize::try_from(index % self.encounters()).ok()?;
        let (round, (first, second)) = match &self.shape {
            Shape::RoundRobin { players } => {
                let (round, board) = (within / boards(*players), within % boards(*players));
                (round, encounter(*players, round, board))
            }
            Shape::Pyramid { .. } => pyramid_encounter(within),
            Shape::Gauntlet { challengers, field } => {
                gauntlet_encounter(challengers, field, within)
            }
        };
        Some(Pairing {
            first,
            second,
            cycle,
            round: round as u64,
            opening: index,
        })
    }

    /// All pairs from the given index on.
    pub fn pairs_from(&self, index: u64) -> impl Iterator<Item = Pairing> + '_ {
        (index..self.total_pairs()).map_while(|index| self.pair(index))
    }
}

fn gauntlet(challengers: &[usize], players: usize) -> Result<Shape, PlanError> {
    let mut entered = vec![false; players];
    for &challenger in challengers {
        match entered.get_mut(challenger) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                return Err(PlanError::BadChallenger {
                    challenger,
                    players,
                });
            }
        }
    }
    let field: Vec<usize> = (0..players).filter(|&player| !entered[player]).collect();
    if challengers.is_empty() || field.is_empty() {
        return Err(PlanError::NoField {
            challengers: challengers.len(),
            players,
        });
    }
    Ok(Shape::Gauntlet {
        challengers: challengers.to_vec(),
        field,
    })
}

/// Round r pairs player r + 1 with all before it, half of whom move first in the first game of a pair.
fn pyramid_encounter(index: usize) -> (usize, (usize, usize)) {
    // The greatest r with r (r + 1) / 2 <= index.
    let round = ((8 * index + 1).isqrt() - 1) / 2;
    let (player, other) = (round + 1, index - round * (round + 1) / 2);
    let pairing = if (player + other).is_multiple_of(2) {
        (other, player)
    } else {
        (player, other)
    };
    (round, pairing)
}

/// Round r pairs member i of the smaller side with member i + r, cyclically, of the larger.
fn gauntlet_encounter(
    challengers: &[usize],
    field: &[usize],
    index: usize,
) -> (usize, (usize, usize)) {
    let boards = challengers.len().min(field.len());
    let (round, board) = (index / boards, index % boards);
    let pairing = if challengers.len() <= field.len() {
        (challengers[board], field[(board + round) % field.len()])
    } else {
        (
            challengers[(board + round) % challengers.len()],
            field[board],
        )
    };
    (round, pairing)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Format, Plan, PlanError};

    /// How often each unordered pair of players meets.
    fn meetings(plan: &Plan) -> BTreeMap<(usize, usize), u64> {
        let mut met = BTreeMap::new();
        for pair in plan.pairs_from(0) {
            *met.entry((pair.first.min(pair.second), pair.first.max(pair.second)))
                .or_insert(0) += 1;
        }
        met
    }

    #[test]
    fn a_round_robin_plays_every_encounter_equally_often_at_any_time() {
        for players in 2..12 {
            let plan = Plan::new(&Format::RoundRobin, players, 3).unwrap();
            let met = meetings(&plan);
            assert_eq!(met.len(), players * (players - 1) / 2);
            assert!(met.values().all(|&times| times == 3));
            let mut so_far = BTreeMap::new();
            for (index, pair) in plan.pairs_from(0).enumerate() {
                assert_eq!(pair.opening, index as u64);
                let key = (pair.first.min(pair.second), pair.first.max(pair.second));
                let times = so_far.entry(key).or_insert(0);
                assert_eq!(*times, pair.cycle, "an encounter runs ahead");
                *times += 1;
                // Games of any two players differ by no more than byes allow: one round and one bye.
                let mut games = vec![0u64; players];
                so_far.iter().for_each(|(&(a, b), &n)| {
                    games[a] += n;
                    games[b] += n;
                });
                let (least, most) = (games.iter().min().unwrap(), games.iter().max().unwrap());
                assert!(most - least <= 2, "{games:?}");
            }
        }
    }

    #[test]
    fn a_gauntlet_keeps_challengers_apart() {
        for challengers in [vec![0], vec![4, 1], vec![0, 1, 2, 3, 5]] {
            let format = Format::Gauntlet {
                challengers: challengers.clone(),
            };
            let plan = Plan::new(&format, 7, 2).unwrap();
            let met = meetings(&plan);
            assert_eq!(met.len(), challengers.len() * (7 - challengers.len()));
            assert!(met.values().all(|&times| times == 2));
            for ((a, b), _) in met {
                assert!(challengers.contains(&a) != challengers.contains(&b));
            }
            // Within a round nobody plays twice.
            let mut busy: BTreeMap<(u64, u64, usize), u32> = BTreeMap::new();
            for pair in plan.pairs_from(0) {
                for player in [pair.first, pair.second] {
                    let times = busy.entry((pair.cycle, pair.round, player)).or_insert(0);
                    *times += 1;
                    assert_eq!(*times, 1);
                }
            }
        }
    }

    #[test]
    fn a_pyramid_adds_player_after_player() {
        let plan = Plan::new(&Format::Pyramid, 30, 2).unwrap();
        assert_eq!((plan.encounters(), plan.rounds()), (435, 29));
        let met = meetings(&plan);
        assert_eq!(met.len(), 435);
        assert!(met.values().all(|&times| times == 2));
        let mut first = [0i32; 30];
        for pair in plan.pairs_from(0).take(435) {
            let (player, other) = (pair.first.max(pair.second), pair.first.min(pair.second));
            assert_eq!(pair.round as usize + 1, player);
            assert!(other < player);
            first[pair.first] += 1;
            first[pair.second] -= 1;
        }
        assert!(first.iter().all(|balance| balance.abs() <= 1), "{first:?}");
        let rounds: Vec<u64> = plan
            .pairs_from(0)
            .take(435)
            .map(|pair| pair.round)
            .collect();
        assert!(rounds.is_sorted());
        assert_eq!(Plan::new(&Format::RoundRobin, 7, 1).unwrap().rounds(), 7);
    }

    #[test]
    fn pairs_are_found_by_index() {
        let plan = Plan::new(&Format::RoundRobin, 1_000, u32::MAX).unwrap();
        assert_eq!(plan.total_pairs(), 499_500 * u64::from(u32::MAX));
        let far = 499_500 * 1_000_000 + 17;
        let (near, late) = (plan.pair(17).unwrap(), plan.pair(far).unwrap());
        assert_eq!(
            (near.first, near.second, late.cycle),
            (late.first, late.second, 1_000_000)
        );
        assert_eq!(plan.pair(plan.total_pairs()), None);
        let duel = Plan::new(&Format::HeadToHead, 2, 5).unwrap();
        assert_eq!((duel.total_pairs(), duel.pairs_from(2).count()), (5, 3));
    }

    #[test]
    fn plans_without_games_are_refused() {
        let refused =
            |format: &Format, players, pairs| Plan::new(format, players, pairs).unwrap_err();
        let gauntlet = |challengers: &[usize]| Format::Gauntlet {
            challengers: challengers.to_vec(),
        };
        assert_eq!(
            refused(&Format::RoundRobin, 1, 1),
            PlanError::TooFewPlayers { players: 1 }
        );
        assert_eq!(refused(&Format::RoundRobin, 4, 0), PlanError::NoPairs);
        assert_eq!(
            refused(&Format::HeadToHead, 3, 1),
            PlanError::NotTwoPlayers { players: 3 }
        );
        let bad = PlanError::BadChallenger {
            challenger: 4,
            players: 4,
        };
        assert_eq!(refused(&gauntlet(&[4]), 4, 1), bad);
        let twice = PlanError::BadChallenger {
            challenger: 1,
            players: 4,
        };
        assert_eq!(refused(&gauntlet(&[1, 1]), 4, 1), twice);
        assert!(matches!(
            refused(&gauntlet(&[]), 4, 1),
            PlanError::NoField { .. }
        ));
        assert!(matches!(
            refused(&gauntlet(&[0, 1]), 2, 1),
            PlanError::NoField { .. }
        ));
    }
}
