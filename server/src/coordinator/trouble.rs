//! What is done while the store cannot be written to, as on a full disk: wait longer and longer, and lease nothing.

use std::{sync::Arc, time::Duration};

use proto::store::record::Change;

use super::{Coordinator, State};
use crate::{
    dispatch::Moment,
    store::{Answer, StoreError},
};

/// How long a report waits before it is sent again: as long as the trouble lasts, within these bounds.
const RETRY: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));
/// How long nothing is leased after a failed write. More than the longest wait of a report, so that reports that wait are
/// the probe; when there are none, the next games are.
const HOLD: Duration = Duration::from_secs(60);

/// Writes have failed since the last one that did not.
#[derive(Clone, Debug)]
pub(super) struct Trouble {
    since: Moment,
    last: Moment,
    problem: String,
}

impl Trouble {
    /// A write failed.
    fn new(problem: String, now: Moment) -> Self {
        Self {
            since: now,
            last: now,
            problem,
        }
    }

    /// When to try again.
    fn retry(&self, now: Moment) -> Duration {
        now.since(self.since).clamp(RETRY.0, RETRY.1)
    }

    /// Until when nothing is leased.
    pub(super) fn held_until(&self) -> Moment {
        self.last + HOLD
    }

    /// What the store says.
    pub(super) fn problem(&self) -> &str {
        &self.problem
    }
}

impl State {
    fn note_trouble(&mut self, error: &StoreError, now: Moment) {
        let problem = error.to_string();
        match &mut self.trouble {
            Some(trouble) => {
                trouble.last = now;
                trouble.problem = problem;
            }
            None => {
                tracing::error!(
                    problem,
                    "nothing can be stored: no batches are leased until it can"
                );
                self.trouble = Some(Trouble::new(problem, now));
            }
        }
    }

    /// The trouble because of which nothing is leased now.
    pub(super) fn holding(&self, now: Moment) -> Option<&Trouble> {
        self.trouble
            .as_ref()
            .filter(|trouble| now < trouble.held_until())
    }
}

impl Coordinator {
    /// Writes a record, and notes whether the store can be written to.
    pub(super) async fn commit(&self, change: Change) -> Result<Answer, StoreError> {
        let answer = self.store.commit(change).await;
        let now = self.now();
        match &answer {
            Ok(Answer::Done(_)) => {
                let ended = self.state().trouble.take();
                if let Some(trouble) = ended {
                    let lasted = now.since(trouble.since);
                    tracing::info!(?lasted, "the store can be written to again");
                    self.shared.wake.notify_one();
                }
            }
            Err(error) if error.is_unwritable() => self.state().note_trouble(error, now),
            // A record that is there already proves nothing.
            Ok(Answer::Exists(_)) | Err(_) => {}
        }
        answer
    }

    /// How much longer than it would anyway something should wait that needs the store.
    pub(super) fn patience(&self, wait: Duration) -> Duration {
        let now = self.now();
        let state = self.state();
        let retry = state.trouble.as_ref().map(|trouble| trouble.retry(now));
        retry.map_or(wait, |retry| retry.max(wait))
    }

    /// Why the coordinator stops, for those who wait for it.
    pub fn stopping(&self) -> String {
        match self.store_trouble() {
            Some(problem) => format!("the coordinator is stopping: {problem}"),
            None => super::Error::Stopping.to_string(),
        }
    }

    /// What keeps the store from being written to now.
    pub fn store_trouble(&self) -> Option<String> {
        let failure = self.store.failure().map(|error| error.to_string());
        let trouble = || {
            let state = self.state();
            state
                .trouble
                .as_ref()
                .map(|trouble| trouble.problem().to_owned())
        };
        failure.or_else(trouble)
    }

    /// Resolves when the store takes no more writes after an error.
    pub async fn store_failed(&self) -> Arc<StoreError> {
        self.store.failed().await
    }
}

#[cfg(test)]
mod tests {
    use std::{io, path::Path};

    use proto::v1::{self, coordinator_message::Message};

    use super::*;
    use crate::{Config, coordinator::Existing, model::wire};

    fn full() -> StoreError {
        let error = io::Error::from(io::ErrorKind::StorageFull);
        StoreError::Group(Arc::new(StoreError::io("append to", Path::new("journal"))(
            error,
        )))
    }

    fn spec() -> v1::TournamentSpec {
        let engine = |name: &str| v1::EngineSpec {
            name: name.into(),
            source: Some(v1::EngineSource {
                kind: Some(v1::engine_source::Kind::Builtin(
                    v1::BuiltinEngine::default(),
                )),
            }),
            options: [("Hash".to_owned(), name.to_owned())].into(),
            limit: None,
        };
        v1::TournamentSpec {
            name: "t".into(),
            variant: "apothecary-modern".into(),
            format: Some(v1::Format {
                kind: v1::FormatKind::HeadToHead.into(),
                pairs: 4,
                ..Default::default()
            }),
            limit: Some(v1::Limit {
                kind: Some(v1::limit::Kind::Nodes(1)),
            }),
            engines: vec![engine("1"), engine("2")],
            ..Default::default()
        }
    }

    #[test]
    fn waits_grow_with_the_trouble_and_end() {
        let at = |seconds| Moment(Duration::from_secs(seconds));
        let trouble = Trouble::new("no space".into(), at(100));
        let waits = [100, 107, 500].map(|now| trouble.retry(at(now)).as_secs());
        assert_eq!(waits, [2, 7, 30]);
        assert_eq!(trouble.held_until(), at(160));
    }

    #[tokio::test]
    async fn nothing_is_leased_while_nothing_can_be_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let opened =
            tokio::task::spawn_blocking(move || Coordinator::open(Config::new(path))).await;
        let coordinator = opened.unwrap().unwrap();
        let spec = wire::spec_from_wire(&spec()).unwrap();
        let created = coordinator.create_tournament(spec, Existing::Return).await;
        let id = created.unwrap().tournament.id;
        let registered = coordinator.register_worker(v1::RegisterRequest {
            protocol_version: proto::PROTOCOL_VERSION,
            name: "w".into(),
            instance: "instance".into(),
            builtin_build: engine::BUILD.to_owned(),
            slots: 1,
            ..Default::default()
        });
        let hello = v1::Hello {
            session: registered.unwrap().session,
            held: vec![],
        };
        let mut stream = coordinator.open_stream(hello).unwrap();
        coordinator.add_credits(stream.worker, 1);
        let now = coordinator.now();
        coordinator.state().note_trouble(&full(), now);
        coordinator.hand_out();
        let mut told = Vec::new();
        while let Ok(message) = stream.outbox.try_recv() {
            told.extend(message.message);
        }
        let [Message::Welcome(_), Message::NoWork(no_work)] = &told[..] else {
            panic!("{told:?}");
        };
        assert_eq!(no_work.reason(), v1::NoWorkReason::CannotStore);
        assert!(
            no_work.message.contains("no storage space") && no_work.message.contains("free space"),
            "{}",
            no_work.message
        );
        assert!(coordinator.stopping().contains("no storage space"));
        assert!(coordinator.patience(Duration::ZERO) >= RETRY.0);
        // A write that succeeds ends it.
        let paused = coordinator.pause_tournament(crate::model::TournamentId(id));
        paused.await.unwrap();
        let resumed = coordinator.resume_tournament(crate::model::TournamentId(id));
        resumed.await.unwrap();
        assert_eq!(coordinator.store_trouble(), None);
        coordinator.hand_out();
        let message = stream.outbox.try_recv().unwrap().message;
        assert!(matches!(message, Some(Message::Batch(_))), "{message:?}");
    }
}
