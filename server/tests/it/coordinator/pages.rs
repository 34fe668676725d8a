//! One port: health, reflection, pages, tokens.

use std::net::SocketAddr;

use proto::v1::{self, FormatKind, tournament_service_client::TournamentServiceClient};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_stream::StreamExt as _;
use tonic::{Code, Request};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use super::{
    harness::{Running, config, spec},
    worker::Worker,
};

/// A page over HTTP/1.1: status line and everything after it.
pub async fn page(address: SocketAddr, path: &str) -> (String, String) {
    page_with(address, path, "").await
}

/// A page asked for with more header lines.
async fn page_with(address: SocketAddr, path: &str, headers: &str) -> (String, String) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Connection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    let (status, rest) = answer.split_once("\r\n").unwrap();
    (status.to_owned(), rest.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn health_reflection_and_pages_share_the_port() {
    let (running, _folder) = Running::fresh().await;
    let id = running.create(spec(FormatKind::HeadToHead, 2, 1)).await.id;
    Worker::join(&running, "one").await.work().await;

    let mut health = HealthClient::new(running.channel().await);
    let service = "brouhaha.v1.WorkerService".to_owned();
    let answer = health
        .check(HealthCheckRequest { service })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answer.status, 1, "serving");

    let (status, overview) = page(running.address, "/").await;
    assert!(
        status.contains("200") && overview.contains("/tournaments/1") && overview.contains("2 / 2"),
        "{overview}"
    );
    let (status, table) = page(running.address, &format!("/tournaments/{id}")).await;
    assert!(
        status.contains("200") && table.contains("engine 0") && table.contains("finished"),
        "{table}"
    );
    // The columns of the list, or all of them.
    assert!(
        table.contains("<th>SB</th><th>W2</th><th>Elo</th>") && !table.contains("<th>TPR</th>"),
        "{table}"
    );
    let (status, all) = page(running.address, &format!("/tournaments/{id}?columns=all")).await;
    assert!(
        status.contains("200") && all.contains("<th>ARO</th><th>TPR</th><th>Elo</th>"),
        "{all}"
    );
    for path in ["/tournaments/99", "/nowhere"] {
        let (status, _) = page(running.address, path).await;
        assert!(status.contains("404"), "{path}: {status}");
    }
    running.stop().await;
}

/// Both versions of the reflection service have the same shape.
macro_rules! services_by_reflection {
    ($version:ident, $channel:expr) => {{
        use tonic_reflection::pb::$version::{
            ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
            server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
        };
        let request = ServerReflectionRequest {
            host: String::new(),
            message_request: Some(MessageRequest::ListServices(String::new())),
        };
        let mut client = ServerReflectionClient::new($channel);
        let mut answers = client
            .server_reflection_info(tokio_stream::once(request))
            .await
            .unwrap()
            .into_inner();
        match answers
            .next()
            .await
            .unwrap()
            .unwrap()
            .message_response
            .unwrap()
        {
            MessageResponse::ListServicesResponse(list) => list
                .service
                .into_iter()
                .map(|service| service.name)
                .collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    }};
}

#[tokio::test(flavor = "multi_thread")]
async fn reflection_names_all_services_in_both_versions() {
    let (running, _folder) = Running::fresh().await;
    let new = services_by_reflection!(v1, running.channel().await);
    let old = services_by_reflection!(v1alpha, running.channel().await);
    for services in [new, old] {
        for name in [
            "Worker",
            "Tournament",
            "Rating",
            "Analysis",
            "Engine",
            "Variant",
        ] {
            let name = format!("brouhaha.v1.{name}Service");
            assert!(services.contains(&name), "{name} in {services:?}");
        }
        assert!(services.contains(&"grpc.health.v1.Health".to_owned()));
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_service_is_unimplemented() {
    let (running, _folder) = Running::fresh().await;
    let mut client = tonic::client::Grpc::new(running.channel().await);
    client.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<v1::GetTournamentRequest, v1::Tournament>::default();
    let path = "/no.such.Service/Call".parse().unwrap();
    let status = client
        .unary(
            Request::new(v1::GetTournamentRequest { id: 1 }),
            path,
            codec,
        )
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_token_calls_must_carry_it() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(server::Config {
        token: Some("secret".into()),
        ..config(folder.path())
    })
    .await;
    for (token, code) in [
        (None, Code::Unauthenticated),
        (Some("Bearer wrong"), Code::Unauthenticated),
        (Some("secret"), Code::Unauthenticated),
        (Some("Bearer secret"), Code::Ok),
    ] {
        let mut request = Request::new(v1::ListTournamentsRequest::default());
        if let Some(token) = token {
            request
                .metadata_mut()
                .insert("authorization", token.parse().unwrap());
        }
        let answer = TournamentServiceClient::new(running.channel().await)
            .list(request)
            .await;
        assert_eq!(
            answer.map_or_else(|status| status.code(), |_| Code::Ok),
            code,
            "{token:?}"
        );
    }
    for path in ["/", "/tournaments/1"] {
        let (status, rest) = page(running.address, path).await;
        assert!(status.contains("401"), "{path}: {status}");
        assert!(
            rest.to_lowercase().contains("www-authenticate: basic"),
            "{rest}"
        );
    }
    for (header, expected) in [
        ("Bearer secret", "200"),
        // any:secret and any:wrong.
        ("Basic YW55OnNlY3JldA==", "200"),
        ("Basic YW55Ondyb25n", "401"),
    ] {
        let header = format!("Authorization: {header}\r\n");
        let (status, _) = page_with(running.address, "/", &header).await;
        assert!(status.contains(expected), "{header}: {status}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oversized_message_is_refused_and_the_service_goes_on() {
    let (running, _folder) = Running::fresh().await;
    let text = "x".repeat(proto::MAX_MESSAGE_BYTES + 1);
    let spec = v1::TournamentSpec {
        variant_text: text,
        ..spec(FormatKind::HeadToHead, 2, 1)
    };
    let mut client = running
        .tournaments()
        .await
        .max_encoding_message_size(usize::MAX);
    let request = v1::CreateTournamentRequest {
        spec: Some(spec),
        existing: 0,
    };
    assert!(matches!(
        client.create(request).await.unwrap_err().code(),
        Code::OutOfRange | Code::ResourceExhausted
    ));
    assert!(
        running
            .tournaments()
            .await
            .list(v1::ListTournamentsRequest::default())
            .await
            .is_ok()
    );
    running.stop().await;
}
