//! All services and the web pages on one stream of connections.

use std::{error::Error as StdError, net::SocketAddr, sync::Arc, time::Duration};

use proto::{
    FILE_DESCRIPTOR_SET, MAX_MESSAGE_BYTES,
    v1::{
        analysis_service_server::AnalysisServiceServer, engine_service_server::EngineServiceServer,
        rating_service_server::RatingServiceServer,
        tournament_service_server::TournamentServiceServer,
        tuning_service_server::TuningServiceServer, variant_service_server::VariantServiceServer,
        worker_service_server::WorkerServiceServer,
    },
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::{
    Status,
    service::{Routes, interceptor::InterceptedService},
    transport::{
        Server,
        server::{Connected, TcpIncoming},
    },
};

use super::{Context, analysis, auth::Auth, engine, rating, tournament, tuning, variant, worker};
use crate::{coordinator::Coordinator, token::Gate, web};

/// How often an idle connection is probed, and how long the answer may take: half-open workers must not stay.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(20), Duration::from_secs(10));
/// Streams that one connection may have open.
const STREAMS_A_CONNECTION: u32 = 1024;
/// How long connections may take to end when the coordinator stops.
const STOP: Duration = Duration::from_secs(10);

/// Why serving ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error(
        "cannot listen on {address}: is another program using it? choose another with --listen"
    )]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The transport failed.
    #[error("serving failed")]
    Transport(#[from] tonic::transport::Error),
    /// The store takes no more writes; what was acknowledged is safe.
    #[error("{0}; mend the cause and start again: nothing acknowledged is lost")]
    Store(String),
    /// The reflection service could not be built.
    #[error("the protocol's description cannot be read")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Listens on an address; with port 0 on a free one. Gives the connections and the address.
pub fn bind(address: SocketAddr) -> Result<(TcpIncoming, SocketAddr), ServeError> {
    let failed = |source| ServeError::Bind { address, source };
    let incoming = TcpIncoming::bind(address)
        .map_err(|error| failed(error.into()))?
        .with_nodelay(Some(true));
    let bound = incoming
        .local_addr()
        .map_err(|error| failed(error.into()))?;
    Ok((incoming, bound))
}

/// Serves a coordinator on any stream of connections until the shutdown, then closes its store.
///
/// # Errors
/// The connections' stream failed, or the store takes no more writes.
pub async fn serve<S, IO, E>(
    coordinator: Arc<Coordinator>,
    incoming: S,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    S: Stream<Item = Result<IO, E>>,
    IO: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    E: Into<Box<dyn StdError + Send + Sync>>,
{
    let ticking = tokio::spawn(coordinator.clone().run(shutdown.clone()));
    let context = Context {
        coordinator: coordinator.clone(),
        shutdown: shutdown.clone(),
    };
    let routes = routes(&context).await?;
    let serving = Server::builder()
        .accept_http1(true)
        .http2_keepalive_interval(Some(KEEPALIVE.0))
        .http2_keepalive_timeout(Some(KEEPALIVE.1))
        .tcp_nodelay(true)
        .max_concurrent_streams(Some(STREAMS_A_CONNECTION))
        .add_routes(routes.prepare())
        .serve_with_incoming_shutdown(incoming, shutdown.cancelled());
    let deadline = async {
        shutdown.cancelled().await;
        tokio::time::sleep(STOP).await;
    };
    let served = tokio::select! {
        served = serving => served.map_err(ServeError::from),
        error = coordinator.store_failed() => Err(ServeError::Store(format!("the store failed: {error}"))),
        () = deadline => {
            tracing::warn!("some connections did not end in time");
            Ok(())
        }
    };
    // Reports that were answered "try again" until the end are not stored.
    let served = served.and_then(|()| match coordinator.store_trouble() {
        Some(problem) => Err(ServeError::Store(format!(
            "the last results were not stored: {problem}"
        ))),
        None => Ok(()),
    });
    // Also when the connections failed.
    shutdown.cancel();
    for (what, ended) in [
        ("handing out work", ticking.await),
        (
            "closing the store",
            tokio::task::spawn_blocking(move || coordinator.close()).await,
        ),
    ] {
        if let Err(error) = ended {
            tracing::error!(%error, what, "did not end in order");
        }
    }
    served
}

/// Wraps a service with the size limits and the authorisation.
macro_rules! guarded {
    ($server:ident, $service:expr, $auth:expr) => {
        InterceptedService::new(
            $server::new($service)
                .max_decoding_message_size(MAX_MESSAGE_BYTES)
                .max_encoding_message_size(MAX_MESSAGE_BYTES),
            $auth.clone(),
        )
    };
}

async fn routes(context: &Context) -> Result<Routes, ServeError> {
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter
        .set_serving::<WorkerServiceServer<worker::Service>>()
        .await;
    reporter
        .set_serving::<TournamentServiceServer<tournament::Service>>()
        .await;
    reporter
        .set_serving::<RatingServiceServer<rating::Service>>()
        .await;
    reporter
        .set_serving::<AnalysisServiceServer<analysis::Service>>()
        .await;
    reporter
        .set_serving::<EngineServiceServer<engine::Service>>()
        .await;
    reporter
        .set_serving::<TuningServiceServer<tuning::Service>>()
        .await;
    reporter
        .set_serving::<VariantServiceServer<variant::Service>>()
        .await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let gate = Gate::new(context.coordinator.config().token.as_deref());
    let auth = Auth(gate);
    // A router with pages of its own has no answer for unknown services, so its fallback gives both.
    let unknown =
        || Status::unimplemented("there is no such service").into_http::<axum::body::Body>();
    let pages = web::router(context.coordinator.clone(), gate, unknown);
    Ok(Routes::from(pages)
        .add_service(health)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(guarded!(
            WorkerServiceServer,
            worker::Service(context.clone()),
            auth
        ))
        .add_service(guarded!(
            TournamentServiceServer,
            tournament::Service(context.clone()),
            auth
        ))
        .add_service(guarded!(
            RatingServiceServer,
            rating::Service(context.clone()),
            auth
        ))
        .add_service(guarded!(
            AnalysisServiceServer,
            analysis::Service(context.clone()),
            auth
        ))
        .add_service(guarded!(
            EngineServiceServer,
            engine::Service(context.clone()),
            auth
        ))
        .add_service(guarded!(
            TuningServiceServer,
            tuning::Service(context.clone()),
            auth
        ))
        .add_service(guarded!(
            VariantServiceServer,
            variant::Service(context.clone()),
            auth
        )))
}
