//! The span and the counts of a request, and its end at its deadline. They hold names and numbers, never text of a prompt
//! or of a completion.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures_util::Stream;
use opentelemetry::{Array, StringValue, Value};
use tokio::time::{Instant, Sleep, sleep_until};
use tracing::{Span, field::Empty, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::{
    call::{Part, Summary},
    error::Error,
    job::{Job, Work},
    metrics::{CallMetrics, ModelMetrics, Operation},
};

/// Parts of a request, recorded as they come, until its deadline.
pub struct RequestTelemetry {
    begun: Instant,
    deadline: Option<Instant>,
    operation: Operation,
    span: Span,
    metrics: Arc<CallMetrics>,
    ended: bool,
}

type PartStream = Pin<Box<dyn Stream<Item = Result<Part, Error>> + Send>>;

/// The parts of a request as they come. Nothing comes after an end or an error. Dropping it leaves the queue, cancels the
/// call at the model and frees its slot.
pub struct Parts {
    /// `None` after the end.
    work: Option<PartStream>,
    deadline: Option<Pin<Box<Sleep>>>,
    record: RequestTelemetry,
}

/// The span of a request; none where nobody records it.
fn span_of(job: &Job) -> Span {
    if !job.is_recorded {
        return Span::none();
    }
    let name = job.work.operation().as_str();
    let (output, max_tokens) = match &job.work {
        Work::Stream(prompt) | Work::Complete(prompt) => (
            Some(if prompt.schema.is_some() {
                "json"
            } else {
                "text"
            }),
            prompt.max_output_tokens.map(i64::from),
        ),
        Work::Embed(_) => (None, None),
    };
    // The names are OpenTelemetry's semantic conventions for generative AI. Numbers are signed: OpenTelemetry has no other
    // integers, and unsigned ones would arrive as strings.
    info_span!(
        "model",
        "otel.name" = name,
        "otel.kind" = "client",
        "otel.status_code" = Empty,
        "error.type" = Empty,
        "gen_ai.operation.name" = name,
        "gen_ai.provider.name" = Empty,
        "gen_ai.request.model" = Empty,
        "gen_ai.request.max_tokens" = max_tokens,
        "gen_ai.output.type" = output,
        "gen_ai.response.model" = Empty,
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.cache_read.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "turnwise.queue_wait_ms" = Empty,
        "turnwise.attempts" = Empty,
    )
}

impl RequestTelemetry {
    /// A request that begins now.
    pub fn new(job: &Job, metrics: Arc<CallMetrics>) -> Self {
        Self {
            begun: Instant::now(),
            deadline: job.time_limits.deadline,
            operation: job.work.operation(),
            span: span_of(job),
            metrics,
            ended: false,
        }
    }

    /// Its span.
    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// Records this work.
    pub(crate) fn around(
        self,
        work: impl Stream<Item = Result<Part, Error>> + Send + 'static,
    ) -> Parts {
        Parts {
            work: Some(Box::pin(work)),
            deadline: self.deadline.map(|at| Box::pin(sleep_until(at))),
            record: self,
        }
    }

    fn succeeded(&mut self, summary: &Summary) {
        self.ended = true;
        let Summary {
            end,
            backend,
            spent,
            ..
        } = summary;
        if self.operation == Operation::Chat {
            self.span
                .record("gen_ai.usage.output_tokens", i64::from(end.output_tokens));
            let cached = i64::from(end.cached_input_tokens);
            self.span
                .record("gen_ai.usage.cache_read.input_tokens", cached);
            // The convention wants a list, which a field of a tracing span cannot be.
            let reasons = vec![StringValue::from(end.finish.as_str())];
            self.span.set_attribute(
                "gen_ai.response.finish_reasons",
                Value::Array(Array::String(reasons)),
            );
        }
        self.span
            .record("gen_ai.response.model", end.model.as_str());
        self.span
            .record("gen_ai.usage.input_tokens", i64::from(end.input_tokens));
        let waited = i64::try_from(spent.waited.as_millis()).unwrap_or(i64::MAX);
        self.span.record("turnwise.queue_wait_ms", waited);
        self.span
            .record("turnwise.attempts", i64::from(spent.attempts));
        self.metrics.ended(backend, "OK");
        // Who shares another's completion waits for that one.
        if spent.attempts > 0 {
            let ours = self
                .begun
                .elapsed()
                .saturating_sub(spent.waited + spent.model);
            self.metrics.overhead(ours);
        }
    }

    fn failed(&mut self, error: &Error) {
        self.ended = true;
        let reason = error.reason().wire_name();
        self.span.record("otel.status_code", "ERROR");
        self.span.record("error.type", reason);
        if error.is_refusal() {
            self.metrics.refused(reason);
        }
        let backend = match error {
            Error::Backend(failure) => failure.backend(),
            Error::CircuitOpen { backend, .. } => backend,
            _ => "",
        };
        self.metrics.ended(backend, reason);
    }
}

/// Names a request's span after the model that was called for it last. It does so at the end, since an attribute is given
/// once.
pub(crate) struct SpanName {
    span: Span,
    last: Option<Arc<ModelMetrics>>,
}

impl SpanName {
    /// Nothing has been called so far.
    pub(crate) fn new(span: Span) -> Self {
        Self { span, last: None }
    }

    /// This model is called now.
    pub(crate) fn called(&mut self, model: &Arc<ModelMetrics>) {
        self.last = Some(Arc::clone(model));
    }
}

impl Drop for SpanName {
    fn drop(&mut self) {
        let Some(called) = self.last.take().filter(|_| !self.span.is_disabled()) else {
            return;
        };
        let name = format!("{} {}", called.operation.as_str(), called.model);
        self.span.record("otel.name", name);
        self.span.record("gen_ai.provider.name", called.backend);
        self.span
            .record("gen_ai.request.model", called.model.as_str());
    }
}

impl Drop for RequestTelemetry {
    fn drop(&mut self) {
        if !self.ended {
            self.span.record("error.type", "CANCELLED");
            self.metrics.ended("", "CANCELLED");
        }
    }
}

impl Parts {
    /// Whether the deadline has passed.
    fn is_late(&self) -> bool {
        let deadline = self.deadline.as_ref();
        deadline.is_some_and(|deadline| deadline.deadline() < Instant::now())
    }
}

impl Stream for Parts {
    type Item = Result<Part, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(work) = &mut this.work else {
            return Poll::Ready(None);
        };
        let part = match work.as_mut().poll_next(cx) {
            // A caller that reads slowly finds parts ready after its time.
            Poll::Ready(Some(Ok(_))) if this.is_late() => Err(Error::DeadlineExceeded),
            Poll::Ready(Some(part)) => part,
            // The work says how it ended.
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending => match &mut this.deadline {
                Some(deadline) => {
                    ready!(deadline.as_mut().poll(cx));
                    Err(Error::DeadlineExceeded)
                }
                None => return Poll::Pending,
            },
        };
        match &part {
            Ok(Part::End(summary)) => {
                this.record.succeeded(summary);
                this.work = None;
            }
            Ok(_) => {}
            Err(error) => {
                this.record.failed(error);
                this.work = None;
            }
        }
        Poll::Ready(Some(part))
    }
}
