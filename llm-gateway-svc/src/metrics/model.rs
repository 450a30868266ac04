//! The metrics of one model, and of a call to it.

use std::sync::{Arc, OnceLock};

use prometheus_client::metrics::histogram::Histogram;
use tokio::time::Instant;
use turnwise_llm_backends::{End, Failure};

use super::{
    CallMetrics, ModelLabels, Operation, OperationLabels, QueueLabels, TokenLabels, count,
};

/// What stands for the name of a model that nobody has: anybody could make up any number of them.
const NO_MODEL: &str = "_OTHER";
/// How a call ended that was given up from here: its caller left, its deadline came, or its slot was lost.
const CANCELLED: &str = "cancelled";

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
    cached_input_tokens: Histogram,
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

    /// How the queue stands: its slots, those in use, and how many wait.
    pub(crate) fn queue(&self, slots: usize, in_use: usize, waiting: usize) {
        let (all, labels) = (&self.all, self.queue_labels());
        all.slots.get_or_create(&labels).set(count(slots));
        all.slots_in_use.get_or_create(&labels).set(count(in_use));
        all.waiting.get_or_create(&labels).set(count(waiting));
    }

    /// 0: the breaker is closed, 1: half-open, 2: open.
    pub(crate) fn breaker(&self, state: i64) {
        self.all
            .breakers
            .get_or_create(&self.queue_labels())
            .set(state);
    }

    /// The queue is no longer kept.
    pub(crate) fn queue_forgotten(&self) {
        let (all, labels) = (&self.all, self.queue_labels());
        all.slots.remove(&labels);
        all.slots_in_use.remove(&labels);
        all.waiting.remove(&labels);
        all.breakers.remove(&labels);
    }

    fn good(&self) -> &Good {
        self.good.get_or_init(|| Good {
            took: self.took("", &self.model),
            input_tokens: self.tokens("input"),
            cached_input_tokens: self.tokens("cached_input"),
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

    fn queue_labels(&self) -> QueueLabels {
        QueueLabels {
            kind: self.operation.queue_kind(),
            backend: self.backend,
            model: self.model.clone(),
        }
    }
}

impl Attempt {
    /// It succeeded, with so many tokens of the prompt and of the completion; 0 where they were not counted.
    pub(crate) fn succeeded(mut self, end: &End) {
        let Some(metrics) = self.metrics.take() else {
            return;
        };
        let good = metrics.good();
        good.took.observe(self.begun.elapsed().as_secs_f64());
        if end.input_tokens > 0 {
            good.input_tokens.observe(end.input_tokens.into());
        }
        if end.cached_input_tokens > 0 {
            let cached = end.cached_input_tokens;
            good.cached_input_tokens.observe(cached.into());
        }
        if end.output_tokens > 0 {
            good.output_tokens.observe(end.output_tokens.into());
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
