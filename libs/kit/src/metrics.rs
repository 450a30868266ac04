//! Metrics: one registry for a process, and the rate, errors and duration of every RPC.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};
use tonic::Code;

/// The process's metrics. Cheap to clone.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
    rpc: RpcMetrics,
    connections: Connections,
    files: Files,
}

#[derive(Clone, Default)]
struct Files {
    read_again: Family<SettingLabel, Counter>,
    refused: Family<SettingLabel, Counter>,
    expires: Gauge,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct SettingLabel {
    setting: &'static str,
}

#[derive(Clone, Default)]
struct Connections {
    open: Family<ListenerLabel, Gauge>,
    ended: Family<EndedLabels, Counter>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ListenerLabel {
    listener: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct EndedLabels {
    listener: &'static str,
    cause: &'static str,
}

/// Why the server ended a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ended {
    /// It made no request in time.
    Unproved,
    /// It had made no request yet when others needed its place.
    Crowded,
    /// It was the longest without a call when another needed its place.
    Displaced,
    /// It was without a call for too long.
    Idle,
    /// The TLS handshake failed.
    Tls,
    /// It was never taken in: the process had no file for it.
    NotAccepted,
}

impl Ended {
    fn label(self) -> &'static str {
        match self {
            Self::Unproved => "unproved",
            Self::Crowded => "crowded",
            Self::Displaced => "displaced",
            Self::Idle => "idle",
            Self::Tls => "tls",
            Self::NotAccepted => "not_accepted",
        }
    }
}

/// The connections of one listener, as metrics.
#[derive(Clone)]
pub(crate) struct ConnectionMetrics {
    listener: &'static str,
    all: Connections,
}

impl ConnectionMetrics {
    /// Counts a connection as taken in.
    pub(crate) fn opened(&self) {
        self.open().inc();
    }

    /// Counts it as gone, however it went.
    pub(crate) fn closed(&self) {
        self.open().dec();
    }

    /// Counts an end that the server made.
    pub(crate) fn ended(&self, how: Ended) {
        let labels = EndedLabels {
            listener: self.listener,
            cause: how.label(),
        };
        self.all.ended.get_or_create(&labels).inc();
    }

    fn open(&self) -> Gauge {
        let listener = self.listener;
        self.all
            .open
            .get_or_create_owned(&ListenerLabel { listener })
    }
}

#[derive(Clone)]
struct RpcMetrics {
    handled: Family<Outcome, Counter>,
    duration: Family<Method, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Method {
    method: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Outcome {
    method: &'static str,
    code: &'static str,
}

/// Seconds, from half a millisecond to a long model call.
const DURATION_BUCKETS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 20.0, 75.0,
];

fn duration_histogram() -> Histogram {
    Histogram::new(DURATION_BUCKETS)
}

impl Default for Metrics {
    fn default() -> Self {
        let rpc = RpcMetrics {
            handled: Family::default(),
            duration: Family::new_with_constructor(duration_histogram),
            in_flight: Gauge::default(),
        };
        let mut registry = Registry::default();
        registry.register(
            "rpc_server_handled",
            "RPCs answered, by method and gRPC code",
            rpc.handled.clone(),
        );
        registry.register(
            "rpc_server_duration_seconds",
            "Time to answer an RPC, by method, until the last byte was handed over",
            rpc.duration.clone(),
        );
        registry.register(
            "rpc_server_in_flight",
            "RPCs being answered now",
            rpc.in_flight.clone(),
        );
        let connections = Connections::default();
        registry.register(
            "connections_open",
            "Connections held now, by listener",
            connections.open.clone(),
        );
        registry.register(
            "connections_ended",
            "Connections that the server ended, by listener and cause",
            connections.ended.clone(),
        );
        let files = Files::default();
        registry.register(
            "files_read_again",
            "Changed files of secrets and certificates that were taken, by setting",
            files.read_again.clone(),
        );
        registry.register(
            "files_refused",
            "Changed files of secrets and certificates that cannot be used, by setting",
            files.refused.clone(),
        );
        registry.register(
            "certificate_expires_timestamp_seconds",
            "When the certificate of TLS_CERT_FILE ends; 0 without one",
            files.expires.clone(),
        );
        Self {
            registry: Arc::new(Mutex::new(registry)),
            rpc,
            connections,
            files,
        }
    }
}

impl Metrics {
    /// Registers metrics of a service.
    pub fn registry<T>(&self, register: impl FnOnce(&mut Registry) -> T) -> T {
        register(&mut self.registry.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// All metrics in the OpenMetrics text format.
    pub fn encode(&self) -> String {
        let mut out = String::new();
        self.registry(|registry| {
            if encode(&mut out, registry).is_err() {
                out.clear();
            }
        });
        out
    }

    /// Counts a file that has changed and was taken.
    pub(crate) fn file_read_again(&self, setting: &'static str) {
        let label = SettingLabel { setting };
        self.files.read_again.get_or_create(&label).inc();
    }

    /// Counts a file that has changed and cannot be used.
    pub(crate) fn file_refused(&self, setting: &'static str) {
        let label = SettingLabel { setting };
        self.files.refused.get_or_create(&label).inc();
    }

    /// When our own certificate ends.
    pub(crate) fn certificate_expires(&self) -> Gauge {
        self.files.expires.clone()
    }

    /// The metrics of one listener's connections.
    pub(crate) fn connections(&self, listener: &'static str) -> ConnectionMetrics {
        ConnectionMetrics {
            listener,
            all: self.connections.clone(),
        }
    }

    /// Counts an RPC as begun.
    pub(crate) fn rpc_started(&self) {
        self.rpc.in_flight.inc();
    }

    /// Counts an RPC as answered.
    pub(crate) fn rpc_handled(&self, method: &'static str, code: Code, took: Duration) {
        self.rpc.in_flight.dec();
        self.rpc
            .handled
            .get_or_create(&Outcome {
                method,
                code: code_name(code),
            })
            .inc();
        self.rpc
            .duration
            .get_or_create(&Method { method })
            .observe(took.as_secs_f64());
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

/// A gRPC code as it is written in labels and spans.
pub fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
