//! What a request must look like before the store sees it.

use bytes::Bytes;
use turnwise_kit::{Fault, ids, time};
use turnwise_proto::{
    exam::v1::QuestionState, session::v1::QuestionRecord, tutor::v1::TutorMessage,
};

use crate::store::Idempotency;

/// The most characters of a thread's title.
const TITLE_MAX_CHARS: usize = 200;
/// The bytes of a SHA-256.
const HASH_BYTES: usize = 32;
/// The most messages of one turn.
const MESSAGES_MAX: usize = 100;
/// The most bytes of a stored answer.
const ANSWER_MAX_BYTES: usize = 1024 * 1024;
/// The most messages of the past that a turn may ask for.
const HISTORY_MAX: i32 = 50;
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
        .filter(|_| limit <= HISTORY_MAX)
        .ok_or_else(|| Fault::invalid("history_limit", "must be 0 to 50"))
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

pub(super) fn question_ids(question_ids: &[String]) -> Result<(), Fault> {
    if question_ids.len() > QUESTIONS_MAX {
        return Err(Fault::invalid("question_ids", "must be at most 100"));
    }
    question_ids
        .iter()
        .try_for_each(|id| ids::check("question_ids", id))
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

/// A page token of ours is a number; none asks for the first page.
pub(super) fn page_token<T: std::str::FromStr>(token: &str) -> Result<Option<T>, Fault> {
    if token.is_empty() {
        return Ok(None);
    }
    token.parse().map(Some).map_err(|_| {
        Fault::invalid(
            "page_token",
            "must be the next_page_token of an earlier page",
        )
    })
}
