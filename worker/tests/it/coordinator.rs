//! A coordinator that follows the test's script: it hands each stream of a worker to the test.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proto::v1::coordinator_message::Message as Down;
use proto::v1::register_response::Result as Registration;
use proto::v1::worker_message::Message as Up;
use proto::v1::worker_service_server::{WorkerService, WorkerServiceServer};
use proto::v1::{self, ReportStatus};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, async_trait};

/// How long the test waits for a message before it fails.
const WAIT: Duration = Duration::from_secs(30);

/// Answers a registration; gets how many came before.
pub type Admission = fn(usize, &Request<v1::RegisterRequest>) -> Result<Registration, Status>;

/// What the service knows.
struct Script {
    admission: Admission,
    registrations: Mutex<Vec<v1::RegisterRequest>>,
    streams: mpsc::Sender<Stream>,
    /// The only variant it knows beside the built-in ones.
    definition: Option<(String, String)>,
    artifact: Vec<u8>,
    offsets: Mutex<Vec<u64>>,
}

/// One stream of a worker in the test's hands.
pub struct Stream {
    pub hello: v1::Hello,
    up: Streaming<v1::WorkerMessage>,
    down: mpsc::Sender<Result<v1::CoordinatorMessage, Status>>,
}

/// The coordinator.
pub struct Coordinator {
    pub address: SocketAddr,
    script: Arc<Script>,
    streams: mpsc::Receiver<Stream>,
    serving: tokio::task::JoinHandle<()>,
}

pub fn terms(session: u64) -> v1::Registered {
    v1::Registered {
        worker_id: 1,
        session,
        epoch: 1,
        lease_ms: 30_000,
        progress_interval_ms: 1000,
        grace_ms: 5000,
        max_credits: 64,
    }
}

/// Everybody is welcome.
pub fn admit(before: usize, _: &Request<v1::RegisterRequest>) -> Result<Registration, Status> {
    Ok(Registration::Accepted(terms(before as u64 + 1)))
}

impl Coordinator {
    pub async fn start(admission: Admission) -> Self {
        Self::with(admission, None, Vec::new()).await
    }

