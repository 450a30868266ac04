//! The turn's one call to a model.

use std::time::Duration;

use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{ChatMessage, CompleteRequest, Purpose},
    policy::v1::resolve_reply_request::Outcome,
    tutor::v1::DegradedReason,
};

use crate::upstream::Upstreams;

/// With less time than this the model is not even asked.
const LEAST_TIME: Duration = Duration::from_millis(50);

/// What came of the model.
pub(super) struct ModelOutcome {
    /// For the policy to resolve.
    pub(super) outcome: Outcome,
    /// The model that was used; empty where none answered.
    pub(super) model: String,
}

/// Asks the model once. There is no second attempt, whatever comes back.
pub(super) async fn complete(
    upstreams: &Upstreams,
    context: &CallContext,
    reserve: Duration,
    messages: Vec<ChatMessage>,
    json_schema: String,
) -> ModelOutcome {
    let context = context.keeping_back(reserve);
    if context.remaining().is_some_and(|left| left < LEAST_TIME) {
        return failed(DegradedReason::Deadline);
    }
    let request = CompleteRequest {
        messages,
        json_schema,
        purpose: Purpose::Turn.into(),
        ..CompleteRequest::default()
    };
    match upstreams
        .llm
        .clone()
        .complete(context.request(request))
        .await
    {
        Ok(response) => {
            let response = response.into_inner();
            ModelOutcome {
                outcome: Outcome::Completion(response.text.into_bytes().into()),
                model: response.end.map(|end| end.model).unwrap_or_default(),
            }
        }
        Err(status) => {
            let fault = Fault::from_status(&status);
            tracing::warn!(
                reason = fault.reason().wire_name(),
                "the model did not answer"
            );
            failed(match fault.reason() {
                ErrorReason::DeadlineExceeded => DegradedReason::LlmTimeout,
                ErrorReason::Busy => DegradedReason::QueueBusy,
                ErrorReason::BackendUnavailable if fault.metadata("cause") == Some("silent") => {
                    DegradedReason::LlmTimeout
                }
                ErrorReason::BackendUnavailable | ErrorReason::DependencyUnavailable => {
                    DegradedReason::LlmTransport
                }
                ErrorReason::RemoteBackendNotAcknowledged => DegradedReason::RemoteNotAcknowledged,
                _ => DegradedReason::LlmError,
            })
        }
    }
}

fn failed(reason: DegradedReason) -> ModelOutcome {
    ModelOutcome {
        outcome: Outcome::Failure(reason.into()),
        model: String::new(),
    }
}
