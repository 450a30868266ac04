//! The call's span under the caller's trace, its request id, and its place in the RED metrics.

use std::{future::Future, sync::Arc, time::Duration};

use axum::{body::Body, extract::Request, response::Response};
use http::HeaderValue;
use opentelemetry::{Context, trace::TraceContextExt};
use tokio::time::Instant;
use tonic::Code;
use tracing::{Instrument, Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::{MethodNames, auth::InProcess, only};
use crate::{
    CallContext, Metrics,
    metrics::code_name,
    outcome::{OnEnd, observe},
    telemetry::{self, UNRECORDED},
};

/// The metadata key of request ids.
pub(crate) const REQUEST_ID_HEADER: &str = "x-request-id";

/// The span of a call, for logs and, unless its target says otherwise, for the trace.
macro_rules! rpc_span {
    ($target:expr, $method:expr, $id:expr, $trace_id:expr) => {{
        let name = $method.trim_start_matches('/');
        let (service, method) = name.split_once('/').unwrap_or((name, name));
        tracing::info_span!(
            target: $target,
            "rpc",
            otel.name = name,
            otel.kind = "server",
            rpc.system = "grpc",
            rpc.service = service,
            rpc.method = method,
            rpc.grpc.status_code = field::Empty,
            request_id = %$id,
            trace_id = $trace_id,
        )
    }};
}

/// Puts the call into its span and, when its outcome is known, into the log and the metrics.
pub(super) async fn trace<F: Future<Output = Response>>(
    names: &MethodNames,
    metrics: &Metrics,
    mut request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    // A call from this process brings its context.
    let context = request.extensions_mut().remove::<CallContext>();
    let mut context = context.unwrap_or_default();
    let id = context
        .request_id
        .get_or_insert_with(|| request_id(&request));
    let id = Arc::clone(id);
    if context.unrecorded.is_none() {
        context.unrecorded = telemetry::unrecorded(request.headers());
    }
    let method = names.label(request.uri().path());
    let span = match &context.unrecorded {
        Some(trace) => {
            let trace_id = trace.span().span_context().trace_id();
            rpc_span!(UNRECORDED, method, id, field::display(trace_id))
        }
        None => {
            let span = rpc_span!(module_path!(), method, id, field::Empty);
            if request.extensions().get::<InProcess>().is_none() {
                // Before the first enter; fails only if the span is filtered out: there is nothing to connect then.
                let _ = span.set_parent(telemetry::extract(request.headers()));
            }
            let trace = span.context();
            let trace = trace.span().span_context().clone();
            span.record("trace_id", field::display(trace.trace_id()));
            if trace.is_valid() && !trace.is_sampled() {
                context.unrecorded = Some(Context::new().with_remote_span_context(trace));
            }
            span
        }
    };

    request.extensions_mut().insert(context);
    let started = Instant::now();
    metrics.rpc_started();
    let end = OnEnd::new({
        let span = span.clone();
        let metrics = metrics.clone();
        move |code| {
            let took = started.elapsed();
            metrics.rpc_handled(method, code, took);
            log_outcome(&span, code, took);
        }
    });
    let response = next(request).instrument(span).await;
    let mut response = observe(response, end).map(Body::new);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID_HEADER, value);
    }
    response
}

/// The caller's request id if it is a sane one, else a new one.
fn request_id(request: &Request) -> Arc<str> {
    only(request.headers(), REQUEST_ID_HEADER)
        .ok()
        .flatten()
        .and_then(|v| v.to_str().ok())
        .filter(|id| crate::ids::check_key("x-request-id", id).is_ok())
        .map_or_else(
            || Arc::from(uuid::Uuid::now_v7().to_string()),
            Arc::<str>::from,
        )
}

fn log_outcome(span: &Span, code: Code, took: Duration) {
    span.record("rpc.grpc.status_code", code as i32);
    let ms = u64::try_from(took.as_micros()).unwrap_or(u64::MAX) as f64 / 1000.0;
    let code_name = code_name(code);
    span.in_scope(|| match code {
        Code::Ok => tracing::debug!(code = code_name, ms, "answered"),
        Code::Internal | Code::Unknown | Code::DataLoss | Code::Unavailable => {
            tracing::warn!(code = code_name, ms, "failed");
        }
        _ => tracing::info!(code = code_name, ms, "refused"),
    });
}
