//! Events of a tournament, missed ones first; queries of one tournament or all.

use std::{collections::VecDeque, sync::Arc};

use proto::v1::{self, tournament_event::Event};
use tokio::sync::broadcast::{self, error::RecvError};

use super::{Coordinator, Error, State, tournament::Tournament};
use crate::{
    dispatch::needs::{Lack, list_of},
    model::{JobId, TournamentId, TournamentState, wire},
};

/// The events of a tournament, one by one.
pub struct TournamentWatch {
    coordinator: Arc<Coordinator>,
    id: TournamentId,
    progress: bool,
    missed: VecDeque<v1::TournamentEvent>,
    live: broadcast::Receiver<v1::TournamentEvent>,
    /// Newest lasting event that was given.
    last: u64,
    over: bool,
}

impl State {
    pub(super) fn tournament(&self, id: TournamentId) -> Result<&Tournament, Error> {
        self.tournaments
            .get(&id)
            .ok_or_else(|| Error::NotFound(format!("tournament {id}")))
    }

    /// What keeps every connected worker from playing a tournament; nothing while one of them can, or none is there.
    fn lacking(&self, tournament: &Tournament) -> Vec<String> {
        if tournament.state() != TournamentState::Running {
            return Vec::new();
        }
        let needs = tournament.needs();
        let connected = self
            .registry
            .iter()
            .filter(|worker| worker.stream.is_some());
        let lacks: Vec<Option<Lack>> = connected
            .map(|worker| needs.lack(&worker.registration.offer, self.leases.bindings()))
            .collect();
        if lacks.iter().any(Option::is_none) {
            return Vec::new();
        }
        let mut texts: Vec<String> = lacks
            .into_iter()
            .flatten()
            .map(|lack| match lack {
                Lack::Command(name) => format!("no connected worker has the engine `{name}`"),
                Lack::Build(_) => {
                    "no connected worker has the build of the built-in engine".to_owned()
                }
                Lack::Executable { name, needed, own } => format!(
                    "the engine `{name}` is bound to the executable {}, a connected worker has {}",
                    needed.short(),
                    own.map_or_else(|| "one that cannot be read".to_owned(), |own| own.short())
                ),
                Lack::Platform(platforms) => format!(
                    "no connected worker runs the engine files, which are for {}",
                    list_of(&platforms)
                ),
            })
            .collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// A tournament and how far it is.
    pub(super) fn describe(&self, tournament: &Tournament) -> v1::Tournament {
        let definition = &tournament.definition;
        let job = self.leases.job(JobId::Tournament(definition.id));
        let mut parked: Vec<_> = tournament.parked.values().cloned().collect();
        if let Some(problem) = &tournament.problem {
            parked.push(v1::ParkedBatch {
                batch: 0,
                attempts: 0,
                message: problem.clone(),
            });
        }
        v1::Tournament {
            id: definition.id.0,
            spec: Some(wire::spec_to_wire(&definition.spec)),
            spec_hash: definition.spec_hash.to_string(),
            variant: Some(definition.variant.clone()),
            players: definition
                .players
                .iter()
                .map(wire::player_to_wire)
                .collect(),
            state: wire::state_to_wire(tournament.state()).into(),
            total_games: tournament.total_games(),
            stored_games: tournament.stored(),
            total_batches: definition.batch_count(),
            leased_batches: job.map_or(0, |job| {
                u32::try_from(job.leased().len()).unwrap_or(u32::MAX)
            }),
            parked,
            created_unix_ms: definition.created_unix_ms,
            sequence: tournament.events.sequence(),
            limit_class: definition.limit_class.clone(),
            lacking: self.lacking(tournament),
            quarantined: tournament.quarantined.clone(),
            withdrawn: (0..definition.players.len())
                .filter(|&player| tournament.has_withdrawn(player))
                .filter_map(|player| u32::try_from(player).ok())
                .collect(),
        }
    }
}

impl Coordinator {
    /// One tournament.
    pub fn tournament(&self, id: TournamentId) -> Result<v1::Tournament, Error> {
        let state = self.state();
        Ok(state.describe(state.tournament(id)?))
    }

