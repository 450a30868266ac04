//! The one call to a model.

use std::time::Duration;

use bytes::Bytes;
use turnwise_kit::{CallContext, Fault};
use turnwise_prompts::{Prompt, Sheets};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{ModelCall, PromptIdentity},
    llm::v1::{
        CompleteRequest, CompletionEnd, Purpose, StreamCompleteRequest,
        stream_complete_response::Piece,
    },
    tutor::v1::{DegradedReason, TurnStage},
};

use super::{Core, Request, progress::Progress};
use crate::upstream::{ANSWER_MARGIN, Upstreams};

/// With less time than this the model is not even asked.
const LEAST_TIME: Duration = Duration::from_millis(300);
/// When a model may be asked again that the end of the process cut off: another process may serve by then.
const RETRY_AFTER_DRAIN: Duration = Duration::from_secs(5);
/// The most characters of a completion that are read; a reply is shorter by far.
const MAX_CHARS: i32 = 32_000;
/// How the name of a schema begins that stands in place of its text.
const NAMED_SCHEMA: &str = "sha256:";

/// What came of the model.
#[derive(Default)]
pub(crate) struct Completed {
    /// How it went.
    pub(crate) call: ModelCall,
    /// What it wrote; empty with a failure.
    pub(crate) completion: Bytes,
    /// Why it wrote nothing, as the model gateway says it; none where it was not asked.
    pub(crate) fault: Option<Fault>,
    /// What is gained by trying again.
    pub(crate) retry_hint: RetryHint,
    /// Whether no model is to be called, which degrades nothing.
    pub(crate) is_off: bool,
    /// Whether no model was asked because the schema was only named, and the name was refused.
    pub(crate) is_name_refused: bool,
}

impl Completed {
    /// Where an operator or a class's teacher decided that no model is called.
    pub(crate) fn off() -> Self {
        Self {
            is_off: true,
            ..Self::failed(DegradedReason::LlmOff)
        }
    }

    /// A failure against which trying again does not help.
    pub(crate) fn failed(reason: DegradedReason) -> Self {
        Self {
            call: ModelCall {
                failure: reason.into(),
                ..ModelCall::default()
            },
            ..Self::default()
        }
    }
}

/// When the model may be free, and what holds the place in the queue until then.
#[derive(Default)]
pub(crate) struct RetryHint {
    /// Absent: trying again is pointless.
    pub(crate) after: Option<Duration>,
    /// Empty: no place is held.
    pub(crate) place_ticket: String,
}

/// How the record names a prompt, and the call that asks a model with it.
pub(crate) fn asking(
    core: &Core,
    sheets: &Sheets,
    prompt: Prompt,
    request: &Request<'_>,
    class_id: &str,
) -> (PromptIdentity, CompleteRequest) {
    let count = |tokens| i32::try_from(tokens).unwrap_or(i32::MAX);
    let identity = PromptIdentity {
        hash: prompt.hash,
        sheets_hash: sheets.hash().to_owned(),
        max_tokens: count(core.prompt_max_tokens),
        tokens: count(prompt.tokens),
    };
    let address = request.address;
    let asked = CompleteRequest {
        messages: prompt.messages,
        class_id: class_id.to_owned(),
        thread_id: request.thread_id.to_owned(),
        client_address: address.map_or_else(String::new, |address| address.to_string()),
        ..CompleteRequest::default()
    };
    (identity, asked)
}

