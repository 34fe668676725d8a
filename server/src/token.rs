//! The coordinator's token, and whether an `authorization` header carries it.

use base64::{Engine as _, prelude::BASE64_STANDARD};

/// Admits who knows the token; everybody, when there is none.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    // Hashes are compared in constant time.
    token: Option<blake3::Hash>,
}

/// What an `authorization` header is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It carries the token, or none is needed.
    Admitted,
    /// It carries another one.
    Wrong,
    /// It carries none.
    Missing,
}

impl Gate {
    /// A gate with this token.
    pub fn new(token: Option<&str>) -> Self {
        Self {
            token: token.map(|token| blake3::hash(token.as_bytes())),
        }
    }

    /// Judges a call: `Bearer TOKEN`.
    pub fn admit_call(&self, authorization: Option<&str>) -> Admission {
        self.admit(authorization.and_then(bearer).map(str::as_bytes))
    }

    /// Judges a page, which browsers also ask for with a password: `Basic`, with any user and the token as the password.
    pub fn admit_page(&self, authorization: Option<&str>) -> Admission {
        let password = authorization.and_then(password);
        let bearer = authorization.and_then(bearer).map(str::as_bytes);
        self.admit(bearer.or(password.as_deref()))
    }

    fn admit(&self, given: Option<&[u8]>) -> Admission {
        match (self.token, given) {
            (None, _) => Admission::Admitted,
            (Some(token), Some(given)) if blake3::hash(given) == token => Admission::Admitted,
            (Some(_), Some(_)) => Admission::Wrong,
            (Some(_), None) => Admission::Missing,
        }
    }
}

fn bearer(authorization: &str) -> Option<&str> {
    authorization.strip_prefix("Bearer ")
}

/// The password of `Basic base64(user:password)`; the scheme's case does not matter.
fn password(authorization: &str) -> Option<Vec<u8>> {
    let (scheme, credentials) = authorization.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = BASE64_STANDARD.decode(credentials.trim()).ok()?;
    let colon = decoded.iter().position(|&byte| byte == b':')?;
    Some(decoded[colon + 1..].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_opens_the_gate() {
        let gate = Gate::new(Some("se:cret"));
        for (header, call, page) in [
            (None, Admission::Missing, Admission::Missing),
            (
                Some("Bearer se:cret"),
                Admission::Admitted,
                Admission::Admitted,
            ),
            (Some("Bearer secret"), Admission::Wrong, Admission::Wrong),
            // user:se:cret, :se:cret, se:cret:user, user.
            (
                Some("Basic dXNlcjpzZTpjcmV0"),
                Admission::Missing,
                Admission::Admitted,
            ),
            (
                Some("basic OnNlOmNyZXQ="),
                Admission::Missing,
                Admission::Admitted,
            ),
            (
                Some("Basic c2U6Y3JldDp1c2Vy"),
                Admission::Missing,
                Admission::Wrong,
            ),
            (
                Some("Basic dXNlcg=="),
                Admission::Missing,
                Admission::Missing,
            ),
            (Some("Basic ?"), Admission::Missing, Admission::Missing),
            (Some("se:cret"), Admission::Missing, Admission::Missing),
        ] {
            assert_eq!(gate.admit_call(header), call, "{header:?}");
            assert_eq!(gate.admit_page(header), page, "{header:?}");
        }
        assert_eq!(Gate::new(None).admit_page(None), Admission::Admitted);
    }
}
