//! The bearer token of calls.

use tonic::{Request, Status, service::Interceptor};

use crate::token::{Admission, Gate};

/// Lets calls pass that carry the token; all, when there is none.
#[derive(Clone)]
pub(super) struct Auth(pub(super) Gate);

impl Interceptor for Auth {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let given = request
            .metadata()
            .get("authorization")
            .and_then(|value| value.to_str().ok());
        match self.0.admit_call(given) {
            Admission::Admitted => Ok(request),
            Admission::Wrong => Err(Status::unauthenticated(
                "the token is not the coordinator's: give the one it was started with",
            )),
            Admission::Missing => Err(Status::unauthenticated(
                "a token is needed: send `authorization: Bearer TOKEN`",
            )),
        }
    }
}
