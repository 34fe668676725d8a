//! A simulated network and clock: connections break at random, and every game is stored once all the same.

use std::{
    io,
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use hyper_util::rt::TokioIo;
use proto::v1::{
    self, ReportStatus, coordinator_message::Message as Down,
    tournament_service_client::TournamentServiceClient, worker_message::Message as Up,
    worker_service_client::WorkerServiceClient,
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng as _, SeedableRng as _},
};
use server::{Config, Coordinator};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;
use tonic::{
    Status,
    transport::{Channel, Endpoint, Uri, server::Connected},
};
use turmoil::net::{TcpListener, TcpStream};

use super::{
    harness::{config, spec},
    worker::{Worker, played, register_by, registration},
};

const PORT: u16 = 7000;

/// A simulated connection that a tonic server can serve.
struct Connection(TcpStream);

impl Connected for Connection {
    type ConnectInfo = ();
    fn connect_info(&self) {}
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

async fn coordinator(folder: PathBuf) -> turmoil::Result {
    // A lease that some breaks outlast.
    let settings = config(&folder);
    let settings = Config {
        lease: Duration::from_secs(10),
        grace: Duration::from_secs(5),
        ..settings
    };
    let coordinator = tokio::task::spawn_blocking(|| Coordinator::open(settings)).await??;
    let listener = TcpListener::bind((IpAddr::from(Ipv4Addr::UNSPECIFIED), PORT)).await?;
    let connections = async_stream(listener);
    server::serve(coordinator, connections, CancellationToken::new()).await?;
    Ok(())
}

fn async_stream(listener: TcpListener) -> impl tokio_stream::Stream<Item = io::Result<Connection>> {
    let (sender, receiver) = tokio::sync::mpsc::channel(16);
    tokio::spawn(async move {
        loop {
            let accepted = listener
                .accept()
                .await
                .map(|(stream, _)| Connection(stream));
            if sender.send(accepted).await.is_err() {
                break;
            }
        }
    });
    tokio_stream::wrappers::ReceiverStream::new(receiver)
}

async fn channel() -> Result<Channel, Status> {
    let connect = async |_: Uri| {
        TcpStream::connect(("coordinator", PORT))
            .await
            .map(TokioIo::new)
    };
    let endpoint = Endpoint::from_static("http://coordinator")
        .connect_timeout(Duration::from_secs(5))
        .http2_keep_alive_interval(Duration::from_secs(5))
        .keep_alive_timeout(Duration::from_secs(5));
    let connected = endpoint
        .connect_with_connector(tower::service_fn(connect))
        .await;
    connected.map_err(|error| Status::unavailable(error.to_string()))
}

/// What happened, to prove that the trouble was one.
#[derive(Default)]
struct Seen {
    connections: AtomicU32,
    lost_leases: AtomicU32,
}

/// A worker as the protocol wants it: it keeps its batch and unanswered reports over broken connections.
struct Steady {
    seen: Arc<Seen>,
    instance: String,
    batch: Option<v1::Batch>,
    answered: usize,
}

impl Steady {
    /// Works until nothing is running.
    async fn work(mut self) -> turmoil::Result {
        while !self.one_connection().await.unwrap_or(false) {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        Ok(())
    }

    /// Works until the connection breaks or nothing is running; says which.
    async fn one_connection(&mut self) -> Result<bool, Status> {
        let patience = Duration::from_secs(15);
        let late = |_| Status::deadline_exceeded("no answer");
        let client = WorkerServiceClient::new(channel().await?);
        let registered = tokio::time::timeout(
            patience,
            register_by(client.clone(), registration(&self.instance)),
        );
        self.seen.connections.fetch_add(1, Ordering::Relaxed);
        let session = registered.await.map_err(late)??.unwrap().session;
        let held = self.batch.iter().filter_map(|batch| batch.lease).collect();
        let opened = tokio::time::timeout(patience, Worker::open_by(client, session, held));
        let mut worker = opened.await.map_err(late)??;
        loop {
            let reports = self
                .batch
                .as_ref()
                .map(|batch| batch.games.get(self.answered).map(|game| (batch, game)));
            match reports {
                // A game takes a second or two.
                Some(Some((batch, game))) => {
                    tokio::time::sleep(Duration::from_millis(1500)).await;
                    let report = v1::GameReport {
                        sequence: 1,
                        ..played(batch, game)
                    };
                    worker.send(Up::Game(report)).await;
                }
                Some(None) => {
                    (self.batch, self.answered) = (None, 0);
                    continue;
                }
                None => worker.credit(1).await,
            }
            let asked = self.batch.is_some();
            loop {
                let message = tokio::time::timeout(patience, worker.down.message())
                    .await
                    .map_err(late)??;
                let message = message
                    .ok_or_else(|| Status::unavailable("the stream ended"))?
                    .message
                    .unwrap();
                match message {
                    Down::Answer(answer) => {
                        let good = [ReportStatus::Stored, ReportStatus::Duplicate];
                        assert!(good.contains(&answer.status()), "{answer:?}");
                        self.answered += 1;
                        break;
                    }
                    Down::Batch(batch) => {
                        assert!(self.batch.replace(batch).is_none());
                        self.answered = 0;
                        break;
                    }
                    Down::Cancel(cancel)
                        if self
                            .batch
                            .as_ref()
                            .is_some_and(|batch| batch.lease == cancel.lease) =>
                    {
                        self.seen.lost_leases.fetch_add(1, Ordering::Relaxed);
                        (self.batch, self.answered) = (None, 0);
                        if !asked {
                            break;
                        }
                        // The answer to the report under way still comes.
                        return Err(Status::aborted("begin anew"));
                    }
                    Down::NoWork(no_work)
                        if no_work.reason() == v1::NoWorkReason::NothingRunning =>
                    {
                        return Ok(true);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Breaks connections at random, then waits for the end.
async fn trouble(seed: u64, folder: PathBuf) -> turmoil::Result {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..6 {
        tokio::time::sleep(Duration::from_millis(500 + random.next_u64() % 8000)).await;
        let name = ["one", "two"][(random.next_u64() % 2) as usize];
        turmoil::partition("coordinator", name);
        // Some breaks outlast the grace time and the lease, some do not.
        tokio::time::sleep(Duration::from_millis(200 + random.next_u64() % 45_000)).await;
        turmoil::repair("coordinator", name);
    }
    let mut client = TournamentServiceClient::new(channel().await?);
    let mut tournament = client
        .get(v1::GetTournamentRequest { id: 1 })
        .await?
        .into_inner();
    while tournament.state() != v1::TournamentState::Finished {
        tokio::time::sleep(Duration::from_secs(5)).await;
        tournament = client
            .get(v1::GetTournamentRequest { id: 1 })
            .await?
            .into_inner();
    }
    assert_eq!(tournament.stored_games, tournament.total_games);
    let mut games = client
        .stream_games(v1::StreamGamesRequest {
            id: 1,
            from_game: 0,
        })
        .await?
        .into_inner();
    let mut indices = Vec::new();
    while let Some(game) = games.message().await? {
        indices.push(game.summary.unwrap().game);
    }
    assert_eq!(indices, (0..tournament.total_games).collect::<Vec<_>>());
    assert!(folder.join("journal").exists());
    Ok(())
}

/// Runs a simulation to its end. Replays and writes happen on threads, for which simulated time does not wait: on a busy
/// machine every lease would run out before its games are taken in. So now and then it waits until a thread has had a turn.
fn run(sim: &mut turmoil::Sim<'_>) {
    let mut steps = 0u32;
    while !sim.step().unwrap() {
        steps += 1;
        if steps.is_multiple_of(10) {
            std::thread::spawn(|| {}).join().unwrap();
        }
    }
}

#[test]
fn whatever_breaks_every_game_is_stored_once() {
    let seen = Arc::<Seen>::default();
    for seed in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let mut sim = turmoil::Builder::new()
            .rng_seed(seed)
            // Simulated time goes on while a busy machine is at the disk: this is for a test that hangs.
            .simulation_duration(Duration::from_secs(20_000))
            .tick_duration(Duration::from_millis(5))
            .build();
        let data = path.clone();
        sim.host("coordinator", move || coordinator(data.clone()));
        sim.client("maker", async {
            let mut client = TournamentServiceClient::new(channel().await?);
            let spec = Some(spec(v1::FormatKind::RoundRobin, 3, 8));
            client
                .create(v1::CreateTournamentRequest { spec, existing: 0 })
                .await?;
            Ok(())
        });
        for name in ["one", "two"] {
            let seen = seen.clone();
            sim.client(name, async move {
                // The tournament is there by then.
                tokio::time::sleep(Duration::from_secs(3)).await;
                Steady {
                    seen,
                    instance: name.to_owned(),
                    batch: None,
                    answered: 0,
                }
                .work()
                .await
            });
        }
        sim.client("trouble", trouble(seed, path));
        run(&mut sim);
    }
    let count = |what: &AtomicU32| what.load(Ordering::Relaxed);
    let (connections, lost) = (count(&seen.connections), count(&seen.lost_leases));
    assert!(
        connections > 12 && lost > 0,
        "{connections} connections, {lost} lost leases"
    );
}
