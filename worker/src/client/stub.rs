//! The calls of the worker service, each with its time limit.

use std::time::Duration;

use proto::v1;
use proto::v1::worker_service_client::WorkerServiceClient;
use tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};

use crate::WorkerError;

/// Time limit of connecting and of each unary call.
pub const CALL: Duration = Duration::from_secs(10);
/// How often a quiet connection is tried, and how long it may be silent then.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Where the coordinator is and what to show it.
#[derive(Clone)]
pub struct Address {
    endpoint: Endpoint,
    text: String,
    token: Token,
}

impl Address {
    /// A coordinator at a URL such as `http://10.0.0.5:7700`.
    ///
    /// # Errors
    /// The text is no such URL, or the token has characters that cannot be sent.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, WorkerError> {
        let bad = |setting: &str, problem: String| WorkerError::Config {
            setting: setting.to_owned(),
            problem,
        };
        let endpoint = Endpoint::from_shared(url.to_owned())
            .ok()
            .filter(|endpoint| {
                endpoint.uri().scheme_str() == Some("http") && endpoint.uri().authority().is_some()
            })
            .ok_or_else(|| {
                bad(
                    "coordinator",
                    format!(
                        "`{}` is no address like http://host:port",
                        url.escape_debug()
                    ),
                )
            })?
            .connect_timeout(CALL)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE)
            .keep_alive_while_idle(true);
        let token = token
            .map(|token| format!("Bearer {token}").parse())
            .transpose()
            .map_err(|_| {
                bad(
                    "token",
                    "has characters that cannot be sent: use letters and digits".to_owned(),
                )
            })?;
        Ok(Self {
            endpoint,
            text: url.to_owned(),
            token: Token(token),
        })
    }

    /// The URL.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Connects.
    ///
    /// # Errors
    /// Nobody answers there.
    pub async fn connect(&self) -> Result<Stub, Status> {
        let connected = within(CALL, async {
            let connected = self.endpoint.connect().await;
            connected.map_err(|error| Status::unavailable(innermost(&error)))
        });
        Ok(Stub(client(connected.await?, self.token.clone())))
    }
}

type Client = WorkerServiceClient<InterceptedService<Channel, Token>>;

fn client(channel: Channel, token: Token) -> Client {
    WorkerServiceClient::with_interceptor(channel, token)
        .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(proto::MAX_MESSAGE_BYTES)
}

/// Shows the token with each call.
#[derive(Clone)]
struct Token(Option<MetadataValue<Ascii>>);

impl Interceptor for Token {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request
                .metadata_mut()
                .insert("authorization", token.clone());
        }
        Ok(request)
    }
}

/// A connection to the worker service. Cloning it is cheap.
#[derive(Clone)]
pub struct Stub(Client);

impl Stub {
    /// Registers.
    ///
    /// # Errors
    /// As the coordinator says, or it does not answer.
    pub async fn register(
        &self,
        request: v1::RegisterRequest,
    ) -> Result<v1::RegisterResponse, Status> {
        let mut client = self.0.clone();
        within(CALL, async {
            client
                .register(request)
                .await
                .map(tonic::Response::into_inner)
        })
        .await
    }

    /// Opens the work stream.
    ///
    /// # Errors
    /// As the coordinator says, or it does not answer.
    pub async fn work(
        &self,
        messages: ReceiverStream<v1::WorkerMessage>,
    ) -> Result<Streaming<v1::CoordinatorMessage>, Status> {
        let mut client = self.0.clone();
        within(CALL, async {
            client.work(messages).await.map(tonic::Response::into_inner)
        })
        .await
    }

    /// The definition of a variant.
    ///
    /// # Errors
    /// As the coordinator says, or it does not answer.
    pub async fn fetch_variant(&self, hash: &str) -> Result<String, Status> {
        let mut client = self.0.clone();
        let request = v1::FetchVariantRequest {
            hash: hash.to_owned(),
        };
        within(CALL, async {
            client
                .fetch_variant(request)
                .await
                .map(|answer| answer.into_inner().definition)
        })
        .await
    }

    /// The bytes of an artifact.
    ///
    /// # Errors
    /// As the coordinator says, or it does not answer.
    pub async fn download(
        &self,
        sha256: &str,
        offset: u64,
    ) -> Result<Streaming<v1::ArtifactChunk>, Status> {
        let mut client = self.0.clone();
        let request = v1::DownloadArtifactRequest {
            sha256: sha256.to_owned(),
            offset,
        };
        within(CALL, async {
            client
                .download_artifact(request)
                .await
                .map(tonic::Response::into_inner)
        })
        .await
    }
}

async fn within<T>(
    time: Duration,
    call: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    let late = |_| Status::deadline_exceeded(format!("no answer within {} s", time.as_secs()));
    tokio::time::timeout(time, call)
        .await
        .unwrap_or_else(|elapsed| Err(late(elapsed)))
}

/// The text of the cause that says most, e.g. `Connection refused (os error 111)`.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_are_checked_before_they_are_used() {
        for bad in [
            "",
            "nonsense",
            "10.0.0.1:7000",
            "https://host:1",
            "http://",
            "ftp://host:1",
        ] {
            assert!(Address::new(bad, None).is_err(), "{bad}");
        }
        assert!(Address::new("http://host:1", Some("a\nb")).is_err());
        assert_eq!(
            Address::new("http://host:1", Some("secret"))
                .unwrap()
                .text(),
            "http://host:1"
        );
    }
}
