//! The bearer token.

use tonic::{Request, Status, service::Interceptor};

/// Lets calls pass that carry the token; all, when there is none.
#[derive(Clone)]
pub(super) struct Auth {
    // Hashes are compared in constant time.
    token: Option<blake3::Hash>,
}

impl Auth {
    pub(super) fn new(token: Option<&str>) -> Self {
        Self {
            token: token.map(|token| blake3::hash(token.as_bytes())),
        }
    }
}

impl Interceptor for Auth {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let Some(expected) = self.token else {
            return Ok(request);
        };
        let given = request
            .metadata()
            .get("authorization")
            .and_then(|value| value.to_str().ok());
        let token = given.and_then(|value| value.strip_prefix("Bearer "));
        match token {
            Some(token) if blake3::hash(token.as_bytes()) == expected => Ok(request),
            Some(_) => Err(Status::unauthenticated(
                "the token is not the coordinator's: give the one it was started with",
            )),
            None => Err(Status::unauthenticated(
                "a token is needed: send `authorization: Bearer TOKEN`",
            )),
        }
    }
}
