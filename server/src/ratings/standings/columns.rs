//! What a player's results add up to, in every way that a tie can be broken.

use super::meetings::{Meetings, Sums};
use crate::ratings::outcome::Quarters;
use crate::ratings::pair_table::weighted;

/// How rounds that a player did not play enter the Buchholz family. FIDE changed its rule in 2012, 2023
/// and 2024, so an event states its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnplayedRounds {
    /// They add nothing.
    #[default]
    NotCounted,
    /// Each counts as a game against a dummy opponent with the player's own final points.
    DummyOpponent {
        /// Games that a full score takes part in.
        rounds: u64,
    },
}

/// All columns of one player. Units: points in quarters, products of two points in sixteenths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Columns {
    /// Points.
    pub points: Quarters,
    /// Games.
    pub games: u64,
    /// Games by own outcome, losses first.
    pub outcomes: [u64; 5],
    /// Games in which the opponent moved first.
    pub games_second: u64,
    /// Wins among them.
    pub wins_second: u64,
    /// Sum over games of own points x opponent's final points, in sixteenths.
    pub sonneborn_berger_q16: u128,
    /// Sum over games of the opponent's final points, in quarters.
    pub buchholz_q: u128,
    /// The same without the lowest.
    pub buchholz_cut1_q: u128,
    /// The same without the lowest and the highest.
    pub median_buchholz_q: u128,
    /// Points against opponents with at least half of the points of their games.
    pub koya_q: u64,
}

impl Columns {
    /// Number of wins.
    pub fn wins(&self) -> u64 {
        self.outcomes[4]
    }

    /// Number of advantages by points count.
    pub fn advantages(&self) -> u64 {
        self.outcomes[3]
    }

    /// Those that a player's games have by themselves.
    fn of(sums: &Sums) -> Self {
        Self {
            points: Quarters(weighted(&sums.outcomes)),
            games: sums.outcomes.iter().sum(),
            outcomes: sums.outcomes,
            games_second: sums.games_second,
            wins_second: sums.wins_second,
            ..Self::default()
        }
    }
}

/// Final points of the opponents, as (points, games against them).
type Opponents = Vec<(u64, u64)>;

/// Columns of every player, in the order of [`Meetings::players`].
pub(super) fn columns(meetings: &Meetings, unplayed: UnplayedRounds) -> Vec<Columns> {
    let mut all: Vec<Columns> = meetings.sums.iter().map(Columns::of).collect();
    let mut opponents: Vec<Opponents> = vec![Vec::new(); all.len()];
    for meeting in &meetings.met {
        for (player, opponent, taken) in meeting.both_ways() {
            let (theirs, games) = (all[opponent].points.0, all[opponent].games);
            let own = &mut all[player];
            own.sonneborn_berger_q16 += u128::from(taken) * u128::from(theirs);
            if theirs >= 2 * games {
                own.koya_q += taken;
            }
            opponents[player].push((theirs, meeting.games));
        }
    }
    for (own, mut met) in all.iter_mut().zip(opponents) {
        if let UnplayedRounds::DummyOpponent { rounds } = unplayed {
            met.push((own.points.0, rounds.saturating_sub(own.games)));
        }
        buchholz(own, &met);
    }
    all
}

fn buchholz(own: &mut Columns, opponents: &Opponents) {
    let played = || opponents.iter().filter(|(_, games)| *games > 0);
    let games: u64 = played().map(|(_, games)| games).sum();
    let product = |&(points, games): &(u64, u64)| u128::from(points) * u128::from(games);
    own.buchholz_q = played().map(product).sum();
    let lowest = played().map(|&(points, _)| points).min().unwrap_or(0);
    let highest = played().map(|&(points, _)| points).max().unwrap_or(0);
    own.buchholz_cut1_q = own.buchholz_q - u128::from(lowest);
    own.median_buchholz_q = match games {
        0 | 1 => 0,
        _ => own.buchholz_cut1_q - u128::from(highest),
    };
}
