//! `AnalysisService`.

use proto::v1::{self, analysis_service_server::AnalysisService};
use tonic::{Request, Response, Status};

use super::{
    Context,
    status::status,
    stream::{self, Boxed},
};
use crate::model::AnalysisId;

/// Analyses positions.
pub(super) struct Service(pub(super) Context);

#[tonic::async_trait]
impl AnalysisService for Service {
    async fn submit(
        &self,
        request: Request<v1::SubmitAnalysisRequest>,
    ) -> Result<Response<v1::AnalysisJob>, Status> {
        self.0
            .coordinator
            .submit_analysis(request.into_inner())
            .await
            .map(Response::new)
            .map_err(status)
    }

    async fn get(
        &self,
        request: Request<v1::GetAnalysisRequest>,
    ) -> Result<Response<v1::AnalysisJob>, Status> {
        self.0
            .coordinator
            .analysis_job(AnalysisId(request.into_inner().id))
            .map(Response::new)
            .map_err(status)
    }

    type WatchStream = Boxed<v1::AnalysisResult>;

    async fn watch(
        &self,
        request: Request<v1::WatchAnalysisRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let id = AnalysisId(request.into_inner().id);
        let mut watch = self.0.coordinator.watch_analysis(id).map_err(status)?;
        Ok(Response::new(stream::spawn(&self.0, async move |sink| {
            loop {
                match watch.next().await {
                    Ok(Some(result)) => sink.send(result).await?,
                    Ok(None) => break,
                    Err(error) => {
                        sink.fail(status(error)).await;
                        break;
                    }
                }
            }
            Ok(())
        })))
    }

    async fn cancel(
        &self,
        request: Request<v1::CancelAnalysisRequest>,
    ) -> Result<Response<v1::AnalysisJob>, Status> {
        let id = AnalysisId(request.into_inner().id);
        self.0
            .coordinator
            .cancel_analysis(id)
            .await
            .map(Response::new)
            .map_err(status)
    }
}
