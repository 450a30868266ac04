//! Who calls? Decided once, before anything else looks at the call.

use std::{future::Future, sync::Arc};

use axum::{extract::Request, response::Response};
use http::{HeaderMap, header::AUTHORIZATION};
use turnwise_proto::common::v1::ErrorReason;

use super::{Repeated, errors, only};
use crate::{
    Caller, Fault,
    caller::{CALLER_HEADER, InternalToken, unseal},
};

/// How callers prove who they are.
pub trait Authenticator: Send + Sync + 'static {
    /// The caller that these headers prove; `None` where a call may come from nobody in particular.
    fn authenticate(&self, headers: &HeaderMap) -> Result<Option<Caller>, Fault>;
}

/// The methods that anybody may call: health and reflection.
pub struct OpenMethods;

impl OpenMethods {
    /// Whether this path is one of them.
    pub fn contains(path: &str) -> bool {
        path.starts_with("/grpc.health.v1.Health/") || path.starts_with("/grpc.reflection.v1")
    }
}

pub(super) async fn authenticate<F: Future<Output = Response>>(
    auth: &dyn Authenticator,
    mut request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    if OpenMethods::contains(request.uri().path()) {
        return next(request).await;
    }
    match auth.authenticate(request.headers()) {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(Arc::new(caller));
            }
            next(request).await
        }
        Err(fault) => errors::respond(fault),
    }
}

/// The rule of internal listeners: the internal token, or a client certificate that the TLS layer has verified.
pub struct InternalAuth {
    token: Option<InternalToken>,
}

impl InternalAuth {
    /// Demands the token.
    pub fn token(token: InternalToken) -> Self {
        Self { token: Some(token) }
    }

    /// For a listener whose TLS layer refuses every connection without a verified client certificate. With a token,
    /// both are demanded.
    pub fn mutual_tls(token: Option<InternalToken>) -> Self {
        Self { token }
    }
}

impl Authenticator for InternalAuth {
    fn authenticate(&self, headers: &HeaderMap) -> Result<Option<Caller>, Fault> {
        if let Some(token) = &self.token {
            let given = only(headers, AUTHORIZATION).ok().flatten();
            if !given.is_some_and(|given| token.opens(given.as_bytes())) {
                return Err(Fault::new(
                    ErrorReason::Unauthenticated,
                    "an internal service takes calls only from the suite's own services; call the public port",
                )
                .meta("cause", "internal_token"));
            }
        }
        match only(headers, CALLER_HEADER) {
            Ok(None) => Ok(None),
            Ok(Some(sealed)) => unseal(sealed.as_bytes(), self.token.as_ref()).map(Some),
            Err(Repeated) => unseal(b"", self.token.as_ref()).map(Some),
        }
    }
}
