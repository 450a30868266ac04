//! What every outgoing call carries, and what its failure looks like.

use std::{
    convert::Infallible,
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Request, Response, header::AUTHORIZATION};
use tonic::{Status, body::Body, codegen::StdError};
use tower::Service;
use tracing::{Instrument, Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use turnwise_proto::common::v1::ErrorReason;

use super::{ClientOptions, deadline::DeadlineBody};
use crate::{
    CallContext, Fault,
    caller::CALLER_HEADER,
    outcome::{OnEnd, observe},
    stack::{InProcess, MethodNames, REQUEST_ID_HEADER, before, expired, format_timeout},
    telemetry,
};

/// When to try a service again that was out of reach.
const RETRY_WHEN_AWAY: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(super) struct Outgoing<S> {
    inner: S,
    options: Arc<ClientOptions>,
    is_in_process: bool,
}

impl<S> Outgoing<S> {
    /// Calls over a connection.
    pub(super) fn new(inner: S, options: ClientOptions) -> Self {
        Self {
            inner,
            options: Arc::new(options),
            is_in_process: false,
        }
    }

    /// Calls of routes in this process.
    pub(super) fn in_process(inner: S, options: ClientOptions) -> Self {
        Self {
            inner,
            options: Arc::new(options),
            is_in_process: true,
        }
    }

    fn write_headers(&self, context: &CallContext, headers: &mut HeaderMap) {
        if let Some(token) = &self.options.token {
            headers.insert(AUTHORIZATION, token.bearer());
        }
        if let Some(value) = context.sealed_caller(self.options.token.as_ref()) {
            headers.insert(CALLER_HEADER, value);
        }
        if let Some(value) = context
            .request_id()
            .and_then(|id| HeaderValue::from_str(id).ok())
        {
            headers.insert(REQUEST_ID_HEADER, value);
        }
        if let Some(value) = context
            .remaining()
            .and_then(|left| HeaderValue::from_str(&format_timeout(left)).ok())
        {
            headers.insert("grpc-timeout", value);
        }
        match &context.unrecorded {
            Some(trace) => telemetry::inject(trace, headers),
            None => telemetry::inject(&Span::current().context(), headers),
        }
    }

    /// The call's span; none where nobody records it.
    fn span(&self, context: &CallContext, path: &str) -> Span {
        if !context.is_recorded() {
            return Span::none();
        }
        let name = path.trim_start_matches('/');
        let (service, method) = name.split_once('/').unwrap_or((name, name));
        tracing::info_span!(
            "call",
            otel.name = name,
            otel.kind = "client",
            rpc.system = "grpc",
            rpc.service = service,
            rpc.method = method,
            rpc.grpc.status_code = field::Empty,
            peer.service = self.options.peer,
        )
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
        let context = request.extensions_mut().remove::<CallContext>();
        let context = context.unwrap_or_default();
        let span = self.span(&context, request.uri().path());
        let (at, peer) = (context.deadline(), self.options.peer);
        // One message from this process is there whole: nobody waits for the rest of it.
        let is_whole = self.is_in_process && MethodNames::known().is_unary(request.uri().path());
        if self.is_in_process {
            let extensions = request.extensions_mut();
            extensions.insert(InProcess(self.options.token.clone()));
            extensions.insert(context);
        } else {
            span.in_scope(|| self.write_headers(&context, request.headers_mut()));
        }
        let mut inner = self.inner.clone();
        let finished = span.clone();
        Box::pin(
            async move {
                let work = pin!(async move {
                    std::future::poll_fn(|cx| inner.poll_ready(cx))
                        .await
                        .map_err(Into::into)?;
                    inner.call(request).await.map_err(Into::into)
                });
                let result = match at {
                    Some(at) => match before(at, work).await {
                        Some(result) => result,
                        None => return Ok(Status::from(expired()).into_http()),
                    },
                    None => work.await,
                };
                Ok(match result {
                    Ok(response) => {
                        let response = match at.filter(|_| !is_whole) {
                            Some(at) => response.map(|body| Body::new(DeadlineBody::new(body, at))),
                            None => response,
                        };
                        if finished.is_none() {
                            return Ok(response);
                        }
                        let end = OnEnd::new(move |code| {
                            finished.record("rpc.grpc.status_code", code as i32);
                        });
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
    let error = chain(error);
    // What rustls says of a peer's certificate, and a peer of ours.
    let advice = if error.contains("certificate") {
        "; its certificate must be valid now, name the host that is called, and be signed by TLS_CLIENT_CA_FILE, and so must ours"
    } else {
        ""
    };
    tracing::warn!(peer, %error, "the service cannot be reached{advice}");
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
