//! What limits a rating list, in words.

use super::options::{ErrorBars, MAX_COVARIANCE};
use super::report::{FirstMoveStatus, RatedPlayer, RatingReport};

impl RatingReport {
    /// What a reader of the list has to know, one sentence each, without a full stop.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.games == 0 {
            notes.push("no games with a result".to_owned());
        }
        if self.components > 1 {
            notes.push(format!(
                "the players fall into {} groups without games between them; ratings are comparable within a group only",
                self.components
            ));
        }
        if self.met > self.components {
            notes.push(format!(
                "{} groups without games between them are joined by links; how they compare is what the links say, not a result",
                self.met
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

    /// Of players of whom little is known.
    fn notes_of_players(&self) -> Vec<String> {
        let count = |is: fn(&&RatedPlayer) -> bool| self.players.iter().filter(is).count();
        let mut notes = Vec::new();
        let bounded = count(|player| player.bound_elo.is_some());
        if bounded > 0 {
            notes.push(format!(
                "{bounded} players won or lost all their games; what is known of them is a bound"
            ));
        }
        let unrated = count(|player| player.rating_elo.is_none() && player.games > 0);
        if unrated > 0 {
            notes.push(format!(
                "{unrated} players have no finite rating without a prior, for want of points against or for them; give a prior of 1"
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
