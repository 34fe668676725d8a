//! Refusals for good, refusals for now, and a coordinator that is not there.

use std::time::Duration;

use proto::v1::register_response::Result as Registration;
use proto::v1::{self, RefusalReason};
use tonic::{Request, Status};
use worker::WorkerError;

use crate::coordinator::{Coordinator, admit};
use crate::work::{Running, config};

fn refuse_version(
    _: usize,
    request: &Request<v1::RegisterRequest>,
) -> Result<Registration, Status> {
    assert_eq!(request.get_ref().protocol_version, proto::PROTOCOL_VERSION);
    let refusal = v1::Refusal {
        reason: RefusalReason::ProtocolVersion.into(),
        message: "use the same release".to_owned(),
        protocol_version: 99,
        retry_after_ms: 0,
    };
    Ok(Registration::Refused(refusal))
}

fn want_token(
    before: usize,
    request: &Request<v1::RegisterRequest>,
) -> Result<Registration, Status> {
    match request.metadata().get("authorization") {
        Some(token) if token == "Bearer secret" => admit(before, request),
        _ => Err(Status::unauthenticated("no token")),
    }
}

fn crowded(before: usize, request: &Request<v1::RegisterRequest>) -> Result<Registration, Status> {
    if before > 1 {
        return admit(before, request);
    }
    let refusal = v1::Refusal {
        reason: RefusalReason::TooManyWorkers.into(),
        message: "full".to_owned(),
        protocol_version: proto::PROTOCOL_VERSION,
        retry_after_ms: 20,
    };
    Ok(Registration::Refused(refusal))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_for_good_ends_the_worker_and_another_one_does_not() {
    let coordinator = Coordinator::start(refuse_version).await;
    let error = Running::start(config(&coordinator, 1))
        .ended()
        .await
        .unwrap_err();
    assert!(
        matches!(&error, WorkerError::Refused { message, .. } if message == "use the same release"),
        "{error}"
    );

    let mut coordinator = Coordinator::start(want_token).await;
    let error = Running::start(config(&coordinator, 1))
        .ended()
        .await
        .unwrap_err();
    assert!(
        matches!(&error, WorkerError::Unauthenticated { .. }),
        "{error}"
    );
    let mut with_token = config(&coordinator, 1);
    with_token.token = Some("secret".to_owned());
    let worker = Running::start(with_token);
    tokio::spawn(coordinator.stream().await.store_rest());
    worker.stopped().await.unwrap();

    let mut coordinator = Coordinator::start(crowded).await;
    let worker = Running::start(config(&coordinator, 1));
    tokio::spawn(coordinator.stream().await.store_rest());
    worker.stopped().await.unwrap();
    assert_eq!(coordinator.registrations().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coordinator_that_is_not_there_is_waited_for_or_not() {
    let mut coordinator = Coordinator::start(admit).await;
    let mut elsewhere = config(&coordinator, 1);
    // Nothing listens on the port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    elsewhere.coordinator = format!("http://127.0.0.1:{port}");
    elsewhere.give_up_after = Some(Duration::from_millis(300));
    let error = Running::start(elsewhere.clone()).ended().await.unwrap_err();
    assert!(
        matches!(&error, WorkerError::Unreachable { address, .. } if address.contains(&port.to_string())),
        "{error}"
    );
    // A stop is heeded while it looks for one.
    elsewhere.give_up_after = None;
    let worker = Running::start(elsewhere);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(worker.stopped().await.unwrap().games, 0);

    let worker = Running::start(config(&coordinator, 1));
    tokio::spawn(coordinator.stream().await.store_rest());
    worker.stopped().await.unwrap();
}
