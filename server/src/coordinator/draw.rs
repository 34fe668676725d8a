//! Draw what has become known: the coordinator asks the format of a tournament, and stores its answer.

use std::sync::Arc;

use proto::{
    store::{CourseChanged, CourseOver, course_changed::Step as CourseStep, record::Change},
    v1,
};

use super::{Coordinator, Error, State, course::draw_to_wire, tournament::Tournament};
use crate::{
    model::{TournamentId, TournamentState, check::MAX_GAMES},
    schedule::{Director, Draw, Seat, Step, knockout},
    store::Answer,
    telemetry::unix_ms,
};

impl State {
    /// Tournaments whose format is to be asked, which are being asked from now on.
    fn take_undrawn(&mut self) -> Vec<TournamentId> {
        let mut due = Vec::new();
        for (&id, tournament) in &mut self.tournaments {
            if tournament.is_to_be_drawn() {
                tournament.drawing = true;
                due.push(id);
            }
        }
        due
    }
}

impl Tournament {
    fn is_to_be_drawn(&self) -> bool {
        let goes_on = self.wished == TournamentState::Running && self.problem.is_none();
        // Then there is nothing to be asked yet.
        let waits = self.definition.director.waits_for_all() && self.is_missing_games();
        goes_on && self.undrawn && !self.over && !self.drawing && !waits
    }
}

impl Coordinator {
    /// Asks the formats of all tournaments in which something has happened, each in a task of its own.
    pub(super) fn draw_due(self: &Arc<Self>) {
        let due = self.state().take_undrawn();
        for id in due {
            let this = self.clone();
            tokio::spawn(async move { this.draw(id).await });
        }
    }

