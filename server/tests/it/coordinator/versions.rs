//! Engine versions: looked up by name, taken out of use, bound to executables.

use proto::v1::{self, FormatKind, NoWorkReason, ReportStatus, engine_source::Kind};
use tonic::Code;

use super::{
    harness::{Running, config, spec},
    worker::{Worker, register, registration},
};

pub(super) const ONE: &str = "1111111111111111111111111111111111111111111111111111111111111111";
pub(super) const TWO: &str = "2222222222222222222222222222222222222222222222222222222222222222";

fn of(kind: Kind) -> Option<v1::EngineSource> {
    Some(v1::EngineSource { kind: Some(kind) })
}

/// A tournament of the built-in engine and this one.
fn against(kind: Kind) -> v1::TournamentSpec {
    let mut spec = spec(FormatKind::HeadToHead, 2, 4);
    spec.engines[1].source = of(kind);
    spec.engines[1].options.clear();
    spec
}

/// A worker that has the engine `sf` with this executable.
pub(super) async fn with_engine(running: &Running, instance: &str, sha256: &str) -> Worker {
    let request = v1::RegisterRequest {
        engines: vec![v1::WorkerEngine {
            name: "sf".into(),
            sha256: sha256.into(),
        }],
        ..registration(instance)
    };
    let session = register(running, request).await.unwrap().session;
    Worker::open(running, session, vec![]).await.unwrap()
}

async fn register_engine(running: &Running, engine: v1::EngineSpec) -> v1::EngineVersion {
    try_register(running, engine).await.unwrap()
}

async fn try_register(
    running: &Running,
    engine: v1::EngineSpec,
) -> Result<v1::EngineVersion, tonic::Status> {
    let request = v1::RegisterEngineRequest {
        engine: Some(engine),
    };
    let answer = running.engines().await.register(request).await?;
    Ok(answer.into_inner())
}

async fn retire(
    running: &Running,
    version: &str,
    undo: bool,
) -> Result<v1::EngineVersion, tonic::Status> {
    let version = version.to_owned();
    let request = v1::RetireEngineRequest { version, undo };
    let answer = running.engines().await.retire(request).await?;
    Ok(answer.into_inner())
}

async fn try_create(
    running: &Running,
    spec: v1::TournamentSpec,
) -> Result<v1::CreateTournamentResponse, tonic::Status> {
    let request = v1::CreateTournamentRequest {
        spec: Some(spec),
        existing: v1::ExistingMode::Return.into(),
    };
    let answer = running.tournaments().await.create(request).await?;
    Ok(answer.into_inner())
}

async fn listed(running: &Running, retired: bool) -> Vec<v1::EngineVersion> {
    let request = v1::ListEnginesRequest { retired };
    let answer = running.engines().await.list(request).await.unwrap();
    answer.into_inner().engines
}

