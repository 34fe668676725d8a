//! What limits a rating list, in words.

use std::collections::BTreeSet;

use super::options::{ErrorBars, MAX_COVARIANCE};
use super::report::{FirstMoveStatus, RatedPlayer, RatingReport};

impl RatingReport {
    /// What a reader of the list has to know, one sentence each, without a full stop.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.games == 0 {
            notes.push("no games with a result".to_owned());
        }
        // A player without games is alone, which its row says.
        let groups = self.groups(|player| player.component);
        if groups > 1 {
            notes.push(format!(
                "the players fall into {groups} groups without games between them; ratings are comparable within a group only"
            ));
        }
        let met = self.groups(|player| player.met);
        if met > groups {
            notes.push(format!(
                "{met} groups without games between them are joined by links; how they compare is what the links say, not a result"
            ));
        }
        if self.players.len() > MAX_COVARIANCE && self.error_bars == ErrorBars::None {
            notes.push(format!(
                "error bars of more than {MAX_COVARIANCE} players take too long; ask for some players'"
            ));
        }
        notes.extend(self.notes_of_refits());
        notes.extend(self.notes_of_players());
        match self.first_move.status {
            FirstMoveStatus::NotIdentifiable if self.games > 0 => notes.push(
                "who moved first tells nothing about what that is worth here; it is taken as 0"
                    .to_owned(),
            ),
            FirstMoveStatus::Unbounded => notes.push(
                "without a prior what moving first is worth has no bound here; it is taken as 0"
                    .to_owned(),
            ),
            _ => {}
        }
        if !self.converged && self.games > 0 {
            notes.push("the fit did not converge; the ratings are approximate".to_owned());
        }
        notes
    }

    /// Groups of players that have games.
    fn groups(&self, group: fn(&RatedPlayer) -> usize) -> usize {
        let playing = self.players.iter().filter(|player| player.games > 0);
        playing.map(group).collect::<BTreeSet<_>>().len()
    }

    /// Of players of whom little is known.
    fn notes_of_players(&self) -> Vec<String> {
        let count = |is: fn(&&RatedPlayer) -> bool| self.players.iter().filter(is).count();
        let mut notes = Vec::new();
        let bounded = count(|player| player.bound_elo.is_some());
        match bounded {
            0 => {}
            1 => notes.push(
                "one player won or lost all its games; what is known of it is a bound".to_owned(),
            ),
            _ => notes.push(format!(
                "{bounded} players won or lost all their games; what is known of them is a bound"
            )),
        }
        let unrated = count(|player| player.rating_elo.is_none() && player.games > 0);
        if unrated > 0 {
            let who = match unrated {
                1 => "one player has".to_owned(),
                _ => format!("{unrated} players have"),
            };
            notes.push(format!(
                "{who} no finite rating without a prior, for want of points against or for them; give a prior of 1"
            ));
        }
        notes
    }

    /// Of error bars that come from refits.
    fn notes_of_refits(&self) -> Vec<String> {
        let Some(count) = self.refits else {
            return Vec::new();
        };
        let mut notes = Vec::new();
        if count.used < count.made {
            let enough = if 2 * count.used < count.made {
                ", too few for error bars"
            } else {
                ""
            };
            notes.push(format!(
                "{} of {} refits have finite ratings{enough}; a prior gives ratings to all",
                count.used, count.made
            ));
        }
        if count.alike > 0 && 2 * count.used >= count.made {
            notes.push(format!(
                "{} players made the same points of all pairs and games against each opponent, so that drawing from them gives no error bars; a simulation does",
                count.alike
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use crate::ratings::aggregates::Aggregates;
    use crate::ratings::model::{RatingOptions, rate};
    use crate::ratings::outcome::Outcome;

    /// Two that met, one that is known by name only, and two that met each other elsewhere.
    #[test]
    fn players_without_games_are_no_groups() {
        let mut games = Aggregates::new();
        games.add_player(2);
        games.add_single(0, 1, Outcome::Win).unwrap();
        let notes = rate(&games, &RatingOptions::default()).unwrap().notes();
        assert!(
            !notes.iter().any(|note| note.contains("groups")),
            "{notes:?}"
        );
        games.add_single(3, 4, Outcome::Draw).unwrap();
        let notes = rate(&games, &RatingOptions::default()).unwrap().notes();
        let says = |part: &str| notes.iter().any(|note| note.contains(part));
        assert!(says("fall into 2 groups"), "{notes:?}");
        assert!(says("2 players won or lost"), "{notes:?}");
        let none = rate(&Aggregates::new(), &RatingOptions::default()).unwrap();
        assert_eq!((none.dispersion, none.games), (None, 0));
    }
}
