//! One session after another: register, open the stream, notice that it broke.

use std::pin::Pin;
use std::time::{Duration, Instant};

use proto::v1;
use proto::v1::coordinator_message::Message as Down;
use proto::v1::register_response::Result as Registration;
use proto::v1::worker_message::Message as Up;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use super::backoff::Backoff;
use super::outbox::SessionKind;
use super::stub::{Address, CALL, Stub};
use crate::WorkerError;

/// Messages to the coordinator that may wait to be sent.
const OUTBOUND: usize = 1024;
/// The first wait after a break and the longest one.
const WAITS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(15));
/// How long the coordinator may take to read the last messages of a worker that ends.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// A stream that lasted this long was a good one: the next wait is a short one again.
const GOOD: Duration = Duration::from_secs(5);

/// The connection to the coordinator, made again whenever it breaks.
pub struct Link {
    address: Address,
    request: v1::RegisterRequest,
    state: State,
    backoff: Backoff,
    /// The session to take up again, and when its stream broke.
    session: Option<(v1::Registered, Instant)>,
    /// Since when there is no stream.
    down_since: Instant,
    give_up_after: Option<Duration>,
}

type Opening = Pin<Box<dyn Future<Output = Result<Opened, Failed>> + Send>>;

enum State {
    Waiting(Instant),
    Opening(Opening),
    Open(Box<Opened>),
}

/// An open stream.
struct Opened {
    terms: v1::Registered,
    kind: SessionKind,
    stub: Stub,
    sender: mpsc::Sender<v1::WorkerMessage>,
    inbound: Streaming<v1::CoordinatorMessage>,
    since: Instant,
}

/// Why a try to open a stream failed.
#[derive(Debug)]
enum Failed {
    /// Trying again may help, at the earliest after this time.
    Retry(String, Duration),
    /// Only a change of settings helps.
    Fatal(WorkerError),
}

/// What happened to the connection.
#[derive(Debug)]
pub enum LinkEvent {
    /// It is time to try: call [`Link::open`].
    Due,
    /// A stream is open.
    Opened(SessionKind, v1::Registered),
    /// The coordinator said something.
    Message(Box<Down>),
    /// The stream broke, or could not be opened, for this reason.
    Down(String),
    /// Trying again is useless.
    Fatal(WorkerError),
}

impl Link {
    /// A connection that is not open yet.
    pub fn new(
        address: Address,
        request: v1::RegisterRequest,
        give_up_after: Option<Duration>,
    ) -> Self {
        let now = Instant::now();
        Self {
            address,
            request,
            state: State::Waiting(now),
            backoff: Backoff::new(WAITS.0, WAITS.1),
            session: None,
            down_since: now,
            give_up_after,
        }
    }

    /// The next event. Dropping the future loses nothing.
    pub async fn next(&mut self) -> LinkEvent {
        match &mut self.state {
            State::Waiting(until) => {
                tokio::time::sleep_until((*until).into()).await;
                LinkEvent::Due
            }
            State::Opening(opening) => match opening.await {
                Ok(opened) => {
                    let event = LinkEvent::Opened(opened.kind, opened.terms);
                    self.session = Some((opened.terms, opened.since));
                    self.state = State::Open(Box::new(opened));
                    event
                }
                Err(Failed::Retry(reason, wait)) => self.failed(reason, wait),
                Err(Failed::Fatal(error)) => LinkEvent::Fatal(error),
            },
            State::Open(opened) => {
                let reason = match opened.inbound.message().await {
                    Ok(Some(v1::CoordinatorMessage {
                        message: Some(message),
                    })) => {
                        return LinkEvent::Message(Box::new(message));
                    }
                    // A message of a later release of the same protocol.
                    Ok(Some(v1::CoordinatorMessage { message: None })) => {
                        return Box::pin(self.next()).await;
                    }
                    Ok(None) => "the coordinator closed the stream".to_owned(),
                    Err(status) => status.message().to_owned(),
                };
                let now = Instant::now();
                if now.duration_since(opened.since) >= GOOD {
                    self.backoff.reset();
                }
                self.session = Some((opened.terms, now));
                self.down_since = now;
                self.failed(reason, Duration::ZERO)
            }
        }
    }

    fn failed(&mut self, reason: String, wait: Duration) -> LinkEvent {
        let now = Instant::now();
        let tried = now.duration_since(self.down_since);
        if self.give_up_after.is_some_and(|limit| tried >= limit) {
            let address = self.address.text().to_owned();
            return LinkEvent::Fatal(WorkerError::Unreachable {
                address,
                tried,
                message: reason,
            });
        }
        self.state = State::Waiting(now + self.backoff.next_wait().max(wait));
        LinkEvent::Down(reason)
    }

