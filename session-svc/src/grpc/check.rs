//! What a request must look like before the store sees it.

use bytes::Bytes;
use prost::Message;
use turnwise_kit::{Fault, ids, time};
use turnwise_proto::{
    classes::v1::AlertKind,
    exam::v1::QuestionState,
    session::v1::{
        DrillActivity, DueWork, GradedDrill, MemoryTurn, NewAlert, NewEvent, PendingChange,
        QuestionRecord, ThreadKind, TurnActivity, TurnLog, WorkKind, pending_change::Step,
    },
    tutor::v1::{StudentInput, TutorMessage},
};

use crate::sessions::{
    Idempotency,
    evidence::{Drill, GradedInThread},
    turns::HISTORY_MAX,
};

/// The most characters of a thread's title.
const TITLE_MAX_CHARS: usize = 200;
/// The bytes of a SHA-256.
const HASH_BYTES: usize = 32;
/// The most messages of one turn.
const MESSAGES_MAX: usize = 100;
/// The most bytes of a stored answer.
const ANSWER_MAX_BYTES: usize = 1024 * 1024;
/// The most bytes of the stored answer to evidence.
const EVIDENCE_ANSWER_MAX_BYTES: usize = 65_536;
/// The most turns that one turn adds to a conversation's memory.
const MEMORY_TURNS_MAX: usize = 16;
/// The most bytes of the verdict of a drill.
const VERDICT_MAX_BYTES: usize = 16_384;
/// The most bytes of either half of a turn's chain.
const TURN_LOG_MAX_BYTES: usize = 262_144;
/// The most events of one call.
const EVENTS_MAX: usize = 32;
/// The most bytes of sealed claims.
const CLAIMS_MAX_BYTES: usize = 16_384;
/// The most characters of names in what a thread waits for.
const NAME_MAX_CHARS: usize = 128;
/// The most characters of the query behind a clarification.
const QUERY_MAX_CHARS: usize = 8000;
/// The most bytes of what deferred work needs.
const PAYLOAD_MAX_BYTES: usize = 65_536;
/// The most questions of one call.
const QUESTIONS_MAX: usize = 100;

pub(super) fn idempotency(key: String, body_hash: Bytes) -> Result<Idempotency, Fault> {
    ids::check_key("idempotency_key", &key)?;
    if body_hash.len() != HASH_BYTES {
        return Err(Fault::invalid("body_hash", "must be a SHA-256: 32 bytes"));
    }
    Ok(Idempotency { key, body_hash })
}

pub(super) fn title(title: &str) -> Result<(), Fault> {
    if title.chars().count() > TITLE_MAX_CHARS {
        return Err(Fault::invalid("title", "must have at most 200 characters"));
    }
    Ok(())
}

pub(super) fn history_limit(limit: i32) -> Result<usize, Fault> {
    usize::try_from(limit)
        .ok()
        .filter(|limit| *limit <= HISTORY_MAX)
        .ok_or_else(|| Fault::invalid("history_limit", format!("must be 0 to {HISTORY_MAX}")))
}

pub(super) fn messages(thread_id: &str, messages: &[TutorMessage]) -> Result<(), Fault> {
    if !(1..=MESSAGES_MAX).contains(&messages.len()) {
        return Err(Fault::invalid("messages", "must be 1 to 100"));
    }
    if messages.iter().any(|m| m.thread_id != thread_id) {
        return Err(Fault::invalid("messages", "must be of the thread"));
    }
    Ok(())
}

pub(super) fn answer(answer: &Bytes) -> Result<(), Fault> {
    if answer.len() > ANSWER_MAX_BYTES {
        return Err(Fault::invalid("answer", "must have at most 1 MiB"));
    }
    Ok(())
}

pub(super) fn evidence_answer(answer: &Bytes) -> Result<(), Fault> {
    if answer.len() > EVIDENCE_ANSWER_MAX_BYTES {
        return Err(Fault::invalid("answer", "must have at most 65536 bytes"));
    }
    Ok(())
}

pub(super) fn question_records(records: &[QuestionRecord]) -> Result<(), Fault> {
    let field = "question_records";
    if records.len() > QUESTIONS_MAX {
        return Err(Fault::invalid(field, "must be at most 100"));
    }
    for record in records {
        ids::check("question_records.question_id", &record.question_id)?;
        let end = record.locked_until.as_ref().map(time::from_proto);
        match (record.state(), end) {
            (QuestionState::Passed, None) | (QuestionState::Locked, Some(Some(_))) => {}
            (QuestionState::Locked, _) => {
                return Err(Fault::invalid(field, "must have locked_until where LOCKED"));
            }
            _ => {
                return Err(Fault::invalid(
                    field,
                    "must be PASSED without locked_until, or LOCKED",
                ));
            }
        }
    }
    Ok(())
}

