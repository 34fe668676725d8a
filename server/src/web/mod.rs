//! The web pages, on the same port as gRPC: tournaments and their tables.

mod html;
mod pages;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};

use crate::{
    coordinator::{Coordinator, Error},
    model::TournamentId,
};

/// The pages. `unknown_service` says how a gRPC call to a service that does not exist is answered.
pub fn router<B: axum::response::IntoResponse>(
    coordinator: Arc<Coordinator>,
    unknown_service: impl Fn() -> B + Clone + Send + Sync + 'static,
) -> Router {
    Router::new()
        .route("/", get(overview))
        .route("/tournaments/{id}", get(tournament))
        .fallback(async move |headers: HeaderMap| {
            let kind = headers
                .get(header::CONTENT_TYPE)
                .and_then(|value| value.to_str().ok());
            match kind.is_some_and(|kind| kind.starts_with("application/grpc")) {
                true => unknown_service().into_response(),
                false => page(StatusCode::NOT_FOUND, pages::not_found("this page")),
            }
        })
        .with_state(coordinator)
}

async fn overview(State(coordinator): State<Arc<Coordinator>>) -> Response {
    if let Some(refusal) = refuse(&coordinator) {
        return refusal;
    }
    let (tournaments, _) = coordinator.list_tournaments(None, 100);
    page(
        StatusCode::OK,
        pages::overview(&tournaments, &coordinator.list_workers()),
    )
}

async fn tournament(State(coordinator): State<Arc<Coordinator>>, Path(id): Path<u64>) -> Response {
    if let Some(refusal) = refuse(&coordinator) {
        return refusal;
    }
    let id = TournamentId(id);
    let found = match coordinator.tournament(id) {
        Ok(tournament) => coordinator
            .standings(id, 0.0)
            .await
            .map(|table| pages::tournament(&tournament, &table)),
        Err(error) => Err(error),
    };
    match found {
        Ok(text) => page(StatusCode::OK, text),
        Err(Error::NotFound(what)) => page(StatusCode::NOT_FOUND, pages::not_found(&what)),
        Err(error) => page(
            StatusCode::INTERNAL_SERVER_ERROR,
            pages::failed(&error.to_string()),
        ),
    }
}

/// With a token the pages are closed: a browser cannot be trusted to send it.
fn refuse(coordinator: &Coordinator) -> Option<Response> {
    coordinator
        .config()
        .token
        .as_ref()
        .map(|_| page(StatusCode::FORBIDDEN, pages::closed()))
}

fn page(status: StatusCode, text: String) -> Response {
    (status, Html(text)).into_response()
}
