//! The gRPC client of commands that talk to a coordinator.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use proto::MAX_MESSAGE_BYTES;
use proto::v1::analysis_service_client::AnalysisServiceClient;
use proto::v1::engine_service_client::EngineServiceClient;
use proto::v1::rating_service_client::RatingServiceClient;
use proto::v1::tournament_service_client::TournamentServiceClient;
use proto::v1::tuning_service_client::TuningServiceClient;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use crate::settings;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How often a quiet connection is probed, and how long the answer may take.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(20), Duration::from_secs(10));

/// `--coordinator URL --token TOKEN`.
#[derive(Debug, Clone, clap::Args)]
pub struct Address {
    /// Where the coordinator is
    #[arg(
        long,
        value_name = "URL",
        env = "BROUHAHA_COORDINATOR",
        default_value = "http://127.0.0.1:7700"
    )]
    pub coordinator: String,
    /// Token that the coordinator was started with
    #[arg(
        long,
        value_name = "TOKEN",
        env = "BROUHAHA_TOKEN",
        hide_env_values = true,
        value_parser = settings::token
    )]
    pub token: Option<String>,
}

/// A connection with its token.
#[derive(Clone)]
pub struct Connection {
    channel: Channel,
    bearer: Bearer,
}

/// Puts the token on every call.
#[derive(Clone)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request
                .metadata_mut()
                .insert("authorization", value.clone());
        }
        Ok(request)
    }
}

/// What every client is built on.
pub type Transport = InterceptedService<Channel, Bearer>;

impl Connection {
    /// Connects.
    pub async fn open(url: &str, token: Option<&str>) -> Result<Connection> {
        let bearer = match token {
            None => Bearer(None),
            Some(token) => {
                let value = format!("Bearer {token}").parse();
                Bearer(Some(value.map_err(|_| {
                    anyhow!("the token has characters that cannot be sent; use printable ASCII")
                })?))
            }
        };
        let endpoint = Endpoint::from_shared(url.to_owned())
            .with_context(|| format!("`{url}` is no URL; it looks like http://HOST:PORT"))?
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEPALIVE.0)
            .keep_alive_timeout(KEEPALIVE.1)
            .keep_alive_while_idle(true);
        let channel = endpoint.connect().await.with_context(|| {
            format!("no coordinator answers at {url}; start one with `brouhaha serve`")
        })?;
        Ok(Connection { channel, bearer })
    }

    fn transport(&self) -> Transport {
        InterceptedService::new(self.channel.clone(), self.bearer.clone())
    }

    /// Tournaments.
    pub fn tournaments(&self) -> TournamentServiceClient<Transport> {
        TournamentServiceClient::new(self.transport())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Ratings.
    pub fn ratings(&self) -> RatingServiceClient<Transport> {
        RatingServiceClient::new(self.transport()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Tunings.
    pub fn tunings(&self) -> TuningServiceClient<Transport> {
        TuningServiceClient::new(self.transport()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Engine versions.
    pub fn engines(&self) -> EngineServiceClient<Transport> {
        EngineServiceClient::new(self.transport()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Analysis jobs.
    pub fn analyses(&self) -> AnalysisServiceClient<Transport> {
        AnalysisServiceClient::new(self.transport())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }
}

/// The words of a gRPC error, without its code.
pub fn refusal(status: Status) -> anyhow::Error {
    anyhow!("{}", status.message())
}
