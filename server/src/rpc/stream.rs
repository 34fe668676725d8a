//! Server streams that end with the client or the server.

use std::{future::Future, pin::Pin};

use tokio::sync::mpsc;
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::Status;

use super::Context;

/// Messages that may wait for a slow client.
const WAITING: usize = 16;

/// A server stream.
pub(super) type Boxed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Where a stream's messages go.
pub(super) struct Sink<T>(mpsc::Sender<Result<T, Status>>);

/// The client is gone.
pub(super) struct Gone;

impl<T> Sink<T> {
    /// A sink and what comes out of it; so many messages may wait.
    pub(super) fn channel(waiting: usize) -> (Self, mpsc::Receiver<Result<T, Status>>) {
        let (sender, receiver) = mpsc::channel(waiting);
        (Self(sender), receiver)
    }

    /// Waits until the client has taken enough for another message.
    pub(super) async fn ready(&self) -> Result<(), Gone> {
        self.0.reserve().await.map(drop).map_err(|_| Gone)
    }

    /// Sends a message, waiting for a slow client.
    pub(super) async fn send(&self, message: T) -> Result<(), Gone> {
        self.0.send(Ok(message)).await.map_err(|_| Gone)
    }

    /// Ends the stream with an error.
    pub(super) async fn fail(&self, status: Status) {
        // A client that is gone needs no error.
        let _ = self.0.send(Err(status)).await;
    }
}

/// A stream of what a task sends, until the task ends, the client goes or the server stops.
pub(super) fn spawn<T, F>(context: &Context, task: impl FnOnce(Sink<T>) -> F) -> Boxed<T>
where
    T: Send + 'static,
    F: Future<Output = Result<(), Gone>> + Send + 'static,
{
    spawn_waiting(WAITING, context, task)
}

/// The same with so many messages that may wait for a slow client.
pub(super) fn spawn_waiting<T, F>(
    waiting: usize,
    context: &Context,
    task: impl FnOnce(Sink<T>) -> F,
) -> Boxed<T>
where
    T: Send + 'static,
    F: Future<Output = Result<(), Gone>> + Send + 'static,
{
    let (sink, receiver) = Sink::channel(waiting);
    let Context {
        coordinator,
        shutdown,
    } = context.clone();
    let watched = sink.0.clone();
    let work = task(sink);
    tokio::spawn(async move {
        tokio::select! {
            _ = work => {}
            () = watched.closed() => {}
            () = shutdown.cancelled() => {
                let stopping = Status::unavailable(coordinator.stopping());
                // A client that is gone or slow hears it from the end of the connection.
                let _ = watched.try_send(Err(stopping));
            }
        }
    });
    Box::pin(ReceiverStream::new(receiver))
}