#[tokio::test(flavor = "multi_thread")]
async fn the_executable_of_the_first_worker_with_a_game_binds_all_even_after_a_restart() {
    let (running, folder) = Running::fresh().await;
    let id = running.create(against(Kind::Command("sf".into()))).await.id;
    let mut one = with_engine(&running, "one", ONE).await;
    let batch = one.batch().await;
    let mut two = with_engine(&running, "two", TWO).await;
    let no_work = two.no_work().await;
    assert_eq!(no_work.reason(), NoWorkReason::OtherExecutable);
    for part in ["`sf`", "11111111", "22222222"] {
        assert!(no_work.message.contains(part), "{}", no_work.message);
    }
    // Nothing is stored before a game is.
    let version = running.tournament(id).await.players[1].version.clone();
    let bound = |engines: &[v1::EngineVersion]| {
        let mut found = engines.iter().filter(|engine| engine.version == version);
        found.next().unwrap().bound_sha256.clone()
    };
    assert_eq!(bound(&listed(&running, false).await), "");
    assert_eq!(one.play(&batch, 0..1).await, [ReportStatus::Stored]);
    assert_eq!(bound(&listed(&running, false).await), ONE);
    running.stop().await;

    let running = Running::start(config(folder.path())).await;
    assert_eq!(bound(&listed(&running, false).await), ONE);
    let mut two = with_engine(&running, "two", TWO).await;
    assert_eq!(two.no_work().await.reason(), NoWorkReason::OtherExecutable);
    // A worker that claims a lease of before the restart with another executable is not believed.
    let request = v1::RegisterRequest {
        engines: vec![v1::WorkerEngine {
            name: "sf".into(),
            sha256: TWO.into(),
        }],
        ..registration("one")
    };
    let session = register(&running, request).await.unwrap().session;
    let held = batch.lease.unwrap();
    let mut changed = Worker::open(&running, session, vec![held]).await.unwrap();
    assert_eq!(changed.play(&batch, 1..2).await, [ReportStatus::Refused]);
    let mut one = with_engine(&running, "one again", ONE).await;
    one.work_to_end(&running, id).await;
    assert_eq!(
        running.tournament(id).await.state(),
        v1::TournamentState::Finished
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executable_that_the_tournament_names_is_needed() {
    let (running, _folder) = Running::fresh().await;
    let pinned = |sha256: &str| {
        let (name, sha256) = ("sf".to_owned(), sha256.to_owned());
        Kind::Pinned(v1::PinnedCommand { name, sha256 })
    };
    let refused = try_create(&running, against(pinned("12")))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("pinned.sha256"), "{refused}");
    running.create(against(pinned(TWO))).await;
    let mut one = with_engine(&running, "one", ONE).await;
    assert_eq!(one.no_work().await.reason(), NoWorkReason::OtherExecutable);
    let mut two = with_engine(&running, "two", TWO).await;
    two.batch().await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_looked_up_by_name_or_hash_with_its_options() {
    let (running, _folder) = Running::fresh().await;
    let option = |value: &str| [("Skill".to_owned(), value.to_owned())].into();
    let engine = |name: &str, skill: &str| v1::EngineSpec {
        name: name.into(),
        source: of(Kind::Command("sf".into())),
        options: option(skill),
        limit: None,
    };
    let calm = register_engine(&running, engine("calm", "3")).await;
    let wild = register_engine(&running, engine("wild", "9")).await;
    let named = |text: &str| Kind::Version(text.to_owned());

    let by_name = running.create(against(named("calm"))).await;
    assert_eq!(by_name.players[1].version, calm.version);
    assert_eq!(by_name.players[1].options, option("3"));
    // What is found is stored, so that it is the same tournament as one that says it all.
    let by_hash = running.create(against(named(&calm.version[..10]))).await;
    assert_eq!(by_hash.id, by_name.id);
    let mut all = against(Kind::Command("sf".into()));
    all.engines[1].options = option("3");
    assert_eq!(running.create(all).await.id, by_name.id);
    let mut other = against(named("calm"));
    other.engines[1].options = option("9");
    assert_eq!(running.create(other).await.players[1].version, wild.version);

    for (text, part) in [
        ("cal", "`cal`"),
        (&calm.version[..3], "does not exist"),
        ("", "version"),
    ] {
        let refused = try_create(&running, against(named(text)))
            .await
            .unwrap_err();
        assert!(refused.message().contains(part), "{text}: {refused}");
    }
    // A registered name is of one version, whatever players of tournaments are called; a version may have several.
    let refused = try_register(&running, engine("calm", "4"))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert!(refused.message().contains(&calm.version[..12]), "{refused}");
    let again = register_engine(&running, engine("quiet", "3")).await;
    assert_eq!(
        (&again.version, again.names),
        (&calm.version, vec!["calm".into(), "quiet".to_owned()])
    );
    let mut other = against(named("wild"));
    other.engines[1].name = "calm".into();
    running.create(other).await;
    let found = running.create(against(named("calm"))).await;
    assert_eq!(found.id, by_name.id);
    // Names of players that are of several versions are told apart by their hashes only.
    for skill in ["7", "8"] {
        let mut several = against(Kind::Command("sf".into()));
        several.engines[1].name = "x".into();
        several.engines[1].options = option(skill);
        running.create(several).await;
    }
    let refused = try_create(&running, against(named("x"))).await.unwrap_err();
    assert!(refused.message().contains("2 versions ("), "{refused}");
    for bad in [
        "",
        " x",
        "a\nb",
        "a:b",
        "a,b",
        "a=b",
        "beef1",
        &"x".repeat(65),
    ] {
        let refused = try_register(&running, engine(bad, "5")).await.unwrap_err();
        assert!(
            refused.message().contains("engine.name"),
            "{bad}: {refused}"
        );
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retired_version_is_refused_and_goes_on_where_it_plays() {
    let (running, folder) = Running::fresh().await;
    let id = running.create(against(Kind::Command("sf".into()))).await.id;
    let version = running.tournament(id).await.players[1].version.clone();
    assert!(
        retire(&running, &version[..8], false)
            .await
            .unwrap()
            .retired
    );
    // Twice is once.
    assert!(
        retire(&running, &version[..8], false)
            .await
            .unwrap()
            .retired
    );
    assert!(
        listed(&running, false)
            .await
            .iter()
            .all(|one| one.version != version)
    );
    assert!(
        listed(&running, true)
            .await
            .iter()
            .any(|one| one.version == version && one.retired)
    );
    let missing = retire(&running, "nobody", false).await.unwrap_err();
    assert_eq!(missing.code(), Code::NotFound);
    running.stop().await;

    let running = Running::start(config(folder.path())).await;
    // The same tournament is found, another one is refused.
    assert_eq!(
        running.create(against(Kind::Command("sf".into()))).await.id,
        id
    );
    let mut another = against(Kind::Command("sf".into()));
    another.seed += 1;
    let refused = try_create(&running, another.clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert!(refused.message().contains("retired"), "{refused}");
    let mut worker = with_engine(&running, "one", ONE).await;
    worker.work_to_end(&running, id).await;
    assert!(!retire(&running, &version[..8], true).await.unwrap().retired);
    running.create(another).await;
    running.stop().await;
}