    /// Tournaments below a number, newest first, and whether there are more. Opening lists, variant texts and
    /// evaluations are left out.
    pub fn list_tournaments(
        &self,
        before: Option<TournamentId>,
        most: usize,
    ) -> (Vec<v1::Tournament>, bool) {
        let state = self.state();
        let mut older = state
            .tournaments
            .range(..before.unwrap_or(TournamentId(u64::MAX)))
            .rev();
        let listed: Vec<_> = older
            .by_ref()
            .take(most)
            .map(|(_, tournament)| short(state.describe(tournament)))
            .collect();
        (listed, older.next().is_some())
    }

    /// Watches a tournament after a sequence; 0 = from now on.
    pub fn watch_tournament(
        self: &Arc<Self>,
        id: TournamentId,
        from: u64,
        progress: bool,
    ) -> Result<TournamentWatch, Error> {
        let state = self.state();
        let tournament = state.tournament(id)?;
        let watch = tournament.events.watch(from);
        let (missed, last) = match watch.missed {
            Some(missed) => (
                missed.into(),
                watch
                    .sequence
                    .min(if from == 0 { watch.sequence } else { from }),
            ),
            None => (VecDeque::from([resync(&state, tournament)]), watch.sequence),
        };
        let over = tournament.state().is_over();
        Ok(TournamentWatch {
            coordinator: self.clone(),
            id,
            progress,
            missed,
            live: watch.live,
            last,
            over,
        })
    }
}

impl TournamentWatch {
    /// The next event; none when the tournament is over and everything was given, or the coordinator stops.
    pub async fn next(&mut self) -> Option<v1::TournamentEvent> {
        loop {
            if let Some(event) = self.missed.pop_front() {
                return Some(self.note(event));
            }
            if self.over && self.live.is_empty() {
                return None;
            }
            match self.live.recv().await {
                Ok(v1::TournamentEvent {
                    event: Some(Event::Progress(_)),
                    ..
                }) if !self.progress => {}
                // It was among the missed ones.
                Ok(event) if event.sequence <= self.last && !is_progress(&event) => {}
                Ok(event) => return Some(self.note(event)),
                Err(RecvError::Lagged(_)) => {
                    let state = self.coordinator.state();
                    let event = resync(&state, state.tournament(self.id).ok()?);
                    drop(state);
                    return Some(self.note(event));
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn note(&mut self, event: v1::TournamentEvent) -> v1::TournamentEvent {
        if !is_progress(&event) {
            self.last = event.sequence;
        }
        let state = match &event.event {
            Some(Event::State(change)) => Some(change.state()),
            Some(Event::Resync(resync)) => resync.tournament.as_ref().map(v1::Tournament::state),
            _ => None,
        };
        if let Some(state) = state.and_then(wire::state_from_wire) {
            self.over = matches!(
                state,
                TournamentState::Finished | TournamentState::Cancelled
            );
        }
        event
    }
}

fn is_progress(event: &v1::TournamentEvent) -> bool {
    matches!(event.event, Some(Event::Progress(_)))
}

fn resync(state: &State, tournament: &Tournament) -> v1::TournamentEvent {
    let described = Some(state.describe(tournament));
    let event = Some(Event::Resync(v1::Resync {
        tournament: described,
    }));
    v1::TournamentEvent {
        sequence: tournament.events.sequence(),
        event,
    }
}

/// Without what may be very long.
fn short(mut tournament: v1::Tournament) -> v1::Tournament {
    if let Some(spec) = &mut tournament.spec {
        spec.variant_text.clear();
        if let Some(v1::openings::Source::List(list)) = spec
            .openings
            .as_mut()
            .and_then(|openings| openings.source.as_mut())
        {
            list.fens.clear();
        }
        for engine in &mut spec.engines {
            without_evaluation(&mut engine.source);
        }
    }
    for player in &mut tournament.players {
        without_evaluation(&mut player.source);
    }
    tournament
}

/// Leaves the text of an evaluation out of a list, whose messages it would make too large.
pub(super) fn without_evaluation(source: &mut Option<v1::EngineSource>) {
    let kind = source.as_mut().and_then(|source| source.kind.as_mut());
    if let Some(v1::engine_source::Kind::Builtin(builtin)) = kind {
        builtin.evaluation.clear();
    }
}