/// Asks the model once, `context` being the time for it. There is no second attempt, whatever comes back. Who watches is
/// told of the place in the queue, and then waits for as long as the deadline allows; others wait as long as is usual. Where
/// the process ends before the model does, it is given up in time for an answer without it.
pub(crate) async fn complete(
    core: &Core,
    context: &CallContext,
    purpose: Purpose,
    progress: &Progress,
    request: CompleteRequest,
) -> Completed {
    if context.remaining().is_some_and(|left| left < LEAST_TIME) {
        return Completed::failed(DegradedReason::Deadline);
    }
    let mut request = CompleteRequest {
        purpose: purpose.into(),
        max_response_chars: MAX_CHARS,
        ..request
    };
    let is_named = request.json_schema.starts_with(NAMED_SCHEMA);
    let asked = async {
        if progress.is_watched() {
            request.max_wait = context.remaining().and_then(|left| left.try_into().ok());
            return stream(&core.upstreams, context, progress, request).await;
        }
        let mut llm = core.upstreams.llm.clone();
        let response = llm.complete(context.request(request)).await?.into_inner();
        Ok((response.text, response.end.unwrap_or_default()))
    };
    let came = tokio::select! {
        biased;
        came = asked => came,
        () = core.kit.drain.nearly_over(ANSWER_MARGIN + core.reply_reserve) => {
            tracing::warn!("the process ends; the model is given up");
            let retry_hint = RetryHint { after: Some(RETRY_AFTER_DRAIN), ..RetryHint::default() };
            return Completed { retry_hint, ..Completed::failed(DegradedReason::Deadline) };
        }
    };
    match came {
        Ok((text, end)) => Completed {
            completion: text.into(),
            call: ModelCall {
                model: end.model,
                backend: end.backend,
                failure: DegradedReason::Unspecified.into(),
                input_tokens: end.input_tokens,
                output_tokens: end.output_tokens,
                cached_input_tokens: end.cached_input_tokens,
                attempts: end.attempts,
                queue_wait: end.queue_wait,
                total: end.total,
            },
            ..Completed::default()
        },
        Err(status) => {
            let fault = Fault::from_status(&status);
            if fault.reason() == ErrorReason::LlmOff {
                core.no_model.told();
                return Completed::off();
            }
            let is_name_refused = is_named
                && matches!(
                    fault.reason(),
                    ErrorReason::UnknownSchema | ErrorReason::InvalidSchema
                );
            if !is_name_refused {
                tracing::warn!(
                    reason = fault.reason().wire_name(),
                    problem = status.message(),
                    "the model did not answer"
                );
            }
            Completed {
                retry_hint: retry_hint(&fault),
                call: Completed::failed(degraded(&fault)).call,
                fault: Some(fault),
                is_name_refused,
                ..Completed::default()
            }
        }
    }
}

/// The same completion, with the place in the queue told on the way. What the model writes is kept back until it is whole.
async fn stream(
    upstreams: &Upstreams,
    context: &CallContext,
    progress: &Progress,
    request: CompleteRequest,
) -> Result<(String, CompletionEnd), tonic::Status> {
    progress.stage(TurnStage::Waiting);
    let request = StreamCompleteRequest {
        request: Some(request),
    };
    let mut pieces = upstreams
        .llm
        .clone()
        .stream_complete(context.request(request))
        .await?
        .into_inner();
    let mut text = String::new();
    while let Some(piece) = pieces.message().await? {
        match piece.piece {
            Some(Piece::Place(place)) => progress.place(place),
            Some(Piece::Delta(delta)) => {
                if text.is_empty() {
                    progress.stage(TurnStage::Writing);
                }
                text.push_str(&delta);
            }
            Some(Piece::End(end)) => return Ok((text, end)),
            None => {}
        }
    }
    Err(Fault::new(
        ErrorReason::DependencyUnavailable,
        "the model's answer broke off",
    )
    .into())
}

/// What the failure means for a student's answer.
fn degraded(fault: &Fault) -> DegradedReason {
    match fault.reason() {
        ErrorReason::DeadlineExceeded => DegradedReason::LlmTimeout,
        ErrorReason::Busy
        | ErrorReason::QueueFull
        | ErrorReason::Superseded
        | ErrorReason::RateLimited => DegradedReason::QueueBusy,
        ErrorReason::CircuitOpen => DegradedReason::CircuitOpen,
        ErrorReason::BudgetExhausted => DegradedReason::LlmOff,
        ErrorReason::BackendUnavailable if fault.metadata("cause") == Some("silent") => {
            DegradedReason::LlmTimeout
        }
        ErrorReason::BackendUnavailable
        | ErrorReason::DependencyUnavailable
        | ErrorReason::Draining => DegradedReason::LlmTransport,
        ErrorReason::RemoteBackendNotAcknowledged => DegradedReason::RemoteNotAcknowledged,
        _ => DegradedReason::LlmError,
    }
}

/// Only waiting helps against these; other failures are not the client's to try again.
fn retry_hint(fault: &Fault) -> RetryHint {
    match fault.reason() {
        ErrorReason::Busy
        | ErrorReason::QueueFull
        | ErrorReason::RateLimited
        | ErrorReason::CircuitOpen
        | ErrorReason::BudgetExhausted
        | ErrorReason::Draining => RetryHint {
            after: fault.retry_delay(),
            place_ticket: fault
                .metadata("place_ticket")
                .unwrap_or_default()
                .to_owned(),
        },
        _ => RetryHint::default(),
    }
}
