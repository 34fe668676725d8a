//! `EngineService`.

use proto::v1::{self, engine_service_server::EngineService};
use tonic::{Request, Response, Status, Streaming};

use super::{
    Context,
    status::{bad_spec, missing, status},
};
use crate::{
    coordinator::{Error, Retired},
    model::wire,
    store::StoreError,
};

/// Knows engine versions.
pub(super) struct Service(pub(super) Context);

#[tonic::async_trait]
impl EngineService for Service {
    async fn list(
        &self,
        request: Request<v1::ListEnginesRequest>,
    ) -> Result<Response<v1::ListEnginesResponse>, Status> {
        let retired = if request.into_inner().retired {
            Retired::Included
        } else {
            Retired::LeftOut
        };
        let engines = self.0.coordinator.list_engines(retired).await;
        let engines = engines.map_err(status)?;
        Ok(Response::new(v1::ListEnginesResponse { engines }))
    }

    async fn register(
        &self,
        request: Request<v1::RegisterEngineRequest>,
    ) -> Result<Response<v1::EngineVersion>, Status> {
        let engine = request
            .into_inner()
            .engine
            .ok_or_else(|| missing("engine"))?;
        let engine = wire::engine_from_wire(&engine, "engine").map_err(bad_spec)?;
        self.0
            .coordinator
            .register_engine(engine)
            .await
            .map(Response::new)
            .map_err(status)
    }

    async fn retire(
        &self,
        request: Request<v1::RetireEngineRequest>,
    ) -> Result<Response<v1::EngineVersion>, Status> {
        let v1::RetireEngineRequest { version, undo } = request.into_inner();
        let changed = self.0.coordinator.retire_engine(version, !undo).await;
        changed.map(Response::new).map_err(status)
    }

    async fn upload_artifact(
        &self,
        request: Request<Streaming<v1::ArtifactChunk>>,
    ) -> Result<Response<v1::UploadArtifactResponse>, Status> {
        let mut chunks = request.into_inner();
        let mut upload = self.0.coordinator.begin_upload().map_err(status)?;
        while let Some(chunk) = chunks.message().await? {
            let written = tokio::task::spawn_blocking(move || {
                upload.write(&chunk.data)?;
                Ok::<_, StoreError>(upload)
            });
            upload = written
                .await
                .map_err(|error| status(error.into()))?
                .map_err(|error| status(Error::Store(error)))?;
        }
        let (sha256, size) = self
            .0
            .coordinator
            .finish_upload(upload)
            .await
            .map_err(status)?;
        Ok(Response::new(v1::UploadArtifactResponse {
            sha256: sha256.to_string(),
            size,
        }))
    }
}
