//! Let engines come into a running tournament, and let them withdraw.

use std::{collections::BTreeSet, sync::Arc};

use proto::{
    store::{EngineWithdrawn, EnginesEntered, course_changed::Step},
    v1,
};

use super::{Coordinator, Error, State, tournament::Tournament};
use crate::model::{
    EngineSpec, Player, SpecError, TournamentId,
    check::{self, MAX_ENGINES},
    wire,
};

impl State {
    /// A tournament that is not over.
    fn unfinished(&self, id: TournamentId) -> Result<&Tournament, Error> {
        let tournament = self.tournament(id)?;
        match tournament.state().is_over() {
            true => Err(Error::Precondition(format!("tournament {id} is over"))),
            false => match &tournament.problem {
                // No change of it would be taken in.
                Some(problem) => Err(Error::Precondition(format!(
                    "tournament {id} cannot go on: {problem}"
                ))),
                None => Ok(tournament),
            },
        }
    }
}

impl Coordinator {
    /// Lets engines come into a running tournament.
    pub async fn enter_engines(
        self: &Arc<Self>,
        id: TournamentId,
        mut engines: Vec<EngineSpec>,
    ) -> Result<v1::Tournament, Error> {
        if engines.is_empty() {
            return Err(SpecError::new("engines", "is empty: name at least one").into());
        }
        let engines = self
            .query(move |this| {
                for (index, engine) in engines.iter_mut().enumerate() {
                    this.look_up(engine, &format!("engines[{index}]"))?;
                }
                Ok(engines)
            })
            .await?;
        loop {
            let (definition, number) = {
                let state = self.state();
                let tournament = state.unfinished(id)?;
                check_entries(tournament, &engines)?;
                (tournament.definition.clone(), tournament.changes)
            };
            let entered = engines.clone();
            let players = self
                .query(move |this| {
                    let variant = this.variant(&definition.variant_hash)?;
                    let enter = |(index, engine): (usize, &EngineSpec)| {
                        let field = format!("engines[{index}]");
                        let player = this.player(engine, definition.spec.limit, &field)?;
                        this.check_weights(&variant, &player, &field)?;
                        Ok(player)
                    };
                    entered
                        .iter()
                        .enumerate()
                        .map(enter)
                        .collect::<Result<Vec<Player>, Error>>()
                })
                .await?;
            self.check_in_use(&players).await?;
            for player in &players {
                self.make_engine_known(player).await?;
            }
            let entered = EnginesEntered {
                engines: engines.iter().map(wire::engine_to_wire).collect(),
                players: players.iter().map(wire::player_to_wire).collect(),
            };
            // Else another change came first: what was checked may not hold any more.
            if self
                .change_course(id, number, Step::Entered(entered), 0)
                .await?
            {
                return self.tournament(id);
            }
        }
    }

    /// Takes an engine out of a running tournament.
    pub async fn withdraw_engine(
        self: &Arc<Self>,
        id: TournamentId,
        name: &str,
    ) -> Result<v1::Tournament, Error> {
        loop {
            let (player, number) = {
                let state = self.state();
                let tournament = state.unfinished(id)?;
                (withdrawing(tournament, name)?, tournament.changes)
            };
            let player = u32::try_from(player).unwrap_or(u32::MAX);
            let step = Step::Withdrawn(EngineWithdrawn { player });
            if self.change_course(id, number, step, 0).await? {
                return self.tournament(id);
            }
        }
    }
}

fn check_entries(tournament: &Tournament, engines: &[EngineSpec]) -> Result<(), Error> {
    let definition = &tournament.definition;
    let refused = |why: &str| {
        let id = definition.id;
        Error::Precondition(format!("nobody may come into tournament {id} now: {why}"))
    };
    if let Some(why) = definition.director.refuses_entries() {
        return Err(refused(why));
    }
    if tournament.over && definition.director.follows_results() {
        return Err(refused("everything is drawn"));
    }
    let count = definition.players.len() + engines.len();
    if count > MAX_ENGINES {
        let problem = format!("there would be {count} engines: at most {MAX_ENGINES} are possible");
        return Err(SpecError::new("engines", problem).into());
    }
    let mut names: BTreeSet<&str> = definition
        .players
        .iter()
        .map(|player| player.name.as_str())
        .collect();
    for (index, engine) in engines.iter().enumerate() {
        check::check_engine(&format!("engines[{index}]"), engine, definition.spec.limit)?;
        if !names.insert(&engine.name) {
            let problem = format!("`{}` is there already: names must differ", engine.name);
            return Err(SpecError::new(format!("engines[{index}].name"), problem).into());
        }
    }
    Ok(())
}

/// The number of the engine that is to withdraw.
fn withdrawing(tournament: &Tournament, name: &str) -> Result<usize, Error> {
    let definition = &tournament.definition;
    if let Some(why) = definition.director.refuses_withdrawal() {
        let id = definition.id;
        return Err(Error::Precondition(format!(
            "nobody may withdraw from tournament {id}: {why}"
        )));
    }
    let player = definition
        .players
        .iter()
        .position(|player| player.name == name);
    let player = player.ok_or_else(|| {
        Error::NotFound(format!("engine `{name}` in tournament {}", definition.id))
    })?;
    match tournament.has_withdrawn(player) {
        true => Err(Error::Precondition(format!(
            "engine `{name}` has withdrawn already"
        ))),
        false => Ok(player),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{damage, with_tournament};
    use super::*;

    /// A record that cannot be used is never taken in, so that its number stays taken: nobody may try for ever.
    #[tokio::test]
    async fn a_course_that_cannot_be_used_is_told_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (coordinator, id, spec) = with_tournament(folder.path(), "round-robin").await;
        let engine = EngineSpec {
            name: "c".to_owned(),
            ..spec.engines[0].clone()
        };
        damage(&coordinator, id).await;
        let soon = Duration::from_secs(20);
        let entered = tokio::time::timeout(soon, coordinator.enter_engines(id, vec![engine])).await;
        let error = entered.unwrap().unwrap_err().to_string();
        assert!(error.contains("player 99"), "{error}");
        let withdrawn = tokio::time::timeout(soon, coordinator.withdraw_engine(id, "a")).await;
        assert!(
            withdrawn
                .unwrap()
                .unwrap_err()
                .to_string()
                .contains("player 99")
        );
    }
}
