//! Requests as clients see them: without who supplied what, and without the message.

use turnwise_proto::{
    context::v1::{ContextRequest, ContextRequestState, SuppliedContext},
    session::v1::{self as session, ContextRequestState as Stored},
    tutor::v1::RequiredContext,
};

/// A request of a thread.
pub(crate) fn request(thread_id: &str, stored: &session::ContextRequest) -> ContextRequest {
    let is_answered = stored.state() == Stored::Answered;
    let ended = if is_answered {
        stored.answered_from()
    } else {
        stored.state()
    };
    ContextRequest {
        request_id: stored.request_id.clone(),
        thread_id: thread_id.to_owned(),
        user_message_id: stored.message_id,
        batch_id: stored.batch_id.clone(),
        state: state(ended).into(),
        answered: is_answered,
        required: required(&stored.slots),
        supplied: stored
            .sources
            .iter()
            .map(|source| SuppliedContext {
                slot: source.slot,
                size_bytes: source.size_bytes,
                supplier_role: source.supplier_role.clone(),
                supply_time: source.supply_time,
            })
            .collect(),
        must_have: stored.must_have,
        reminder_time: stored.reminder_time,
        end_time: stored.end_time,
        create_time: stored.create_time,
        turn_id: stored.turn_id.clone(),
    }
}

fn state(stored: Stored) -> ContextRequestState {
    match stored {
        // An answered one says how it ended.
        Stored::Unspecified | Stored::Answered => ContextRequestState::Unspecified,
        Stored::Open => ContextRequestState::Open,
        Stored::Satisfied => ContextRequestState::Satisfied,
        Stored::Forced => ContextRequestState::Forced,
        Stored::Expired => ContextRequestState::Expired,
        Stored::Cancelled => ContextRequestState::Cancelled,
        Stored::Skipped => ContextRequestState::Skipped,
    }
}

/// A state as the thread's log spells it.
pub(super) fn state_of_word(word: &str) -> ContextRequestState {
    let name = format!("CONTEXT_REQUEST_STATE_{}", word.to_ascii_uppercase());
    ContextRequestState::from_str_name(&name).unwrap_or_default()
}

/// What is asked for, by slot.
pub(crate) fn required(slots: &[session::ContextSlot]) -> Vec<RequiredContext> {
    let places = slots.iter().zip(0..);
    places
        .map(|(slot, place)| RequiredContext {
            slot: place,
            phase: slot.phase.clone(),
            artifact_type: slot.artifact_type.clone(),
            key_path: slot.key_path.clone(),
            size_limit: slot.size_limit,
            urgency: slot.urgency.clone(),
            optional: slot.optional,
            suppliers: slot.suppliers.clone(),
            title: slot.title.clone(),
            description: slot.description.clone(),
            why: slot.why.clone(),
            format: slot.format.clone(),
        })
        .collect()
}
