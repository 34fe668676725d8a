//! Games that each player of a tournament lost by its own engine's faults.

use proto::v1;

use super::tournament::Score;
use crate::model::Quarantine;

/// Faults and games of each player, and what of them was answered by a quarantine before.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    players: Vec<Count>,
    /// Up to where each player's faults have had their consequence.
    answered: Vec<Count>,
    /// Whether a fault has come since it was last looked at.
    news: bool,
}

/// Faults in games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) faults: u32,
    pub(super) games: u32,
}

impl Faults {
    /// Counts from nothing; what was answered stays so.
    pub(super) fn clear(&mut self) {
        self.players.clear();
    }

    /// Counts a game of two players.
    pub(super) fn add(&mut self, movers: [usize; 2], score: Score) {
        for (player, has_lost) in movers
            .into_iter()
            .zip([score.first_quarters == 0, score.first_quarters == 4])
        {
            let count = at(&mut self.players, player);
            count.games += 1;
            if has_lost && score.reason.is_fault() {
                count.faults += 1;
                self.news = true;
            }
        }
    }

    /// The player that is to be stopped, and its faults and games since it was stopped before, if there is one.
    pub(super) fn due(&mut self, rule: Quarantine) -> Option<(usize, Count)> {
        if !self.news {
            return None;
        }
        let due = (0..self.players.len()).find_map(|player| {
            let (now, before) = (self.players[player], *at(&mut self.answered, player));
            // Voided games may have taken faults away.
            let count = Count {
                faults: now.faults.saturating_sub(before.faults),
                games: now.games.saturating_sub(before.games),
            };
            rule.stops(count.faults, count.games)
                .then_some((player, count))
        });
        // One that is due is so until that is stored.
        self.news = due.is_some();
        due
    }

    /// Takes in that faults of a player have had their consequence. Others may be due as well.
    pub(super) fn answer(&mut self, engine: &v1::QuarantinedEngine) {
        let answered = at(&mut self.answered, engine.player as usize);
        answered.faults = answered.faults.saturating_add(engine.faults);
        answered.games = answered.games.saturating_add(engine.games);
        self.news = true;
    }
}

fn at(counts: &mut Vec<Count>, player: usize) -> &mut Count {
    if counts.len() <= player {
        counts.resize(player + 1, Count::default());
    }
    &mut counts[player]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EndReason;

    fn score(first_quarters: u8, reason: EndReason) -> Score {
        Score {
            first_quarters,
            reason,
        }
    }

    fn engine(player: u32, faults: u32, games: u32) -> v1::QuarantinedEngine {
        v1::QuarantinedEngine {
            player,
            faults,
            games,
            withdrawn: false,
        }
    }

    #[test]
    fn the_loser_is_stopped_and_again_only_by_faults_since_then() {
        let rule = Quarantine::default();
        let mut faults = Faults::default();
        for _ in 0..9 {
            faults.add([0, 1], score(4, EndReason::Crash));
        }
        // Losing is no fault.
        faults.add([0, 1], score(4, EndReason::Checkmate));
        faults.add([1, 0], score(4, EndReason::Resign));
        assert_eq!(faults.due(rule), None);
        faults.add([1, 0], score(0, EndReason::IllegalMove));
        let count = Count {
            faults: 10,
            games: 12,
        };
        assert_eq!(faults.due(rule), Some((1, count)));
        // Again, should it not have been stored.
        assert_eq!(faults.due(rule), Some((1, count)));
        faults.answer(&engine(1, 10, 12));
        assert_eq!(faults.due(rule), None);
        for number in 0..10 {
            assert_eq!(faults.due(rule), None, "{number}");
            faults.add([1, 2], score(0, EndReason::Hang));
        }
        assert_eq!(faults.due(rule).map(|(player, _)| player), Some(1));
    }

    #[test]
    fn two_are_stopped_one_after_the_other() {
        let rule = Quarantine::default();
        let mut faults = Faults::default();
        for _ in 0..10 {
            faults.add([0, 1], score(0, EndReason::Time));
            faults.add([1, 2], score(0, EndReason::FalseClaim));
        }
        assert_eq!(faults.due(rule).map(|(player, _)| player), Some(0));
        faults.answer(&engine(0, 10, 10));
        assert_eq!(faults.due(rule).map(|(player, _)| player), Some(1));
        faults.answer(&engine(1, 10, 20));
        assert_eq!(faults.due(rule), None);
    }
}
