//! A coordinator with a tournament of two engines, and a record that it cannot use, for tests.

use std::{path::Path, sync::Arc};

use proto::store::{CourseChanged, EngineWithdrawn, course_changed::Step, record::Change};

use super::{Coordinator, Existing};
use crate::{
    config::Config,
    model::{TournamentId, TournamentSpec, tournament_file},
};

/// A coordinator in an empty folder with a tournament of this format between two engines.
pub(super) async fn with_tournament(
    folder: &Path,
    format: &str,
) -> (Arc<Coordinator>, TournamentId, TournamentSpec) {
    let config = Config {
        builtin_build: "build".to_owned(),
        ..Config::new(folder)
    };
    let opened = tokio::task::spawn_blocking(|| Coordinator::open(config)).await;
    let coordinator = opened.unwrap().unwrap();
    let text = format!(
        "schema = 1\nname = \"two\"\nvariant = \"chess\"\n[format]\nkind = \"{format}\"\npairs = 1\n[limit]\nnodes = 1\n\
         [[engine]]\nname = \"a\"\nbuiltin = true\n[[engine]]\nname = \"b\"\nbuiltin = true\noptions = {{ Hash = 2 }}\n"
    );
    let spec = tournament_file::parse(&text, "t.toml", |_, _| unreachable!()).unwrap();
    let made = coordinator
        .create_tournament(spec.clone(), Existing::MakeNew)
        .await;
    let id = TournamentId(made.unwrap().tournament.id);
    (coordinator, id, spec)
}

/// Stores that player 99 of a tournament has withdrawn, who is not there.
pub(super) async fn damage(coordinator: &Coordinator, id: TournamentId) {
    let damage = CourseChanged {
        id: id.0,
        step: Some(Step::Withdrawn(EngineWithdrawn { player: 99 })),
        ..Default::default()
    };
    let stored = coordinator.commit(Change::CourseChanged(damage)).await;
    stored.unwrap();
}
