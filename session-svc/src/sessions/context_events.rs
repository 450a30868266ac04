//! What a thread's log says of its context requests: one event for each step.

use prost_types::Timestamp;
use turnwise_proto::session::v1::{ContextRequest, ContextRequestState, Event};

use super::{events, interactions::Interactions};
use crate::pending::Stepped;

const REQUEST: &str = "context:request";
const REMINDER: &str = "context:reminder";
const UPDATE: &str = "context:update";
const RESOLVED: &str = "context:resolved";

/// The events of a step, in the order in which things happened.
pub(super) fn of_step(
    thread_id: &str,
    before: &Interactions,
    stepped: &Stepped,
    now: Timestamp,
) -> Vec<Event> {
    let Some(request) = &stepped.request else {
        return Vec::new();
    };
    // Nobody is asked for anything.
    if request.slots.is_empty() {
        return Vec::new();
    }
    let event = |kind, facts: Vec<(&'static str, String)>| Event {
        related_id: request.request_id.clone(),
        ..events::own(
            thread_id,
            kind,
            now,
            std::iter::once(("request_id", request.request_id.clone())).chain(facts),
        )
    };
    let mut told = Vec::new();
    // Whatever else happens to a request happens while the thread waits for it.
    let known = before.context_request();
    if known.is_none() {
        let facts = vec![
            ("message_id", request.message_id.to_string()),
            ("must_have", request.must_have.to_string()),
            ("slots", request.slots.len().to_string()),
        ];
        told.push(event(REQUEST, facts));
    }
    if known.is_some_and(|known| known.reminded != request.reminded) {
        told.push(event(REMINDER, Vec::new()));
    }
    let is_new = |source| known.is_some_and(|known| !known.sources.contains(source));
    told.extend(request.sources.iter().filter(|s| is_new(s)).map(|source| {
        let facts = vec![
            ("slot", source.slot.to_string()),
            ("artifact_type", source.artifact_type.clone()),
            ("supplier_role", source.supplier_role.clone()),
            ("size_bytes", source.size_bytes.to_string()),
        ];
        event(UPDATE, facts)
    }));
    if known.is_none_or(is_open) && !is_open(request) {
        told.push(event(RESOLVED, vec![("state", name(request.state()))]));
    }
    told
}

fn is_open(request: &ContextRequest) -> bool {
    request.state() == ContextRequestState::Open
}

fn name(state: ContextRequestState) -> String {
    let name = state.as_str_name();
    name.trim_start_matches("CONTEXT_REQUEST_STATE_")
        .to_ascii_lowercase()
}
