//! `WorkerService`.

use std::{sync::Arc, time::Duration};

use proto::v1::{
    self, register_response, worker_message::Message as FromWorker,
    worker_service_server::WorkerService,
};
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::{StreamExt as _, wrappers::ReceiverStream};
use tonic::{Request, Response, Status, Streaming};

use super::{
    Context,
    status::{bad_hash, missing, status},
    stream::{self, Boxed},
};
use crate::{
    coordinator::{Coordinator, Error, WorkerStream},
    dispatch::StreamId,
    model::WorkerId,
};

/// Reports of one stream that are worked on at the same time; more wait in the connection.
const REPORTS_AT_ONCE: usize = 64;
/// How long a new stream may take to say hello.
const HELLO: Duration = Duration::from_secs(10);

/// The service for worker processes.
pub(super) struct Service(pub(super) Context);

#[tonic::async_trait]
impl WorkerService for Service {
    async fn register(
        &self,
        request: Request<v1::RegisterRequest>,
    ) -> Result<Response<v1::RegisterResponse>, Status> {
        use register_response::Result as Answer;
        let answer = match self.0.coordinator.register_worker(request.into_inner()) {
            Ok(accepted) => Answer::Accepted(accepted),
            Err(refusal) => Answer::Refused(refusal),
        };
        Ok(Response::new(v1::RegisterResponse {
            result: Some(answer),
        }))
    }

    type WorkStream = Boxed<v1::CoordinatorMessage>;

    async fn work(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let mut inbound = request.into_inner();
        let hello = hello(&mut inbound).await?;
        let opened = self.0.coordinator.open_stream(hello).map_err(status)?;
        let WorkerStream {
            worker,
            stream,
            outbox,
            sender,
            fenced,
        } = opened;
        let context = self.0.clone();
        tokio::spawn(async move {
            let listener = Listener {
                coordinator: context.coordinator.clone(),
                worker,
                stream,
                answers: sender,
            };
            tokio::select! {
                () = listener.listen(inbound) => {}
                () = fenced.cancelled() => tracing::info!(%worker, "a stream was replaced or not read"),
                () = context.shutdown.cancelled() => {}
            }
            context.coordinator.close_stream(worker, stream);
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(outbox).map(Ok))))
    }

    async fn fetch_variant(
        &self,
        request: Request<v1::FetchVariantRequest>,
    ) -> Result<Response<v1::FetchVariantResponse>, Status> {
        let hash = request
            .into_inner()
            .hash
            .parse()
            .map_err(bad_hash("hash"))?;
        let (variant, definition) = self
            .0
            .coordinator
            .variant_definition(hash)
            .await
            .map_err(status)?;
        Ok(Response::new(v1::FetchVariantResponse {
            variant: Some(variant),
            definition,
        }))
    }

    type DownloadArtifactStream = Boxed<v1::ArtifactChunk>;

    async fn download_artifact(
        &self,
        request: Request<v1::DownloadArtifactRequest>,
    ) -> Result<Response<Self::DownloadArtifactStream>, Status> {
        let v1::DownloadArtifactRequest { sha256, mut offset } = request.into_inner();
        let hash = sha256.parse().map_err(bad_hash("sha256"))?;
        let coordinator = self.0.coordinator.clone();
        // So that a missing artifact is an error of the call and not of the stream.
        let mut chunk = coordinator
            .read_artifact(hash, offset)
            .await
            .map_err(status)?;
        let chunks = stream::spawn(&self.0, async move |sink| {
            while !chunk.is_empty() {
                offset += chunk.len() as u64;
                sink.send(v1::ArtifactChunk { data: chunk.into() }).await?;
                chunk = match coordinator.read_artifact(hash, offset).await {
                    Ok(chunk) => chunk,
                    Err(error) => {
                        sink.fail(status(error)).await;
                        break;
                    }
                };
            }
            Ok(())
        });
        Ok(Response::new(chunks))
    }

    async fn list_workers(
        &self,
        _: Request<v1::ListWorkersRequest>,
    ) -> Result<Response<v1::ListWorkersResponse>, Status> {
        let workers = self.0.coordinator.list_workers();
        Ok(Response::new(v1::ListWorkersResponse { workers }))
    }
}

/// The first message of a stream.
async fn hello(inbound: &mut Streaming<v1::WorkerMessage>) -> Result<v1::Hello, Status> {
    let first = tokio::time::timeout(HELLO, inbound.message())
        .await
        .map_err(|_| Status::deadline_exceeded("the stream must begin with hello"))??;
    match first.and_then(|first| first.message) {
        Some(FromWorker::Hello(hello)) => Ok(hello),
        Some(_) => Err(Status::invalid_argument("the stream must begin with hello")),
        None => Err(missing("hello")),
    }
}

/// Hears a worker.
struct Listener {
    coordinator: Arc<Coordinator>,
    worker: WorkerId,
    stream: StreamId,
    answers: mpsc::Sender<v1::CoordinatorMessage>,
}

impl Listener {
    /// Takes in messages until the worker ends its side or the connection breaks.
    async fn listen(&self, mut inbound: Streaming<v1::WorkerMessage>) {
        let reports = Arc::new(Semaphore::new(REPORTS_AT_ONCE));
        loop {
            let message = match inbound.message().await {
                Ok(Some(message)) => message,
                Ok(None) => break,
                Err(error) => {
                    tracing::info!(worker = %self.worker, %error, "a worker's stream broke");
                    break;
                }
            };
            if !self.coordinator.is_current(self.worker, self.stream) {
                break;
            }
            let Some(message) = message.message else {
                // A message of a later release.
                continue;
            };
            self.take(message, &reports).await;
        }
    }

    async fn take(&self, message: FromWorker, reports: &Arc<Semaphore>) {
        let (coordinator, worker) = (&self.coordinator, self.worker);
        match message {
            FromWorker::Credit(credit) => coordinator.add_credits(worker, credit.batches),
            FromWorker::Progress(progress) => coordinator.progress(worker, progress),
            FromWorker::Drain(drain) => coordinator.set_draining(worker, !drain.resume),
            FromWorker::Failure(failure) => {
                // What the store refuses is told once, by `trouble`.
                if let Err(error) = coordinator.give_back(worker, failure).await
                    && !matches!(error, Error::Store(_))
                {
                    tracing::warn!(%worker, %error, "a batch could not be given back");
                }
            }
            FromWorker::Game(report) => {
                let coordinator = coordinator.clone();
                self.answer(reports, async move {
                    coordinator.report_game(worker, report).await
                })
                .await;
            }
            FromWorker::Analysis(report) => {
                let coordinator = coordinator.clone();
                self.answer(reports, async move {
                    coordinator.report_analysis(worker, report).await
                })
                .await;
            }
            FromWorker::Hello(_) => tracing::warn!(%worker, "a worker said hello twice"),
        }
    }

    /// Answers a report beside the others, a bounded number at a time.
    async fn answer(
        &self,
        reports: &Arc<Semaphore>,
        answer: impl Future<Output = v1::ReportAnswer> + Send + 'static,
    ) {
        let Ok(permit) = reports.clone().acquire_owned().await else {
            return;
        };
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let message = Some(v1::coordinator_message::Message::Answer(answer.await));
            // Without an answer the worker sends the report again.
            let _ = answers.send(v1::CoordinatorMessage { message }).await;
            drop(permit);
        });
    }
}
