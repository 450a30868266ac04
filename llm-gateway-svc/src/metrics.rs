//! The service's own metrics. Those that begin with `gen_ai` are OpenTelemetry's conventions for generative AI, in
//! Prometheus' spelling.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{
        counter::Counter,
        family::{Family, MetricConstructor},
        gauge::Gauge,
        histogram::Histogram,
    },
};
use tokio::time::Instant;
use turnwise_kit::Metrics;
use turnwise_llm_backends::Failure;

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

/// What stands for the name of a model that nobody has: anybody could make up any number of them.
const NO_MODEL: &str = "_OTHER";
/// How a call ended that was given up from here: its caller left, its deadline came, or its slot was lost.
const CANCELLED: &str = "cancelled";

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
    slots: Family<LineLabels, Gauge>,
    slots_in_use: Family<LineLabels, Gauge>,
    waiting: Family<ClassLabels, Gauge>,
    breakers: Family<LineLabels, Gauge>,
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
struct LineLabels {
    kind: &'static str,
    backend: &'static str,
    model: String,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ClassLabels {
    kind: &'static str,
    backend: &'static str,
    model: String,
    class: String,
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

    /// The kind of its line.
    pub fn line(self) -> &'static str {
        match self {
            Self::Chat => "completions",
            Self::Embeddings => "embeddings",
        }
    }
}

/// The metrics of one model. What every call needs is looked up once.
pub struct ModelMetrics {
    all: Arc<CallMetrics>,
    pub(crate) operation: Operation,
    pub(crate) backend: &'static str,
    pub(crate) model: String,
    good: OnceLock<Good>,
}

/// The metrics of calls that succeed.
struct Good {
    took: Histogram,
    input_tokens: Histogram,
    output_tokens: Histogram,
}

/// A call to a model's server, which is measured until it is told how it went, or dropped.
pub struct Attempt {
    /// `None` once that was told.
    metrics: Option<Arc<ModelMetrics>>,
    begun: Instant,
}

impl ModelMetrics {
    /// The metrics of this model.
    pub fn new(
        all: Arc<CallMetrics>,
        operation: Operation,
        backend: &'static str,
        model: &str,
    ) -> Self {
        Self {
            all,
            operation,
            backend,
            model: model.to_owned(),
            good: OnceLock::new(),
        }
    }

    /// A call that begins now.
    pub(crate) fn attempt(self: &Arc<Self>) -> Attempt {
        Attempt {
            metrics: Some(Arc::clone(self)),
            begun: Instant::now(),
        }
    }

    /// There is one more attempt.
    pub(crate) fn retried(&self) {
        let labels = ModelLabels {
            backend: self.backend,
            model: self.model.clone(),
        };
        self.all.retries.get_or_create(&labels).inc();
    }

    /// How the line stands: its slots, those in use, and who waits by class. Classes that were told before and are gone
    /// are left out from then on.
    pub(crate) fn line(&self, slots: (usize, usize), before: &[String], now: &[(String, usize)]) {
        let (all, labels) = (&self.all, self.line_labels());
        all.slots.get_or_create(&labels).set(count(slots.0));
        all.slots_in_use.get_or_create(&labels).set(count(slots.1));
        for gone in before.iter().filter(|b| now.iter().all(|(n, _)| n != *b)) {
            all.waiting.remove(&self.class_labels(gone));
        }
        for (name, waiting) in now {
            let waiters = all.waiting.get_or_create(&self.class_labels(name));
            waiters.set(count(*waiting));
        }
    }

    /// 0: the breaker is closed, 1: half-open, 2: open.
    pub(crate) fn breaker(&self, state: i64) {
        self.all
            .breakers
            .get_or_create(&self.line_labels())
            .set(state);
    }

    /// The line is no longer kept; these classes were told last.
    pub(crate) fn line_gone(&self, before: &[String]) {
        let (all, labels) = (&self.all, self.line_labels());
        for class in before {
            all.waiting.remove(&self.class_labels(class));
        }
        all.slots.remove(&labels);
        all.slots_in_use.remove(&labels);
        all.breakers.remove(&labels);
    }

    fn good(&self) -> &Good {
        self.good.get_or_init(|| Good {
            took: self.took("", &self.model),
            input_tokens: self.tokens("input"),
            output_tokens: self.tokens("output"),
        })
    }

    fn took(&self, error_type: &'static str, model: &str) -> Histogram {
        let labels = OperationLabels {
            gen_ai_operation_name: self.operation.as_str(),
            gen_ai_provider_name: self.backend,
            gen_ai_request_model: model.to_owned(),
            error_type,
        };
        self.all.durations.get_or_create(&labels).clone()
    }

    fn tokens(&self, gen_ai_token_type: &'static str) -> Histogram {
        let labels = TokenLabels {
            gen_ai_operation_name: self.operation.as_str(),
            gen_ai_provider_name: self.backend,
            gen_ai_request_model: self.model.clone(),
            gen_ai_token_type,
        };
        self.all.tokens.get_or_create(&labels).clone()
    }

    fn line_labels(&self) -> LineLabels {
        LineLabels {
            kind: self.operation.line(),
            backend: self.backend,
            model: self.model.clone(),
        }
    }

    fn class_labels(&self, class: &str) -> ClassLabels {
        ClassLabels {
            kind: self.operation.line(),
            backend: self.backend,
            model: self.model.clone(),
            class: class.to_owned(),
        }
    }
}

impl Attempt {
    /// It succeeded, with so many tokens of the prompt and of the completion; 0 where they were not counted.
    pub(crate) fn succeeded(mut self, input_tokens: u32, output_tokens: u32) {
        let Some(metrics) = self.metrics.take() else {
            return;
        };
        let good = metrics.good();
        good.took.observe(self.begun.elapsed().as_secs_f64());
        if input_tokens > 0 {
            good.input_tokens.observe(input_tokens.into());
        }
        if output_tokens > 0 {
            good.output_tokens.observe(output_tokens.into());
        }
    }

    /// It failed, for this reason.
    pub(crate) fn failed(mut self, failure: &Failure) {
        if let Some(metrics) = self.metrics.take() {
            let model = match failure {
                Failure::UnknownModel { .. } => NO_MODEL,
                _ => &metrics.model,
            };
            let took = metrics.took(failure.word(), model);
            took.observe(self.begun.elapsed().as_secs_f64());
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Some(metrics) = self.metrics.take() {
            let took = metrics.took(CANCELLED, &metrics.model);
            took.observe(self.begun.elapsed().as_secs_f64());
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
                "Time of a request in this service, but for its wait in line and the model's work",
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
                "Requests in line, held places included, by class",
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