    pub async fn with(
        admission: Admission,
        definition: Option<(String, String)>,
        artifact: Vec<u8>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, streams) = mpsc::channel(16);
        let script = Arc::new(Script {
            admission,
            registrations: Mutex::default(),
            streams: sender,
            definition,
            artifact,
            offsets: Mutex::default(),
        });
        let service = WorkerServiceServer::from_arc(script.clone());
        let serving = tokio::spawn(async move {
            let server = tonic::transport::Server::builder().add_service(service);
            server
                .serve_with_incoming(TcpListenerStream::new(listener))
                .await
                .unwrap();
        });
        Self {
            address,
            script,
            streams,
            serving,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next stream that a worker opens, welcomed.
    pub async fn stream(&mut self) -> Stream {
        let stream = tokio::time::timeout(WAIT, self.streams.recv())
            .await
            .expect("a worker opens a stream")
            .unwrap();
        stream.tell(Down::Welcome(v1::Welcome::default())).await;
        stream
    }

    /// Where fetches of the artifact began.
    pub fn offsets(&self) -> Vec<u64> {
        self.script.offsets.lock().unwrap().clone()
    }

    pub fn registrations(&self) -> Vec<v1::RegisterRequest> {
        self.script.registrations.lock().unwrap().clone()
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Stream {
    pub async fn tell(&self, message: Down) {
        self.down
            .send(Ok(v1::CoordinatorMessage {
                message: Some(message),
            }))
            .await
            .unwrap();
    }

    /// Breaks the stream with this error.
    pub async fn fail(self, status: Status) {
        self.down.send(Err(status)).await.unwrap();
    }

    /// The next message; none at the end of the stream.
    pub async fn next(&mut self) -> Option<Up> {
        let message = tokio::time::timeout(WAIT, self.up.message())
            .await
            .expect("the worker says something");
        message
            .ok()
            .flatten()
            .map(|message| message.message.unwrap())
    }

    /// The next message of a kind; others are passed over.
    pub async fn find<T>(&mut self, wanted: impl Fn(Up) -> Option<T>) -> T {
        loop {
            let message = self.next().await.expect("the stream goes on");
            if let Some(found) = wanted(message) {
                return found;
            }
        }
    }

    pub async fn game(&mut self) -> v1::GameReport {
        self.find(|message| {
            if let Up::Game(report) = message {
                Some(report)
            } else {
                None
            }
        })
        .await
    }

    pub async fn failure(&mut self) -> v1::BatchFailure {
        self.find(|message| {
            if let Up::Failure(failure) = message {
                Some(failure)
            } else {
                None
            }
        })
        .await
    }

    pub async fn credit(&mut self) -> u32 {
        self.find(|message| {
            if let Up::Credit(credit) = message {
                Some(credit.batches)
            } else {
                None
            }
        })
        .await
    }

    pub async fn answer(&self, sequence: u64, status: ReportStatus) {
        self.tell(Down::Answer(v1::ReportAnswer {
            sequence,
            status: status.into(),
            ..Default::default()
        }))
        .await;
    }

    /// Answers all reports as stored until the worker ends the stream. Gives the other messages.
    pub async fn store_rest(mut self) -> Vec<Up> {
        let mut others = Vec::new();
        while let Some(message) = self.next().await {
            match message {
                Up::Game(report) => self.answer(report.sequence, ReportStatus::Stored).await,
                Up::Analysis(report) => self.answer(report.sequence, ReportStatus::Stored).await,
                other => others.push(other),
            }
        }
        others
    }
}

#[async_trait]
impl WorkerService for Script {
    async fn register(
        &self,
        request: Request<v1::RegisterRequest>,
    ) -> Result<Response<v1::RegisterResponse>, Status> {
        let before = self.registrations.lock().unwrap().len();
        let result = (self.admission)(before, &request)?;
        self.registrations
            .lock()
            .unwrap()
            .push(request.into_inner());
        Ok(Response::new(v1::RegisterResponse {
            result: Some(result),
        }))
    }

    type WorkStream = ReceiverStream<Result<v1::CoordinatorMessage, Status>>;

    async fn work(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let mut up = request.into_inner();
        let (down, messages) = mpsc::channel(64);
        let streams = self.streams.clone();
        tokio::spawn(async move {
            let hello = match up.message().await {
                Ok(Some(v1::WorkerMessage {
                    message: Some(Up::Hello(hello)),
                })) => hello,
                other => panic!("the first message is {other:?}"),
            };
            streams.send(Stream { hello, up, down }).await.ok();
        });
        Ok(Response::new(ReceiverStream::new(messages)))
    }

    async fn fetch_variant(
        &self,
        request: Request<v1::FetchVariantRequest>,
    ) -> Result<Response<v1::FetchVariantResponse>, Status> {
        let hash = request.into_inner().hash;
        match &self.definition {
            Some((known, definition)) if *known == hash => {
                Ok(Response::new(v1::FetchVariantResponse {
                    variant: None,
                    definition: definition.clone(),
                }))
            }
            _ => Err(Status::not_found("no such variant")),
        }
    }

    type DownloadArtifactStream = ReceiverStream<Result<v1::ArtifactChunk, Status>>;

    async fn download_artifact(
        &self,
        request: Request<v1::DownloadArtifactRequest>,
    ) -> Result<Response<Self::DownloadArtifactStream>, Status> {
        let (sender, chunks) = mpsc::channel(1);
        let offset = request.into_inner().offset;
        self.offsets.lock().unwrap().push(offset);
        let artifact = self.artifact.get(offset as usize..);
        let artifact = artifact
            .ok_or_else(|| Status::invalid_argument("beyond the end"))?
            .to_vec();
        tokio::spawn(async move {
            // The network breaks after two chunks each time.
            for (number, data) in artifact.chunks(100).enumerate() {
                let chunk = match number {
                    0 | 1 => Ok(v1::ArtifactChunk {
                        data: data.to_vec().into(),
                    }),
                    _ => Err(Status::unavailable("the line broke")),
                };
                if sender.send(chunk).await.is_err() || number == 2 {
                    break;
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(chunks)))
    }

    async fn list_workers(
        &self,
        _: Request<v1::ListWorkersRequest>,
    ) -> Result<Response<v1::ListWorkersResponse>, Status> {
        Err(Status::unimplemented("not part of the script"))
    }
}