pub(super) fn thread_kind(kind: i32) -> Result<ThreadKind, Fault> {
    match ThreadKind::try_from(kind) {
        Ok(ThreadKind::Unspecified) => Ok(ThreadKind::Tutor),
        Ok(kind) => Ok(kind),
        Err(_) => Err(Fault::invalid("kind", "must be a kind of thread")),
    }
}

pub(super) fn memory_scope(scope: Bytes) -> Result<Bytes, Fault> {
    if scope.is_empty() || scope.len() == HASH_BYTES {
        return Ok(scope);
    }
    Err(Fault::invalid(
        "memory_scope",
        "must be a SHA-256: 32 bytes, or empty",
    ))
}

pub(super) fn memory_turns(turns: &[MemoryTurn]) -> Result<(), Fault> {
    if turns.len() > MEMORY_TURNS_MAX {
        return Err(Fault::invalid("memory_turns", "must be at most 16"));
    }
    Ok(())
}

pub(super) fn drill_nonce(nonce: String) -> Result<Option<String>, Fault> {
    if nonce.is_empty() {
        return Ok(None);
    }
    ids::check_key("drill_nonce", &nonce)?;
    Ok(Some(nonce))
}

pub(super) fn drill(nonce: String, verdict: Bytes) -> Result<Option<Drill>, Fault> {
    let Some(nonce) = drill_nonce(nonce)? else {
        return Ok(None);
    };
    if verdict.len() > VERDICT_MAX_BYTES {
        let problem = "must have at most 16384 bytes";
        return Err(Fault::invalid("drill_verdict", problem));
    }
    Ok(Some(Drill { nonce, verdict }))
}

/// What a thread keeps of a graded drill.
pub(super) fn graded(
    thread_id: String,
    graded: Option<GradedDrill>,
) -> Result<Option<GradedInThread>, Fault> {
    let Some(drill) = graded else {
        return Ok(None);
    };
    ids::check("thread_id", &thread_id)?;
    ids::check("graded.unit_id", &drill.unit_id)?;
    if drill.encoded_len() > EVIDENCE_ANSWER_MAX_BYTES {
        return Err(Fault::invalid("graded", "must have at most 65536 bytes"));
    }
    Ok(Some(GradedInThread { thread_id, drill }))
}

/// An alert that is of a kind.
pub(super) fn alert(alert: Option<NewAlert>) -> Result<Option<NewAlert>, Fault> {
    if let Some(alert) = &alert {
        if matches!(alert.kind(), AlertKind::Unspecified | AlertKind::Handoff) {
            return Err(Fault::invalid("alert.kind", "must be a kind of alert"));
        }
        if !alert.turn_id.is_empty() {
            ids::check("alert.turn_id", &alert.turn_id)?;
        }
    }
    Ok(alert)
}

/// What a turn counts for: ids of units, which become parts of names.
pub(super) fn turn_activity(turn: Option<TurnActivity>) -> Result<Option<TurnActivity>, Fault> {
    if let Some(turn) = &turn {
        for (field, unit) in [
            ("activity.stuck_unit_id", &turn.stuck_unit_id),
            ("activity.hint_unit_id", &turn.hint_unit_id),
        ] {
            if !unit.is_empty() {
                ids::check(field, unit)?;
            }
        }
    }
    Ok(turn)
}

/// What a drill counts for.
pub(super) fn drill_activity(drill: Option<DrillActivity>) -> Result<Option<DrillActivity>, Fault> {
    if let Some(drill) = &drill {
        ids::check("drill.class_id", &drill.class_id)?;
        ids::check("drill.unit_id", &drill.unit_id)?;
        if !drill.mistake_tag.is_empty() {
            ids::check("drill.mistake_tag", &drill.mistake_tag)?;
        }
    }
    Ok(drill)
}

pub(super) fn turn_log(log: Option<&TurnLog>) -> Result<(), Fault> {
    let Some(log) = log else { return Ok(()) };
    ids::check("turn_log.turn_id", &log.turn_id)?;
    for (field, bytes) in [("turn_log.facts", &log.facts), ("turn_log.text", &log.text)] {
        if bytes.len() > TURN_LOG_MAX_BYTES {
            return Err(Fault::invalid(field, "must have at most 262144 bytes"));
        }
    }
    Ok(())
}

pub(super) fn events(events: &[NewEvent]) -> Result<(), Fault> {
    if events.len() > EVENTS_MAX {
        return Err(Fault::invalid("events", "must be at most 32"));
    }
    events.iter().try_for_each(event)
}

