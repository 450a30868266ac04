//! A context request: artifacts that a message needs before it can be answered.
//!
//! Open, it ends in one of five ways: satisfied, skipped, forced, expired, or cancelled. But for the last its message waits for
//! its answer, and the thread for that; the answer closes it.

use std::time::Duration;

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use turnwise_kit::time;
use turnwise_proto::session::v1::{
    AnswerContextRequest, ContextRequest, ContextRequestChange, ContextRequestState, ContextSlot,
    ContextSource, RequestContext, WorkKind, pending_interaction::Interaction,
};
use uuid::Uuid;

use super::{Interactions, PendingError, Schedule, Stepped, after, invalid, is_before};

/// The most slots of a request.
pub(crate) const SLOTS_MAX: i32 = 20;
const SLOT_MAX_BYTES: i32 = 262_144;
const CLAIMS_MAX_BYTES: usize = 16_384;
const TITLE_MAX_CHARS: usize = 200;
const TEXT_MAX_CHARS: usize = 500;
const FORMAT_MAX_CHARS: usize = 128;
const UUID_CHARS: usize = 36;
const SUPPLIERS: [&str; 4] = ["student", "teacher", "staff", "service"];
/// By so much the clocks of two processes may differ.
const SKEW: Duration = Duration::from_secs(60);

/// What somebody supplies.
#[derive(Debug, Clone)]
pub struct Supplied {
    /// The slot's place in the request.
    pub slot: i32,
    /// The payload's type.
    pub artifact_type: String,
    /// The payload, redacted.
    pub content: String,
    /// Who supplies it.
    pub supplier_id: String,
    /// What they are.
    pub supplier_role: String,
}

/// Opens a request.
pub(super) fn open(
    state: &Interactions,
    asked: &RequestContext,
    now: Timestamp,
    sla: Duration,
    thread_id: &str,
    request_id: &str,
) -> Result<Stepped, PendingError> {
    check(asked)?;
    state.must_be_idle()?;
    let reminder = after(now, sla / 2);
    let end = after(now, sla);
    let batch_id = match asked.project.as_ref().map(|p| p.batch_id.as_str()) {
        None | Some("") => thread_id,
        Some(batch_id) => batch_id,
    };
    let request_id = match asked.request_id.as_str() {
        "" => request_id,
        asked => asked,
    };
    let request = ContextRequest {
        request_id: request_id.to_owned(),
        message_id: asked.message_id,
        batch_id: batch_id.to_owned(),
        slots: asked.slots.clone(),
        sources: Vec::new(),
        state: ContextRequestState::Open.into(),
        reminder_time: Some(time::to_proto(reminder)),
        end_time: Some(time::to_proto(end)),
        reminded: false,
        must_have: asked.must_have,
        answered_from: ContextRequestState::Unspecified.into(),
        query: asked.query.clone(),
        create_time: Some(time::to_proto(now)),
        course_id: asked.course_id.clone(),
        turn_id: String::new(),
        thread_id: thread_id.to_owned(),
        project: asked.project.clone(),
    };
    if request.slots.is_empty() {
        return Ok(defer(state, request, now));
    }
    let schedules = vec![
        Schedule {
            kind: WorkKind::ContextReminder,
            due: reminder,
        },
        Schedule {
            kind: WorkKind::ContextEnd,
            due: end,
        },
    ];
    Ok(waits(state, request, schedules))
}

/// Nothing is asked for: the message waits for its turn alone.
fn defer(state: &Interactions, mut request: ContextRequest, now: Timestamp) -> Stepped {
    request.set_state(ContextRequestState::Satisfied);
    (request.reminder_time, request.end_time) = (None, None);
    let turn = Schedule {
        kind: WorkKind::DeferredTurn,
        due: now,
    };
    waits(state, request, vec![turn])
}

/// Closes a request whose message waits for its answer.
pub(super) fn answer(
    state: &Interactions,
    answered: &AnswerContextRequest,
) -> Result<Stepped, PendingError> {
    let request_id = &answered.request_id;
    let Some(request) = pending(state, request_id) else {
        return Err(closed(request_id, ContextRequestState::Unspecified));
    };
    match request.state() {
        from @ (ContextRequestState::Satisfied
        | ContextRequestState::Skipped
        | ContextRequestState::Forced
        | ContextRequestState::Expired) => {
            let mut request = request.clone();
            request.set_state(ContextRequestState::Answered);
            request.set_answered_from(from);
            request.turn_id.clone_from(&answered.turn_id);
            Ok(close(state, request))
        }
        other => Err(closed(request_id, other)),
    }
}

