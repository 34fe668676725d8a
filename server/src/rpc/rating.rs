//! `RatingService`.

use std::{future::Future, ops::Range};

use proto::v1::{self, cross_table_part, rating_service_server::RatingService, superiority_part};
use tonic::{Request, Response, Status};

use super::{
    Context, paced,
    status::{missing, status},
    stream::{self, Boxed, Gone, Sink},
};
use crate::coordinator::Error;

/// Rows of a table computed at a time.
const ROWS: usize = 16;

/// Ratings, derived from stored games.
pub(super) struct Service(pub(super) Context);

/// Answers a unary call by a use case of the coordinator.
macro_rules! answered {
    ($service:expr, $use_case:ident, $request:expr) => {
        $service
            .0
            .coordinator
            .$use_case($request.into_inner())
            .await
            .map(Response::new)
            .map_err(status)
    };
}

#[tonic::async_trait]
impl RatingService for Service {
    async fn list_pools(
        &self,
        _: Request<v1::ListPoolsRequest>,
    ) -> Result<Response<v1::ListPoolsResponse>, Status> {
        Ok(Response::new(v1::ListPoolsResponse {
            pools: self.0.coordinator.list_pools(),
        }))
    }

    async fn get(
        &self,
        request: Request<v1::GetRatingsRequest>,
    ) -> Result<Response<v1::RatingList>, Status> {
        answered!(self, ratings, request)
    }

    type WatchStream = Boxed<v1::RatingList>;

    async fn watch(
        &self,
        request: Request<v1::WatchRatingsRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let wanted = request
            .into_inner()
            .ratings
            .ok_or_else(|| missing("ratings"))?;
        if wanted.as_of.is_some() {
            let problem = "ratings.as_of: does not go with a watch, as the past does not change; leave it out";
            return Err(Status::invalid_argument(problem));
        }
        let coordinator = self.0.coordinator.clone();
        let mut changed = coordinator.results_changed();
        changed.mark_unchanged();
        let first = coordinator.ratings(wanted.clone()).await.map_err(status)?;
        // One list may wait, so that a slow client does not get many old ones.
        Ok(Response::new(stream::spawn_waiting(1, &self.0, |sink| {
            let newest = move || {
                let (coordinator, wanted) = (coordinator.clone(), wanted.clone());
                async move { coordinator.ratings(wanted).await.map_err(status) }
            };
            let differs = |a: &v1::RatingList, b: &v1::RatingList| {
                a.games != b.games || a.ratings != b.ratings || a.notes != b.notes
            };
            paced::follow(sink, first, changed, differs, newest)
        })))
    }

    async fn history(
        &self,
        request: Request<v1::RatingHistoryRequest>,
    ) -> Result<Response<v1::RatingHistoryResponse>, Status> {
        answered!(self, rating_history, request)
    }

    async fn head_to_head(
        &self,
        request: Request<v1::HeadToHeadRequest>,
    ) -> Result<Response<v1::HeadToHeadResponse>, Status> {
        answered!(self, head_to_head, request)
    }

    type SuperiorityStream = Boxed<v1::SuperiorityPart>;

    async fn superiority(
        &self,
        request: Request<v1::SuperiorityRequest>,
    ) -> Result<Response<Self::SuperiorityStream>, Status> {
        use superiority_part::Part;
        let coordinator = self.0.coordinator.clone();
        let table = coordinator.superiority(request.into_inner()).await;
        let table = std::sync::Arc::new(table.map_err(status)?);
        Ok(Response::new(stream::spawn(&self.0, async move |sink| {
            let part = |part| v1::SuperiorityPart { part: Some(part) };
            sink.send(part(Part::List(table.list()))).await?;
            let rows = |rows| coordinator.superiority_rows(&table, rows);
            send_rows(&sink, table.rows(), rows, |row| part(Part::Row(row))).await
        })))
    }

    type CrossTableStream = Boxed<v1::CrossTablePart>;

    async fn cross_table(
        &self,
        request: Request<v1::CrossTableRequest>,
    ) -> Result<Response<Self::CrossTableStream>, Status> {
        use cross_table_part::Part;
        let coordinator = self.0.coordinator.clone();
        let table = coordinator.cross_table(request.into_inner()).await;
        let table = std::sync::Arc::new(table.map_err(status)?);
        Ok(Response::new(stream::spawn(&self.0, async move |sink| {
            let part = |part| v1::CrossTablePart { part: Some(part) };
            sink.send(part(Part::Head(table.head()))).await?;
            let rows = |rows| coordinator.cross_table_rows(&table, rows);
            send_rows(&sink, table.rows(), rows, |row| part(Part::Row(row))).await
        })))
    }

    async fn sprt(
        &self,
        request: Request<v1::SprtRequest>,
    ) -> Result<Response<v1::SprtResponse>, Status> {
        answered!(self, sprt, request)
    }

    async fn joint(
        &self,
        request: Request<v1::JointRequest>,
    ) -> Result<Response<v1::JointResponse>, Status> {
        answered!(self, joint, request)
    }

    async fn forecast(
        &self,
        request: Request<v1::ForecastRequest>,
    ) -> Result<Response<v1::ForecastResponse>, Status> {
        answered!(self, forecast, request)
    }
}

/// Sends all rows of a table, a few at a time, so that a large one is never whole in memory.
async fn send_rows<Row, Part, F>(
    sink: &Sink<Part>,
    rows: usize,
    mut compute: impl FnMut(Range<usize>) -> F,
    part: impl Fn(Row) -> Part,
) -> Result<(), Gone>
where
    F: Future<Output = Result<Vec<Row>, Error>>,
{
    for start in (0..rows).step_by(ROWS) {
        match compute(start..rows.min(start + ROWS)).await {
            Ok(rows) => {
                for row in rows {
                    sink.send(part(row)).await?;
                }
            }
            Err(error) => {
                sink.fail(status(error)).await;
                break;
            }
        }
    }
    Ok(())
}
