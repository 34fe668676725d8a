//! The web pages, on the same port as gRPC: tournaments and their tables.

mod html;
mod pages;
mod table;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, RawQuery, Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{self, Next},
    response::{Html, IntoResponse, Response},
    routing::get,
};

use crate::{
    coordinator::{Coordinator, Error},
    model::{TournamentId, wire::columns::Shown},
    token::{Admission, Gate},
};

/// The pages. `unknown_service` says how a gRPC call to a service that does not exist is answered.
pub fn router<B: axum::response::IntoResponse>(
    coordinator: Arc<Coordinator>,
    gate: Gate,
    unknown_service: impl Fn() -> B + Clone + Send + Sync + 'static,
) -> Router {
    Router::new()
        .route("/", get(overview))
        .route("/tournaments/{id}", get(tournament))
        .route_layer(middleware::from_fn(move |request: Request, next: Next| {
            guard(gate, request, next)
        }))
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
    let (tournaments, _) = coordinator.list_tournaments(None, 100);
    page(
        StatusCode::OK,
        pages::overview(&tournaments, &coordinator.list_workers()),
    )
}

/// The table of a tournament; `?columns=all` shows all tie-breaks and not only those of its list.
async fn tournament(
    State(coordinator): State<Arc<Coordinator>>,
    Path(id): Path<u64>,
    RawQuery(query): RawQuery,
) -> Response {
    let id = TournamentId(id);
    let shown = match query.as_deref() {
        Some("columns=all") => Shown::All,
        _ => Shown::List,
    };
    let found = match coordinator.tournament(id) {
        Ok(tournament) => coordinator
            .standings(id, 0.0)
            .await
            .map(|table| table::tournament(&tournament, &table, shown)),
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

/// Lets a page be seen by who sends the token. A browser asks its user for it as a password.
async fn guard(gate: Gate, request: Request, next: Next) -> Response {
    let given = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    match gate.admit_page(given) {
        Admission::Admitted => next.run(request).await,
        Admission::Wrong | Admission::Missing => {
            let challenge = [(
                header::WWW_AUTHENTICATE,
                r#"Basic realm="brouhaha: the token is the password", charset="UTF-8""#,
            )];
            let body = page(StatusCode::UNAUTHORIZED, pages::closed());
            (challenge, body).into_response()
        }
    }
}

fn page(status: StatusCode, text: String) -> Response {
    (status, Html(text)).into_response()
}