    /// Draws everything in a tournament that is known by now.
    async fn draw(self: Arc<Self>, id: TournamentId) {
        let drawn = loop {
            match self.draw_once(id).await {
                Ok(Goes::On) => {}
                Ok(Goes::NoFurther) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        {
            let mut state = self.state();
            let Some(tournament) = state.tournaments.get_mut(&id) else {
                return;
            };
            tournament.drawing = false;
            if let Err(error) = &drawn {
                // It is asked again when the loop next looks: after a while when nothing can be stored.
                tournament.undrawn = true;
                if !matches!(error, Error::Store(_) | Error::Stopping) {
                    tracing::error!(%id, %error, "what comes next in a tournament cannot be drawn");
                    tournament.problem = Some(error.to_string());
                }
            }
        }
        if drawn.is_ok() {
            self.shared.wake.notify_one();
        }
    }

    /// Asks the format once and stores what it answers.
    async fn draw_once(self: &Arc<Self>, id: TournamentId) -> Result<Goes, Error> {
        let (basis, number, first_pair, asked) = {
            let mut state = self.state();
            let absorbed = state.absorbed;
            let tournament = state.tournaments.get_mut(&id);
            let tournament = tournament.filter(|tournament| {
                !tournament.over && tournament.undrawn && tournament.problem.is_none()
            });
            let Some(tournament) = tournament else {
                return Ok(Goes::NoFurther);
            };
            tournament.undrawn = false;
            let definition = tournament.definition.clone();
            let history = tournament.history();
            let first_pair = u64::from(definition.games()) / 2;
            let ask = move || definition.director.next(&history);
            (absorbed, tournament.changes, first_pair, ask)
        };
        let step = match self.blocking(&self.draws, move |_| Ok(asked())).await? {
            Step::Wait => return Ok(Goes::NoFurther),
            Step::Over => CourseStep::Over(CourseOver {}),
            Step::Draw(draw) => CourseStep::Draw(bounded(&draw, first_pair)?),
        };
        self.change_course(id, number, step, basis).await?;
        Ok(Goes::On)
    }

    /// Stores a change of a tournament's course as the one of this number; `basis` is the sequence of the newest record that
    /// it was made from, 0 where it follows from none. Gives whether it was stored, and not another one.
    pub(super) async fn change_course(
        &self,
        id: TournamentId,
        number: u32,
        step: CourseStep,
        basis: u64,
    ) -> Result<bool, Error> {
        let changed = CourseChanged {
            id: id.0,
            number,
            step: Some(step),
            unix_ms: unix_ms(),
            basis,
        };
        let answer = self.commit(Change::CourseChanged(changed)).await?;
        let stored = matches!(answer, Answer::Done(_));
        if !stored && let Some(tournament) = self.state().tournaments.get_mut(&id) {
            // Another change came first, from which something else may follow.
            tournament.undrawn = true;
        }
        Ok(stored)
    }

    /// The course of a tournament so far.
    pub async fn course(self: &Arc<Self>, id: TournamentId) -> Result<v1::CourseResponse, Error> {
        self.query(move |this| {
            let (draws, over, definition, history) = {
                let state = this.state();
                let tournament = state.tournament(id)?;
                let definition = tournament.definition.clone();
                (
                    tournament.draws_to_wire(),
                    tournament.over,
                    definition,
                    tournament.history(),
                )
            };
            let director = &*definition.director;
            Ok(v1::CourseResponse {
                draws,
                over,
                bracket: match director {
                    Director::Knockout(knockout) => {
                        let bracket = knockout.bracket(&history);
                        bracket.iter().map(encounter_to_wire).collect()
                    }
                    _ => Vec::new(),
                },
                rungs: match director {
                    Director::Ladder(ladder) => {
                        let rungs = ladder.order(&history);
                        rungs
                            .into_iter()
                            .filter_map(|player| u32::try_from(player).ok())
                            .collect()
                    }
                    _ => Vec::new(),
                },
            })
        })
        .await
    }
}

/// Whether there may be more to draw.
enum Goes {
    On,
    NoFurther,
}

/// The message of a draw that begins with this pair, unless it makes the tournament too long.
fn bounded(draw: &Draw, first_pair: u64) -> Result<v1::Draw, Error> {
    let pairs = draw.pairs.saturating_mul(draw.encounters.len() as u64);
    let games = first_pair.saturating_add(pairs).saturating_mul(2);
    if games > MAX_GAMES {
        let problem = format!("it would have {games} games: at most {MAX_GAMES} are possible");
        return Err(Error::Precondition(problem));
    }
    Ok(draw_to_wire(draw, first_pair))
}

fn encounter_to_wire(encounter: &knockout::Encounter) -> v1::BracketEncounter {
    let player = |seat: Seat| match seat {
        Seat::Taken(player) => u32::try_from(player).ok(),
        Seat::Open | Seat::Empty => None,
    };
    let by = match encounter.winner {
        None => v1::DecidedBy::Unspecified,
        Some((_, knockout::DecidedBy::Bye)) => v1::DecidedBy::Bye,
        Some((_, knockout::DecidedBy::Withdrawal)) => v1::DecidedBy::Withdrawal,
        Some((_, knockout::DecidedBy::Points)) => v1::DecidedBy::Points,
        Some((_, knockout::DecidedBy::FurtherPairs)) => v1::DecidedBy::FurtherPairs,
        Some((_, knockout::DecidedBy::Seed)) => v1::DecidedBy::Seed,
        Some((_, knockout::DecidedBy::Test)) => v1::DecidedBy::Test,
    };
    v1::BracketEncounter {
        round: encounter.round,
        place: u32::try_from(encounter.place).unwrap_or(u32::MAX),
        first: player(encounter.seats[0]),
        second: player(encounter.seats[1]),
        games: u32::try_from(encounter.table.games()).unwrap_or(u32::MAX),
        quarters: encounter.table.near_quarters().0,
        winner: encounter
            .winner
            .and_then(|(winner, _)| u32::try_from(winner).ok()),
        decided_by: by.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{damage, with_tournament};

    /// A record that cannot be used is never taken in, so that its number stays taken: whoever went on asking would ask for ever.
    #[tokio::test]
    async fn a_tournament_that_cannot_go_on_is_not_asked() {
        let folder = tempfile::tempdir().unwrap();
        let (coordinator, id, _) = with_tournament(folder.path(), "knockout").await;
        // Nobody asked yet: what is to be drawn is asked by a running coordinator.
        assert!(coordinator.state().tournaments[&id].is_to_be_drawn());
        damage(&coordinator, id).await;
        {
            let mut state = coordinator.state();
            assert!(state.tournaments[&id].problem.is_some());
            assert!(state.tournaments[&id].undrawn);
            assert_eq!(state.take_undrawn(), []);
        }
        // Nor by someone who began before.
        let asked = coordinator.clone().draw(id);
        let ended = tokio::time::timeout(Duration::from_secs(20), asked).await;
        assert!(ended.is_ok(), "it is asked for ever");
        assert_eq!(coordinator.state().tournaments[&id].changes, 0);
    }
}
