//! Logs and traces: structured logs to standard error, spans under the caller's W3C trace context, OTLP export if an
//! endpoint is set.

use std::{io::IsTerminal, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, Injector, TextMapPropagator},
    trace::TracerProvider,
};
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::{Resource, propagation::TraceContextPropagator, trace::SdkTracerProvider};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

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
    /// Another subscriber is installed already.
    #[error("telemetry was started twice in one process")]
    Twice(#[source] tracing_subscriber::util::TryInitError),
}

/// Keeps telemetry alive; flushes it when told to.
#[derive(Debug)]
pub struct Telemetry {
    provider: SdkTracerProvider,
}

impl Telemetry {
    /// Starts logs and traces. Call it inside the async runtime: the exporter needs it.
    pub fn start(settings: &TelemetrySettings) -> Result<Self, TelemetryError> {
        let mut provider = SdkTracerProvider::builder().with_resource(
            Resource::builder()
                .with_attribute(KeyValue::new("service.name", settings.service))
                .build(),
        );
        if let Some(endpoint) = &settings.otlp_endpoint {
            let exporter = SpanExporter::builder()
                .with_tonic()
                .with_endpoint(endpoint)
                .build()
                .map_err(TelemetryError::Exporter)?;
            provider = provider.with_batch_exporter(exporter);
        }
        let provider = provider.build();

        let filter = EnvFilter::try_new(&settings.filter).map_err(TelemetryError::Filter)?;
        let logs = tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(std::io::stderr().is_terminal());
        // The filter is for logs alone: spans carry the trace from hop to hop whatever is logged.
        let spans = Targets::new().with_target("turnwise", LevelFilter::INFO);
        let logs = match settings.format {
            LogFormat::Json => logs
                .json()
                .flatten_event(true)
                .with_current_span(true)
                .with_span_list(false)
                .boxed(),
            LogFormat::Pretty => logs.compact().with_target(false).boxed(),
        };
        tracing_subscriber::registry()
            .with(logs.with_filter(filter))
            .with(
                tracing_opentelemetry::layer()
                    .with_tracer(provider.tracer("turnwise"))
                    .with_location(false)
                    .with_threads(false)
                    .with_tracked_inactivity(false)
                    // Nobody asks for OpenTelemetry's own current span, and to set it takes time at every poll.
                    .with_context_activation(false)
                    .with_filter(spans),
            )
            .try_init()
            .map_err(TelemetryError::Twice)?;
        Ok(Self { provider })
    }

    /// Sends what is left, within a bound.
    pub fn flush(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(Duration::from_secs(2)) {
            tracing::debug!(%error, "the last spans were not sent");
        }
    }
}

/// The trace context that these headers carry.
pub fn extract(headers: &HeaderMap) -> Context {
    TraceContextPropagator::new().extract(&Headers(headers))
}

/// Writes the current span's trace context into headers.
pub fn inject(headers: &mut HeaderMap) {
    let context = tracing::Span::current().context();
    TraceContextPropagator::new().inject_context(&context, &mut HeadersMut(headers));
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
