//! `VariantService`.

use proto::v1::{self, variant_service_server::VariantService};
use tonic::{Request, Response, Status};

use super::{
    Context,
    status::{bad_hash, status},
};

/// Knows variants.
pub(super) struct Service(pub(super) Context);

#[tonic::async_trait]
impl VariantService for Service {
    async fn list(
        &self,
        _: Request<v1::ListVariantsRequest>,
    ) -> Result<Response<v1::ListVariantsResponse>, Status> {
        let variants = self.0.coordinator.list_variants().await.map_err(status)?;
        Ok(Response::new(v1::ListVariantsResponse { variants }))
    }

    async fn definition(
        &self,
        request: Request<v1::VariantDefinitionRequest>,
    ) -> Result<Response<v1::VariantDefinitionResponse>, Status> {
        let hash = request
            .into_inner()
            .hash
            .parse()
            .map_err(bad_hash("hash"))?;
        let (variant, definition) = self
            .0
            .coordinator
            .variant_definition(hash)
            .await
            .map_err(status)?;
        Ok(Response::new(v1::VariantDefinitionResponse {
            variant: Some(variant),
            definition,
        }))
    }

    async fn geometry(
        &self,
        request: Request<v1::VariantGeometryRequest>,
    ) -> Result<Response<v1::VariantGeometryResponse>, Status> {
        let variant = request.into_inner().variant;
        self.0
            .coordinator
            .variant_geometry(variant)
            .await
            .map(Response::new)
            .map_err(status)
    }

    async fn legal_moves(
        &self,
        request: Request<v1::LegalMovesRequest>,
    ) -> Result<Response<v1::LegalMovesResponse>, Status> {
        self.0
            .coordinator
            .legal_moves(request.into_inner())
            .await
            .map(Response::new)
            .map_err(status)
    }
}
