//! Who calls? Decided once, before anything else looks at the call.

use std::{future::Future, sync::Arc};

use axum::{extract::Request, response::Response};
use http::{header::AUTHORIZATION, request::Parts};
use turnwise_proto::common::v1::ErrorReason;

use super::{Repeated, errors, only};
use crate::{
    CallContext, Caller, Fault,
    caller::{CALLER_HEADER, InternalToken, unseal},
};

/// How callers prove who they are.
#[tonic::async_trait]
pub trait Authenticator: Send + Sync + 'static {
    /// The caller whom this call proves; `None` where a call may come from nobody in particular.
    async fn authenticate(&self, call: &Parts) -> Result<Option<Arc<Caller>>, Fault>;
}

/// Marks a call from this process, whose context is among its extensions, with the token that the client has. Nothing that
/// comes over a socket has it.
#[derive(Clone)]
pub(crate) struct InProcess(pub(crate) Option<InternalToken>);

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
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    if OpenMethods::contains(request.uri().path()) {
        return next(request).await;
    }
    let (mut call, message) = request.into_parts();
    match auth.authenticate(&call).await {
        Ok(caller) => {
            if let Some(context) = call.extensions.get_mut::<CallContext>() {
                context.set_caller(caller);
            }
            next(Request::from_parts(call, message)).await
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

#[tonic::async_trait]
impl Authenticator for InternalAuth {
    async fn authenticate(&self, call: &Parts) -> Result<Option<Arc<Caller>>, Fault> {
        let headers = &call.headers;
        let in_process = call.extensions.get::<InProcess>();
        if let Some(token) = &self.token {
            let opens = match in_process {
                Some(InProcess(given)) => {
                    given.as_ref().is_some_and(|given| token.opens_for(given))
                }
                None => {
                    let given = only(headers, AUTHORIZATION).ok().flatten();
                    given.is_some_and(|given| token.opens(given.as_bytes()))
                }
            };
            if !opens {
                return Err(Fault::new(
                    ErrorReason::Unauthenticated,
                    "an internal service takes calls only from the suite's own services; call the public port",
                )
                .meta("cause", "internal_token"));
            }
        }
        if in_process.is_some() {
            return Ok(CallContext::from_extensions(&call.extensions).caller);
        }
        let sealed = match only(headers, CALLER_HEADER) {
            Ok(None) => return Ok(None),
            Ok(Some(sealed)) => sealed.as_bytes(),
            Err(Repeated) => b"",
        };
        unseal(sealed, self.token.as_ref()).map(|caller| Some(Arc::new(caller)))
    }
}
