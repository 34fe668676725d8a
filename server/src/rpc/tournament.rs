//! `TournamentService`.

use std::sync::Arc;

use proto::v1::{self, tournament_service_server::TournamentService};
use tonic::{Request, Response, Status};

use super::{
    Context,
    status::{bad_spec, missing, status},
    stream::{self, Boxed},
};
use crate::{
    coordinator::{Coordinator, Error, Existing},
    model::{GameIndex, TournamentId, TournamentSpec, wire},
};

/// Entries of a page, unless asked otherwise, and at most.
const PAGE: (u32, u32) = (100, 1000);

/// Makes, watches and steers tournaments.
pub(super) struct Service(pub(super) Context);

impl Service {
    fn coordinator(&self) -> &Arc<Coordinator> {
        &self.0.coordinator
    }
}

type Answer<T> = Result<Response<T>, Status>;

fn answer<T>(result: Result<T, Error>) -> Answer<T> {
    result.map(Response::new).map_err(status)
}

fn checked(spec: Option<&v1::TournamentSpec>) -> Result<TournamentSpec, Status> {
    wire::spec_from_wire(spec.ok_or_else(|| missing("spec"))?).map_err(bad_spec)
}

/// Size and start of a page.
fn page(page: Option<v1::Page>) -> Result<(usize, Option<u64>), Status> {
    let v1::Page { size, token } = page.unwrap_or_default();
    let (usual, most) = PAGE;
    if size > most {
        return Err(Status::invalid_argument(format!(
            "page.size: must be at most {most}"
        )));
    }
    let size = if size == 0 { usual } else { size };
    let start = match token.as_str() {
        "" => None,
        token => Some(
            token
                .parse()
                .map_err(|_| Status::invalid_argument("page.token: is not one of mine"))?,
        ),
    };
    Ok((size as usize, start))
}

#[tonic::async_trait]
impl TournamentService for Service {
    async fn create(
        &self,
        request: Request<v1::CreateTournamentRequest>,
    ) -> Answer<v1::CreateTournamentResponse> {
        let request = request.into_inner();
        let spec = checked(request.spec.as_ref())?;
        let existing = match request.existing() {
            v1::ExistingMode::New => Existing::MakeNew,
            v1::ExistingMode::Unspecified | v1::ExistingMode::Return => Existing::Return,
        };
        let created = self
            .coordinator()
            .create_tournament(spec, existing)
            .await
            .map_err(status)?;
        Ok(Response::new(v1::CreateTournamentResponse {
            tournament: Some(created.tournament),
            existed: created.existed,
            notes: created.notes,
        }))
    }

    async fn find(&self, request: Request<v1::FindTournamentRequest>) -> Answer<v1::Tournament> {
        let spec = checked(request.into_inner().spec.as_ref())?;
        answer(self.coordinator().find_tournament(spec).await)
    }

    async fn get(&self, request: Request<v1::GetTournamentRequest>) -> Answer<v1::Tournament> {
        answer(
            self.coordinator()
                .tournament(TournamentId(request.into_inner().id)),
        )
    }

    async fn list(
        &self,
        request: Request<v1::ListTournamentsRequest>,
    ) -> Answer<v1::ListTournamentsResponse> {
        let (size, start) = page(request.into_inner().page)?;
        let (tournaments, more) = self
            .coordinator()
            .list_tournaments(start.map(TournamentId), size);
        let last = tournaments.last().filter(|_| more);
        let next_token = last.map_or_else(String::new, |tournament| tournament.id.to_string());
        Ok(Response::new(v1::ListTournamentsResponse {
            tournaments,
            next_token,
        }))
    }

    type WatchStream = Boxed<v1::TournamentEvent>;

    async fn watch(
        &self,
        request: Request<v1::WatchTournamentRequest>,
    ) -> Answer<Self::WatchStream> {
        let v1::WatchTournamentRequest {
            id,
            from_sequence,
            progress,
        } = request.into_inner();
        let watch = self
            .coordinator()
            .watch_tournament(TournamentId(id), from_sequence, progress);
        let mut watch = watch.map_err(status)?;
        Ok(Response::new(stream::spawn(&self.0, async move |sink| {
            while let Some(event) = watch.next().await {
                sink.send(event).await?;
            }
            Ok(())
        })))
    }

