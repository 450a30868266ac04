//! The service's own metrics. Those that begin with `gen_ai` are OpenTelemetry's conventions for generative AI, in
//! Prometheus' spelling.

mod model;

use std::time::Duration;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{
        counter::Counter,
        family::{Family, MetricConstructor},
        gauge::Gauge,
        histogram::Histogram,
    },
};
use turnwise_kit::Metrics;

pub use model::{Attempt, ModelMetrics};

/// Seconds of a model's work; the conventions' buckets.
const DURATION_BUCKETS: [f64; 14] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
/// Tokens; the conventions' buckets.
const TOKEN_BUCKETS: [f64; 11] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
];
/// Seconds, from no wait at all to the longest that may be asked for.
const WAIT_BUCKETS: [f64; 12] = [
    0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 75.0, 600.0,
];
/// Seconds of our own work in a call.
const OVERHEAD_BUCKETS: [f64; 10] = [
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25, 1.0,
];

/// A histogram with these buckets for each combination of labels.
#[derive(Clone)]
struct Buckets(&'static [f64]);

impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        Histogram::new(self.0.iter().copied())
    }
}

type Histograms<L> = Family<L, Histogram, Buckets>;

/// The service's metrics.
pub struct CallMetrics {
    calls: Family<CallLabels, Counter>,
    durations: Histograms<OperationLabels>,
    tokens: Histograms<TokenLabels>,
    queue_wait: Histogram,
    overhead: Histogram,
    retries: Family<ModelLabels, Counter>,
    refused: Family<RefusedLabels, Counter>,
    coalesced: Counter,
    slots: Family<QueueLabels, Gauge>,
    slots_in_use: Family<QueueLabels, Gauge>,
    waiting: Family<QueueLabels, Gauge>,
    breakers: Family<QueueLabels, Gauge>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CallLabels {
    backend: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OperationLabels {
    gen_ai_operation_name: &'static str,
    gen_ai_provider_name: &'static str,
    gen_ai_request_model: String,
    error_type: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct TokenLabels {
    gen_ai_operation_name: &'static str,
    gen_ai_provider_name: &'static str,
    gen_ai_request_model: String,
    gen_ai_token_type: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ModelLabels {
    backend: &'static str,
    model: String,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct QueueLabels {
    kind: &'static str,
    backend: &'static str,
    model: String,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RefusedLabels {
    reason: &'static str,
}

/// What a model was called for, as the conventions name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// A completion.
    Chat,
    /// Embeddings.
    Embeddings,
}

impl Operation {
    /// `gen_ai.operation.name`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Embeddings => "embeddings",
        }
    }

    /// The same for backends.
    pub(crate) fn of_backend(self) -> turnwise_llm_backends::Operation {
        match self {
            Self::Chat => turnwise_llm_backends::Operation::Completion,
            Self::Embeddings => turnwise_llm_backends::Operation::Embedding,
        }
    }

    /// The kind of its queue.
    pub fn queue_kind(self) -> &'static str {
        match self {
            Self::Chat => "completions",
            Self::Embeddings => "embeddings",
        }
    }
}

impl CallMetrics {
    /// Registers the metrics.
    pub fn register(metrics: &Metrics) -> Self {
        let own = Self {
            calls: Family::default(),
            durations: Family::new_with_constructor(Buckets(&DURATION_BUCKETS)),
            tokens: Family::new_with_constructor(Buckets(&TOKEN_BUCKETS)),
            queue_wait: Histogram::new(WAIT_BUCKETS),
            overhead: Histogram::new(OVERHEAD_BUCKETS),
            retries: Family::default(),
            refused: Family::default(),
            coalesced: Counter::default(),
            slots: Family::default(),
            slots_in_use: Family::default(),
            waiting: Family::default(),
            breakers: Family::default(),
        };
        metrics.registry(|registry| {
            registry.register(
                "llm_calls",
                "Requests, by the backend that served or failed them last and outcome: OK, CANCELLED or the error's reason",
                own.calls.clone(),
            );
            registry.register(
                "gen_ai_client_operation_duration_seconds",
                "Time that a model's server took for a call, however it ended",
                own.durations.clone(),
            );
            registry.register(
                "gen_ai_client_token_usage",
                "Tokens of a call, as the server counted them",
                own.tokens.clone(),
            );
            registry.register(
                "llm_queue_wait_seconds",
                "Time that requests waited for a slot, those that got none included",
                own.queue_wait.clone(),
            );
            registry.register(
                "llm_overhead_seconds",
                "Time of a request in this service, but for its wait in the queue and the model's work",
                own.overhead.clone(),
            );
            registry.register(
                "llm_retries",
                "Further attempts after failures of the transport",
                own.retries.clone(),
            );
            registry.register(
                "llm_refused",
                "Requests that were refused before any server was asked, by reason",
                own.refused.clone(),
            );
            registry.register(
                "llm_coalesced",
                "Requests that shared the completion of another",
                own.coalesced.clone(),
            );
            registry.register("llm_slots", "Slots that this process may use", own.slots.clone());
            registry.register(
                "llm_slots_in_use",
                "Slots with a call in them",
                own.slots_in_use.clone(),
            );
            registry.register(
                "llm_queue_length",
                "Requests in the queue, held places included",
                own.waiting.clone(),
            );
            registry.register(
                "llm_breaker_state",
                "0: closed, 1: half-open, 2: open",
                own.breakers.clone(),
            );
        });
        own
    }

    pub(crate) fn waited(&self, wait: Duration) {
        self.queue_wait.observe(wait.as_secs_f64());
    }

    pub(crate) fn overhead(&self, took: Duration) {
        self.overhead.observe(took.as_secs_f64());
    }

    pub(crate) fn coalesced(&self) {
        self.coalesced.inc();
    }

    pub(crate) fn ended(&self, backend: &'static str, outcome: &'static str) {
        self.calls
            .get_or_create(&CallLabels { backend, outcome })
            .inc();
    }

    pub(crate) fn refused(&self, reason: &'static str) {
        self.refused.get_or_create(&RefusedLabels { reason }).inc();
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
