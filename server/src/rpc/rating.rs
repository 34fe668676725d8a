//! `RatingService`.

use std::time::Duration;

use proto::v1::{self, rating_service_server::RatingService};
use tonic::{Request, Response, Status};

use super::{
    Context,
    status::{missing, status},
    stream::{self, Boxed},
};

/// Least time between two lists of a watch.
const PAUSE: Duration = Duration::from_secs(1);

/// Ratings, derived from stored games.
pub(super) struct Service(pub(super) Context);

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
        self.0
            .coordinator
            .ratings(request.into_inner())
            .await
            .map(Response::new)
            .map_err(status)
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
        let coordinator = self.0.coordinator.clone();
        let mut changed = coordinator.results_changed();
        changed.mark_unchanged();
        let mut list = coordinator.ratings(wanted.clone()).await.map_err(status)?;
        Ok(Response::new(stream::spawn(&self.0, async move |sink| {
            sink.send(list.clone()).await?;
            while changed.changed().await.is_ok() {
                tokio::time::sleep(PAUSE).await;
                changed.mark_unchanged();
                match coordinator.ratings(wanted.clone()).await {
                    // Results of other pools change nothing here.
                    Ok(newer) if newer.ratings == list.ratings => {}
                    Ok(newer) => {
                        list = newer;
                        sink.send(list.clone()).await?;
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

    async fn history(
        &self,
        request: Request<v1::RatingHistoryRequest>,
    ) -> Result<Response<v1::RatingHistoryResponse>, Status> {
        self.0
            .coordinator
            .rating_history(request.into_inner())
            .await
            .map(Response::new)
            .map_err(status)
    }

    async fn head_to_head(
        &self,
        request: Request<v1::HeadToHeadRequest>,
    ) -> Result<Response<v1::HeadToHeadResponse>, Status> {
        self.0
            .coordinator
            .head_to_head(request.into_inner())
            .await
            .map(Response::new)
            .map_err(status)
    }
}
