//! What every outgoing call carries, and what its failure looks like.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Request, Response, header::AUTHORIZATION};
use tonic::{Status, body::Body, codegen::StdError};
use tower::Service;
use tracing::{Instrument, field};
use turnwise_proto::common::v1::ErrorReason;

use super::{ClientOptions, deadline::DeadlineBody};
use crate::{
    CallContext, Fault,
    caller::{CALLER_HEADER, seal},
    outcome::{OnEnd, observe},
    stack::format_timeout,
    telemetry,
};

/// When to try a service again that was out of reach.
const RETRY_WHEN_AWAY: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(super) struct Outgoing<S> {
    inner: S,
    options: Arc<ClientOptions>,
    authorization: Option<HeaderValue>,
}

impl<S> Outgoing<S> {
    pub(super) fn new(inner: S, options: ClientOptions) -> Self {
        let authorization = options.token.as_ref().and_then(|t| {
            let mut value = HeaderValue::from_str(&t.bearer()).ok()?;
            value.set_sensitive(true);
            Some(value)
        });
        Self {
            inner,
            options: Arc::new(options),
            authorization,
        }
    }

    fn write_headers(&self, context: &CallContext, headers: &mut HeaderMap) {
        if let Some(value) = &self.authorization {
            headers.insert(AUTHORIZATION, value.clone());
        }
        if let Some(caller) = context.caller_opt()
            && let Ok(value) = HeaderValue::from_str(&seal(caller, self.options.token.as_ref()))
        {
            headers.insert(CALLER_HEADER, value);
        }
        if let Some(value) = context
            .request_id()
            .and_then(|id| HeaderValue::from_str(id).ok())
        {
            headers.insert(crate::stack::REQUEST_ID_HEADER, value);
        }
        if let Some(value) = context
            .remaining()
            .and_then(|left| HeaderValue::from_str(&format_timeout(left)).ok())
        {
            headers.insert("grpc-timeout", value);
        }
        telemetry::inject(headers);
    }
}

impl<S> Service<Request<Body>> for Outgoing<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Error: Into<StdError>,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // Readiness is awaited inside the call, so that waiting for a connection counts against the deadline.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let context = CallContext::from_extensions(request.extensions());
        let path = request.uri().path();
        let (service, method) = path
            .trim_start_matches('/')
            .split_once('/')
            .unwrap_or((path, path));
        let span = tracing::info_span!(
            "call",
            otel.name = path.trim_start_matches('/'),
            otel.kind = "client",
            rpc.system = "grpc",
            rpc.service = service,
            rpc.method = method,
            rpc.grpc.status_code = field::Empty,
            peer.service = self.options.peer,
        );
        span.in_scope(|| self.write_headers(&context, request.headers_mut()));
        let peer = self.options.peer;
        let mut inner = self.inner.clone();
        let work = async move {
            std::future::poll_fn(|cx| inner.poll_ready(cx))
                .await
                .map_err(Into::into)?;
            inner.call(request).await.map_err(Into::into)
        };
        let finished = span.clone();
        Box::pin(
            async move {
                let result = match context.deadline() {
                    Some(at) => match crate::stack::before(at, work).await {
                        Some(result) => result,
                        None => return Ok(Status::from(crate::stack::expired()).into_http()),
                    },
                    None => work.await,
                };
                Ok(match result {
                    Ok(response) => {
                        let end = OnEnd::new(move |code| {
                            finished.record("rpc.grpc.status_code", code as i32);
                        });
                        let response = match context.deadline() {
                            Some(at) => response.map(|body| Body::new(DeadlineBody::new(body, at))),
                            None => response,
                        };
                        observe(response, end).map(Body::new)
                    }
                    Err(error) => Status::from(away(peer, &error)).into_http(),
                })
            }
            .instrument(span),
        )
    }
}

/// The failure of a service that could not be reached.
fn away(peer: &'static str, error: &StdError) -> Fault {
    tracing::warn!(peer, error = %chain(error), "the service cannot be reached");
    Fault::new(
        ErrorReason::DependencyUnavailable,
        format!("{peer} does not answer; try again"),
    )
    .meta("service", peer)
    .retry_after(RETRY_WHEN_AWAY)
}

fn chain(error: &StdError) -> String {
    let mut out = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        out.push_str(": ");
        out.push_str(&cause.to_string());
        source = cause.source();
    }
    out
}
