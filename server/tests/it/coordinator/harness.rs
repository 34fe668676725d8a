//! A coordinator on a free loopback port, and clients for it.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use proto::v1::{
    self, analysis_service_client::AnalysisServiceClient,
    engine_service_client::EngineServiceClient, rating_service_client::RatingServiceClient,
    tournament_service_client::TournamentServiceClient,
    variant_service_client::VariantServiceClient, worker_service_client::WorkerServiceClient,
};
use server::{Config, Coordinator};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;

/// The build of the built-in engine that everybody in these tests claims to have.
pub const BUILD: &str = "test build";

/// A running coordinator.
pub struct Running {
    pub address: SocketAddr,
    pub coordinator: Arc<Coordinator>,
    shutdown: CancellationToken,
    serving: JoinHandle<Result<(), server::ServeError>>,
}

/// Settings with short waits.
pub fn config(folder: &Path) -> Config {
    Config {
        builtin_build: BUILD.to_owned(),
        lease: Duration::from_secs(3),
        grace: Duration::from_millis(200),
        ..Config::new(folder)
    }
}

impl Running {
    /// Starts a coordinator on a data directory.
    pub async fn start(config: Config) -> Self {
        let coordinator = tokio::task::spawn_blocking(|| Coordinator::open(config))
            .await
            .unwrap()
            .unwrap();
        let (incoming, address) = server::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(server::serve(
            coordinator.clone(),
            incoming,
            shutdown.clone(),
        ));
        Self {
            address,
            coordinator,
            shutdown,
            serving,
        }
    }

    /// Starts a coordinator on a new data directory.
    pub async fn fresh() -> (Self, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        (Self::start(config(folder.path())).await, folder)
    }

    /// Stops it in order.
    pub async fn stop(self) {
        self.shutdown.cancel();
        self.serving.await.unwrap().unwrap();
    }

    pub async fn channel(&self) -> Channel {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).unwrap();
        endpoint.connect().await.unwrap()
    }

    pub async fn workers(&self) -> WorkerServiceClient<Channel> {
        WorkerServiceClient::new(self.channel().await)
    }

    pub async fn tournaments(&self) -> TournamentServiceClient<Channel> {
        TournamentServiceClient::new(self.channel().await)
    }

    pub async fn ratings(&self) -> RatingServiceClient<Channel> {
        RatingServiceClient::new(self.channel().await)
    }

    pub async fn analyses(&self) -> AnalysisServiceClient<Channel> {
        AnalysisServiceClient::new(self.channel().await)
    }

    pub async fn engines(&self) -> EngineServiceClient<Channel> {
        EngineServiceClient::new(self.channel().await)
    }

    pub async fn variants(&self) -> VariantServiceClient<Channel> {
        VariantServiceClient::new(self.channel().await)
    }

    /// Makes a tournament.
    pub async fn create(&self, spec: v1::TournamentSpec) -> v1::Tournament {
        let request = v1::CreateTournamentRequest {
            spec: Some(spec),
            existing: 0,
        };
        self.tournaments()
            .await
            .create(request)
            .await
            .unwrap()
            .into_inner()
            .tournament
            .unwrap()
    }

    pub async fn tournament(&self, id: u64) -> v1::Tournament {
        self.tournaments()
            .await
            .get(v1::GetTournamentRequest { id })
            .await
            .unwrap()
            .into_inner()
    }

    pub async fn standings(&self, id: u64) -> v1::StandingsResponse {
        let request = v1::StandingsRequest {
            id,
            confidence: 0.0,
        };
        self.tournaments()
            .await
            .standings(request)
            .await
            .unwrap()
            .into_inner()
    }

    pub async fn course(&self, id: u64) -> v1::CourseResponse {
        let request = v1::CourseRequest { id };
        let course = self.tournaments().await.course(request).await;
        course.unwrap().into_inner()
    }

    /// All stored games with their moves.
    pub async fn games(&self, id: u64) -> Vec<v1::Game> {
        let request = v1::StreamGamesRequest { id, from_game: 0 };
        let mut stream = self
            .tournaments()
            .await
            .stream_games(request)
            .await
            .unwrap()
            .into_inner();
        let mut games = Vec::new();
        while let Some(game) = stream.message().await.unwrap() {
            games.push(game);
        }
        games
    }
}

/// A limit by nodes.
pub fn nodes(nodes: u64) -> Option<v1::Limit> {
    Some(v1::Limit {
        kind: Some(v1::limit::Kind::Nodes(nodes)),
    })
}

/// The built-in engine.
pub fn builtin() -> Option<v1::EngineSource> {
    Some(v1::EngineSource {
        kind: Some(v1::engine_source::Kind::Builtin(
            v1::BuiltinEngine::default(),
        )),
    })
}

/// Engines that differ by an option.
pub fn engines(count: usize) -> Vec<v1::EngineSpec> {
    let engine = |index: usize| v1::EngineSpec {
        name: format!("engine {index}"),
        source: builtin(),
        options: [("Hash".to_owned(), (index + 1).to_string())].into(),
        limit: None,
    };
    (0..count).map(engine).collect()
}

/// A small tournament of short games.
pub fn spec(kind: v1::FormatKind, count: usize, pairs: u32) -> v1::TournamentSpec {
    v1::TournamentSpec {
        name: "test".into(),
        variant: "apothecary-modern".into(),
        seed: 7,
        batch_pairs: 2,
        format: Some(v1::Format {
            kind: kind.into(),
            pairs,
            ..Default::default()
        }),
        limit: nodes(100),
        engines: engines(count),
        max_plies: 30,
        ..Default::default()
    }
}

/// The same with games long enough for all five outcomes.
pub fn varied(kind: v1::FormatKind, count: usize, pairs: u32) -> v1::TournamentSpec {
    v1::TournamentSpec {
        max_plies: 250,
        ..spec(kind, count, pairs)
    }
}
