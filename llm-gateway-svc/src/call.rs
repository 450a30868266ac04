//! One call from end to end: a slot, the backend, the deadline, the span and the count.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use opentelemetry::{Array, StringValue, Value};
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span, field::Empty, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::{
    completion::{Backend, End, Piece, Pieces, Prompt},
    error::Error,
    metrics::{CallMetrics, SlotTaken},
    slots::{Slot, Slots},
};

/// Calls one backend, within its slots.
pub struct Calls {
    backend: Arc<dyn Backend>,
    slots: Slots,
    metrics: CallMetrics,
}

/// How long a call may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How long it may wait for a slot.
    pub max_wait: Duration,
    /// When its caller stops waiting.
    pub deadline: Option<Instant>,
}

/// A call that has its slot. Dropping it cancels the call at the backend and frees the slot at once.
pub struct Call {
    running: Option<Running>,
    deadline: Option<Instant>,
    queue_wait: Duration,
    record: Record,
}

/// What a call holds while it runs.
struct Running {
    pieces: Pieces,
    _slot: Slot,
    _taken: SlotTaken,
}

/// A part of a completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The next piece of text.
    Delta(String),
    /// How it went; the last part.
    End(Summary),
}

/// How a call went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What the backend says.
    pub end: End,
    /// Which backend it was.
    pub backend: &'static str,
    /// How long the call waited for a slot.
    pub queue_wait: Duration,
    /// How long it took, the wait included.
    pub total: Duration,
}

impl Calls {
    /// Calls to this backend.
    pub fn new(backend: Arc<dyn Backend>, slots: Slots, metrics: CallMetrics) -> Self {
        Self {
            backend,
            slots,
            metrics,
        }
    }

    /// Waits for a slot and begins the call. An empty model means the configured one.
    pub async fn begin(&self, mut prompt: Prompt, patience: Patience) -> Result<Call, Error> {
        if prompt.model.is_empty() {
            self.backend.default_model().clone_into(&mut prompt.model);
        }
        let mut record = Record::new(self.backend.name(), &prompt, self.metrics.clone());
        self.backend
            .admit(&prompt.model)
            .map_err(|error| record.failed(error))?;
        let slot = self
            .slots
            .take(patience.max_wait, patience.deadline)
            .instrument(record.span.clone())
            .await;
        let queue_wait = record.begun.elapsed();
        self.metrics.waited(queue_wait);
        let slot = slot.map_err(|error| record.failed(error))?;
        Ok(Call {
            running: Some(Running {
                pieces: self.backend.stream(prompt),
                _slot: slot,
                _taken: self.metrics.slot_taken(),
            }),
            deadline: patience.deadline,
            queue_wait,
            record,
        })
    }
}

impl Call {
    /// The next part; `None` after the end or after an error.
    pub async fn next(&mut self) -> Option<Result<Part, Error>> {
        let running = self.running.as_mut()?;
        let next = running.pieces.next().instrument(self.record.span.clone());
        let piece = match self.deadline {
            Some(deadline) => timeout_at(deadline, next)
                .await
                .unwrap_or(Some(Err(Error::DeadlineExceeded))),
            None => next.await,
        };
        match piece {
            Some(Ok(Piece::Delta(text))) => Some(Ok(Part::Delta(text))),
            Some(Ok(Piece::End(end))) => {
                self.running = None;
                self.record.succeeded(&end);
                Some(Ok(Part::End(Summary {
                    end,
                    backend: self.record.backend,
                    queue_wait: self.queue_wait,
                    total: self.record.begun.elapsed(),
                })))
            }
            Some(Err(error)) => {
                self.running = None;
                Some(Err(self.record.failed(error)))
            }
            None => {
                self.running = None;
                Some(Err(self.record.failed(Error::Backend {
                    backend: self.record.backend,
                    status: "none".to_owned(),
                    problem: "its completion has no end",
                })))
            }
        }
    }

    /// The whole text and how it went.
    pub async fn collect(mut self) -> Result<(String, Summary), Error> {
        let mut text = String::new();
        while let Some(part) = self.next().await {
            match part? {
                Part::Delta(delta) if text.is_empty() => text = delta,
                Part::Delta(delta) => text.push_str(&delta),
                Part::End(summary) => return Ok((text, summary)),
            }
        }
        // `next` yields an end or an error before it yields nothing.
        Err(Error::Backend {
            backend: self.record.backend,
            status: "none".to_owned(),
            problem: "its completion has no end",
        })
    }
}

/// The span and the count of a call. They hold names and numbers, never text of a prompt or of a completion.
struct Record {
    backend: &'static str,
    begun: Instant,
    span: Span,
    metrics: CallMetrics,
    ended: bool,
}

impl Record {
    fn new(backend: &'static str, prompt: &Prompt, metrics: CallMetrics) -> Self {
        let model = &prompt.model;
        // The names are OpenTelemetry's semantic conventions for generative AI. Numbers are signed: OpenTelemetry has
        // no other integers, and unsigned ones would arrive as strings.
        let span = info_span!(
            "chat",
            "otel.name" = %format_args!("chat {model}"),
            "otel.kind" = "client",
            "otel.status_code" = Empty,
            "error.type" = Empty,
            "gen_ai.operation.name" = "chat",
            "gen_ai.provider.name" = backend,
            "gen_ai.request.model" = model,
            "gen_ai.request.max_tokens" = prompt.max_output_tokens.map(i64::from),
            "gen_ai.output.type" = if prompt.schema.is_some() { "json" } else { "text" },
            "gen_ai.response.model" = Empty,
            "gen_ai.usage.input_tokens" = Empty,
            "gen_ai.usage.output_tokens" = Empty,
        );
        Self {
            backend,
            begun: Instant::now(),
            span,
            metrics,
            ended: false,
        }
    }

    fn succeeded(&mut self, end: &End) {
        self.ended = true;
        self.span
            .record("gen_ai.response.model", end.model.as_str());
        self.span
            .record("gen_ai.usage.input_tokens", i64::from(end.input_tokens));
        self.span
            .record("gen_ai.usage.output_tokens", i64::from(end.output_tokens));
        // The convention wants a list, which a field of a tracing span cannot be.
        let reasons = vec![StringValue::from(end.finish.as_str())];
        self.span.set_attribute(
            "gen_ai.response.finish_reasons",
            Value::Array(Array::String(reasons)),
        );
        self.metrics.ended(self.backend, "OK");
    }

    fn failed(&mut self, error: Error) -> Error {
        self.ended = true;
        let reason = error.reason().wire_name();
        self.span.record("otel.status_code", "ERROR");
        self.span.record("error.type", reason);
        self.metrics.ended(self.backend, reason);
        error
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if !self.ended {
            self.span.record("error.type", "CANCELLED");
            self.metrics.ended(self.backend, "CANCELLED");
        }
    }
}