/// Notes an artifact in an open request, in place of what the slot had; the payload is kept apart. The state is the
/// thread's, and the request its pending one. `None` is for callers that treat all steps alike; supplying always changes something.
///
/// # Errors
/// [`PendingError::NothingPending`] if the thread does not wait for this request,
/// [`PendingError::ContextRequestClosed`], [`PendingError::Invalid`] for the slot, [`PendingError::OtherSupplier`],
/// [`PendingError::UnsupportedPayload`], [`PendingError::PayloadTooLarge`].
pub fn supply(
    state: &Interactions,
    request_id: &str,
    supplied: &Supplied,
    now: Timestamp,
) -> Result<Option<Stepped>, PendingError> {
    let mut request = pending(state, request_id)
        .ok_or(PendingError::NothingPending)?
        .clone();
    if request.state() != ContextRequestState::Open {
        return Err(closed(request_id, request.state()));
    }
    let slot = usize::try_from(supplied.slot)
        .ok()
        .and_then(|place| request.slots.get(place))
        .ok_or_else(|| invalid("slot", "must be the place of a slot of the request"))?;
    if !slot.suppliers.is_empty() && !slot.suppliers.contains(&supplied.supplier_role) {
        return Err(PendingError::OtherSupplier {
            role: supplied.supplier_role.clone(),
            suppliers: slot.suppliers.clone(),
        });
    }
    if supplied.artifact_type != slot.artifact_type {
        return Err(PendingError::UnsupportedPayload {
            expected: slot.artifact_type.clone(),
        });
    }
    let limit = usize::try_from(slot.size_limit).unwrap_or_default();
    if supplied.content.len() > limit {
        return Err(PendingError::PayloadTooLarge {
            bytes: supplied.content.len(),
            limit,
        });
    }
    let source = ContextSource {
        slot: supplied.slot,
        artifact_type: supplied.artifact_type.clone(),
        size_bytes: i32::try_from(supplied.content.len()).unwrap_or(i32::MAX),
        supplier_id: supplied.supplier_id.clone(),
        supplier_role: supplied.supplier_role.clone(),
        supply_time: Some(time::to_proto(now)),
        sha256: Sha256::digest(&supplied.content).to_vec().into(),
    };
    let sources = &mut request.sources;
    match sources.binary_search_by_key(&source.slot, |known| known.slot) {
        Ok(place) => sources[place] = source,
        Err(place) => sources.insert(place, source),
    }
    Ok(Some(if is_satisfied(&request) {
        resolve(state, request, ContextRequestState::Satisfied, now)
    } else {
        waits(state, request, Vec::new())
    }))
}

/// Cancels, forces, skips, reminds of or expires an open request; `None` if that has taken effect before. `stored` is the request
/// as it is stored, if it is not pending any more.
///
/// # Errors
/// [`PendingError::ContextRequestClosed`], and [`PendingError::Invalid`] for no change, and for an end before its time.
pub fn change(
    state: &Interactions,
    stored: Option<&ContextRequest>,
    request_id: &str,
    change: ContextRequestChange,
    now: Timestamp,
) -> Result<Option<Stepped>, PendingError> {
    let to = match change {
        ContextRequestChange::Unspecified => {
            return Err(invalid("change", "must be one of the changes"));
        }
        ContextRequestChange::Cancel => ContextRequestState::Cancelled,
        ContextRequestChange::Force => ContextRequestState::Forced,
        ContextRequestChange::Skip => ContextRequestState::Skipped,
        ContextRequestChange::Expire => ContextRequestState::Expired,
        // It stays open.
        ContextRequestChange::Remind => ContextRequestState::Open,
    };
    let pending = pending(state, request_id);
    let stored = stored.filter(|stored| stored.request_id == request_id);
    let Some(request) = pending.or(stored) else {
        return Err(closed(request_id, ContextRequestState::Unspecified));
    };
    let has_effect = match to {
        ContextRequestState::Open => request.reminded,
        to => resolved_to(request) == to,
    };
    if has_effect {
        return Ok(None);
    }
    if pending.is_none() || request.state() != ContextRequestState::Open {
        return Err(closed(request_id, request.state()));
    }
    let mut request = request.clone();
    Ok(Some(match to {
        ContextRequestState::Open => {
            request.reminded = true;
            waits(state, request, Vec::new())
        }
        ContextRequestState::Cancelled => {
            request.set_state(to);
            close(state, request)
        }
        ContextRequestState::Expired if is_before(now, request.end_time.as_ref()) => {
            // Whoever claimed the end may have another clock.
            return match left(now, request.end_time.as_ref()).filter(|left| *left <= SKEW) {
                Some(wait) => Err(PendingError::NotYet { wait }),
                None => Err(invalid("change", "must not be EXPIRE before end_time")),
            };
        }
        to => resolve(state, request, to, now),
    }))
}

