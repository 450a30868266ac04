//! The turn's one call to a model.

use std::time::Duration;

use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::resolve_reply_request::Outcome,
    tutor::v1::DegradedReason,
};

use crate::upstream::Upstreams;

/// With less time than this the model is not even asked.
const LEAST_TIME: Duration = Duration::from_millis(300);

/// What came of the model.
pub(super) struct ModelOutcome {
    /// For the policy to resolve.
    pub(super) outcome: Outcome,
    /// The model that was used; empty where none answered.
    pub(super) model: String,
    /// What is gained by trying again.
    pub(super) come_back: ComeBack,
}

/// When the model may be free, and what holds the place in line until then.
#[derive(Default)]
pub(super) struct ComeBack {
    /// Absent: trying again is pointless.
    pub(super) after: Option<Duration>,
    /// Empty: no place is held.
    pub(super) place_ticket: String,
}

/// Asks the model once. There is no second attempt, whatever comes back.
pub(super) async fn complete(
    upstreams: &Upstreams,
    context: &CallContext,
    reserve: Duration,
    request: CompleteRequest,
) -> ModelOutcome {
    let context = context.keeping_back(reserve);
    if context.remaining().is_some_and(|left| left < LEAST_TIME) {
        return failed(DegradedReason::Deadline, ComeBack::default());
    }
    let request = CompleteRequest {
        purpose: Purpose::Turn.into(),
        ..request
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
                come_back: ComeBack::default(),
            }
        }
        Err(status) => {
            let fault = Fault::from_status(&status);
            tracing::warn!(
                reason = fault.reason().wire_name(),
                "the model did not answer"
            );
            failed(degraded(&fault), come_back(&fault))
        }
    }
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
        ErrorReason::BackendUnavailable | ErrorReason::DependencyUnavailable => {
            DegradedReason::LlmTransport
        }
        ErrorReason::RemoteBackendNotAcknowledged => DegradedReason::RemoteNotAcknowledged,
        _ => DegradedReason::LlmError,
    }
}

/// Only waiting helps against these; other failures are not the client's to try again.
fn come_back(fault: &Fault) -> ComeBack {
    match fault.reason() {
        ErrorReason::Busy
        | ErrorReason::QueueFull
        | ErrorReason::RateLimited
        | ErrorReason::CircuitOpen
        | ErrorReason::BudgetExhausted => ComeBack {
            after: fault.retry_delay(),
            place_ticket: fault
                .metadata("place_ticket")
                .unwrap_or_default()
                .to_owned(),
        },
        _ => ComeBack::default(),
    }
}

fn failed(reason: DegradedReason, come_back: ComeBack) -> ModelOutcome {
    ModelOutcome {
        outcome: Outcome::Failure(reason.into()),
        model: String::new(),
        come_back,
    }
}