    /// Begins to open a stream, telling which leases are still held.
    pub fn open(&mut self, held: Vec<v1::Lease>) {
        let now = Instant::now();
        let is_fresh = |(terms, broke): &(v1::Registered, Instant)| {
            now.duration_since(*broke) < Duration::from_millis(terms.grace_ms.into())
        };
        let session = self.session.filter(is_fresh).map(|(terms, _)| terms);
        self.state = State::Opening(Box::pin(open(
            self.address.clone(),
            self.request.clone(),
            session,
            held,
        )));
    }

    /// Where messages to the coordinator go, while a stream is open.
    pub fn sender(&self) -> Option<&mpsc::Sender<v1::WorkerMessage>> {
        match &self.state {
            State::Open(opened) => Some(&opened.sender),
            State::Waiting(_) | State::Opening(_) => None,
        }
    }

    /// Other calls to the coordinator, while a stream is open.
    pub fn stub(&self) -> Option<Stub> {
        match &self.state {
            State::Open(opened) => Some(opened.stub.clone()),
            State::Waiting(_) | State::Opening(_) => None,
        }
    }

    /// How long there has been no stream; none while there is one.
    pub fn down_for(&self, now: Instant) -> Option<Duration> {
        match &self.state {
            State::Open(_) => None,
            State::Waiting(_) | State::Opening(_) => Some(now.duration_since(self.down_since)),
        }
    }

    /// The coordinator asked to be left alone for so long.
    pub fn hold_off(&mut self, wait: Duration) {
        self.state = State::Waiting(Instant::now() + wait.min(WAITS.1));
        self.down_since = Instant::now();
    }

    /// Ends the stream from this side: everything sent before still arrives.
    pub async fn close(self) {
        if let State::Open(opened) = self.state {
            let Opened {
                sender,
                mut inbound,
                ..
            } = *opened;
            drop(sender);
            // The coordinator ends its side when it has read everything; whatever it still says comes too late.
            let drained = async { while let Ok(Some(_)) = inbound.message().await {} };
            let _ = tokio::time::timeout(LAST_WORDS, drained).await;
        }
    }
}

/// Opens a stream: of the session given, if it still exists, else of a new one.
async fn open(
    address: Address,
    request: v1::RegisterRequest,
    session: Option<v1::Registered>,
    held: Vec<v1::Lease>,
) -> Result<Opened, Failed> {
    let stub = address
        .connect()
        .await
        .map_err(|status| failure(&address, &status))?;
    if let Some(terms) = session
        && let Ok(opened) = stream(&stub, terms, SessionKind::Same, held.clone()).await
    {
        return Ok(opened);
    }
    let answer = stub
        .register(request)
        .await
        .map_err(|status| failure(&address, &status))?;
    let terms = match answer.result {
        Some(Registration::Accepted(terms)) => terms,
        Some(Registration::Refused(refusal)) if refusal.retry_after_ms > 0 => {
            let wait = Duration::from_millis(refusal.retry_after_ms.into());
            return Err(Failed::Retry(refusal.message, wait));
        }
        Some(Registration::Refused(refusal)) => {
            let (address, message) = (address.text().to_owned(), refusal.message);
            return Err(Failed::Fatal(WorkerError::Refused { address, message }));
        }
        None => {
            return Err(Failed::Retry(
                "the coordinator answered nothing".to_owned(),
                Duration::ZERO,
            ));
        }
    };
    stream(&stub, terms, SessionKind::New, held)
        .await
        .map_err(|status| failure(&address, &status))
}

async fn stream(
    stub: &Stub,
    terms: v1::Registered,
    kind: SessionKind,
    held: Vec<v1::Lease>,
) -> Result<Opened, Status> {
    let (sender, outbound) = mpsc::channel(OUTBOUND);
    let hello = v1::Hello {
        session: terms.session,
        held,
    };
    let hello = v1::WorkerMessage {
        message: Some(Up::Hello(hello)),
    };
    // The channel is new and has room.
    let _ = sender.try_send(hello);
    let mut inbound = stub.work(ReceiverStream::new(outbound)).await?;
    let late = |_| {
        Status::deadline_exceeded("the coordinator opened a stream but did not welcome this worker")
    };
    let first = tokio::time::timeout(CALL, inbound.message())
        .await
        .map_err(late)??;
    match first.and_then(|first| first.message) {
        Some(Down::Welcome(_)) => Ok(Opened {
            terms,
            kind,
            stub: stub.clone(),
            sender,
            inbound,
            since: Instant::now(),
        }),
        _ => Err(Status::unavailable(
            "the coordinator closed the stream at once",
        )),
    }
}

fn failure(address: &Address, status: &Status) -> Failed {
    let message = status.message().to_owned();
    let address = address.text().to_owned();
    match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => {
            Failed::Fatal(WorkerError::Unauthenticated { address, message })
        }
        Code::Unimplemented => {
            let message = format!("{message}; is it a coordinator of the same release?");
            Failed::Fatal(WorkerError::Refused { address, message })
        }
        _ => Failed::Retry(message, Duration::ZERO),
    }
}