/// How an open request ended, also where its message has been answered since.
fn resolved_to(request: &ContextRequest) -> ContextRequestState {
    match request.state() {
        ContextRequestState::Answered => request.answered_from(),
        state => state,
    }
}

fn pending<'a>(state: &'a Interactions, request_id: &str) -> Option<&'a ContextRequest> {
    state
        .context_request()
        .filter(|request| request.request_id == request_id)
}

/// Whether nothing required is missing; where nothing is required, whether nothing at all is.
fn is_satisfied(request: &ContextRequest) -> bool {
    let requires = request.slots.iter().any(|slot| !slot.optional);
    request.slots.iter().enumerate().all(|(place, slot)| {
        let supplied = |source: &ContextSource| usize::try_from(source.slot) == Ok(place);
        (requires && slot.optional) || request.sources.iter().any(supplied)
    })
}

/// The request is no longer open; its message is due at once.
fn resolve(
    state: &Interactions,
    mut request: ContextRequest,
    to: ContextRequestState,
    now: Timestamp,
) -> Stepped {
    request.set_state(to);
    let resume = Schedule {
        kind: WorkKind::ContextResume,
        due: now,
    };
    waits(state, request, vec![resume])
}

fn waits(state: &Interactions, request: ContextRequest, schedules: Vec<Schedule>) -> Stepped {
    let interaction = Interaction::ContextRequest(request.clone());
    Stepped {
        after: state.waiting_for(Some(interaction)),
        request: Some(request),
        schedules,
    }
}

fn close(state: &Interactions, request: ContextRequest) -> Stepped {
    Stepped {
        after: state.waiting_for(None),
        request: Some(request),
        schedules: Vec::new(),
    }
}

/// How long it is until a stored time.
fn left(now: Timestamp, end: Option<&prost_types::Timestamp>) -> Option<Duration> {
    let end = end.and_then(time::from_proto)?;
    end.duration_since(now).try_into().ok()
}

fn closed(request_id: &str, state: ContextRequestState) -> PendingError {
    PendingError::ContextRequestClosed {
        request_id: request_id.to_owned(),
        state,
    }
}

fn check(asked: &RequestContext) -> Result<(), PendingError> {
    if asked.message_id < 1 {
        let problem = "must be the id of a message";
        return Err(invalid("request_context.message_id", problem));
    }
    let id = &asked.request_id;
    if !id.is_empty() && (id.len() != UUID_CHARS || Uuid::try_parse(id).is_err()) {
        return Err(invalid("request_context.request_id", "must be a UUID"));
    }
    if asked.claims.len() > CLAIMS_MAX_BYTES {
        let problem = "must have at most 16384 bytes";
        return Err(invalid("request_context.claims", problem));
    }
    let slots = i32::try_from(asked.slots.len()).unwrap_or(i32::MAX);
    if slots > SLOTS_MAX {
        return Err(invalid("request_context.slots", "must be at most 20"));
    }
    let fits = |slot: &ContextSlot| (1..=SLOT_MAX_BYTES).contains(&slot.size_limit);
    if !asked.slots.iter().all(fits) {
        let field = "request_context.slots.size_limit";
        return Err(invalid(field, "must be 1 to 262144"));
    }
    asked.slots.iter().try_for_each(check_texts)
}

fn check_texts(slot: &ContextSlot) -> Result<(), PendingError> {
    let is_role = |role: &String| SUPPLIERS.contains(&role.as_str());
    if slot.suppliers.len() > SUPPLIERS.len() || !slot.suppliers.iter().all(is_role) {
        let problem = "must be roles: student, teacher, staff or service";
        return Err(invalid("request_context.slots.suppliers", problem));
    }
    let format = (FORMAT_MAX_CHARS, "must have at most 128 characters");
    let title = (TITLE_MAX_CHARS, "must have at most 200 characters");
    let text = (TEXT_MAX_CHARS, "must have at most 500 characters");
    let bounds = [
        ("request_context.slots.title", &slot.title, title),
        ("request_context.slots.description", &slot.description, text),
        ("request_context.slots.why", &slot.why, text),
        ("request_context.slots.format", &slot.format, format),
    ];
    for (field, value, (max, problem)) in bounds {
        if value.chars().count() > max {
            return Err(invalid(field, problem));
        }
    }
    Ok(())
}
