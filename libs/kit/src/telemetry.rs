//! Logs and traces: structured logs to standard error, spans under the caller's W3C trace context, OTLP export if an
//! endpoint is set.

use std::{
    io::IsTerminal,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, Injector, TextMapPropagator},
    trace::{SpanContext, TraceContextExt, TraceFlags, TraceState, TracerProvider},
};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithTonicConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{IdGenerator, RandomIdGenerator, SdkTracerProvider},
};
use tonic::transport::Channel;
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::{client::ConnectError, settings::SettingsError};

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line, for machines.
    Json,
    /// For people.
    Pretty,
}

/// What telemetry needs to know.
#[derive(Debug, Clone)]
pub struct TelemetrySettings {
    /// The service's name in traces.
    pub service: &'static str,
    /// How logs are written.
    pub format: LogFormat,
    /// Which logs are kept, in the syntax of `tracing_subscriber::EnvFilter`.
    pub filter: String,
    /// Where traces go, such as `http://localhost:4317`; `None`: nowhere.
    pub otlp_endpoint: Option<String>,
    /// The channel to there where it is encrypted.
    pub otlp_channel: Option<Channel>,
}

/// Why telemetry could not start.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter cannot be read.
    #[error("LOG_FILTER cannot be read; write it like `info` or `warn,turnwise_kit=debug`")]
    Filter(#[source] tracing_subscriber::filter::ParseError),
    /// The exporter cannot be made.
    #[error(
        "OTEL_EXPORTER_OTLP_ENDPOINT cannot be used; write it with its scheme, like `http://localhost:4317`"
    )]
    Exporter(#[source] opentelemetry_otlp::ExporterBuildError),
    /// Nobody vouches for the place of traces.
    #[error(
        "OTEL_EXPORTER_OTLP_ENDPOINT is https://, and nobody vouches for the certificate there; name its authority with OTEL_EXPORTER_OTLP_CERTIFICATE"
    )]
    NoAuthority,
    /// The certificates for the place of traces cannot be used.
    #[error("the certificates for OTEL_EXPORTER_OTLP_ENDPOINT cannot be used")]
    Files(#[source] SettingsError),
    /// The place of traces cannot be used with TLS.
    #[error("OTEL_EXPORTER_OTLP_ENDPOINT cannot be used; write it like `https://HOST:4317`")]
    Endpoint(#[source] ConnectError),
    /// Another subscriber is installed already.
    #[error("telemetry was started twice in one process")]
    Twice(#[source] tracing_subscriber::util::TryInitError),
}

/// The target of spans that are for logs alone.
pub(crate) const UNRECORDED: &str = "turnwise_kit::unrecorded";

/// Whether spans of this process go anywhere. Without [`Telemetry`] that is the subscriber's affair.
static RECORDS: AtomicBool = AtomicBool::new(true);

/// Whether spans of this process go anywhere.
pub(crate) fn records() -> bool {
    RECORDS.load(Ordering::Relaxed)
}

/// Keeps telemetry alive; flushes it when told to.
#[derive(Debug)]
pub struct Telemetry {
    /// `None`: spans go nowhere, and none are made.
    provider: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Starts logs and traces. Call it inside the async runtime: the exporter needs it.
    pub fn start(settings: &TelemetrySettings) -> Result<Self, TelemetryError> {
        let exporter = settings.otlp_endpoint.as_ref().map(|endpoint| {
            let exporter = SpanExporter::builder().with_tonic();
            match &settings.otlp_channel {
                Some(channel) => exporter.with_channel(channel.clone()).build(),
                None => exporter.with_endpoint(endpoint).build(),
            }
        });
        let exporter = exporter.transpose().map_err(TelemetryError::Exporter)?;
        let provider = exporter.map(|exporter| {
            let resource = Resource::builder()
                .with_attribute(KeyValue::new("service.name", settings.service))
                .build();
            SdkTracerProvider::builder()
                .with_resource(resource)
                .with_batch_exporter(exporter)
                .build()
        });
        RECORDS.store(provider.is_some(), Ordering::Relaxed);

        let filter = EnvFilter::try_new(&settings.filter).map_err(TelemetryError::Filter)?;
        let logs = tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(std::io::stderr().is_terminal());
        // The filter is for logs alone: spans carry the trace from hop to hop whatever is logged.
        let targets = Targets::new()
            .with_target("turnwise", LevelFilter::INFO)
            .with_target(UNRECORDED, LevelFilter::OFF);
        let logs = match settings.format {
            LogFormat::Json => logs
                .json()
                .flatten_event(true)
                .with_current_span(true)
                .with_span_list(false)
                .boxed(),
            LogFormat::Pretty => logs.compact().with_target(false).boxed(),
        };
        let spans = provider.as_ref().map(|provider| {
            tracing_opentelemetry::layer()
                .with_tracer(provider.tracer("turnwise"))
                .with_location(false)
                .with_threads(false)
                .with_tracked_inactivity(false)
                // Nobody asks for OpenTelemetry's own current span, and to set it takes time at every poll.
                .with_context_activation(false)
                .with_filter(targets)
        });
        tracing_subscriber::registry()
            .with(logs.with_filter(filter))
            .with(spans)
            .try_init()
            .map_err(TelemetryError::Twice)?;
        Ok(Self { provider })
    }

    /// Sends what is left, within a bound.
    pub fn flush(&self) {
        let Some(provider) = &self.provider else {
            return;
        };
        if let Err(error) = provider.shutdown_with_timeout(Duration::from_secs(2)) {
            tracing::debug!(%error, "the last spans were not sent");
        }
    }
}

/// The trace context that these headers carry.
pub fn extract(headers: &HeaderMap) -> Context {
    TraceContextPropagator::new().extract(&Headers(headers))
}

/// Writes a trace context into headers.
pub fn inject(context: &Context, headers: &mut HeaderMap) {
    TraceContextPropagator::new().inject_context(context, &mut HeadersMut(headers));
}

/// The trace of a call with these headers, if its spans are recorded nowhere: the one that came, or one that begins here.
pub(crate) fn unrecorded(headers: &HeaderMap) -> Option<Context> {
    let came = extract(headers);
    match came.span().span_context() {
        context if !context.is_valid() => begin_unless_recorded(),
        context if context.is_sampled() && records() => None,
        _ => Some(came.clone()),
    }
}

/// A trace that begins here, for the logs. Whoever is called may record it.
pub(crate) fn begin_unless_recorded() -> Option<Context> {
    let begin = || {
        let ids = RandomIdGenerator::default();
        let (trace, span) = (ids.new_trace_id(), ids.new_span_id());
        let (flags, state) = (TraceFlags::SAMPLED, TraceState::default());
        let context = SpanContext::new(trace, span, flags, false, state);
        Context::new().with_remote_span_context(context)
    };
    (!records()).then(begin)
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|v| v.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

struct HeadersMut<'a>(&'a mut HeaderMap);

impl Injector for HeadersMut<'_> {
    fn set(&mut self, key: &str, value: String) {
        // A trace state is nearly always empty, and then says nothing.
        if value.is_empty() {
            return;
        }
        if let (Ok(name), Ok(value)) = (
            HeaderName::from_bytes(key.as_bytes()),
            HeaderValue::from_str(&value),
        ) {
            self.0.insert(name, value);
        }
    }
}
