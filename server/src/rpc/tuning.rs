//! `TuningService`.

use proto::v1::{self, tuning_service_server::TuningService};
use tonic::{Request, Response, Status};

use super::{Context, status::status};

/// How tunings go.
pub(super) struct Service(pub(super) Context);

#[tonic::async_trait]
impl TuningService for Service {
    async fn get(
        &self,
        request: Request<v1::GetTuningRequest>,
    ) -> Result<Response<v1::Tuning>, Status> {
        let tuning = self.0.coordinator.tuning(request.into_inner()).await;
        tuning.map(Response::new).map_err(status)
    }
}
