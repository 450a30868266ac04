//! What a thread may wait for.

mod clarification;
mod context;
mod model;

use std::time::Duration;

use jiff::Timestamp;
use turnwise_proto::session::v1::{
    AnswerClarification, AnswerContextRequest, CancelClarification, Clarification, ContextRequest,
    ContextSlot, CorrectClarification, PendingChange, RequestContext, SkipClarification,
    StartClarification, pending_change::Step, pending_interaction::Interaction,
};
use turnwise_session_svc::pending::{
    Interactions, PendingError, PendingSettings, Stepped, Supplied, step,
};

const SETTINGS: PendingSettings = PendingSettings {
    clarification_ttl: Duration::from_secs(3600),
    context_sla: Duration::from_secs(300),
};
const THREAD: &str = "thread-1";

/// So many seconds after the beginning of the test.
fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + seconds).unwrap()
}

fn take(
    state: &Interactions,
    change: Step,
    now: Timestamp,
    request_id: &str,
) -> Result<Option<Stepped>, PendingError> {
    let change = PendingChange { step: Some(change) };
    step(state, &change, now, SETTINGS, THREAD, request_id)
}

fn start(document_id: &str, questions: &[&str]) -> Step {
    Step::StartClarification(StartClarification {
        document_id: document_id.into(),
        original_query: "my program stops".into(),
        original_message_id: 1,
        original_doc_content: "ask for the version".into(),
        requires_handoff: true,
        questions: questions.iter().map(|q| (*q).to_owned()).collect(),
        ..StartClarification::default()
    })
}

fn answer(text: &str) -> Step {
    Step::AnswerClarification(AnswerClarification {
        answer: text.into(),
    })
}

fn correct(index: i32) -> Step {
    Step::CorrectClarification(CorrectClarification { index })
}

fn skip() -> Step {
    Step::SkipClarification(SkipClarification {})
}

fn cancel() -> Step {
    Step::CancelClarification(CancelClarification {})
}

/// Asks for these slots: their types, and whether they are optional.
fn request(slots: &[(&str, bool)]) -> RequestContext {
    let slot = |(artifact_type, optional): &(&str, bool)| ContextSlot {
        phase: "diagnose".into(),
        artifact_type: (*artifact_type).to_owned(),
        size_limit: 8,
        optional: *optional,
        ..ContextSlot::default()
    };
    RequestContext {
        message_id: 3,
        slots: slots.iter().map(slot).collect(),
        ..RequestContext::default()
    }
}

fn answer_request(request_id: &str) -> Step {
    Step::AnswerContextRequest(AnswerContextRequest {
        request_id: request_id.into(),
        turn_id: "t1".into(),
    })
}

fn supplied(slot: i32, artifact_type: &str, content: &str) -> Supplied {
    Supplied {
        slot,
        artifact_type: artifact_type.into(),
        content: content.into(),
        supplier_id: "teacher-1".into(),
        supplier_role: "teacher".into(),
    }
}

fn clarification(state: &Interactions) -> Option<&Clarification> {
    match state.pending.as_ref()?.interaction.as_ref()? {
        Interaction::Clarification(clarification) => Some(clarification),
        Interaction::ContextRequest(_) => None,
    }
}

fn context_request(state: &Interactions) -> Option<&ContextRequest> {
    match state.pending.as_ref()?.interaction.as_ref()? {
        Interaction::ContextRequest(request) => Some(request),
        Interaction::Clarification(_) => None,
    }
}
