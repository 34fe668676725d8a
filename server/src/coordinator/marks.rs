//! What the tie-breaks of a tournament need beside who took how many points from whom: rounds and forfeits.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{definition::Definition, tournament::Score};
use crate::{
    model::{GameIndex, TournamentSpec, standings as model, wire},
    ratings::{
        Aggregates, Event, Outcome, Player, RoundResult, Standing, Standings, TieBreak,
        UnplayedRounds, elo::EloHundredths, progressive_scores, standings,
    },
};

/// A result of a tournament with its players.
pub(super) struct Mark {
    pub(super) game: GameIndex,
    /// First and second mover.
    pub(super) movers: [Player; 2],
    pub(super) score: Score,
}

/// Orders the players of a tournament by its own list of tie-breaks.
///
/// `given` are quarter points by player that count without games; `ratings` those of all players with games, or none.
pub(super) fn ordered(
    definition: &Definition,
    results: &Aggregates,
    marks: &[Mark],
    given: Option<&[u64]>,
    ratings: BTreeMap<Player, EloHundredths>,
) -> Standings {
    let rules = definition.spec.standings();
    let mut event = Event::new(results);
    event.forfeits = forfeits(marks);
    event.progressive = progressive(definition, marks);
    event.ratings = ratings;
    event.given = given.map(|given| given.iter().copied().enumerate().collect());
    event.unplayed = match rules.unplayed {
        model::Unplayed::NotCounted => UnplayedRounds::NotCounted,
        model::Unplayed::Dummy => UnplayedRounds::DummyOpponent {
            rounds: most_games(results),
        },
    };
    let tie_breaks: Vec<TieBreak> = rules.tie_breaks.iter().copied().map(rated).collect();
    standings(&event, &tie_breaks)
}

/// The tie-breaks of a tournament as a message.
pub(super) fn tie_breaks(spec: &TournamentSpec) -> Vec<i32> {
    let tie_breaks = spec.standings().tie_breaks.into_iter();
    tie_breaks
        .map(|tie_break| wire::tie_break_to_wire(tie_break).into())
        .collect()
}

/// All columns of a player. Rounds and forfeits are known of one tournament only, and so are ratings that break ties.
pub(super) fn columns(standing: &Standing, has_marks: bool) -> v1::StandingColumns {
    let columns = &standing.columns;
    let whole = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
    v1::StandingColumns {
        wins: columns.wins(),
        wins_second: columns.wins_second,
        games_second: columns.games_second,
        sonneborn_berger_sixteenths: whole(columns.sonneborn_berger_q16),
        buchholz_quarters: whole(columns.buchholz_q),
        buchholz_cut1_quarters: whole(columns.buchholz_cut1_q),
        median_buchholz_quarters: whole(columns.median_buchholz_q),
        koya_quarters: columns.koya_q,
        progressive_quarters: has_marks.then_some(standing.progressive_q),
        direct_encounter_quarters: standing.direct_encounter_q,
        forfeits: has_marks.then_some(standing.forfeits),
        points_per_game: match columns.games {
            0 => None,
            games => Some(columns.points.points() / games as f64),
        },
        mean_opponent_hundredths: standing.rated.mean_opponent.map(|rating| rating.0),
        performance_hundredths: standing.rated.performance.map(|rating| rating.0),
    }
}

/// Games that each player lost by its own failure.
fn forfeits(marks: &[Mark]) -> BTreeMap<Player, u64> {
    let mut forfeits = BTreeMap::new();
    for mark in marks {
        if mark.score.reason.is_fault() {
            let [first, second] = mark.movers;
            let loser = if mark.score.first_quarters == 0 {
                first
            } else {
                second
            };
            *forfeits.entry(loser).or_default() += 1;
        }
    }
    forfeits
}

/// Sums of running scores; both games of a pair are of one round, and so are all pairs of an encounter that was drawn. In a
/// plan the rounds are all played once, then again.
fn progressive(definition: &Definition, marks: &[Mark]) -> BTreeMap<Player, u64> {
    let is_drawn = definition.director.follows_results();
    let round_of = |mark: &Mark| {
        let pairing = definition.pairing(mark.game)?;
        let cycle = if is_drawn { 0 } else { pairing.cycle };
        Some((cycle, pairing.round))
    };
    let rounds: BTreeSet<(u64, u64)> = marks.iter().filter_map(round_of).collect();
    let numbers: BTreeMap<(u64, u64), u32> = rounds.into_iter().zip(1..).collect();
    let result = |mark: &Mark| {
        let [first, second] = mark.movers;
        Some(RoundResult {
            round: *numbers.get(&round_of(mark)?)?,
            first,
            second,
            outcome: Outcome::from_quarters(mark.score.first_quarters)?,
        })
    };
    let results: Vec<RoundResult> = marks.iter().filter_map(result).collect();
    progressive_scores(&results)
}

/// The most games that any player has played.
fn most_games(results: &Aggregates) -> u64 {
    let mut games: BTreeMap<Player, u64> = BTreeMap::new();
    for (near, far, table) in results.tables() {
        for player in [near, far] {
            *games.entry(player).or_default() += table.games();
        }
    }
    games.into_values().max().unwrap_or(0)
}

fn rated(tie_break: model::TieBreak) -> TieBreak {
    match tie_break {
        model::TieBreak::DirectEncounter => TieBreak::DirectEncounter,
        model::TieBreak::SonnebornBerger => TieBreak::SonnebornBerger,
        model::TieBreak::Wins => TieBreak::Wins,
        model::TieBreak::WinsSecond => TieBreak::WinsSecond,
        model::TieBreak::Buchholz => TieBreak::Buchholz,
        model::TieBreak::BuchholzCut1 => TieBreak::BuchholzCut1,
        model::TieBreak::MedianBuchholz => TieBreak::MedianBuchholz,
        model::TieBreak::GamesSecond => TieBreak::GamesSecond,
        model::TieBreak::Koya => TieBreak::Koya,
        model::TieBreak::Progressive => TieBreak::Progressive,
        model::TieBreak::FewerForfeits => TieBreak::FewerForfeits,
        model::TieBreak::MeanOpponentRating => TieBreak::MeanOpponentRating,
        model::TieBreak::Performance => TieBreak::Performance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EndReason;

    #[test]
    fn each_tie_break_is_the_one_of_its_name() {
        for &tie_break in model::TieBreak::ALL {
            let name = format!("{tie_break:?}");
            assert_eq!(format!("{:?}", rated(tie_break)), name);
            assert_eq!(format!("{:?}", wire::tie_break_to_wire(tie_break)), name);
            let letters = tie_break.text().replace('-', "");
            assert_eq!(letters, name.to_lowercase());
        }
    }

    #[test]
    fn a_forfeit_is_the_loser_s() {
        let mark = |first_quarters, reason| Mark {
            game: GameIndex(0),
            movers: [3, 5],
            score: Score {
                first_quarters,
                reason,
            },
        };
        let marks = [
            mark(0, EndReason::Time),
            mark(4, EndReason::Crash),
            mark(4, EndReason::Hang),
            mark(0, EndReason::IllegalMove),
            mark(4, EndReason::Hang),
            mark(0, EndReason::Checkmate),
            mark(4, EndReason::Resign),
        ];
        assert_eq!(forfeits(&marks), BTreeMap::from([(3, 2), (5, 3)]));
    }
}
