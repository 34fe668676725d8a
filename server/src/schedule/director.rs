//! What a tournament's format decides while it runs: what is drawn next, who may still come in, who is placed where.

use super::adaptive::Adaptive;
use super::draw::{History, Step};
use super::entrants::LateEntries;
use super::knockout::Knockout;
use super::ladder::Ladder;
use super::swiss::Swiss;

/// Decides the course of a tournament beyond its plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Director {
    /// The plan has everything, and nobody may come in later.
    Planned,
    /// The plan has everything but the encounters of those who come in later.
    Open(LateEntries),
    /// Knockout.
    Knockout(Knockout),
    /// Ladder.
    Ladder(Ladder),
    /// Swiss.
    Swiss(Swiss),
    /// Adaptive.
    Adaptive(Adaptive),
}

/// Fewest encounters of an adaptive tournament that are drawn ahead.
const LEAST_AHEAD: u64 = 8;
/// Game pairs of a long adaptive tournament that are drawn ahead, so that this many workers find one.
const PAIRS_AHEAD: u64 = 64;
/// Part of its pairs that an adaptive tournament may draw ahead for the sake of workers, so that choices rest on results.
const PART_AHEAD: u64 = 8;

/// Encounters of an adaptive tournament that are drawn ahead.
fn ahead(adaptive: &Adaptive, players: usize) -> usize {
    let pairs = (adaptive.budget / PART_AHEAD).min(PAIRS_AHEAD);
    let encounters = (pairs / adaptive.pairs.max(1)).max(LEAST_AHEAD);
    players.max(usize::try_from(encounters).unwrap_or(usize::MAX))
}

/// The next encounters of an adaptive tournament: as many as there are players are drawn ahead, or an eighth of all up to 64
/// pairs, and more when only half of them are left, so that workers have something to do and choices rest on results.
fn adapt(adaptive: &Adaptive, history: &History) -> Step {
    let ahead = ahead(adaptive, history.active().count());
    let open = history
        .encounters()
        .filter(|(_, _, played)| played.missing > 0)
        .count();
    let wanted = if 2 * open > ahead { 0 } else { ahead - open };
    adaptive.next(history, wanted)
}

impl Director {
    /// What is drawn next. Blocks for as long as it takes to compute.
    pub fn next(&self, history: &History) -> Step {
        match self {
            Self::Planned => Step::Over,
            Self::Open(late) => late.next(history),
            Self::Knockout(knockout) => knockout.next(history),
            Self::Ladder(ladder) => ladder.next(history),
            Self::Swiss(swiss) => swiss.next(history),
            Self::Adaptive(adaptive) => adapt(adaptive, history),
        }
    }

    /// Whether pairings follow from results, so that there are some to be drawn at the start and after results.
    pub fn follows_results(&self) -> bool {
        !matches!(self, Self::Planned | Self::Open(_))
    }

    /// Whether nothing can be drawn while any game is missing.
    pub fn waits_for_all(&self) -> bool {
        matches!(self, Self::Swiss(_))
    }

    /// Why nobody may come in while the tournament runs; `None` where one may.
    pub fn refuses_entries(&self) -> Option<&'static str> {
        match self {
            Self::Planned => Some("it is between two engines"),
            Self::Knockout(_) => Some("the bracket of a knockout is fixed by its first entries"),
            Self::Ladder(_) => Some("the rungs of a ladder are fixed by its first entries"),
            Self::Open(_) | Self::Swiss(_) | Self::Adaptive(_) => None,
        }
    }

    /// Why nobody may withdraw while the tournament runs; `None` where one may.
    pub fn refuses_withdrawal(&self) -> Option<&'static str> {
        match self {
            Self::Planned => Some("it is between two engines: cancel it instead"),
            _ => None,
        }
    }

    /// Pairs that are still to be drawn, as far as it can be known beforehand, when this many players take part and `draws`
    /// draws have drawn `drawn` pairs. Those of the plan and of late entries are not among them.
    pub fn expected_pairs(&self, players: usize, draws: u64, drawn: u64) -> u64 {
        let all = match self {
            Self::Planned | Self::Open(_) => return 0,
            Self::Knockout(knockout) => knockout.encounters(players) * knockout.pairs,
            Self::Ladder(ladder) => ladder.encounters(players) * ladder.pairs,
            Self::Swiss(swiss) => {
                let rounds = swiss.rounds.saturating_sub(draws);
                return rounds * (players / 2) as u64 * swiss.pairs;
            }
            Self::Adaptive(adaptive) => adaptive.budget,
        };
        all.saturating_sub(drawn)
    }

    /// Pairs of what is drawn at one time, by which the size of batches is chosen; `None` where a plan has them all.
    pub fn pairs_at_once(&self, players: usize) -> Option<u64> {
        match self {
            Self::Planned | Self::Open(_) => None,
            // Late rounds have few encounters, which all workers are to share.
            Self::Knockout(knockout) => Some(knockout.pairs),
            Self::Ladder(Ladder { pairs, .. }) | Self::Swiss(Swiss { pairs, .. }) => {
                Some((players / 2) as u64 * pairs)
            }
            Self::Adaptive(adaptive) => Some(ahead(adaptive, players) as u64 * adaptive.pairs / 2),
        }
    }

    /// What the order of the players in the table rests on.
    pub fn order(&self, history: &History) -> Order {
        match self {
            Self::Planned | Self::Open(_) => Order::Points,
            Self::Knockout(knockout) => Order::Course(knockout.places(history)),
            Self::Ladder(ladder) => {
                Order::Course(ladder.order(history).into_iter().zip(1..).collect())
            }
            Self::Swiss(swiss) => Order::AllPoints(swiss.given(history)),
            Self::Adaptive(_) => Order::Rating,
        }
    }
}

/// What the order of the players in a table rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Points, or points a game where not all have played as many.
    Points,
    /// Points, and these quarter points by number that players have without games.
    AllPoints(Vec<u64>),
    /// How far they came: the players, best first, with their places from 1.
    Course(Vec<(usize, usize)>),
    /// Ratings, since some had harder opponents than others.
    Rating,
}