    async fn pause(&self, request: Request<v1::PauseTournamentRequest>) -> Answer<v1::Tournament> {
        answer(
            self.coordinator()
                .pause_tournament(TournamentId(request.into_inner().id))
                .await,
        )
    }

    async fn resume(
        &self,
        request: Request<v1::ResumeTournamentRequest>,
    ) -> Answer<v1::Tournament> {
        answer(
            self.coordinator()
                .resume_tournament(TournamentId(request.into_inner().id))
                .await,
        )
    }

    async fn cancel(
        &self,
        request: Request<v1::CancelTournamentRequest>,
    ) -> Answer<v1::Tournament> {
        answer(
            self.coordinator()
                .cancel_tournament(TournamentId(request.into_inner().id))
                .await,
        )
    }

    async fn void_game(&self, request: Request<v1::VoidGameRequest>) -> Answer<v1::Tournament> {
        let v1::VoidGameRequest { id, game, reason } = request.into_inner();
        answer(
            self.coordinator()
                .void_game(TournamentId(id), GameIndex(game), reason)
                .await,
        )
    }

    async fn enter_engines(
        &self,
        request: Request<v1::EnterEnginesRequest>,
    ) -> Answer<v1::Tournament> {
        let v1::EnterEnginesRequest { id, engines } = request.into_inner();
        let engines = engines.iter().enumerate();
        let engines = engines
            .map(|(index, engine)| wire::engine_from_wire(engine, &format!("engines[{index}]")));
        let engines = engines.collect::<Result<Vec<_>, _>>().map_err(bad_spec)?;
        answer(
            self.coordinator()
                .enter_engines(TournamentId(id), engines)
                .await,
        )
    }

    async fn withdraw_engine(
        &self,
        request: Request<v1::WithdrawEngineRequest>,
    ) -> Answer<v1::Tournament> {
        let v1::WithdrawEngineRequest { id, name } = request.into_inner();
        answer(
            self.coordinator()
                .withdraw_engine(TournamentId(id), &name)
                .await,
        )
    }

    async fn course(&self, request: Request<v1::CourseRequest>) -> Answer<v1::CourseResponse> {
        let id = TournamentId(request.into_inner().id);
        answer(self.coordinator().course(id).await)
    }

    async fn audit_course(
        &self,
        request: Request<v1::AuditCourseRequest>,
    ) -> Answer<v1::AuditCourseResponse> {
        let id = TournamentId(request.into_inner().id);
        answer(self.coordinator().audit_course(id).await)
    }

    async fn standings(
        &self,
        request: Request<v1::StandingsRequest>,
    ) -> Answer<v1::StandingsResponse> {
        let v1::StandingsRequest { id, confidence } = request.into_inner();
        answer(
            self.coordinator()
                .standings(TournamentId(id), confidence)
                .await,
        )
    }

    async fn list_games(
        &self,
        request: Request<v1::ListGamesRequest>,
    ) -> Answer<v1::ListGamesResponse> {
        let v1::ListGamesRequest { id, page: wanted } = request.into_inner();
        let (size, start) = page(wanted)?;
        let from = GameIndex(u32::try_from(start.unwrap_or(0)).unwrap_or(u32::MAX));
        let listed = self
            .coordinator()
            .list_games(TournamentId(id), from, size)
            .await;
        let (games, next) = listed.map_err(status)?;
        let next_token = next.map_or_else(String::new, |game| game.to_string());
        Ok(Response::new(v1::ListGamesResponse { games, next_token }))
    }

    type StreamGamesStream = Boxed<v1::Game>;

    async fn stream_games(
        &self,
        request: Request<v1::StreamGamesRequest>,
    ) -> Answer<Self::StreamGamesStream> {
        let v1::StreamGamesRequest { id, from_game } = request.into_inner();
        let id = TournamentId(id);
        let coordinator = self.coordinator().clone();
        // So that a missing tournament is an error of the call and not of the stream.
        coordinator.tournament(id).map_err(status)?;
        Ok(Response::new(stream::spawn(&self.0, async move |sink| {
            let mut next = Some(GameIndex(from_game));
            while let Some(from) = next {
                match coordinator.read_games(id, from).await {
                    Ok((games, after)) => {
                        for game in games {
                            sink.send(game).await?;
                        }
                        next = after;
                    }
                    Err(error) => {
                        sink.fail(status(error)).await;
                        break;
                    }
                }
            }
            Ok(())
        })))
    }
}