fn event(event: &NewEvent) -> Result<(), Fault> {
    let long = |text: &str, most: usize| text.chars().count() > most;
    if !is_kind(&event.kind) {
        let problem = "must match [a-z][a-z0-9_.:-]{0,63}";
        return Err(Fault::invalid("events.kind", problem));
    }
    for (field, id) in [
        ("events.related_id", &event.related_id),
        ("events.in_reply_to", &event.in_reply_to),
    ] {
        if long(id, 128) {
            return Err(Fault::invalid(field, "must have at most 128 characters"));
        }
    }
    let too_long = |(name, value): (&String, &String)| long(name, 64) || long(value, 1024);
    if event.facts.len() > 32 || event.facts.iter().any(too_long) {
        return Err(Fault::invalid(
            "events.facts",
            "must be at most 32, names of at most 64 and values of at most 1024 characters",
        ));
    }
    if long(&event.text, 8192) {
        let problem = "must have at most 8192 characters";
        return Err(Fault::invalid("events.text", problem));
    }
    Ok(())
}

fn is_kind(kind: &str) -> bool {
    kind.len() <= 64
        && kind.starts_with(|c: char| c.is_ascii_lowercase())
        && kind
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.:-".contains(&b))
}

/// Whether a text of an input is longer than a message may be.
fn is_long(input: &StudentInput) -> bool {
    [&input.text, &input.latex, &input.voice_transcript]
        .into_iter()
        .any(|text| is_long_text(text))
}

fn is_long_text(text: &str) -> bool {
    text.chars().count() > QUERY_MAX_CHARS
}

/// A step of what a thread waits for: what its own rules do not bound.
pub(super) fn pending_change(change: Option<&PendingChange>) -> Result<(), Fault> {
    let short = |field: &str, text: &str| {
        if text.chars().count() > NAME_MAX_CHARS {
            return Err(Fault::invalid(field, "must have at most 128 characters"));
        }
        Ok(())
    };
    match change.and_then(|change| change.step.as_ref()) {
        Some(Step::StartClarification(start)) => {
            short("pending_change.document_id", &start.document_id)?;
            if start.original_query.chars().count() > QUERY_MAX_CHARS {
                let problem = "must have at most 8000 characters";
                return Err(Fault::invalid("pending_change.original_query", problem));
            }
        }
        Some(Step::RequestContext(request)) => {
            if let Some(project) = &request.project {
                for text in [&project.batch_id, &project.phase, &project.writing_style] {
                    short("pending_change.project", text)?;
                }
                if is_long_text(&project.goal) || is_long_text(&project.plan) {
                    let problem = "must have texts of at most 8000 characters";
                    return Err(Fault::invalid("pending_change.project", problem));
                }
            }
            for slot in &request.slots {
                short("pending_change.slots.phase", &slot.phase)?;
                short("pending_change.slots.artifact_type", &slot.artifact_type)?;
                short("pending_change.slots.key_path", &slot.key_path)?;
                short("pending_change.slots.urgency", &slot.urgency)?;
            }
            if request.query.as_ref().is_some_and(is_long) {
                let problem = "must have texts of at most 8000 characters";
                return Err(Fault::invalid("pending_change.query", problem));
            }
            if request.claims.len() > CLAIMS_MAX_BYTES {
                let problem = "must have at most 16384 bytes";
                return Err(Fault::invalid("pending_change.claims", problem));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Work to defer, complete.
pub(super) fn work(work: Option<DueWork>) -> Result<DueWork, Fault> {
    let work = work.ok_or_else(|| Fault::invalid("work", "is required"))?;
    work_id("work.work_id", &work.work_id)?;
    if matches!(work.kind(), WorkKind::Unspecified) {
        return Err(Fault::invalid("work.kind", "must be a kind of work"));
    }
    ids::check("work.thread_id", &work.thread_id)?;
    ids::check_key("work.subject_id", &work.subject_id)?;
    if work.due_time.as_ref().and_then(time::from_proto).is_none() {
        return Err(Fault::invalid("work.due_time", "must be a time"));
    }
    for (field, bytes, most) in [
        ("work.claims", &work.claims, CLAIMS_MAX_BYTES),
        ("work.payload", &work.payload, PAYLOAD_MAX_BYTES),
    ] {
        if bytes.len() > most {
            return Err(Fault::invalid(
                field,
                format!("must have at most {most} bytes"),
            ));
        }
    }
    Ok(work)
}

pub(super) fn work_id(field: &str, id: &str) -> Result<(), Fault> {
    let valid = (1..=ids::MAX_ID_CHARS).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._~@:-".contains(&b));
    if valid {
        return Ok(());
    }
    Err(Fault::invalid(field, "must match [A-Za-z0-9._~@:-]{1,128}"))
}
